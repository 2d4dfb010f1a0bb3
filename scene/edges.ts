import type { Mesh } from './mesh.js'

/** Half-edges grouped by the undirected edge they run along. Half-edge h = 3 t + i goes from corner i of facet t to the next. */
export interface EdgeTable {
  /** Number of distinct edges. */
  count: number
  /** `count + 1` offsets into `half`. */
  start: Uint32Array
  /** 3T half-edge numbers, edge by edge, ascending within each. */
  half: Uint32Array
  /** Lower and higher vertex number of each edge; edges are in ascending order of (low, high). */
  low: Uint32Array
  high: Uint32Array
}

/** The vertex that half-edge h runs to. */
const endOf = (triangles: Uint32Array, h: number): number => triangles[h % 3 === 2 ? h - 2 : h + 1]

/** Groups the half-edges of a mesh by edge, in O(T). */
export function edgeTable(mesh: Mesh): EdgeTable {
  const tri = mesh.triangles
  const vertices = mesh.positions.length / 3
  const lowOf = (h: number): number => Math.min(tri[h], endOf(tri, h))
  const highOf = (h: number): number => Math.max(tri[h], endOf(tri, h))
  const first = new Uint32Array(vertices + 1)
  for (let h = 0; h < tri.length; h++) first[lowOf(h) + 1]++
  for (let v = 0; v < vertices; v++) first[v + 1] += first[v]
  const half = new Uint32Array(tri.length)
  const fill = first.slice(0, vertices)
  for (let h = 0; h < tri.length; h++) half[fill[lowOf(h)]++] = h
  for (let v = 0; v < vertices; v++)
    half.subarray(first[v], first[v + 1]).sort((g, h) => highOf(g) - highOf(h) || g - h)

  const start = new Uint32Array(tri.length + 1)
  const low = new Uint32Array(tri.length)
  const high = new Uint32Array(tri.length)
  let count = 0
  for (let i = 0; i < half.length; i++) {
    const [a, b] = [lowOf(half[i]), highOf(half[i])]
    if (count > 0 && low[count - 1] === a && high[count - 1] === b) continue
    low[count] = a
    high[count] = b
    start[count++] = i
  }
  start[count] = half.length
  return {
    count,
    start: start.slice(0, count + 1),
    half,
    low: low.slice(0, count),
    high: high.slice(0, count),
  }
}

/**
 * The wedges of a mesh, E of them, in ascending order of their vertex pair. A wedge is the empty space at an edge
 * between two faces: counter-clockwise about the direction from its first vertex to its second, it begins at its
 * first facet and ends at its second.
 * - Two facets at an edge: one wedge, on the outward side.
 * - One facet (the rim of a sheet or an open body): one wedge all the way round, second facet -1.
 * - Three or more (non-manifold): the facets are sorted by angle about the edge and every sector between neighbours is
 *   a wedge, save those that are inside the body (both outward normals point away from the sector).
 */
export interface Edges {
  /** 2E vertex numbers, the lower first. */
  vertices: Uint32Array
  /** 2E facet numbers; the second is -1 at a rim. */
  facets: Int32Array
  /** 2E: +1 where the facet's outward normal points into the wedge, -1 where its back does (rims, sheets meeting, one-sided surfaces). */
  side: Int8Array
  /**
   * E interior wedge angles [degrees], through the material: 360 minus the wedge's opening. Below 180 convex, above 180
   * concave, 180 coplanar, 0 at the rim of a sheet. Two facets folded onto each other count as 0 (a knife), not 360.
   */
  interiorAngle: Float64Array
  /** E numbers of facets that meet at the edge: 1 rim, 2 manifold, 3 and more non-manifold. */
  valence: Uint32Array
}

/** Folds closer than this [degrees] to 0 or 360 cannot be told apart in double precision and are taken for knives. */
const FOLD_DEG = 1e-6

/** Wedges of a cleaned mesh (see `cleanMesh`: no degenerate facets, consistent orientation). */
export function buildEdges(mesh: Mesh): Edges {
  const table = edgeTable(mesh)
  const tri = mesh.triangles
  const vertices: number[] = []
  const facets: number[] = []
  const side: number[] = []
  const interiorAngle: number[] = []
  const valence: number[] = []
  const facetOf = (h: number): number => Math.floor(h / 3)
  /** Whether the half-edge runs from the lower vertex to the higher; its facet's normal then points counter-clockwise. */
  const forward = (h: number): boolean => tri[h] < endOf(tri, h)

  for (let e = 0; e < table.count; e++) {
    const half = table.half.subarray(table.start[e], table.start[e + 1])
    const add = (h: number, g: number, angle: number): void => {
      vertices.push(table.low[e], table.high[e])
      facets.push(facetOf(h), facetOf(g))
      side.push(forward(h) ? 1 : -1, forward(g) ? -1 : 1)
      interiorAngle.push(angle)
      valence.push(half.length)
    }
    if (half.length === 1) {
      vertices.push(table.low[e], table.high[e])
      facets.push(facetOf(half[0]), -1)
      side.push(1, -1)
      interiorAngle.push(0)
      valence.push(1)
    } else if (half.length === 2) {
      // Facets oriented alike (a one-sided surface) leave the choice open: the front of the lower-numbered one.
      const [h, g] = forward(half[0]) ? [half[0], half[1]] : [half[1], half[0]]
      const opening = openings(mesh, table.low[e], table.high[e], [h, g])[1]
      const folded = opening < FOLD_DEG || opening > 360 - FOLD_DEG
      add(h, g, folded ? 0 : 360 - opening)
    } else {
      const angle = openings(mesh, table.low[e], table.high[e], half)
      const order = Array.from(half, (_, i) => i).sort((i, j) => angle[i] - angle[j] || i - j)
      for (let i = 0; i < order.length; i++) {
        const [a, b] = [order[i], order[(i + 1) % order.length]]
        if (!forward(half[a]) && forward(half[b])) continue
        const turn = i + 1 < order.length ? 0 : 360
        add(half[a], half[b], 360 - (angle[b] + turn - angle[a]))
      }
    }
  }
  return {
    vertices: Uint32Array.from(vertices),
    facets: Int32Array.from(facets),
    side: Int8Array.from(side),
    interiorAngle: Float64Array.from(interiorAngle),
    valence: Uint32Array.from(valence),
  }
}

/** Angle [degrees, 0 to below 360] of each half-edge's facet about the edge from a to b, counted from the first facet. */
function openings(mesh: Mesh, a: number, b: number, half: ArrayLike<number>): number[] {
  const p = mesh.positions
  const [ax, ay, az] = [p[3 * a], p[3 * a + 1], p[3 * a + 2]]
  let [tx, ty, tz] = [p[3 * b] - ax, p[3 * b + 1] - ay, p[3 * b + 2] - az]
  const length = Math.hypot(tx, ty, tz)
  tx /= length
  ty /= length
  tz /= length
  const angle: number[] = []
  let [x0, y0, z0] = [0, 0, 0]
  for (let i = 0; i < half.length; i++) {
    // The facet's third corner, seen from a, less its part along the edge: points into the facet.
    const h = half[i]
    const c = 3 * mesh.triangles[h % 3 === 0 ? h + 2 : h - 1]
    let [x, y, z] = [p[c] - ax, p[c + 1] - ay, p[c + 2] - az]
    const along = x * tx + y * ty + z * tz
    x -= along * tx
    y -= along * ty
    z -= along * tz
    if (i === 0) [x0, y0, z0] = [x, y, z]
    const sine = tx * (y0 * z - z0 * y) + ty * (z0 * x - x0 * z) + tz * (x0 * y - y0 * x)
    const degrees = (Math.atan2(sine, x0 * x + y0 * y + z0 * z) * 180) / Math.PI
    angle.push(i === 0 ? 0 : degrees < 0 ? degrees + 360 : degrees)
  }
  return angle
}

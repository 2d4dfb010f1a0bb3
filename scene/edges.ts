import { orderByKey } from '../math/partition.js'
import type { Mesh } from './mesh.js'

/** Half-edges grouped by undirected edge. Half-edge h = 3 t + i goes from corner i of facet t to the next. */
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

/** Groups the half-edges of a mesh by edge, in O(T). */
export function edgeTable({ positions, triangles }: Mesh): EdgeTable {
  const vertices = positions.length / 3
  const lowOf = new Uint32Array(triangles.length)
  const highOf = new Uint32Array(triangles.length)
  findEnds(triangles, lowOf, highOf)
  const half = orderByKey(lowOf, vertices, orderByKey(highOf, vertices))
  const start = new Uint32Array(half.length + 1)
  const low = new Uint32Array(half.length)
  const high = new Uint32Array(half.length)
  const count = findEdges(half, lowOf, highOf, start, low, high)
  start[count] = half.length
  return {
    count,
    start: start.slice(0, count + 1),
    half,
    low: low.slice(0, count),
    high: high.slice(0, count),
  }
}

/** The lower and the higher vertex of each half-edge. */
function findEnds(tri: Uint32Array, low: Uint32Array, high: Uint32Array): void {
  for (let h = 0; h < tri.length; h++) {
    const a = tri[h]
    const b = tri[h % 3 === 2 ? h - 2 : h + 1]
    low[h] = a < b ? a : b
    high[h] = a < b ? b : a
  }
}

/** Start of each edge in `half` (sorted by vertex pair) and its vertices; returns the number of edges. */
function findEdges(
  half: Uint32Array,
  lowOf: Uint32Array,
  highOf: Uint32Array,
  start: Uint32Array,
  low: Uint32Array,
  high: Uint32Array,
): number {
  let count = 0
  let lastLow = -1
  let lastHigh = -1
  for (let i = 0; i < half.length; i++) {
    const a = lowOf[half[i]]
    const b = highOf[half[i]]
    if (a === lastLow && b === lastHigh) continue
    low[count] = lastLow = a
    high[count] = lastHigh = b
    start[count++] = i
  }
  return count
}

/**
 * The wedges of a mesh, E of them, in ascending order of their vertex pair. A wedge is the empty space at an edge
 * between two faces: counter-clockwise about the direction from its first vertex to its second, it begins at its
 * first facet and ends at its second.
 * - Two facets at an edge: one wedge, on the outward side.
 * - One facet (the rim of a sheet or an open body): one wedge of 360 degrees, second facet -1.
 * - Three or more (non-manifold): the facets are sorted by angle about the edge and every sector between neighbours is
 *   a wedge, except those inside the body (both outward normals point away from the sector).
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
   * concave, 180 coplanar, 0 at the rim of a sheet. Two facets folded onto each other count as 0 (a knife edge), not 360.
   */
  interiorAngle: Float64Array
  /** Number of facets that meet at each edge, E long: 1 rim, 2 manifold, 3 and more non-manifold. */
  valence: Uint32Array
}

/** Folds closer than this [degrees] to 0 or 360 cannot be distinguished in double precision and count as knife edges. */
const FOLD_DEG = 1e-6

/** Wedges of a cleaned mesh (see `cleanMesh`: no degenerate facets, consistent orientation). */
export function buildEdges(mesh: Mesh): Edges {
  const table = edgeTable(mesh)
  const { start, half, low, high } = table
  const tri = mesh.triangles
  const most = mostWedges(table)
  const vertices = new Uint32Array(2 * most)
  const facets = new Int32Array(2 * most)
  const side = new Int8Array(2 * most)
  const interiorAngle = new Float64Array(most)
  const valence = new Uint32Array(most)
  let count = 0
  /** Whether the half-edge runs from the lower vertex to the higher; its facet's normal then points counter-clockwise. */
  const forward = (e: number, h: number): boolean => tri[h] === low[e]
  /** Adds the wedge of edge e from half-edge h to half-edge g, or of 360 degrees (g < 0). */
  const add = (e: number, h: number, g: number, angle: number): void => {
    vertices[2 * count] = low[e]
    vertices[2 * count + 1] = high[e]
    facets[2 * count] = (h / 3) | 0
    facets[2 * count + 1] = g < 0 ? -1 : (g / 3) | 0
    side[2 * count] = g < 0 || forward(e, h) ? 1 : -1
    side[2 * count + 1] = g < 0 || forward(e, g) ? -1 : 1
    interiorAngle[count] = angle
    valence[count] = start[e + 1] - start[e]
    count++
  }

  for (let e = 0; e < table.count; e++) {
    const at = start[e]
    const meeting = start[e + 1] - at
    if (meeting === 1) add(e, half[at], -1, 0)
    else if (meeting === 2) {
      // Facets of a one-sided surface leave the choice open: the front of the lower-numbered one.
      const first = forward(e, half[at]) ? 0 : 1
      const h = half[at + first]
      const g = half[at + 1 - first]
      const angle = opening(mesh, low[e], high[e], h, g)
      const folded = angle < FOLD_DEG || angle > 360 - FOLD_DEG
      add(e, h, g, folded ? 0 : 360 - angle)
    } else {
      const fan = Array.from(half.subarray(at, at + meeting))
      const angle = fan.map((h, i) => (i === 0 ? 0 : opening(mesh, low[e], high[e], fan[0], h)))
      const order = fan.map((_, i) => i).sort((i, j) => angle[i] - angle[j] || i - j)
      for (let i = 0; i < meeting; i++) {
        const [a, b] = [order[i], order[(i + 1) % meeting]]
        if (!forward(e, fan[a]) && forward(e, fan[b])) continue
        const wrap = i + 1 < meeting ? 0 : 360
        add(e, fan[a], fan[b], 360 - (angle[b] + wrap - angle[a]))
      }
    }
  }
  return {
    vertices: vertices.slice(0, 2 * count),
    facets: facets.slice(0, 2 * count),
    side: side.slice(0, 2 * count),
    interiorAngle: interiorAngle.slice(0, count),
    valence: valence.slice(0, count),
  }
}

/** Number of wedges if none is inside a body. */
function mostWedges({ count, start }: EdgeTable): number {
  let most = 0
  for (let e = 0; e < count; e++) {
    const meeting = start[e + 1] - start[e]
    most += meeting > 2 ? meeting : 1
  }
  return most
}

/** Angle [degrees, 0 to below 360] about the edge from a to b, from the facet of half-edge h to that of half-edge g. */
function opening({ positions: p, triangles: tri }: Mesh, a: number, b: number, h: number, g: number): number {
  const ax = p[3 * a]
  const ay = p[3 * a + 1]
  const az = p[3 * a + 2]
  let tx = p[3 * b] - ax
  let ty = p[3 * b + 1] - ay
  let tz = p[3 * b + 2] - az
  const length = Math.hypot(tx, ty, tz)
  tx /= length
  ty /= length
  tz /= length
  // From the edge to the facets' third corners, perpendicular to the edge: these vectors point into the facets.
  const c = 3 * tri[h % 3 === 0 ? h + 2 : h - 1]
  let x0 = p[c] - ax
  let y0 = p[c + 1] - ay
  let z0 = p[c + 2] - az
  const along0 = x0 * tx + y0 * ty + z0 * tz
  x0 -= along0 * tx
  y0 -= along0 * ty
  z0 -= along0 * tz
  const d = 3 * tri[g % 3 === 0 ? g + 2 : g - 1]
  let x = p[d] - ax
  let y = p[d + 1] - ay
  let z = p[d + 2] - az
  const along = x * tx + y * ty + z * tz
  x -= along * tx
  y -= along * ty
  z -= along * tz
  const sine = tx * (y0 * z - z0 * y) + ty * (z0 * x - x0 * z) + tz * (x0 * y - y0 * x)
  const degrees = (Math.atan2(sine, x0 * x + y0 * y + z0 * z) * 180) / Math.PI
  return degrees < 0 ? degrees + 360 : degrees
}

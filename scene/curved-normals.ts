import { DisjointSets } from './disjoint-sets.js'
import { edgeTable, type EdgeTable } from './edges.js'
import type { Mesh } from './mesh.js'

/** Facets that meet at less than this angle [rad] are coplanar. */
const COPLANAR = 1e-4
/** A plane at least this many times wider across an edge than the facet beyond it keeps its normal there: a panel beside a fillet. */
const WIDE = 4
/** Vertices of a plane examined for its width; a plane with more of them is wide enough. */
const MOST_SEEN = 1000

/** Estimated normals of the surface that a mesh approximates; F fans. */
export interface VertexNormals {
  table: EdgeTable
  /** Edge of each half-edge, 3T. */
  edgeOf: Uint32Array
  /** Per edge, 1 where the surface is smooth across it. */
  smooth: Uint8Array
  /** Fan of each corner, 3T: the corners of a vertex that are connected across smooth edges. */
  fan: Uint32Array
  /** 3 components per fan of the unit normal; zeros where the fan has none (the tip of a cone). */
  normals: Float64Array
}

/**
 * Normals at the vertices of a cleaned mesh, one for each fan of facets between creases: the mean of the facet normals
 * with the weights of Max (J. Graphics Tools 4(2), 1999, 1-6), sin(corner angle) / (product of the lengths of the two
 * sides), which are exact on spheres and on prisms about a cylinder. Where a plane meets a much narrower facet the plane's
 * normal alone is used. A fan whose normal differs from one of its facets' by `angleDeg` or more has no normal.
 *
 * @param angleDeg  neighbouring facets that meet at less than this angle belong to one smooth surface
 */
export function vertexNormals(mesh: Mesh, angleDeg: number): VertexNormals {
  const { positions: p, triangles: tri } = mesh
  const table = edgeTable(mesh)
  const n = facetNormals(mesh)
  const limit = (angleDeg * Math.PI) / 180
  const edgeOf = new Uint32Array(tri.length)
  const smooth = new Uint8Array(table.count)
  const fans = new DisjointSets(tri.length)
  const planes = new DisjointSets(tri.length / 3)
  const dihedral = new Float64Array(table.count)
  for (let e = 0; e < table.count; e++) {
    const half = table.half.subarray(table.start[e], table.start[e + 1])
    for (const h of half) edgeOf[h] = e
    // Facets of a one-sided surface may traverse the edge in the same direction; they have no common outside.
    if (half.length !== 2 || tri[half[0]] === tri[half[1]]) continue
    const [h, g] = half
    dihedral[e] = angle(n, 3 * Math.floor(h / 3), n, 3 * Math.floor(g / 3))
    if (!(dihedral[e] < limit)) continue
    smooth[e] = 1
    fans.join(h, next(g))
    fans.join(next(h), g)
    if (dihedral[e] < COPLANAR) planes.join(Math.floor(h / 3), Math.floor(g / 3))
  }
  const fan = Uint32Array.from(tri, (_, c) => fans.root(c))
  const plane = Uint32Array.from({ length: tri.length / 3 }, (_, t) => planes.root(t))
  const leads = leading(mesh, table, smooth, dihedral, fan, plane)

  const normals = new Float64Array(3 * tri.length)
  const led = new Set(Array.from(leads, (key) => Math.floor(key / (tri.length / 3))))
  for (let c = 0; c < tri.length; c++) {
    const t = Math.floor(c / 3)
    if (led.has(fan[c]) && !leads.has(fan[c] * (tri.length / 3) + plane[t])) continue
    const [a, b, d] = [3 * tri[c], 3 * tri[next(c)], 3 * tri[next(next(c))]]
    const u = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]]
    const v = [p[d] - p[a], p[d + 1] - p[a + 1], p[d + 2] - p[a + 2]]
    const doubleArea = Math.hypot(
      u[1] * v[2] - u[2] * v[1],
      u[2] * v[0] - u[0] * v[2],
      u[0] * v[1] - u[1] * v[0],
    )
    const weight = doubleArea / ((u[0] ** 2 + u[1] ** 2 + u[2] ** 2) * (v[0] ** 2 + v[1] ** 2 + v[2] ** 2))
    for (let i = 0; i < 3; i++) normals[3 * fan[c] + i] += weight * n[3 * t + i]
  }
  for (let c = 0; c < tri.length; c++) {
    if (fan[c] !== c) continue
    const length = Math.hypot(...normals.subarray(3 * c, 3 * c + 3))
    for (let i = 0; i < 3; i++) normals[3 * c + i] = length > 0 ? normals[3 * c + i] / length : 0
  }
  const lost = new Uint8Array(tri.length)
  for (let c = 0; c < tri.length; c++)
    if (!(angle(normals, 3 * fan[c], n, 3 * Math.floor(c / 3)) < limit)) lost[fan[c]] = 1
  for (let c = 0; c < tri.length; c++) if (lost[c]) normals.fill(0, 3 * c, 3 * c + 3)
  return { table, edgeOf, smooth, fan, normals }
}

/** The corner after c in its facet. */
export const next = (c: number): number => (c % 3 === 2 ? c - 2 : c + 1)

/** 3T components of the facets' unit normals. */
export function facetNormals({ positions: p, triangles: tri }: Mesh): Float64Array {
  const normals = new Float64Array(tri.length)
  for (let t = 0; t < tri.length; t += 3) {
    const [a, b, c] = [3 * tri[t], 3 * tri[t + 1], 3 * tri[t + 2]]
    const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]]
    const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]]
    const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx]
    const length = Math.hypot(x, y, z)
    normals.set([x / length, y / length, z / length], t)
  }
  return normals
}

/** Angle between two vectors [rad]; NaN where one is zero. */
function angle(a: Float64Array, i: number, b: Float64Array, j: number): number {
  const [ax, ay, az] = [a[i], a[i + 1], a[i + 2]]
  const [bx, by, bz] = [b[j], b[j + 1], b[j + 2]]
  if (ax === 0 && ay === 0 && az === 0) return NaN
  const sine = Math.hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)
  return Math.atan2(sine, ax * bx + ay * by + az * bz)
}

/** Fans that take a plane's normal because a facet across one of their edges is much narrower, as fan * T + plane. */
function leading(
  mesh: Mesh,
  table: EdgeTable,
  smooth: Uint8Array,
  dihedral: Float64Array,
  fan: Uint32Array,
  plane: Uint32Array,
): Set<number> {
  const { positions: p, triangles: tri } = mesh
  const facets = tri.length / 3
  const members = new Map<number, number[]>()
  for (let t = 0; t < facets; t++) {
    const list = members.get(plane[t])
    if (list) list.push(t)
    else members.set(plane[t], [t])
  }
  const found = new Set<number>()
  for (let e = 0; e < table.count; e++) {
    if (!smooth[e] || dihedral[e] < COPLANAR) continue
    const [a, b] = [3 * table.low[e], 3 * table.high[e]]
    const along = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]]
    const length = Math.hypot(...along)
    /** Width of a plane across the edge [m]; the search stops above `enough`. */
    const width = (t: number, enough: number): number => {
      let most = 0
      let seen = 0
      for (const s of members.get(plane[t])!)
        for (let i = 3 * s; i < 3 * s + 3; i++) {
          const v = 3 * tri[i]
          const [x, y, z] = [p[v] - p[a], p[v + 1] - p[a + 1], p[v + 2] - p[a + 2]]
          const area = Math.hypot(
            y * along[2] - z * along[1],
            z * along[0] - x * along[2],
            x * along[1] - y * along[0],
          )
          most = Math.max(most, area / length)
          if (most > enough || ++seen > MOST_SEEN) return most
        }
      return most
    }
    const half = table.half.subarray(table.start[e], table.start[e + 1])
    for (const [h, g] of [half, [half[1], half[0]]]) {
      const narrow = width(Math.floor(g / 3), Infinity)
      const t = Math.floor(h / 3)
      if (!(width(t, WIDE * narrow) > WIDE * narrow)) continue
      for (const c of [h, next(h)]) found.add(fan[c] * facets + plane[t])
    }
  }
  return found
}

import { edgeTable } from './edges.js'
import type { Mesh } from './mesh.js'

/** Height of a triangle over its longest edge [m], and which edge that is: `longest` 0 is from corner 0 to corner 1. */
function facetHeight(p: Float64Array, a: number, b: number, c: number): { height: number; longest: number } {
  const [ux, uy, uz] = [p[3 * b] - p[3 * a], p[3 * b + 1] - p[3 * a + 1], p[3 * b + 2] - p[3 * a + 2]]
  const [vx, vy, vz] = [p[3 * c] - p[3 * a], p[3 * c + 1] - p[3 * a + 1], p[3 * c + 2] - p[3 * a + 2]]
  const doubleArea = Math.hypot(uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx)
  const length = [Math.hypot(ux, uy, uz), Math.hypot(ux - vx, uy - vy, uz - vz), Math.hypot(vx, vy, vz)]
  const longest = length.indexOf(Math.max(...length))
  return { height: length[longest] > 0 ? doubleArea / length[longest] : 0, longest }
}

/** Whether a triangle is higher than twice `height` [m], from squares alone: true for nearly all facets, which then need no `facetHeight`. */
function isFarHigher(p: Float64Array, a: number, b: number, c: number, height: number): boolean {
  const ux = p[3 * b] - p[3 * a]
  const uy = p[3 * b + 1] - p[3 * a + 1]
  const uz = p[3 * b + 2] - p[3 * a + 2]
  const vx = p[3 * c] - p[3 * a]
  const vy = p[3 * c + 1] - p[3 * a + 1]
  const vz = p[3 * c + 2] - p[3 * a + 2]
  const wx = ux - vx
  const wy = uy - vy
  const wz = uz - vz
  const nx = uy * vz - uz * vy
  const ny = uz * vx - ux * vz
  const nz = ux * vy - uy * vx
  const uu = ux * ux + uy * uy + uz * uz
  const vv = vx * vx + vy * vy + vz * vz
  const ww = wx * wx + wy * wy + wz * wz
  const longer = uu > vv ? uu : vv
  return nx * nx + ny * ny + nz * nz > 4 * height * height * (longer > ww ? longer : ww)
}

/** Whether a triangle is higher over its longest edge than `height` [m]. */
export const isHigher = (p: Float64Array, a: number, b: number, c: number, height: number): boolean =>
  isFarHigher(p, a, b, c, height) || facetHeight(p, a, b, c).height > height

const isLower = (p: Float64Array, a: number, b: number, c: number, height: number): boolean =>
  !isFarHigher(p, a, b, c, height) && facetHeight(p, a, b, c).height < height

/**
 * Repairs T-junctions, where a vertex lies on a neighbour's edge and a facet without height fills the gap. The normal of
 * such a sliver is noise, and removing it would leave a crack with false rims. Instead the edge it shares with the facet
 * across its longest side is flipped to the other diagonal of the two, which splits that facet at the vertex.
 * A sliver is lower than `leastHeight` [m]; the edge is flipped where neither the other facet nor the new ones are slivers,
 * so the surface moves by less than that. Facets keep their number; both new ones belong to the other facet's group.
 * Every facet must have three different vertices.
 */
export function repairSlivers(mesh: Mesh, leastHeight: number): { mesh: Mesh; repaired: number } {
  const p = mesh.positions
  const tri = mesh.triangles.slice()
  const facetGroup = mesh.facetGroup?.slice()
  const facets = tri.length / 3
  const isSliver = (t: number): boolean => isLower(p, tri[3 * t], tri[3 * t + 1], tri[3 * t + 2], leastHeight)

  // Only facets with two vertices of slivers can take part, now or after any flip: only their edges are examined.
  const marked = new Uint8Array(p.length / 3)
  for (let t = 0; t < facets; t++) if (isSliver(t)) for (let i = 0; i < 3; i++) marked[tri[3 * t + i]] = 1
  const near: number[] = []
  for (let t = 0; t < facets; t++)
    if (marked[tri[3 * t]] + marked[tri[3 * t + 1]] + marked[tri[3 * t + 2]] >= 2) near.push(t)
  if (near.length === 0) return { mesh, repaired: 0 }

  /** Flips the edge of half-edges h (of sliver s) and g (of facet t), numbered within their facets; false where not allowed. */
  const flip = (s: number, h: number, t: number, g: number): boolean => {
    if (!isSliver(s) || isSliver(t)) return false
    if (facetHeight(p, tri[3 * s], tri[3 * s + 1], tri[3 * s + 2]).longest !== h) return false
    const apex = tri[3 * s + ((h + 2) % 3)]
    const [from, to, far] = [0, 1, 2].map((i) => tri[3 * t + ((g + i) % 3)])
    if (apex === far) return false
    for (const [a, b] of [
      [from, apex],
      [apex, to],
    ])
      if (isLower(p, a, b, far, leastHeight)) return false
    tri.set([from, apex, far], 3 * s)
    tri.set([apex, to, far], 3 * t)
    if (facetGroup) facetGroup[s] = facetGroup[t]
    return true
  }

  let repaired = 0
  // Each flip removes one sliver, so this ends; of several slivers along one edge each round repairs one.
  for (let before = -1; before !== repaired;) {
    before = repaired
    const triangles = new Uint32Array(near.flatMap((t) => [tri[3 * t], tri[3 * t + 1], tri[3 * t + 2]]))
    const { count, start, half } = edgeTable({ positions: p, triangles })
    // The edge table is out of date for facets changed in this round.
    const changed = new Uint8Array(near.length)
    for (let e = 0; e < count; e++) {
      if (start[e + 1] - start[e] !== 2) continue
      const [h, g] = half.subarray(start[e], start[e + 1])
      const [i, j] = [Math.floor(h / 3), Math.floor(g / 3)]
      if (changed[i] || changed[j]) continue
      if (flip(near[i], h % 3, near[j], g % 3) || flip(near[j], g % 3, near[i], h % 3)) {
        changed[i] = changed[j] = 1
        repaired++
      }
    }
  }
  return { mesh: { ...mesh, triangles: tri, facetGroup }, repaired }
}

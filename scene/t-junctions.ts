import type { EdgeTable } from './edges.js'
import type { Mesh } from './mesh.js'

/**
 * Joins open edges that lie on each other: where a vertex of an open edge lies on another open edge, within `tolerance` [m] and farther than
 * that from its ends, the facet of that edge is cut there. The parts take the facet's place; other facets keep theirs.
 *
 * @param table  of the mesh
 * @returns the mesh itself and 0 where there is nothing to cut, else how many places were cut
 */
export function joinTJunctions(
  mesh: Mesh,
  table: EdgeTable,
  tolerance: number,
): { mesh: Mesh; joined: number } {
  const open: number[] = []
  for (let e = 0; e < table.count; e++) if (table.start[e + 1] - table.start[e] === 1) open.push(e)
  const cuts = open.length > 0 ? findCuts(mesh, table, open, tolerance) : new Map<number, number[]>()
  if (cuts.size === 0) return { mesh, joined: 0 }
  const { triangles: tri, facetGroup } = mesh
  const triangles: number[] = []
  const groups: number[] = []
  let joined = 0
  for (let t = 0; t < tri.length / 3; t++) {
    const sides = [0, 1, 2].map((i) => cuts.get(3 * t + i) ?? [])
    for (const side of sides) joined += side.length
    const before = triangles.length
    cutFacet(tri[3 * t], tri[3 * t + 1], tri[3 * t + 2], sides, triangles)
    if (facetGroup) for (let i = before; i < triangles.length; i += 3) groups.push(facetGroup[t])
  }
  return {
    mesh: {
      ...mesh,
      triangles: Uint32Array.from(triangles),
      ...(facetGroup && { facetGroup: Uint32Array.from(groups) }),
    },
    joined,
  }
}

/** By half-edge the vertices that lie on it, from its first to its second. */
function findCuts(
  { positions: p, triangles: tri }: Mesh,
  { half, start, low, high }: EdgeTable,
  open: number[],
  tolerance: number,
): Map<number, number[]> {
  const vertices = [...new Set(open.flatMap((e) => [low[e], high[e]]))].sort(
    (a, b) => p[3 * a] - p[3 * b] || a - b,
  )
  const xs = Float64Array.from(vertices, (v) => p[3 * v])
  const cuts = new Map<number, number[]>()
  for (const e of open) {
    const h = half[start[e]]
    const a = tri[h]
    const b = tri[h % 3 === 2 ? h - 2 : h + 1]
    const opposite = tri[h % 3 === 0 ? h + 2 : h - 1]
    const along = [0, 1, 2].map((c) => p[3 * b + c] - p[3 * a + c])
    const length = Math.hypot(...along)
    const on: { v: number; s: number }[] = []
    const most = Math.max(p[3 * a], p[3 * b]) + tolerance
    for (
      let i = firstFrom(xs, Math.min(p[3 * a], p[3 * b]) - tolerance);
      i < xs.length && xs[i] <= most;
      i++
    ) {
      const v = vertices[i]
      if (v === a || v === b || v === opposite) continue
      const from = [0, 1, 2].map((c) => p[3 * v + c] - p[3 * a + c])
      const s = (from[0] * along[0] + from[1] * along[1] + from[2] * along[2]) / length
      if (!(s > tolerance && s < length - tolerance)) continue
      const off = Math.hypot(...from.map((x, c) => x - (s * along[c]) / length))
      if (off <= tolerance) on.push({ v, s })
    }
    if (on.length > 0)
      cuts.set(
        h,
        on.sort((x, y) => x.s - y.s).map(({ v }) => v),
      )
  }
  return cuts
}

/** Position of the first of some ascending numbers that is not below x. */
function firstFrom(xs: Float64Array, x: number): number {
  let [from, to] = [0, xs.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (xs[middle] < x) from = middle + 1
    else to = middle
  }
  return from
}

/** Adds the parts of a facet a b c with vertices on its sides ab, bc and ca, in order along them. */
function cutFacet(a: number, b: number, c: number, [ab, bc, ca]: number[][], out: number[]): void {
  if (ab.length > 0) {
    const middle = ab.length >> 1
    const v = ab[middle]
    cutFacet(a, v, c, [ab.slice(0, middle), [], ca], out)
    cutFacet(v, b, c, [ab.slice(middle + 1), bc, []], out)
  } else if (bc.length > 0) cutFacet(b, c, a, [bc, ca, []], out)
  else if (ca.length > 0) cutFacet(c, a, b, [ca, [], []], out)
  else out.push(a, b, c)
}

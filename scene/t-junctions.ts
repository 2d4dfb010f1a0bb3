import type { EdgeTable } from './edges.js'
import type { Mesh } from './mesh.js'

/** Points of a leaf of `PointTree`, at most. */
const LEAF = 16

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
  const tree = new PointTree(p, Uint32Array.from(new Set(open.flatMap((e) => [low[e], high[e]]))))
  const cuts = new Map<number, number[]>()
  for (const e of open) {
    const h = half[start[e]]
    const a = tri[h]
    const b = tri[h % 3 === 2 ? h - 2 : h + 1]
    const opposite = tri[h % 3 === 0 ? h + 2 : h - 1]
    const along = [0, 1, 2].map((c) => p[3 * b + c] - p[3 * a + c])
    const length = Math.hypot(...along)
    const on: { v: number; s: number }[] = []
    const line = { start: [p[3 * a], p[3 * a + 1], p[3 * a + 2]], along, tolerance }
    tree.near(line, (v) => {
      if (v === a || v === b || v === opposite) return
      const from = [0, 1, 2].map((c) => p[3 * v + c] - p[3 * a + c])
      const s = (from[0] * along[0] + from[1] * along[1] + from[2] * along[2]) / length
      if (!(s > tolerance && s < length - tolerance)) return
      const off = Math.hypot(...from.map((x, c) => x - (s * along[c]) / length))
      if (off <= tolerance) on.push({ v, s })
    })
    if (on.length > 0)
      cuts.set(
        h,
        on.sort((x, y) => x.s - y.s).map(({ v }) => v),
      )
  }
  return cuts
}

/** From `start` to `start` + `along`, and how near points are looked for. */
interface Line {
  start: number[]
  along: number[]
  tolerance: number
}

/** Points in a tree of boxes: time in proportion to what lies near, whatever the mesh. */
class PointTree {
  private readonly order: Uint32Array
  /** Lower and upper corner of each node's points; node i has the nodes 2 i + 1 and 2 i + 2, each of half of them. */
  private readonly boxes: Float64Array

  constructor(
    private readonly p: Float64Array,
    vertices: Uint32Array,
  ) {
    const [low, high] = [Infinity, -Infinity].map((x) => new Float64Array(3).fill(x))
    for (const v of vertices)
      for (let c = 0; c < 3; c++) {
        low[c] = Math.min(low[c], p[3 * v + c])
        high[c] = Math.max(high[c], p[3 * v + c])
      }
    const side = Math.max(...high.map((x, c) => x - low[c]), Number.MIN_VALUE)
    const cells = (v: number): number[] =>
      [0, 1, 2].map((c) => Math.min(1023, Math.floor((1024 * (p[3 * v + c] - low[c])) / side)))
    const keys = new Map(Array.from(vertices, (v) => [v, interleaved(cells(v))]))
    this.order = vertices.sort((a, b) => keys.get(a)! - keys.get(b)! || a - b)
    const depth = Math.ceil(Math.log2(Math.max(1, vertices.length / LEAF)))
    this.boxes = new Float64Array(6 * (2 ** (depth + 1) - 1))
    if (vertices.length > 0) this.build(0, 0, vertices.length)
  }

  private build(node: number, from: number, to: number): void {
    const { p, order, boxes } = this
    const at = 6 * node
    for (let c = 0; c < 3; c++) {
      let [low, high] = [Infinity, -Infinity]
      for (let i = from; i < to; i++) {
        low = Math.min(low, p[3 * order[i] + c])
        high = Math.max(high, p[3 * order[i] + c])
      }
      boxes[at + c] = low
      boxes[at + 3 + c] = high
    }
    if (to - from <= LEAF) return
    const middle = (from + to) >> 1
    this.build(2 * node + 1, from, middle)
    this.build(2 * node + 2, middle, to)
  }

  /** Calls `visit` with the points that may lie within the tolerance of a line. */
  near(line: Line, visit: (v: number) => void, node = 0, from = 0, to = this.order.length): void {
    if (to === from || !this.meets(node, line)) return
    if (to - from <= LEAF) {
      for (let i = from; i < to; i++) visit(this.order[i])
      return
    }
    const middle = (from + to) >> 1
    this.near(line, visit, 2 * node + 1, from, middle)
    this.near(line, visit, 2 * node + 2, middle, to)
  }

  /** Whether a line passes a node's box, widened by the tolerance. */
  private meets(node: number, { start, along, tolerance }: Line): boolean {
    let [enter, leave] = [0, 1]
    for (let c = 0; c < 3; c++) {
      const low = this.boxes[6 * node + c] - tolerance - start[c]
      const high = this.boxes[6 * node + 3 + c] + tolerance - start[c]
      if (along[c] === 0) {
        if (low > 0 || high < 0) return false
        continue
      }
      const [a, b] = [low / along[c], high / along[c]]
      enter = Math.max(enter, Math.min(a, b))
      leave = Math.min(leave, Math.max(a, b))
    }
    return enter <= leave
  }
}

/** Bits of three cell numbers in turn (Morton order). */
function interleaved(cells: number[]): number {
  let key = 0
  for (let bit = 9; bit >= 0; bit--) for (const cell of cells) key = 2 * key + ((cell >> bit) & 1)
  return key
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

import type { Vec3 } from './direction.js'
import type { EdgeTable } from './edges.js'
import { InputError } from './errors.js'
import { boundingBox, checkMesh, diagonalOf, type Mesh } from './mesh.js'

/** Length of the diagonal of the box around the vertices that facets use [m]; 0 for a mesh without facets. */
export const boxDiagonal = (mesh: Mesh): number =>
  mesh.triangles.length === 0 ? 0 : diagonalOf(boundingBox(mesh))

/** The facets' vertices, renumbered. */
function renumbered(triangles: Uint32Array, numbers: Uint32Array): Uint32Array {
  const out = new Uint32Array(triangles.length)
  for (let i = 0; i < out.length; i++) out[i] = numbers[triangles[i]]
  return out
}

/** The mesh with only the vertices that its facets use, in their old order; facets and groups keep theirs. */
export function dropUnusedVertices(mesh: Mesh): Mesh {
  const { positions: p, triangles } = mesh
  const vertices = p.length / 3
  const used = new Uint8Array(vertices)
  for (let i = 0; i < triangles.length; i++) used[triangles[i]] = 1
  const numbers = new Uint32Array(vertices)
  let count = 0
  for (let v = 0; v < vertices; v++) {
    numbers[v] = count
    count += used[v]
  }
  if (count === vertices) return mesh
  const positions = new Float64Array(3 * count)
  for (let v = 0; v < vertices; v++) {
    if (used[v] === 0) continue
    const to = 3 * numbers[v]
    positions[to] = p[3 * v]
    positions[to + 1] = p[3 * v + 1]
    positions[to + 2] = p[3 * v + 2]
  }
  return { ...mesh, positions, triangles: renumbered(triangles, numbers) }
}

/**
 * Merges vertices that lie within `tolerance` [m] of each other (default: 1e-6 of the bounding box's diagonal), and
 * drops vertices that no facet uses. Vertices are taken in order: each joins the lowest-numbered kept vertex within
 * the tolerance, or is kept itself, so kept vertices never move, are more than the tolerance apart, and welding
 * is idempotent. A tolerance of 0 merges equal vertices only. All facets are kept, also those that collapse
 * (`cleanMesh` removes and counts them).
 * Throws InputError for a mesh with non-finite vertices or a tolerance that is negative or not a number.
 */
export function weld(mesh: Mesh, tolerance?: number): Mesh {
  checkMesh(mesh)
  const compact = dropUnusedVertices(mesh)
  const box = compact.triangles.length > 0 ? boundingBox(compact) : undefined
  const diagonal = box ? diagonalOf(box) : 0
  const tol = tolerance ?? 1e-6 * diagonal
  if (!(tol >= 0 && tol < Infinity))
    throw new InputError(`the weld tolerance is ${tol}; give a length in metres, 0 or more`)

  const keeper = keepers(compact.positions, box ? box.min : [0, 0, 0], tol, diagonal)
  return dropUnusedVertices({ ...compact, triangles: renumbered(compact.triangles, keeper) })
}

/**
 * The vertex that each is merged into. Kept vertices are found by hashing grid cells.
 * Written out for three coordinates, without calls or arrays: it runs before the JIT compiler has warmed up.
 */
function keepers(p: Float64Array, origin: Vec3, tol: number, diagonal: number): Uint32Array {
  const vertices = p.length / 3
  // Cells wider than the tolerance: for most vertices one cell suffices.
  const cell = Math.max(4 * tol, 1e-9 * diagonal, Number.MIN_VALUE)
  // In cells; a little more than the tolerance, so that rounding of a cell number cannot hide a neighbour. Cell numbers
  // stay below 1e9 and are not negative.
  const reach = (tol * (1 + 1e-6) + 1e-12 * diagonal) / cell
  const buckets = 2 ** Math.ceil(Math.log2(Math.max(2, 2 * vertices)))
  const mask = buckets - 1
  /** The last kept vertex in a bucket, plus one; and the previous vertex in the same bucket, plus one. */
  const last = new Uint32Array(buckets)
  const previous = new Uint32Array(vertices)
  const ox = origin[0]
  const oy = origin[1]
  const oz = origin[2]
  const keeper = new Uint32Array(vertices)
  for (let v = 0; v < vertices; v++) {
    const x = p[3 * v]
    const y = p[3 * v + 1]
    const z = p[3 * v + 2]
    const cx = (x - ox) / cell
    const cy = (y - oy) / cell
    const cz = (z - oz) / cell
    const ix0 = (cx - reach) | 0
    const ix1 = (cx + reach) | 0
    const iy0 = (cy - reach) | 0
    const iy1 = (cy + reach) | 0
    const iz0 = (cz - reach) | 0
    const iz1 = (cz + reach) | 0
    let best = v
    for (let ix = ix0; ix <= ix1; ix++)
      for (let iy = iy0; iy <= iy1; iy++)
        for (let iz = iz0; iz <= iz1; iz++) {
          const hash = Math.imul(ix, 73856093) ^ Math.imul(iy, 19349663) ^ Math.imul(iz, 83492791)
          for (let w = last[hash & mask]; w > 0; w = previous[w - 1]) {
            const dx = p[3 * w - 3] - x
            const dy = p[3 * w - 2] - y
            const dz = p[3 * w - 1] - z
            if (w <= best && dx * dx + dy * dy + dz * dz <= tol * tol) best = w - 1
          }
        }
    keeper[v] = best
    if (best === v) {
      const hash = Math.imul(cx | 0, 73856093) ^ Math.imul(cy | 0, 19349663) ^ Math.imul(cz | 0, 83492791)
      previous[v] = last[hash & mask]
      last[hash & mask] = v + 1
    }
  }
  return keeper
}

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

interface Orientation {
  /** 1 for each facet to flip. */
  flip: Uint8Array
  components: number
  closedComponents: number
  twistedEdges: number
}

/**
 * Finds which facets to flip so that each component (facets connected over manifold edges) is oriented consistently:
 * a closed one with its normals outwards, an open one so that most of its facets stay as they are (a tie: its first one).
 */
export function orient(mesh: Mesh, table: EdgeTable): Orientation {
  const { component, components, flip } = orientAlike(mesh.triangles, table)
  const { open, twistedEdges } = findOpen(mesh.triangles, table, component, components, flip)
  const volume = volumes(mesh, component, components, flip)
  const size = new Uint32Array(components)
  const flipped = new Uint32Array(components)
  for (let t = 0; t < component.length; t++) {
    size[component[t]]++
    flipped[component[t]] += flip[t]
  }
  for (let t = 0; t < component.length; t++) {
    const k = component[t]
    const invert = open[k] === 0 && volume[k] !== 0 ? volume[k] < 0 : 2 * flipped[k] > size[k]
    if (invert) flip[t] = 1 - flip[t]
  }
  return { flip, components, closedComponents: components - open.reduce((n, o) => n + o, 0), twistedEdges }
}

interface Components {
  /** Component of each facet, in the order of their first facets. */
  component: Int32Array
  components: number
  /** 1 for each facet to flip, so that all of a component are oriented as its first one. */
  flip: Uint8Array
}

/** Orients facets consistently across manifold edges. */
function orientAlike(tri: Uint32Array, table: EdgeTable): Components {
  const facets = tri.length / 3
  const opposite = acrossManifold(table)
  const flip = new Uint8Array(facets)
  const component = new Int32Array(facets).fill(-1)
  const stack = new Uint32Array(facets)
  let components = 0
  for (let seed = 0; seed < facets; seed++) {
    if (component[seed] >= 0) continue
    component[seed] = components
    let waiting = 0
    stack[waiting++] = seed
    while (waiting > 0) {
      const t = stack[--waiting]
      for (let h = 3 * t; h < 3 * t + 3; h++) {
        const g = opposite[h]
        if (g < 0) continue
        const s = (g / 3) | 0
        if (component[s] >= 0) continue
        component[s] = components
        // Half-edges of consistently oriented facets run in opposite directions.
        flip[s] = tri[h] === tri[g] ? 1 - flip[t] : flip[t]
        stack[waiting++] = s
      }
    }
    components++
  }
  return { component, components, flip }
}

/** The opposite half-edge of each, or -1 unless exactly two meet. */
function acrossManifold({ count, start, half }: EdgeTable): Int32Array {
  const opposite = new Int32Array(half.length).fill(-1)
  for (let e = 0; e < count; e++) {
    const at = start[e]
    if (start[e + 1] - at !== 2) continue
    opposite[half[at]] = half[at + 1]
    opposite[half[at + 1]] = half[at]
  }
  return opposite
}

/** 1 for each open component: its facets do not cancel along every edge. The others are closed and have a volume. */
function findOpen(
  tri: Uint32Array,
  table: EdgeTable,
  component: Int32Array,
  components: number,
  flip: Uint8Array,
): { open: Uint8Array; twistedEdges: number } {
  const { start, half, low } = table
  const open = new Uint8Array(components)
  let twistedEdges = 0
  /** Sum over the facets of each component at one edge: +1 where the facet, after flipping, runs from low to high. */
  const along = new Int32Array(components)
  for (let e = 0; e < table.count; e++) {
    const from = start[e]
    const to = start[e + 1]
    for (let i = from; i < to; i++) {
      const t = (half[i] / 3) | 0
      along[component[t]] += (tri[half[i]] === low[e]) === (flip[t] === 0) ? 1 : -1
    }
    for (let i = from; i < to; i++) {
      const k = component[(half[i] / 3) | 0]
      if (along[k] === 0) continue
      open[k] = 1
      // Both facets at a manifold edge belong to one component.
      if (to - from === 2 && i === from) twistedEdges++
    }
    for (let i = from; i < to; i++) along[component[(half[i] / 3) | 0]] = 0
  }
  return { open, twistedEdges }
}

/** Six times the volume that the facets of each component enclose [m^3]. */
function volumes(
  { triangles: tri, positions: p }: Mesh,
  component: Int32Array,
  components: number,
  flip: Uint8Array,
): Float64Array {
  const volume = new Float64Array(components)
  const origin = new Int32Array(components).fill(-1)
  for (let t = 0; t < component.length; t++) {
    const k = component[t]
    const a = 3 * tri[3 * t]
    const b = 3 * tri[3 * t + 1]
    const c = 3 * tri[3 * t + 2]
    // Measured from a vertex of the component, so that a distant one loses no digits.
    if (origin[k] < 0) origin[k] = a
    const ox = p[origin[k]]
    const oy = p[origin[k] + 1]
    const oz = p[origin[k] + 2]
    const ax = p[a] - ox
    const ay = p[a + 1] - oy
    const az = p[a + 2] - oz
    const bx = p[b] - ox
    const by = p[b + 1] - oy
    const bz = p[b + 2] - oz
    const cx = p[c] - ox
    const cy = p[c + 1] - oy
    const cz = p[c + 2] - oz
    const six = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    volume[k] += flip[t] === 1 ? -six : six
  }
  return volume
}

import type { Mesh } from './mesh.js'

/**
 * Bounding volume hierarchy of two-child nodes. Node i takes 8 words: box minimum (3 floats), `first` (u32), box
 * maximum (3 floats), `count` (u32). count = 0: an inner node with children `first` and `first + 1`; else a leaf
 * with facets order[first ... first + count). Boxes are rounded outwards to float32, so that they hold the facets
 * in double precision and rounded to float32 alike. The same bytes serve the GPU.
 */
export interface Bvh {
  nodes: Float32Array
  /** Facet numbers in leaf order, T long. */
  order: Uint32Array
  /** Longest path from the root to a leaf, in nodes. */
  depth: number
}

const BINS = 16
const LEAF_FACETS = 4
/** Relative cost of visiting a node against testing a facet, in the surface area heuristic. */
const NODE_COST = 1
/** Below this depth splits halve the facets instead, which bounds the traversal stack for any mesh. */
const MEDIAN_DEPTH = 40

const f32 = new Float32Array(1)
const u32 = new Uint32Array(f32.buffer)

/**
 * The float32 next below (towards = -1) or above (+1) x, never x itself: a ray along an axis in the plane of a facet's
 * extreme vertices then runs inside the box and not in its side, where the slab test gives 0 times a huge number.
 */
function roundTo32(x: number, towards: -1 | 1): number {
  f32[0] = x
  if ((f32[0] - x) * towards > 0) return f32[0]
  if (f32[0] === 0) return towards * 1.401298464324817e-45
  u32[0] += f32[0] > 0 === towards > 0 ? 1 : -1
  return f32[0]
}

/**
 * Builds the hierarchy top down by the binned surface area heuristic (Wald 2007: 16 bins on the longest axis of
 * the facet centroids). Deterministic. Leaves hold up to 4 facets unless splitting stops paying earlier.
 */
export function buildBvh(mesh: Mesh): Bvh {
  const count = mesh.triangles.length / 3
  const order = Uint32Array.from({ length: count }, (_, i) => i)
  const bounds = facetBounds(mesh)
  const nodes = new Float32Array(8 * Math.max(1, 2 * count - 1))
  const words = new Uint32Array(nodes.buffer)
  let used = 1
  let depth = 1
  const stack: [node: number, begin: number, end: number, depth: number][] = [[0, 0, count, 1]]
  const box = new Float64Array(6)
  for (let job = stack.pop(); job; job = stack.pop()) {
    const [node, begin, end, level] = job
    depth = Math.max(depth, level)
    enclose(bounds, order, begin, end, box)
    for (let a = 0; a < 3; a++) {
      nodes[8 * node + a] = roundTo32(box[a], -1)
      nodes[8 * node + 4 + a] = roundTo32(box[3 + a], 1)
    }
    const middle = end - begin <= 1 ? -1 : split(bounds, order, begin, end, level, halfArea(box, 0))
    if (middle < 0) {
      words[8 * node + 3] = begin
      words[8 * node + 7] = end - begin
    } else {
      words[8 * node + 3] = used
      words[8 * node + 7] = 0
      stack.push([used + 1, middle, end, level + 1], [used, begin, middle, level + 1])
      used += 2
    }
  }
  return { nodes: nodes.slice(0, 8 * used), order, depth }
}

/** Boxes of the facets, 6 numbers each: minimum, maximum. */
function facetBounds(mesh: Mesh): Float64Array {
  const count = mesh.triangles.length / 3
  const bounds = new Float64Array(6 * count)
  for (let t = 0; t < count; t++)
    for (let a = 0; a < 3; a++) {
      const x = mesh.positions[3 * mesh.triangles[3 * t] + a]
      const y = mesh.positions[3 * mesh.triangles[3 * t + 1] + a]
      const z = mesh.positions[3 * mesh.triangles[3 * t + 2] + a]
      bounds[6 * t + a] = Math.min(x, y, z)
      bounds[6 * t + 3 + a] = Math.max(x, y, z)
    }
  return bounds
}

function enclose(
  bounds: Float64Array,
  order: Uint32Array,
  begin: number,
  end: number,
  box: Float64Array,
): void {
  box.fill(Infinity, 0, 3)
  box.fill(-Infinity, 3, 6)
  for (let i = begin; i < end; i++) grow(box, 0, bounds, 6 * order[i])
}

function grow(box: Float64Array, at: number, other: Float64Array, from: number): void {
  for (let a = 0; a < 3; a++) {
    if (other[from + a] < box[at + a]) box[at + a] = other[from + a]
    if (other[from + 3 + a] > box[at + 3 + a]) box[at + 3 + a] = other[from + 3 + a]
  }
}

function halfArea(box: Float64Array, at: number): number {
  const x = box[at + 3] - box[at]
  const y = box[at + 4] - box[at + 1]
  const z = box[at + 5] - box[at + 2]
  return x < 0 ? 0 : x * y + y * z + z * x
}

const binBox = new Float64Array(6 * BINS)
const binCount = new Uint32Array(BINS)
const rightArea = new Float64Array(BINS)

/** Reorders order[begin, end) about the best split and returns its position, or -1 where a leaf is cheaper. */
function split(
  bounds: Float64Array,
  order: Uint32Array,
  begin: number,
  end: number,
  level: number,
  area: number,
): number {
  const centre = (t: number, a: number): number => bounds[6 * t + a] + bounds[6 * t + 3 + a]
  const low = [Infinity, Infinity, Infinity]
  const high = [-Infinity, -Infinity, -Infinity]
  for (let i = begin; i < end; i++)
    for (let a = 0; a < 3; a++) {
      const c = centre(order[i], a)
      low[a] = Math.min(low[a], c)
      high[a] = Math.max(high[a], c)
    }
  let axis = 0
  for (let a = 1; a < 3; a++) if (high[a] - low[a] > high[axis] - low[axis]) axis = a
  const extent = high[axis] - low[axis]
  const small = end - begin <= LEAF_FACETS
  if (extent <= 0 || level > MEDIAN_DEPTH) return small ? -1 : medianSplit(order, begin, end, axis, centre)

  const scale = (BINS * (1 - 1e-12)) / extent
  const bin = (t: number): number => Math.floor((centre(t, axis) - low[axis]) * scale)
  for (let b = 0; b < BINS; b++) {
    binBox.fill(Infinity, 6 * b, 6 * b + 3)
    binBox.fill(-Infinity, 6 * b + 3, 6 * b + 6)
  }
  binCount.fill(0)
  for (let i = begin; i < end; i++) {
    const b = bin(order[i])
    binCount[b]++
    grow(binBox, 6 * b, bounds, 6 * order[i])
  }
  const sweep = new Float64Array([Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity])
  let n = 0
  for (let b = BINS - 1; b > 0; b--) {
    grow(sweep, 0, binBox, 6 * b)
    n += binCount[b]
    rightArea[b] = n * halfArea(sweep, 0)
  }
  sweep.set([Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity])
  n = 0
  let best = Infinity
  let bestBin = 0
  for (let b = 1; b < BINS; b++) {
    grow(sweep, 0, binBox, 6 * (b - 1))
    n += binCount[b - 1]
    const cost = n * halfArea(sweep, 0) + rightArea[b]
    if (n > 0 && n < end - begin && cost < best) {
      best = cost
      bestBin = b
    }
  }
  if (small && NODE_COST * area + best >= (end - begin) * area) return -1
  // A stable partition keeps the order, and with it every later choice, independent of the sort in use.
  const right: number[] = []
  let middle = begin
  for (let i = begin; i < end; i++) {
    const t = order[i]
    if (bin(t) < bestBin) order[middle++] = t
    else right.push(t)
  }
  order.set(right, middle)
  return middle
}

function medianSplit(
  order: Uint32Array,
  begin: number,
  end: number,
  axis: number,
  centre: (t: number, a: number) => number,
): number {
  const sorted = Array.from(order.subarray(begin, end)).sort(
    (s, t) => centre(s, axis) - centre(t, axis) || s - t,
  )
  order.set(sorted, begin)
  return begin + ((end - begin) >> 1)
}

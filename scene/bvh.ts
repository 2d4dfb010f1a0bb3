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
/** Nodes of more facets are split along their longest axis without trying the others: there it costs most and changes least. */
const LONGEST_AXIS_ONLY = 1024
/** Nodes of no more facets are sorted and every split is tried: cheaper there than bins. */
const SORTED = BINS

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
 * Builds the hierarchy top down by the binned surface area heuristic (Wald 2007: 16 bins along the axes of the facet
 * centroids' box; small nodes try every split). Deterministic. Leaves hold up to 4 facets unless splitting stops paying
 * earlier.
 */
export function buildBvh(mesh: Mesh): Bvh {
  const count = mesh.triangles.length / 3
  const builder = new Builder(facetBounds(mesh), count)
  const nodes = new Float32Array(8 * Math.max(1, 2 * count - 1))
  const words = new Uint32Array(nodes.buffer)
  let used = 1
  let depth = 1
  const stack: number[] = [0, 0, count, 1]
  while (stack.length > 0) {
    const level = stack.pop()!
    const end = stack.pop()!
    const begin = stack.pop()!
    const node = stack.pop()!
    depth = Math.max(depth, level)
    const box = builder.enclose(begin, end)
    for (let a = 0; a < 3; a++) {
      nodes[8 * node + a] = box[a]
      nodes[8 * node + 4 + a] = box[3 + a]
    }
    const middle = end - begin <= 1 ? -1 : builder.split(begin, end, level)
    if (middle < 0) {
      words[8 * node + 3] = begin
      words[8 * node + 7] = end - begin
    } else {
      words[8 * node + 3] = used
      words[8 * node + 7] = 0
      stack.push(used + 1, middle, end, level + 1, used, begin, middle, level + 1)
      used += 2
    }
  }
  return { nodes: nodes.slice(0, 8 * used), order: builder.order, depth }
}

/** Boxes of the facets, 6 numbers each: minimum, maximum; rounded outwards to float32, and so are the boxes made of them. */
function facetBounds({ positions: p, triangles }: Mesh): Float64Array {
  // Rounding keeps their order, and vertices are fewer than corners of facets.
  const below = new Float64Array(p.length)
  const above = new Float64Array(p.length)
  for (let i = 0; i < p.length; i++) {
    below[i] = roundTo32(p[i], -1)
    above[i] = roundTo32(p[i], 1)
  }
  const bounds = new Float64Array(2 * triangles.length)
  for (let t = 0; t < triangles.length; t += 3) {
    const i = 3 * triangles[t]
    const j = 3 * triangles[t + 1]
    const k = 3 * triangles[t + 2]
    for (let a = 0; a < 3; a++) {
      const low = below[i + a] < below[j + a] ? below[i + a] : below[j + a]
      const high = above[i + a] > above[j + a] ? above[i + a] : above[j + a]
      bounds[2 * t + a] = low < below[k + a] ? low : below[k + a]
      bounds[2 * t + 3 + a] = high > above[k + a] ? high : above[k + a]
    }
  }
  return bounds
}

/** Half the surface of a box by the lengths of its sides; 0 for an empty one. */
const halfArea = (x: number, y: number, z: number): number => (x < 0 ? 0 : x * y + y * z + z * x)

/** Makes boxes of 6 numbers empty. */
function emptyBoxes(boxes: Float64Array): void {
  for (let at = 0; at < boxes.length; at += 6) {
    boxes[at] = boxes[at + 1] = boxes[at + 2] = Infinity
    boxes[at + 3] = boxes[at + 4] = boxes[at + 5] = -Infinity
  }
}

function grow(box: Float64Array, at: number, other: Float64Array, from: number): void {
  if (other[from] < box[at]) box[at] = other[from]
  if (other[from + 1] < box[at + 1]) box[at + 1] = other[from + 1]
  if (other[from + 2] < box[at + 2]) box[at + 2] = other[from + 2]
  if (other[from + 3] > box[at + 3]) box[at + 3] = other[from + 3]
  if (other[from + 4] > box[at + 4]) box[at + 4] = other[from + 4]
  if (other[from + 5] > box[at + 5]) box[at + 5] = other[from + 5]
}

function copyBox(boxes: Float64Array, from: number, out: Float64Array, to: number): void {
  out[to] = boxes[from]
  out[to + 1] = boxes[from + 1]
  out[to + 2] = boxes[from + 2]
  out[to + 3] = boxes[from + 3]
  out[to + 4] = boxes[from + 4]
  out[to + 5] = boxes[from + 5]
}

/** Grows a box around facets' boxes, and one around the facets' centroids (doubled coordinates). */
function growAll(
  box: Float64Array,
  middles: Float64Array,
  bounds: Float64Array,
  begin: number,
  end: number,
): void {
  for (let from = 6 * begin; from < 6 * end; from += 6) {
    grow(box, 0, bounds, from)
    const x = bounds[from] + bounds[from + 3]
    const y = bounds[from + 1] + bounds[from + 4]
    const z = bounds[from + 2] + bounds[from + 5]
    if (x < middles[0]) middles[0] = x
    if (y < middles[1]) middles[1] = y
    if (z < middles[2]) middles[2] = z
    if (x > middles[3]) middles[3] = x
    if (y > middles[4]) middles[4] = y
    if (z > middles[5]) middles[5] = z
  }
}

/**
 * The facets in their order so far, and the arrays that splits work in. The boxes are moved along with the facets'
 * numbers: what a node reads stands side by side.
 *
 * Long loops end the functions that they stand in: what comes after a loop that runs for the first time is unknown to the
 * compiler, and code compiled in its midst would be left, and entered again, at every call.
 */
class Builder {
  readonly order: Uint32Array
  private readonly spareOrder: Uint32Array
  private readonly spareBounds: Float64Array
  /** Bins of the facets along each axis. */
  private readonly bins: Uint8Array[]
  private readonly box = new Float64Array(6)
  /** Box of the centroids, doubled coordinates. */
  private readonly middles = new Float64Array(6)
  /** The bins of a node, or the facets of a small one in their order along the axis: boxes and numbers of facets. */
  private readonly binBox = new Float64Array(6 * BINS)
  private readonly binCount = new Uint32Array(BINS)
  private readonly rightCost = new Float64Array(BINS)
  /** Places in the node of a small node's facets, sorted along each axis. */
  private readonly sorted = [0, 1, 2].map(() => new Uint8Array(SORTED))
  private readonly keys = new Float64Array(SORTED)
  /** Cheapest split found: facets times area, summed over both sides; axis; bin or number of facets before it. */
  private cost = 0
  private axis = 0
  private at = 0

  constructor(
    private readonly bounds: Float64Array,
    count: number,
  ) {
    this.order = new Uint32Array(count)
    for (let i = 0; i < count; i++) this.order[i] = i
    this.spareOrder = new Uint32Array(count)
    this.spareBounds = new Float64Array(6 * count)
    this.bins = [0, 1, 2].map(() => new Uint8Array(count))
  }

  /** Box of facets [begin, end) of the order; their centroids' box is kept for `split`. */
  enclose(begin: number, end: number): Float64Array {
    emptyBoxes(this.box)
    emptyBoxes(this.middles)
    growAll(this.box, this.middles, this.bounds, begin, end)
    return this.box
  }

  /** Reorders the facets enclosed last about the best split and returns its position, or -1 where a leaf is cheaper. */
  split(begin: number, end: number, level: number): number {
    const { middles } = this
    const count = end - begin
    let longest = 0
    for (let a = 1; a < 3; a++)
      if (middles[3 + a] - middles[a] > middles[3 + longest] - middles[longest]) longest = a
    const small = count <= LEAF_FACETS
    if (!(middles[3 + longest] > middles[longest]) || level > MEDIAN_DEPTH)
      return small ? -1 : this.halve(begin, end, longest)
    this.cost = Infinity
    for (let a = 0; a < 3; a++) {
      if (!(middles[3 + a] > middles[a]) || (a !== longest && count > LONGEST_AXIS_ONLY)) continue
      if (count <= SORTED) this.trySorted(begin, count, a)
      else this.tryBins(begin, end, a)
    }
    const { box } = this
    const area = halfArea(box[3] - box[0], box[4] - box[1], box[5] - box[2])
    if (small && NODE_COST * area + this.cost >= count * area) return -1
    return count <= SORTED ? this.sortAlong(begin, count) : this.partition(begin, end)
  }

  private trySorted(begin: number, count: number, axis: number): void {
    const { bounds, keys, binBox, binCount } = this
    const sorted = this.sorted[axis]
    for (let i = 0; i < count; i++) {
      const from = 6 * (begin + i) + axis
      const key = bounds[from] + bounds[from + 3]
      let j = i
      for (; j > 0 && keys[j - 1] > key; j--) {
        keys[j] = keys[j - 1]
        sorted[j] = sorted[j - 1]
      }
      keys[j] = key
      sorted[j] = i
    }
    for (let i = 0; i < count; i++) copyBox(bounds, 6 * (begin + sorted[i]), binBox, 6 * i)
    binCount.fill(1, 0, count)
    this.sweep(count, count, axis)
  }

  private tryBins(begin: number, end: number, axis: number): void {
    emptyBoxes(this.binBox)
    this.binCount.fill(0)
    this.fillBins(begin, end, axis)
    this.sweep(BINS, end - begin, axis)
  }

  /** Tries the splits before each of the first bins but the first, which hold so many facets; keeps the cheapest so far. */
  private sweep(bins: number, facets: number, axis: number): void {
    const { binBox: boxes, binCount, rightCost } = this
    let x0 = Infinity
    let y0 = Infinity
    let z0 = Infinity
    let x1 = -Infinity
    let y1 = -Infinity
    let z1 = -Infinity
    let n = 0
    for (let b = bins - 1; b > 0; b--) {
      const at = 6 * b
      if (boxes[at] < x0) x0 = boxes[at]
      if (boxes[at + 1] < y0) y0 = boxes[at + 1]
      if (boxes[at + 2] < z0) z0 = boxes[at + 2]
      if (boxes[at + 3] > x1) x1 = boxes[at + 3]
      if (boxes[at + 4] > y1) y1 = boxes[at + 4]
      if (boxes[at + 5] > z1) z1 = boxes[at + 5]
      n += binCount[b]
      rightCost[b] = n * halfArea(x1 - x0, y1 - y0, z1 - z0)
    }
    x0 = y0 = z0 = Infinity
    x1 = y1 = z1 = -Infinity
    n = 0
    for (let b = 1; b < bins; b++) {
      const at = 6 * (b - 1)
      if (boxes[at] < x0) x0 = boxes[at]
      if (boxes[at + 1] < y0) y0 = boxes[at + 1]
      if (boxes[at + 2] < z0) z0 = boxes[at + 2]
      if (boxes[at + 3] > x1) x1 = boxes[at + 3]
      if (boxes[at + 4] > y1) y1 = boxes[at + 4]
      if (boxes[at + 5] > z1) z1 = boxes[at + 5]
      n += binCount[b - 1]
      if (n === 0 || n === facets) continue
      const cost = n * halfArea(x1 - x0, y1 - y0, z1 - z0) + rightCost[b]
      if (cost >= this.cost) continue
      this.cost = cost
      this.axis = axis
      this.at = b
    }
  }

  private fillBins(begin: number, end: number, axis: number): void {
    const { bounds, middles, binBox, binCount } = this
    const bin = this.bins[axis]
    const low = middles[axis]
    const scale = (BINS * (1 - 1e-12)) / (middles[3 + axis] - low)
    for (let i = begin; i < end; i++) {
      const b = ((bounds[6 * i + axis] + bounds[6 * i + axis + 3] - low) * scale) | 0
      bin[i] = b
      binCount[b]++
      grow(binBox, 6 * b, bounds, 6 * i)
    }
  }

  /** Takes the order along the axis found. */
  private sortAlong(begin: number, count: number): number {
    const { order, bounds, spareOrder, spareBounds, at } = this
    const sorted = this.sorted[this.axis]
    for (let i = 0; i < count; i++) this.move(begin + sorted[i], spareOrder, spareBounds, i)
    for (let i = 0; i < count; i++) {
      order[begin + i] = spareOrder[i]
      copyBox(spareBounds, 6 * i, bounds, 6 * (begin + i))
    }
    return begin + at
  }

  /** A stable partition keeps the order, and with it every later choice, independent of the sort in use. */
  private partition(begin: number, end: number): number {
    const middle = this.takeApart(begin, end)
    const right = end - middle
    this.order.set(this.spareOrder.subarray(0, right), middle)
    this.bounds.set(this.spareBounds.subarray(0, 6 * right), 6 * middle)
    return middle
  }

  /** Moves the facets of the lower bins to the front, the others to the spare arrays; returns where the front ends. */
  private takeApart(begin: number, end: number): number {
    const { order, bounds, spareOrder, spareBounds, at } = this
    const bin = this.bins[this.axis]
    let middle = begin
    let right = 0
    for (let i = begin; i < end; i++)
      if (bin[i] < at) this.move(i, order, bounds, middle++)
      else this.move(i, spareOrder, spareBounds, right++)
    return middle
  }

  private move(i: number, order: Uint32Array, bounds: Float64Array, to: number): void {
    order[to] = this.order[i]
    copyBox(this.bounds, 6 * i, bounds, 6 * to)
  }

  private halve(begin: number, end: number, axis: number): number {
    const { order, bounds, spareOrder, spareBounds } = this
    const centre = (i: number): number => bounds[6 * i + axis] + bounds[6 * i + 3 + axis]
    const places = Array.from({ length: end - begin }, (_, i) => begin + i)
    places.sort((i, j) => centre(i) - centre(j) || order[i] - order[j])
    places.forEach((i, n) => this.move(i, spareOrder, spareBounds, n))
    order.set(spareOrder.subarray(0, places.length), begin)
    bounds.set(spareBounds.subarray(0, 6 * places.length), 6 * begin)
    return begin + ((end - begin) >> 1)
  }
}

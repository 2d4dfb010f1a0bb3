const BINS = 16
const LEAF_FACETS = 4
/** Relative cost of visiting a node against testing a facet, in the surface area heuristic. */
const NODE_COST = 1
/** Below this depth splits halve the facets instead, which bounds the traversal stack for any mesh. */
const MEDIAN_DEPTH = 40
/** Nodes of more facets are split along their longest axis without trying the others: there it costs most and changes least. */
const LONGEST_AXIS_ONLY = 1024
/** Nodes of no more facets are sorted and every split is tried: cheaper there than bins. */
const SORTED = 16

/** Groups that `BvhBuilder.sweep` takes in their order; groups of one facet each. */
const IN_ORDER = Uint8Array.from({ length: BINS }, (_, i) => i)
const ONES = new Uint32Array(SORTED).fill(1)

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

/** Grows a box around the facets' centroids (doubled coordinates). */
function growAround(middles: Float64Array, bounds: Float64Array, begin: number, end: number): void {
  for (let from = 6 * begin; from < 6 * end; from += 6) {
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
export class BvhBuilder {
  readonly order: Uint32Array
  private readonly spareOrder: Uint32Array
  private readonly spareBounds: Float64Array
  /** Bins of the facets along each axis. */
  private readonly bins: Uint8Array[]
  private readonly box = new Float64Array(6)
  /** Box of the centroids, doubled coordinates. */
  private readonly middles = new Float64Array(6)
  private readonly binBox = new Float64Array(6 * BINS)
  private readonly binCount = new Uint32Array(BINS)
  private readonly rightCost = new Float64Array(Math.max(BINS, SORTED))
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

  /** Box of facets [begin, end) of the order. */
  enclose(begin: number, end: number): Float64Array {
    emptyBoxes(this.box)
    for (let i = begin; i < end; i++) grow(this.box, 0, this.bounds, 6 * i)
    return this.box
  }

  /** Reorders the facets about the best split and returns its position, or -1 where a leaf is cheaper. */
  split(begin: number, end: number, level: number): number {
    const { middles } = this
    const count = end - begin
    emptyBoxes(middles)
    growAround(middles, this.bounds, begin, end)
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
    if (small) {
      const box = this.enclose(begin, end)
      const area = halfArea(box[3] - box[0], box[4] - box[1], box[5] - box[2])
      if (NODE_COST * area + this.cost >= count * area) return -1
    }
    return count <= SORTED ? this.sortAlong(begin, count) : this.partition(begin, end)
  }

  private trySorted(begin: number, count: number, axis: number): void {
    const { bounds, keys } = this
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
    this.sweep(bounds, begin, sorted, ONES, count, count, axis)
  }

  private tryBins(begin: number, end: number, axis: number): void {
    emptyBoxes(this.binBox)
    this.binCount.fill(0)
    this.fillBins(begin, end, axis)
    this.sweep(this.binBox, 0, IN_ORDER, this.binCount, BINS, end - begin, axis)
  }

  /**
   * Tries the splits before each of some groups of facets but the first, and keeps the cheapest so far. Group i holds
   * sizes[i] of the facets, in the box with the number base + places[i]. Either side's cost grows with every group that it
   * takes in, so splits are left out where one side alone costs as much as the cheapest.
   * The box grows in variables, from either side in a loop of its own: with `grow` building takes a tenth longer.
   */
  private sweep(
    boxes: Float64Array,
    base: number,
    places: Uint8Array,
    sizes: Uint32Array,
    groups: number,
    facets: number,
    axis: number,
  ): void {
    const { rightCost } = this
    let x0 = Infinity
    let y0 = Infinity
    let z0 = Infinity
    let x1 = -Infinity
    let y1 = -Infinity
    let z1 = -Infinity
    let n = 0
    let first = groups
    while (first > 1) {
      const at = 6 * (base + places[first - 1])
      if (boxes[at] < x0) x0 = boxes[at]
      if (boxes[at + 1] < y0) y0 = boxes[at + 1]
      if (boxes[at + 2] < z0) z0 = boxes[at + 2]
      if (boxes[at + 3] > x1) x1 = boxes[at + 3]
      if (boxes[at + 4] > y1) y1 = boxes[at + 4]
      if (boxes[at + 5] > z1) z1 = boxes[at + 5]
      n += sizes[first - 1]
      const cost = n * halfArea(x1 - x0, y1 - y0, z1 - z0)
      if (cost >= this.cost) break
      rightCost[--first] = cost
    }
    x0 = y0 = z0 = Infinity
    x1 = y1 = z1 = -Infinity
    n = 0
    for (let i = 1; i < groups; i++) {
      const at = 6 * (base + places[i - 1])
      if (boxes[at] < x0) x0 = boxes[at]
      if (boxes[at + 1] < y0) y0 = boxes[at + 1]
      if (boxes[at + 2] < z0) z0 = boxes[at + 2]
      if (boxes[at + 3] > x1) x1 = boxes[at + 3]
      if (boxes[at + 4] > y1) y1 = boxes[at + 4]
      if (boxes[at + 5] > z1) z1 = boxes[at + 5]
      n += sizes[i - 1]
      if (i < first || n === 0 || n === facets) continue
      const left = n * halfArea(x1 - x0, y1 - y0, z1 - z0)
      if (left >= this.cost) break
      if (left + rightCost[i] >= this.cost) continue
      this.cost = left + rightCost[i]
      this.axis = axis
      this.at = i
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

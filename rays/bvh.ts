import type { Mesh } from '../scene/mesh.js'

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

/** Groups of facets: group i holds sizes[i] of them, in the box with the number base + places[i]. */
interface Groups {
  boxes: Float64Array
  base: number
  places: Uint8Array
  sizes: Uint32Array
}

/**
 * The facets in their order so far, and the arrays that splits work in. The boxes are moved along with the facets'
 * numbers: what a node reads stands side by side.
 *
 * Long loops end the functions that they stand in: what comes after a loop that runs for the first time is unknown to the
 * compiler, and code compiled in its midst would be left, and entered again, at every call.
 */
class BvhBuilder {
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
    this.sweep({ boxes: bounds, base: begin, places: sorted, sizes: ONES }, count, count, axis)
  }

  private tryBins(begin: number, end: number, axis: number): void {
    emptyBoxes(this.binBox)
    this.binCount.fill(0)
    this.fillBins(begin, end, axis)
    const bins = { boxes: this.binBox, base: 0, places: IN_ORDER, sizes: this.binCount }
    this.sweep(bins, BINS, end - begin, axis)
  }

  /**
   * Tries the splits before each of some groups of facets but the first, and keeps the cheapest so far. Either side's
   * cost grows with every group that it takes in, so splits are left out where one side alone costs as much as the cheapest.
   * The box grows in variables, from either side in a loop of its own: with `grow` building takes a tenth longer.
   */
  private sweep({ boxes, base, places, sizes }: Groups, groups: number, facets: number, axis: number): void {
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
 * Builds the BVH top down by the binned surface area heuristic (Wald 2007: 16 bins along the axes of the facet
 * centroids' box; small nodes try every split). Deterministic. Leaves hold up to 4 facets unless splitting stops paying
 * earlier.
 */
export function buildBvh(mesh: Mesh): Bvh {
  const count = mesh.triangles.length / 3
  const builder = new BvhBuilder(facetBounds(mesh), count)
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
    const middle = end - begin <= 1 ? -1 : builder.split(begin, end, level)
    if (middle < 0) {
      const box = builder.enclose(begin, end)
      for (let a = 0; a < 3; a++) {
        nodes[8 * node + a] = box[a]
        nodes[8 * node + 4 + a] = box[3 + a]
      }
      words[8 * node + 3] = begin
      words[8 * node + 7] = end - begin
    } else {
      words[8 * node + 3] = used
      words[8 * node + 7] = 0
      stack.push(used + 1, middle, end, level + 1, used, begin, middle, level + 1)
      used += 2
    }
  }
  if (used > 1) encloseChildren(nodes, words, used)
  return { nodes: nodes.slice(0, 8 * used), order: builder.order, depth }
}

/** Sets the boxes of inner nodes by their children's, which stand behind them. */
function encloseChildren(nodes: Float32Array, words: Uint32Array, used: number): void {
  for (let node = used - 1; node >= 0; node--) {
    if (words[8 * node + 7] > 0) continue
    const first = 8 * words[8 * node + 3]
    for (let at = 0; at < 3; at++) {
      const low = nodes[first + at]
      const other = nodes[first + 8 + at]
      nodes[8 * node + at] = low < other ? low : other
    }
    for (let at = 4; at < 7; at++) {
      const high = nodes[first + at]
      const other = nodes[first + 8 + at]
      nodes[8 * node + at] = high > other ? high : other
    }
  }
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

/**
 * Boxes are widened by this part of the box diagonal on each side: more than facets are enlarged and than rounding errs by,
 * so that of facets at (nearly) the same distance none is passed by, in whatever order boxes are taken.
 */
const BOX_MARGIN = 1e-10

/**
 * A BVH as double-precision rays read it fastest: per inner node the boxes of both children side by side, so that one visit tests
 * two, and leaves recognised without reading them.
 */
export interface BoxPairs {
  /** 12 numbers per inner node [m]: minimum x y z and maximum x y z of either child, widened by BOX_MARGIN. */
  boxes: Float64Array
  /** 2 per inner node: number of the child if it is an inner node, else `leafLink`. */
  links: Int32Array
  /** Link to the root. */
  root: number
}

/** Link to a leaf: facets order[first ... first + count), count below 8. */
const leafLink = (first: number, count: number): number => ~(8 * first + count)

/** 6 numbers per node [m]: minimum x y z and maximum x y z, widened by BOX_MARGIN. Arguments as of `pairBoxes`. */
function widenedBoxes(nodes: Float32Array, diagonal: number): Float64Array {
  const margin = BOX_MARGIN * diagonal
  const boxes = new Float64Array((6 * nodes.length) / 8)
  for (let node = 0, to = 0; node < nodes.length; node += 8, to += 6)
    for (let a = 0; a < 3; a++) {
      boxes[to + a] = nodes[node + a] - margin
      boxes[to + 3 + a] = nodes[node + 4 + a] + margin
    }
  return boxes
}

/**
 * @param nodes  see `Bvh`
 * @param diagonal  of the target's box [m]
 */
export function pairBoxes(nodes: Float32Array, diagonal: number): BoxPairs {
  const words = new Uint32Array(nodes.buffer, nodes.byteOffset, nodes.length)
  const count = nodes.length / 8
  const widened = widenedBoxes(nodes, diagonal)
  const numbers = new Int32Array(count)
  let inner = 0
  for (let node = 0; node < count; node++) if (words[8 * node + 7] === 0) numbers[node] = inner++
  const link = (node: number): number => {
    const leaf = words[8 * node + 7]
    return leaf > 0 ? leafLink(words[8 * node + 3], leaf) : numbers[node]
  }
  const boxes = new Float64Array(12 * inner)
  const links = new Int32Array(2 * inner)
  for (let node = 0; node < count; node++) {
    if (words[8 * node + 7] > 0) continue
    const first = words[8 * node + 3]
    for (let child = first; child < first + 2; child++) {
      boxes.set(widened.subarray(6 * child, 6 * child + 6), 12 * numbers[node] + 6 * (child - first))
      links[2 * numbers[node] + child - first] = link(child)
    }
  }
  return { boxes, links, root: link(0) }
}

/** Words of a node of `QuadNodes`. */
export const QUAD_WORDS = 28

/**
 * A BVH of nodes with up to four children, as rays on the processor read it (rays/wasm/caster.ts). Per node 28 words: for x, y, z the minima
 * of the children's boxes, four floats each; likewise the maxima; four links as in `BoxPairs`. A child that is missing has an empty box.
 */
export interface QuadNodes {
  nodes: Float32Array
  /** Link to the root. */
  root: number
}

/** Takes the larger children's children in place of them, as long as there is room. */
export function quadNodes({ boxes, links, root }: BoxPairs): QuadNodes {
  if (root < 0) return { nodes: new Float32Array(0), root }
  const nodes = new Float32Array((QUAD_WORDS * links.length) / 2)
  const words = new Int32Array(nodes.buffer)
  let used = 1
  // Pairs of children, and the nodes that they become.
  const waiting = [root, 0]
  while (waiting.length > 0) {
    const at = QUAD_WORDS * waiting.pop()!
    const pair = waiting.pop()!
    const children = openLargest([2 * pair, 2 * pair + 1], boxes, links)
    nodes.fill(Infinity, at, at + 12)
    nodes.fill(-Infinity, at + 12, at + 24)
    for (const [lane, child] of children.entries()) {
      for (let a = 0; a < 3; a++) {
        nodes[at + 4 * a + lane] = boxes[6 * child + a]
        nodes[at + 12 + 4 * a + lane] = boxes[6 * child + 3 + a]
      }
      const inner = links[child] >= 0
      words[at + 24 + lane] = inner ? used : links[child]
      if (inner) waiting.push(links[child], used++)
    }
  }
  return { nodes: nodes.slice(0, QUAD_WORDS * used), root: 0 }
}

/** Puts the children of the largest box that has some in its place, until there are four. */
function openLargest(children: number[], boxes: Float64Array, links: Int32Array): number[] {
  while (children.length < 4) {
    let largest = -1
    let most = -1
    for (const [i, child] of children.entries()) {
      const b = 6 * child
      const area = halfArea(boxes[b + 3] - boxes[b], boxes[b + 4] - boxes[b + 1], boxes[b + 5] - boxes[b + 2])
      if (links[child] < 0 || area <= most) continue
      largest = i
      most = area
    }
    if (largest < 0) break
    const pair = links[children[largest]]
    children.splice(largest, 1, 2 * pair, 2 * pair + 1)
  }
  return children
}

/** Words of a node's ropes: one per face, then a bit per face: which child comes first. */
export const ROPE_WORDS = 7
/** The end of a walk. */
const NO_ROPE = 0xffffffff

/**
 * Threads a BVH for traversal without a stack (paper 002): ROPE_WORDS per node. A rope leads from a node to the next
 * one in its direction's order once the subtree is done with: to the sibling that is taken second, else where the
 * parent's rope leads. Why no hit is lost: docs/ray-engine.md, "Ropes".
 *
 * @param nodes  see `Bvh`; children stand behind their parents
 */
export function threadRopes(nodes: Float32Array): Uint32Array {
  const words = new Uint32Array(nodes.buffer, nodes.byteOffset, nodes.length)
  const ropes = new Uint32Array((ROPE_WORDS * nodes.length) / 8)
  ropes.fill(NO_ROPE, 0, 6)
  for (let node = 0; 8 * node < nodes.length; node++) {
    if (words[8 * node + 7] > 0) continue
    const child = words[8 * node + 3]
    const at = ROPE_WORDS * node
    for (let face = 0; face < 6; face++) {
      const first = startsWithSecond(nodes, child, face) ? child + 1 : child
      const second = 2 * child + 1 - first
      ropes[ROPE_WORDS * first + face] = second
      ropes[ROPE_WORDS * second + face] = ropes[at + face]
      ropes[at + 6] |= (first - child) << face
    }
  }
  return ropes
}

/** Whether of the children `child` and `child + 1` the second has its box's middle nearer, seen along the direction. */
function startsWithSecond(nodes: Float32Array, child: number, face: number): boolean {
  const middle = (node: number): number => nodes[8 * node + (face >> 1)] + nodes[8 * node + 4 + (face >> 1)]
  return face & 1 ? middle(child + 1) > middle(child) : middle(child + 1) < middle(child)
}

import type { RayScene } from '../../rays/index.js'
import { ROPE_NODE, WIDE_NODE } from './layouts.js'

/**
 * Boxes are widened by this part of the box diagonal on each side: more than single precision errs by in a slab test
 * (docs/ray-engine.md, "Nothing is lost"), so that no box hides a facet that the ray meets.
 */
const BOX_MARGIN = 2e-6

/** Slots of a leaf fit three bits of a reference. */
const leafReference = (first: number, count: number): number => 16 * first + 2 * count + 1

interface Tree {
  /** Nodes as in `Bvh`: children `first` and `first + 1`, or slots first ... first + count. */
  first: Uint32Array
  count: Uint32Array
  /** 6 numbers a node: minimum, maximum, around the enlarged facets and widened. */
  boxes: Float32Array
}

/** The hierarchy with boxes around the enlarged facets. @param corners see `enlargedCorners` */
function refit(scene: RayScene, corners: Float64Array): Tree {
  const words = new Uint32Array(scene.nodes.buffer, scene.nodes.byteOffset, scene.nodes.length)
  const total = words.length / 8
  const first = new Uint32Array(total)
  const count = new Uint32Array(total)
  const exact = new Float64Array(6 * total)
  const boxes = new Float32Array(6 * total)
  const margin = BOX_MARGIN * scene.diagonal
  // Children stand behind their parents.
  for (let i = total - 1; i >= 0; i--) {
    first[i] = words[8 * i + 3]
    count[i] = words[8 * i + 7]
    // What the box goes around: corners, or two boxes by their minima and by their maxima.
    const leaf = count[i] > 0
    const points = leaf ? corners : exact
    const from = leaf ? 9 * first[i] : 6 * first[i]
    const end = leaf ? 9 * (first[i] + count[i]) : from + 12
    const step = leaf ? 3 : 6
    const second = leaf ? 0 : 3
    for (let a = 0; a < 3; a++) {
      let low = Infinity
      let high = -Infinity
      for (let p = from + a; p < end; p += step) {
        if (points[p] < low) low = points[p]
        if (points[p + second] > high) high = points[p + second]
      }
      exact[6 * i + a] = low
      exact[6 * i + 3 + a] = high
      boxes[6 * i + a] = low - margin
      boxes[6 * i + 3 + a] = high + margin
    }
  }
  return { first, count, boxes }
}

/** Where a node's missing child lies [m]: rays that meet this point find a leaf without slots there. */
const NOWHERE = 1e30

/**
 * The records WIDE_NODE. Of the two-child hierarchy's nodes the one with the largest box is opened first. The root is never a leaf.
 */
export function wideNodes(scene: RayScene, corners: Float64Array): Float32Array<ArrayBuffer> {
  const tree = refit(scene, corners)
  const { first, count, boxes } = tree
  const areas = halfAreas(boxes)
  const most = Math.max(1, (first.length - 1) / 2)
  const children = new Uint32Array(4 * most)
  const size = new Uint8Array(most)
  const number = new Uint32Array(first.length)
  const open = [0]
  let wide = 0
  while (open.length > 0) {
    const node = open.pop()!
    number[node] = wide
    size[wide] = openChildren(tree, areas, node, children, 4 * wide)
    for (let k = 4 * wide + size[wide] - 1; k >= 4 * wide; k--)
      if (count[children[k]] === 0) open.push(children[k])
    wide++
  }
  const { at, words: nodeWords } = WIDE_NODE
  const rows = [at.minX, at.minY, at.minZ, at.maxX, at.maxY, at.maxZ]
  const out = new Float32Array(nodeWords * wide)
  const words = new Uint32Array(out.buffer)
  for (let n = 0; n < wide; n++)
    for (let k = 0; k < 4; k++) {
      const node = nodeWords * n + k
      if (k >= size[n]) {
        for (const row of rows) out[node + row] = NOWHERE
        words[node + at.children] = leafReference(0, 0)
        continue
      }
      const c = children[4 * n + k]
      for (let a = 0; a < 6; a++) out[node + rows[a]] = boxes[6 * c + a]
      words[node + at.children] = count[c] > 0 ? leafReference(first[c], count[c]) : 16 * number[c]
    }
  return out
}

/** Half the surface of each box [m^2]. */
function halfAreas(boxes: Float32Array): Float64Array {
  const areas = new Float64Array(boxes.length / 6)
  for (let i = 0; i < areas.length; i++) {
    const x = boxes[6 * i + 3] - boxes[6 * i]
    const y = boxes[6 * i + 4] - boxes[6 * i + 1]
    const z = boxes[6 * i + 5] - boxes[6 * i + 2]
    areas[i] = x * y + y * z + z * x
  }
  return areas
}

/** Writes what takes a node's place in a node of four children to list[at ...], and returns how many there are. */
function openChildren(tree: Tree, areas: Float64Array, node: number, list: Uint32Array, at: number): number {
  const { first, count } = tree
  list[at] = node
  let size = 1
  for (let widest = count[node] === 0 ? at : -1; widest >= 0 && size < 4;) {
    const opened = first[list[widest]]
    for (let k = at + size; k > widest + 1; k--) list[k] = list[k - 1]
    list[widest] = opened
    list[widest + 1] = opened + 1
    size++
    widest = -1
    for (let k = at; k < at + size; k++)
      if (count[list[k]] === 0 && (widest < 0 || areas[list[k]] > areas[list[widest]])) widest = k
  }
  return size
}

const NO_ROPE = 0xffffffff

/**
 * The records ROPE_NODE, level by level. A rope leads from a node to the next one in
 * the direction's order once the subtree is done with: to the sibling that is taken second, else where the parent's
 * rope leads.
 */
export function ropeNodes(scene: RayScene, corners: Float64Array): Float32Array<ArrayBuffer> {
  const tree = refit(scene, corners)
  const order = [0]
  const number = new Uint32Array(tree.first.length)
  for (let n = 0; n < order.length; n++) {
    number[order[n]] = n
    if (tree.count[order[n]] === 0) order.push(tree.first[order[n]], tree.first[order[n]] + 1)
  }
  const { at, words: nodeWords } = ROPE_NODE
  const out = new Float32Array(nodeWords * order.length)
  const words = new Uint32Array(out.buffer)
  words.fill(NO_ROPE, at.ropes, at.ropes + 6)
  order.forEach((i, n) => {
    const node = nodeWords * n
    out.set(tree.boxes.subarray(6 * i, 6 * i + 3), node + at.low)
    out.set(tree.boxes.subarray(6 * i + 3, 6 * i + 6), node + at.high)
    words[node + at.count] = tree.count[i]
    if (tree.count[i] > 0) {
      words[node + at.first] = tree.first[i]
      return
    }
    const child = number[tree.first[i]]
    words[node + at.first] = child
    for (let face = 0; face < 6; face++) {
      const second = startsWithSecond(tree, tree.first[i], face) ? 0 : 1
      const rope = at.ropes + face
      words[nodeWords * (child + second) + rope] = words[node + rope]
      words[nodeWords * (child + 1 - second) + rope] = child + second
      words[node + at.secondFirst] |= (1 - second) << face
    }
  })
  return out
}

/** Whether of the children `child` and `child + 1` the second has its box's middle nearer, seen along the direction. */
function startsWithSecond({ boxes }: Tree, child: number, face: number): boolean {
  const axis = face >> 1
  const middle = (node: number): number => boxes[6 * node + axis] + boxes[6 * node + 3 + axis]
  return face & 1 ? middle(child + 1) > middle(child) : middle(child + 1) < middle(child)
}

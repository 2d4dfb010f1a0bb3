import type { RayScene } from '../../scene/index.js'

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
  const first = Uint32Array.from({ length: total }, (_, i) => words[8 * i + 3])
  const count = Uint32Array.from({ length: total }, (_, i) => words[8 * i + 7])
  const exact = new Float64Array(6 * total)
  // Children stand behind their parents.
  for (let i = total - 1; i >= 0; i--)
    for (let a = 0; a < 3; a++) {
      let low = Infinity
      let high = -Infinity
      if (count[i] > 0)
        for (let p = 9 * first[i] + a; p < 9 * (first[i] + count[i]); p += 3) {
          low = Math.min(low, corners[p])
          high = Math.max(high, corners[p])
        }
      else
        for (const c of [first[i], first[i] + 1]) {
          low = Math.min(low, exact[6 * c + a])
          high = Math.max(high, exact[6 * c + 3 + a])
        }
      exact[6 * i + a] = low
      exact[6 * i + 3 + a] = high
    }
  const margin = BOX_MARGIN * scene.diagonal
  return { first, count, boxes: Float32Array.from(exact, (x, k) => (k % 6 < 3 ? x - margin : x + margin)) }
}

/** Where a node's missing child lies [m]: rays that meet this point find a leaf without slots there. */
const NOWHERE = 1e30

/**
 * Nodes for traversal.wgsl, 28 floats each: of up to four children the minima x, y, z, the maxima, the references. Of
 * the two-child hierarchy's nodes the one with the largest box is opened first. The root is never a leaf.
 */
export function wideNodes(scene: RayScene, corners: Float64Array): Float32Array {
  const { first, count, boxes } = refit(scene, corners)
  const area = (i: number): number => {
    const [x, y, z] = [0, 1, 2].map((a) => boxes[6 * i + 3 + a] - boxes[6 * i + a])
    return x * y + y * z + z * x
  }
  const childrenOf = (node: number): number[] => {
    const list = count[node] > 0 ? [node] : [first[node], first[node] + 1]
    while (list.length < 4) {
      let widest = -1
      list.forEach((c, k) => {
        if (count[c] === 0 && (widest < 0 || area(c) > area(list[widest]))) widest = k
      })
      if (widest < 0) break
      const at = first[list[widest]]
      list.splice(widest, 1, at, at + 1)
    }
    return list
  }
  const wide: number[][] = []
  const number = new Uint32Array(first.length)
  const open = [0]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    number[node] = wide.length
    const list = childrenOf(node)
    wide.push(list)
    for (let k = list.length - 1; k >= 0; k--) if (count[list[k]] === 0) open.push(list[k])
  }
  const out = new Float32Array(28 * wide.length)
  const words = new Uint32Array(out.buffer)
  wide.forEach((list, n) => {
    for (let k = 0; k < 4; k++) {
      const c = list[k]
      for (let a = 0; a < 6; a++) out[28 * n + 4 * a + k] = c === undefined ? NOWHERE : boxes[6 * c + a]
      words[28 * n + 24 + k] =
        c === undefined
          ? leafReference(0, 0)
          : count[c] > 0
            ? leafReference(first[c], count[c])
            : 16 * number[c]
    }
  })
  return out
}

const NO_ROPE = 0xffffffff

/**
 * Nodes for traversal_ropes.wgsl, 16 floats each, level by level: box minimum | first, maximum | count, six ropes, one
 * bit per direction (+x -x +y -y +z -z: is the second child taken first?). A rope leads from a node to the next one in
 * the direction's order once the subtree is done with: to the sibling that is taken second, else where the parent's
 * rope leads.
 */
export function ropeNodes(scene: RayScene, corners: Float64Array): Float32Array {
  const tree = refit(scene, corners)
  const order = [0]
  const number = new Uint32Array(tree.first.length)
  for (let n = 0; n < order.length; n++) {
    number[order[n]] = n
    if (tree.count[order[n]] === 0) order.push(tree.first[order[n]], tree.first[order[n]] + 1)
  }
  const out = new Float32Array(16 * order.length)
  const words = new Uint32Array(out.buffer)
  words.fill(NO_ROPE, 8, 14)
  order.forEach((i, n) => {
    const at = 16 * n
    out.set(tree.boxes.subarray(6 * i, 6 * i + 3), at)
    out.set(tree.boxes.subarray(6 * i + 3, 6 * i + 6), at + 4)
    words[at + 7] = tree.count[i]
    if (tree.count[i] > 0) {
      words[at + 3] = tree.first[i]
      return
    }
    const child = number[tree.first[i]]
    words[at + 3] = child
    for (let face = 0; face < 6; face++) {
      const second = startsWithSecond(tree, tree.first[i], face) ? 0 : 1
      words[16 * (child + second) + 8 + face] = words[at + 8 + face]
      words[16 * (child + 1 - second) + 8 + face] = child + second
      words[at + 14] |= (1 - second) << face
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

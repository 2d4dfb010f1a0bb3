/**
 * Boxes are widened by this part of the box diagonal on each side: more than facets are enlarged and than rounding errs by,
 * so that of facets at (nearly) the same distance none is passed by, in whatever order boxes are taken.
 */
const BOX_MARGIN = 1e-10

/**
 * A hierarchy as double-precision rays read it fastest: per inner node the boxes of both children side by side, so that one visit tests
 * two, and the leaves told without a look at them.
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
export function widenedBoxes(nodes: Float32Array, diagonal: number): Float64Array {
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

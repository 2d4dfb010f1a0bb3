/**
 * Boxes are widened by this part of the box diagonal on each side: more than facets are enlarged and than rounding errs by,
 * so that of facets at (nearly) the same distance none is passed by, in whatever order boxes are taken.
 */
export const BOX_MARGIN = 1e-10

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

/**
 * @param nodes  see `Bvh`
 * @param diagonal  of the target's box [m]
 */
export function pairBoxes(nodes: Float32Array, diagonal: number): BoxPairs {
  const words = new Uint32Array(nodes.buffer, nodes.byteOffset, nodes.length)
  const count = nodes.length / 8
  const margin = BOX_MARGIN * diagonal
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
      const at = 12 * numbers[node] + 6 * (child - first)
      for (let a = 0; a < 3; a++) {
        boxes[at + a] = nodes[8 * child + a] - margin
        boxes[at + 3 + a] = nodes[8 * child + 4 + a] + margin
      }
      links[2 * numbers[node] + child - first] = link(child)
    }
  }
  return { boxes, links, root: link(0) }
}

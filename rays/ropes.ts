/** Words of a node's ropes: one per face, then a bit per face: which child comes first. */
export const ROPE_WORDS = 7
/** The end of a walk. */
export const NO_ROPE = 0xffffffff

/** Face that a ray mainly travels towards: 0 +x, 1 -x, 2 +y, 3 -y, 4 +z, 5 -z. */
export function mainFace(dx: number, dy: number, dz: number): number {
  const x = Math.abs(dx)
  const y = Math.abs(dy)
  const z = Math.abs(dz)
  if (x >= y && x >= z) return dx < 0 ? 1 : 0
  if (y >= z) return dy < 0 ? 3 : 2
  return dz < 0 ? 5 : 4
}

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

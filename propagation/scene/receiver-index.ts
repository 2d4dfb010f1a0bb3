/**
 * Receivers in a BVH, so that a ray's cone meets those near it without asking all: nodes in depth-first order,
 * each with the node that follows its subtree. Receivers stand in the order of their leaves. The same bytes serve the GPU.
 */
export interface ReceiverIndex {
  /** R receivers, 3 numbers each, in leaf order, in the coordinates of the ray scene [m]. */
  points: Float64Array
  /** The number of each in the caller's order. */
  order: Uint32Array
  /** 8 words per node: box minimum (3 floats), next node (u32), box maximum (3 floats), leaf: first * 16 + count (u32); inner node: 0. */
  nodes: Float32Array
}

const LEAF = 8

/** @param positions  3 numbers per receiver, in the coordinates of the ray scene [m] */
export function indexReceivers(positions: Float64Array): ReceiverIndex {
  const count = positions.length / 3
  const order = Uint32Array.from({ length: count }, (_, i) => i)
  const nodes: number[][] = []
  const f32 = new Float32Array(1)
  const rounded = (x: number, towards: -1 | 1): number => {
    f32[0] = x
    // Two units in the last place outwards: the float32 box surely holds the point.
    return f32[0] + towards * Math.abs(f32[0]) * 2.4e-7 + towards * 1e-30
  }
  const build = (begin: number, end: number): void => {
    const low = [Infinity, Infinity, Infinity]
    const high = [-Infinity, -Infinity, -Infinity]
    for (let i = begin; i < end; i++)
      for (let a = 0; a < 3; a++) {
        const x = positions[3 * order[i] + a]
        low[a] = Math.min(low[a], x)
        high[a] = Math.max(high[a], x)
      }
    const at = nodes.length
    const node = [...low.map((x) => rounded(x, -1)), 0, ...high.map((x) => rounded(x, 1)), 0]
    nodes.push(node)
    if (end - begin <= LEAF) node[7] = begin * 16 + (end - begin)
    else {
      const sizes = high.map((x, a) => x - low[a])
      const axis = sizes.indexOf(Math.max(...sizes))
      order.subarray(begin, end).sort((i, j) => positions[3 * i + axis] - positions[3 * j + axis] || i - j)
      const middle = (begin + end) >> 1
      build(begin, middle)
      build(middle, end)
    }
    nodes[at][3] = nodes.length
  }
  if (count > 0) build(0, count)
  const out = new Float32Array(new SharedArrayBuffer(32 * nodes.length))
  const words = new Uint32Array(out.buffer)
  nodes.forEach((node, n) => {
    for (let k = 0; k < 8; k++)
      if (k % 4 === 3) words[8 * n + k] = node[k]
      else out[8 * n + k] = node[k]
  })
  const points = new Float64Array(new SharedArrayBuffer(8 * positions.length))
  order.forEach((r, slot) => points.set(positions.subarray(3 * r, 3 * r + 3), 3 * slot))
  return { points, order, nodes: out }
}

/** Places in a ray: its origin and unit direction, 3 numbers each, and the distances between which receivers are looked for. */
export const RAY = { origin: 0, direction: 3, from: 6, to: 7 } as const

/**
 * Calls back with the slots of all receivers near a ray: within `radius` of it between the distances `from` and `to` (more may
 * come), in ascending order.
 * @param words  the index's nodes as integers
 */
export function nearRay(
  { nodes }: ReceiverIndex,
  words: Uint32Array,
  ray: Float64Array,
  radius: number,
  visit: (slot: number) => void,
): void {
  const ox = ray[RAY.origin]
  const oy = ray[RAY.origin + 1]
  const oz = ray[RAY.origin + 2]
  const dx = ray[RAY.direction]
  const dy = ray[RAY.direction + 1]
  const dz = ray[RAY.direction + 2]
  const from = ray[RAY.from]
  const to = ray[RAY.to]
  // A huge number instead of an infinite one: 0 * infinity would be NaN.
  const ix = dx === 0 ? 1e300 : 1 / dx
  const iy = dy === 0 ? 1e300 : 1 / dy
  const iz = dz === 0 ? 1e300 : 1 / dz
  const end = nodes.length / 8
  for (let node = 0; node < end;) {
    const at = 8 * node
    const ax = (nodes[at] - radius - ox) * ix
    const bx = (nodes[at + 4] + radius - ox) * ix
    const ay = (nodes[at + 1] - radius - oy) * iy
    const by = (nodes[at + 5] + radius - oy) * iy
    const az = (nodes[at + 2] - radius - oz) * iz
    const bz = (nodes[at + 6] + radius - oz) * iz
    const t0 = Math.max(from, Math.min(ax, bx), Math.min(ay, by), Math.min(az, bz))
    const t1 = Math.min(to, Math.max(ax, bx), Math.max(ay, by), Math.max(az, bz))
    if (!(t0 <= t1)) {
      node = words[at + 3]
      continue
    }
    const leaf = words[at + 7]
    if (leaf > 0) {
      const first = leaf >>> 4
      const last = first + (leaf & 15)
      for (let slot = first; slot < last; slot++) visit(slot)
      node = words[at + 3]
    } else node++
  }
}

import { BvhBuilder } from './bvh-builder.js'
import type { Mesh } from '../scene/mesh.js'

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

import type { Vec3 } from '../../scene/index.js'
import { EDGE_SIZE, type EdgeScene, FRAMES_SIZE } from '../edge-scene.js'

/** Largest turn between edges of one rim [rad]: beyond it they meet in a corner. */
const TURN = (35 * Math.PI) / 180
/** Edges in line are no rim (1 - cosine of the turn). */
const STRAIGHT = 1e-9

/**
 * Curvature vectors [1/m] of rims, 3 components for each edge and face, 2 e + i: 0 where an end of the edge is a corner, or where the face
 * goes on over a bend.
 */
export function rimCurvatures({
  count,
  edges,
  vertices,
  faces,
  across,
  outlineFace,
}: EdgeScene): Float64Array {
  const bent = new Float64Array(6 * count)
  const smooth = new Set<number>()
  for (let o = 0; o < across.length; o++) if (across[o] >= 0) smooth.add(outlineFace[o])
  const ends = new Map<number, number[]>()
  for (let end = 0; end < 2 * count; end++) {
    const list = ends.get(vertices[end])
    if (list) list.push(end)
    else ends.set(vertices[end], [end])
  }
  for (let at = 0; at < 2 * count; at++) {
    const e = at >> 1
    const p = EDGE_SIZE * e
    const face = faces[at]
    if (smooth.has(face)) continue
    const sum = [0, 0, 0]
    let turns = 0
    for (let end = 0; end < 2; end++) {
      const next = ends
        .get(vertices[2 * e + end])!
        .filter((x) => x >> 1 !== e && (faces[x & ~1] === face || faces[x | 1] === face))
      if (next.length !== 1) continue
      const q = EDGE_SIZE * (next[0] >> 1)
      // The neighbour's tangent in the direction of this edge's.
      const sign = (next[0] & 1) === end ? -1 : 1
      let cos = 0
      for (let c = 3; c < 6; c++) cos += sign * edges[p + c] * edges[q + c]
      if (cos < Math.cos(TURN) || cos > 1 - STRAIGHT) continue
      turns++
      const perLength = (end === 1 ? 1 : -1) / (edges[p + 6] + edges[q + 6])
      for (let c = 0; c < 3; c++) sum[c] += perLength * (sign * edges[q + 3 + c] - edges[p + 3 + c])
    }
    if (turns === 2) bent.set(sum, 3 * at)
  }
  return bent
}

/**
 * Width J of the tube of strips that the rim at 2 e + i sends over its face, after a length l [m], in its first: by the turn of their
 * direction u as the rim turns under light from r, whose angle with the edge has the sine `sin`. Negative behind a caustic.
 */
export function tubeWidth(
  { frames }: EdgeScene,
  bent: Float64Array,
  at: number,
  r: Vec3,
  sin: number,
  l: number,
): number {
  const f = FRAMES_SIZE * (at >> 1) + 9 * (at & 1)
  // Curvature in the face and out of it, and the light across the edge.
  let [g, h, ix, iy] = [0, 0, 0, 0]
  for (let c = 0; c < 3; c++) {
    g += bent[3 * at + c] * frames[f + c]
    h += bent[3 * at + c] * frames[f + 3 + c]
    ix += r[c] * frames[f + c]
    iy += r[c] * frames[f + 3 + c]
  }
  return 1 - (l * (g + (g * ix + h * iy) / sin)) / sin
}

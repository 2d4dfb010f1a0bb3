import { GRAZING_COSINE } from '../../rays/index.js'
import { EDGE_SIZE, FRAMES_SIZE, type EdgeScene } from '../geometry/edge-scene.js'

/** Whether the face whose frame begins at `at` is lit from r: the test of physical optics, grazing rays left out. */
export const isLit = (frames: Float64Array, at: number, r: ArrayLike<number>): boolean =>
  r[0] * frames[at + 3] + r[1] * frames[at + 4] + r[2] * frames[at + 5] > GRAZING_COSINE

/** Whether a direction lies in the plane of a face, on its side of the edge: light from there comes over the face. */
const comesOver = (frames: Float64Array, at: number, r: ArrayLike<number>): boolean =>
  Math.abs(r[0] * frames[at + 3] + r[1] * frames[at + 4] + r[2] * frames[at + 5]) <= GRAZING_COSINE &&
  r[0] * frames[at] + r[1] * frames[at + 1] + r[2] * frames[at + 2] > 0

/** Wedges of more than this N are half-planes: both of their faces lie in one plane. */
const HALF_PLANE = 2 - 1e-6

/** How an edge takes the light: what physical optics has for each face, and the part of the fringe currents that counts. */
export interface Lighting {
  lit: [boolean, boolean]
  /** 1; 0 where the edge does not diffract; 0.5 at grazing incidence over a face whose edge lies behind it. */
  share: number
}

/**
 * Sets how edge e takes light from r. Where r lies in a face's plane (docs/edge-diffraction.md, "Grazing incidence") the result is the
 * mean of the limits from both sides of the plane: at a half-plane's edge in front the currents of both dark faces, behind nothing;
 * behind the face of a wedge half the limit of the lit side, since from the other one the edge is hidden.
 */
export function setLighting(
  { edges, frames }: EdgeScene,
  e: number,
  r: ArrayLike<number>,
  out: Lighting,
): void {
  const a = FRAMES_SIZE * e
  const b = a + 9
  const { lit } = out
  lit[0] = isLit(frames, a, r)
  lit[1] = isLit(frames, b, r)
  out.share = 1
  if (lit[0] || lit[1]) return
  const overA = comesOver(frames, a, r)
  const overB = comesOver(frames, b, r)
  if (edges[EDGE_SIZE * e + 7] > HALF_PLANE) out.share = overA || overB ? 0 : 1
  else {
    out.share = overA !== overB ? 0.5 : 0
    lit[0] = overA
    lit[1] = overB
  }
}

import { GRAZING_COSINE } from '../../rays/index.js'
import { EDGE_SIZE, type EdgeScene, FRAMES_SIZE, grazingAt, HALF_PLANE } from '../geometry/edge-scene.js'

/** Whether the face whose frame begins at `at` is lit from r: the test of physical optics, grazing rays left out. */
export const isLit = (
  frames: Float64Array,
  at: number,
  r: ArrayLike<number>,
  grazing = GRAZING_COSINE,
): boolean => r[0] * frames[at + 3] + r[1] * frames[at + 4] + r[2] * frames[at + 5] > grazing

/** Whether a direction lies in the plane of a face, on its side of the edge: light from there comes over the face. */
const comesOver = (frames: Float64Array, at: number, r: ArrayLike<number>, grazing: number): boolean =>
  Math.abs(r[0] * frames[at + 3] + r[1] * frames[at + 4] + r[2] * frames[at + 5]) <= grazing &&
  r[0] * frames[at] + r[1] * frames[at + 1] + r[2] * frames[at + 2] > 0

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
export function setLighting(scene: EdgeScene, e: number, r: ArrayLike<number>, out: Lighting): void {
  const { edges, frames } = scene
  const a = FRAMES_SIZE * e
  const b = a + 9
  const grazingA = grazingAt(scene, a)
  const grazingB = grazingAt(scene, b)
  const { lit } = out
  lit[0] = isLit(frames, a, r, grazingA)
  lit[1] = isLit(frames, b, r, grazingB)
  out.share = 1
  if (lit[0] || lit[1]) return
  const overA = comesOver(frames, a, r, grazingA)
  const overB = comesOver(frames, b, r, grazingB)
  if (edges[EDGE_SIZE * e + 7] > HALF_PLANE) out.share = overA || overB ? 0 : 1
  else {
    out.share = overA !== overB ? 0.5 : 0
    lit[0] = overA
    lit[1] = overB
  }
}

/** How much of a wave counts on a face, for the face as lit and as dark (`sidesOf`). */
export interface Sides {
  weight: number
  lit: readonly boolean[]
}

/** How a face, whose frame begins at `at`, takes light from r: in its own plane as the mean of the limits from both sides, lit and dark. */
export function sidesOf(
  scene: EdgeScene,
  at: number,
  r: ArrayLike<number>,
  isFaceLit: boolean,
  share: number,
): Sides {
  const { frames } = scene
  const up = r[0] * frames[at + 3] + r[1] * frames[at + 4] + r[2] * frames[at + 5]
  if (share === 1 && Math.abs(up) <= grazingAt(scene, at)) return { weight: 0.5, lit: [true, false] }
  return { weight: share, lit: [isFaceLit] }
}

/** Whether light at the azimuth phi0 from the first face of edge e, of the outside angle `full` [rad], lies in the plane of the face that it comes over. */
export const grazes = (scene: EdgeScene, e: number, phi0: number, full: number): boolean =>
  phi0 < grazingAt(scene, FRAMES_SIZE * e) || full - phi0 < grazingAt(scene, FRAMES_SIZE * e + 9)

import type { Complex } from '../../scene/complex.js'
import { emptyAmplitudes, type FaceAmplitudes, type SurfaceField } from './amplitudes.js'
import { ANGLES, H, missedShare, NODES, poleOf } from './branch-cut.js'
import { add, cos, divide, magnitude, multiply, scale } from './complex.js'
import type { Gap } from './face-path.js'
import { type MaterialFace, OFF_PLANE } from './material-face.js'
import type { SkewWedge } from './skew-wedge.js'

/** Directions that close to that of the geometrical wave are interpolated, from places so far apart [rad]. */
const OFF = 0.02
const PLACES = [-2, -1, 1, 2]
/** Of mu, where the whole of oblique incidence is computed: along the path of `SkewWedge` and beyond it is a sum. */
const LEAST_MU = -0.95
/** Times the root of 1 + |mu|, nodes from which on sums of terms do not depend on mu. */
const FAR_OUT = 10

/**
 * The amplitudes of a face of a wedge under oblique incidence.
 *
 * @param side    of the solution's faces
 * @param fields  of E and of H along the edge, for their weights and walls; what is of both has the means of these
 * @param lit     as physical optics has it for this face
 */
export function skewAmplitudes(
  face: MaterialFace,
  solution: SkewWedge,
  side: number,
  fields: readonly Pick<SurfaceField, 'weight' | 'wall'>[],
  lit: boolean,
  out = emptyAmplitudes(),
  gap: Gap | null = null,
): FaceAmplitudes {
  const { count, mu } = face
  const phi0 = Math.max(face.phi0, OFF_PLANE)
  const optics = lit ? solution.optics(side, phi0) : null
  const parts = channels(face, solution, side, fields)
  /** Adds what a field, times a number, has in the channels. */
  const put = (field: Float64Array, fRe: number, fIm: number, to: Float64Array, at: number): void => {
    for (let channel = 0; channel < 8; channel += 2) {
      let re = 0
      let im = 0
      for (let i = 0, o = 4 * channel; i < 8; i += 2, o += 2) {
        re += parts[o] * field[i] - parts[o + 1] * field[i + 1]
        im += parts[o] * field[i + 1] + parts[o + 1] * field[i]
      }
      to[at + channel] += fRe * re - fIm * im
      to[at + channel + 1] += fRe * im + fIm * re
    }
  }
  const putFringe = (w: number, factor: number, to: Float64Array): void => {
    put(solution.onFace(side, w, 0), factor, 0, to, 0)
    if (optics) put(optics, -factor / (Math.cos(phi0) - Math.cos(w)), 0, to, 0)
  }
  // Nodes far out are alike at any mu, as the field closest to the edge.
  const apart = FAR_OUT * Math.sqrt(1 + Math.abs(mu))
  let begin = face.first
  while (begin < face.start && NODES[begin] > apart) begin++
  const terms = new Float64Array(8 * Math.max(0, count - begin))
  for (let n = begin; n < count; n++) {
    const v = NODES[n]
    const re = ANGLES[n][0]
    const im = ANGLES[n][1]
    // Below the last node the terms go on like v^3.
    const f = ((n === count - 1 ? 1 / (1 - Math.exp(-3 * H)) : 1) * H * v * v) / Math.PI
    put(solution.onFace(side, Math.PI - re, -im), 0, f, terms, 8 * (n - begin))
    put(solution.onFace(side, Math.PI + re, im), 0, -f, terms, 8 * (n - begin))
  }
  const guided = solution.guided(side).flatMap((w) => {
    const theta: Complex = [w[0] - Math.PI, w[1]]
    const v = poleOf(theta)
    const missed = missedShare(v)
    // Far out it belongs to the field closest to the edge.
    const size = magnitude(v)
    if (!missed || size > FAR_OUT || size < NODES[count - 1]) return []
    return [{ missed, residue: solution.residue(side, w), e: multiply([0, 1], cos(theta)) }]
  })
  // Along the strips' plane and beyond, and where wholes and ends cancel, wholes are sums of what is left.
  const sure = mu < LEAST_MU ? LEAST_MU : face.cancels() ? face.apart() : mu
  face.fill(sure, out, (at) => {
    const w = Math.acos(-Math.min(at, 1 - 1e-9))
    if (at < LEAST_MU) out.untruncated.fill(0)
    else if (!optics || Math.abs(w - phi0) > 2 * OFF) putFringe(w, 1, out.untruncated)
    else {
      // Through places beside the geometrical wave, where both terms are infinite.
      const places = PLACES.map((p) => Math.max(phi0, 3 * OFF) + p * OFF)
      for (const place of places)
        putFringe(
          place,
          places.reduce((f, q) => (q === place ? f : (f * (w - q)) / (place - q)), 1),
          out.untruncated,
        )
    }
    for (let n = begin; n < count; n++) {
      const [y, z] = [NODES[n] * NODES[n], 1 - at]
      const size = 1 / (y * y + z * z)
      for (let c = 0, o = 8 * (n - begin); c < 8; c += 2, o += 2) {
        out.nodes[8 * n + c] = size * (terms[o] * y + terms[o + 1] * z)
        out.nodes[8 * n + c + 1] = size * (terms[o + 1] * y - terms[o] * z)
      }
    }
    for (const { missed, residue, e } of guided) {
      const amplitudes = new Float64Array(8)
      const [re, im] = divide(missed, [e[0], e[1] - at])
      put(residue, re, im, amplitudes, 0)
      out.guided.push({ decay: [e[0], e[1] - 1], amplitudes })
    }
  })
  const weights = fields.map(({ weight }) => weight)
  if (gap) face.addGap(gap, weights, out)
  return out
}

/** By channel what it has of E and H under a wave of E, and of E and H under one of H: 8 numbers each. */
function channels(
  { share, sinBeta0, along, electric, magnetic }: MaterialFace,
  solution: SkewWedge,
  side: number,
  fields: readonly Pick<SurfaceField, 'weight' | 'wall'>[],
): Float64Array {
  const amplitude = share / (4 * Math.PI * sinBeta0)
  const [E, H] = fields.map(({ weight, wall }) => ({ weight, phase: wall?.phase ?? ([1, 0] as Complex) }))
  const sum = add(E.phase, H.phase)
  const mean = scale(Math.sqrt(E.weight * H.weight) / Math.max(magnitude(sum), 1e-9), sum)
  const factors = [scale(E.weight, E.phase), mean, mean, scale(H.weight, H.phase)]
  const parts = new Float64Array(32)
  for (let q = 0; q < 2; q++) {
    const received = solution.received(side, electric[q], magnetic[q])
    for (let t = 0; t < 2; t++)
      factors.forEach((factor, i) => {
        const size = amplitude * (i < 2 ? along[t].ez : along[t].hz)
        parts.set(scale(size, multiply(received[i % 2], factor)), 8 * (t === q ? t : 2 + t) + 2 * i)
      })
  }
  return parts
}

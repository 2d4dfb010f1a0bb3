import { add, type Complex, divide, multiply, scale, subtract } from '../../../math/complex.js'
import type { Aspect } from '../../../scene/index.js'
import { isLit } from '../../light/lighting.js'
import { DARK, type FaceConditions, type FaceIncidence, incidenceOn } from './conditions.js'
import type { Condition } from '../../../math/maliuzhinets.js'

/** Least size of mu + cos(phi0) that is divided by. */
const LEAST_POLE = 1e-6
/** Least sin(phi0): at grazing incidence both terms of a conductor's currents vanish. */
const LEAST_SINE = 1e-7

/**
 * A face between transmitter and receiver. Impedances of layers depend on the angle, and a field of edges is reciprocal if both ends have
 * the same ones: those at the mean of the sines of both. Physical optics has those of the transmitter, and ends at the edge of the facets.
 */
export interface FacePath {
  /** As physical optics takes the face. */
  incidence: FaceIncidence
  /** As the edge takes it. */
  mean: FaceIncidence
  /** sin(phi0), and sin(phi) of the receiver: negative behind the face. */
  sine0: number
  sine: number
  /** mu + cos(phi0), the pole of physical optics. */
  pole: number
}

/**
 * The path over the face whose frame begins at `at`. On Keller's cone sin^2 phi = sin^2 phi0 + (cos phi0 - cos phi) (mu + cos phi0); beside it
 * this has both ends alike in backscatter and where physical optics has its pole.
 *
 * @param lit  from the transmitter
 * @param through  seen from both sides, as a sheet: never dark
 */
export function pathOver(
  frames: Float64Array,
  at: number,
  { tx, rx }: Aspect,
  lit: boolean,
  through: boolean,
): FacePath {
  const along = (v: ArrayLike<number>, i: number): number =>
    v[0] * frames[at + i] + v[1] * frames[at + i + 1] + v[2] * frames[at + i + 2]
  const from = incidenceOn(frames, at, tx.r)
  const { sinBeta } = from
  const sine0 = Math.max(from.sine, LEAST_SINE)
  const [x, y, z] = [0, 3, 6].map((i) => along(rx.r, i))
  const [x0, z0] = [along(tx.r, 0), along(tx.r, 6)]
  // |s - u|^2, u the direction of the strips.
  const square = (x - sinBeta) ** 2 + y * y + (z + z0) ** 2
  let pole = 1 - square / (2 * sinBeta * sinBeta) + x0 / sinBeta
  if (Math.abs(pole) < LEAST_POLE) pole = pole < 0 ? -LEAST_POLE : LEAST_POLE
  const change = ((x0 - x) / sinBeta) * pole
  const size = change === 0 ? sine0 : Math.sqrt(Math.min(1, Math.max(0, sine0 * sine0 + change)))
  const sine = y < 0 ? -size : size
  const isDark = !through && !lit
  const incidence = isDark ? DARK : from
  if (isDark && !isLit(frames, at, rx.r)) return { incidence, mean: DARK, sine0, sine, pole }
  if (size === sine0) return { incidence, mean: from, sine0, sine, pole }
  const middle = (sine0 + size) / 2
  const inPlane = (1 - middle * middle) * sinBeta * sinBeta
  const across = z0 === 0 ? 1 : inPlane / (inPlane + z0 * z0)
  return { incidence, mean: { ...from, sine: middle, across }, sine0, sine, pole }
}

/** Of waves with E and with H along the edge. */
export type Gap = [E: Complex, H: Complex]

/**
 * What the physical optics taken off a face's edge is beyond that of the rays, a current along the edge: with
 * S = sin phi0 (1 - R - T) and D = 1 + R - T the difference of S - D sin(phi), over mu + cos(phi0) (decision 023).
 *
 * @param edge,rays  conditions with which both are taken
 * @param cover      k sin(beta0) times the thickness between the facet and the plane of the conditions
 */
export function opticsGap(path: FacePath, edge: FaceConditions, rays: FaceConditions, cover: number): Gap {
  const { sine0, sine, pole } = path
  const of = ({ s, d }: Condition, part: Complex): Complex =>
    divide(scale(2 * sine0, part), add(s, scale(sine0, d)))
  const seen = (S: Complex, D: Complex): Complex => subtract(S, scale(sine, D))
  return (['E', 'H'] as const).map((u): Complex => {
    const [normal, jump] = u === 'E' ? (['E', 'jumpE'] as const) : (['H', 'jumpH'] as const)
    const mine = seen(of(edge[normal], edge[normal].s), of(edge[jump], edge[jump].d))
    const D = of(rays[jump], rays[jump].d)
    if (cover === 0) return scale(1 / pole, subtract(mine, seen(of(rays[normal], rays[normal].s), D)))
    // R at the facet, whose edge is in front of that of the conditions.
    const R = multiply([D[0] - 1, D[1]], turn(-2 * cover * sine0))
    const ends = seen([sine0 * (1 - R[0]), -sine0 * R[1]], [1 + R[0], R[1]])
    return scale(1 / pole, subtract(mine, multiply(ends, turn(cover * (sine0 + sine)))))
  }) as Gap
}

const turn = (phase: number): Complex => [Math.cos(phase), Math.sin(phase)]

import {
  asin,
  type Complex,
  divide,
  exp,
  magnitude,
  multiply,
  scale,
  sin,
  subtract,
} from '../../../math/complex.js'

/*
 * The branch cut of G (`SurfaceSpectrum`) at mu = 1 - j v^2, v > 0: nodes of the quadrature along it, and what it misses of poles beside.
 */

/** Nodes v of the branch cut, from the largest down, evenly spaced in their logarithm. */
export const H = 0.28
const LARGEST = 405.5
/** The node v = LARGEST, which serves most edges, and nodes kept: from 1e6 for edges seen nearly end-on, whose strips are short, to 9e-10. */
export const FIRST = 28
export const MANY = FIRST + 97
export const NODES = Float64Array.from({ length: MANY }, (_, n) => LARGEST * Math.exp((FIRST - n) * H))
/** Their angles, and sin(phi) of these, re and im. */
export const ANGLES: Complex[] = Array.from(NODES, (v) => angleOf([v, 0]))
export const SINES = Float64Array.from(ANGLES.flatMap(sin))
/** Poles of a smaller arg v are no part of the field, and too far from the cut to disturb its sum [rad]; from -pi/4 on theirs grow along the face. */
const LEAST_ARGUMENT = -0.75

/** phi with cos(phi) = 1 - j v^2, 2 asin(e^{j pi/4} v/sqrt 2). */
export function angleOf(v: Complex): Complex {
  return scale(2, asin([(v[0] - v[1]) / 2, (v[0] + v[1]) / 2]))
}

/** v of the wave guided along a face: cos(theta) = 1 - j v^2. */
export const poleOf = (theta: Complex): Complex => multiply([1, -1], sin(scale(0.5, theta)))

/** What the nodes' sum misses of a pole of the terms at v, over 2 pi times its residue in ln v; null of one too far from the cut. */
export function missedShare(v: Complex): Complex | null {
  const t: Complex = [Math.log(magnitude(v)), Math.atan2(v[1], v[0])]
  if (t[1] <= LEAST_ARGUMENT) return null
  const [re, im] = t[0] < Math.log(LARGEST) ? t : [t[0], t[1] > 0 ? 1 : -1]
  const turns = scale((2 * Math.PI) / H, [re - Math.log(LARGEST), im])
  return divide([0, 1], subtract(exp([-turns[1], turns[0]]), [1, 0]))
}

import {
  deltaUntruncated,
  NODE_COSH,
  NODE_INVERSE_ROOT,
  NODE_S_SINH,
  NODE_SINH_SQR,
  NODE_SIZE,
  NODE_WEIGHT,
  type NodeSet,
  poleResidues,
  type SecondPole,
  type Wedge,
} from './wedge.js'

/** Numbers per term of a `RemainderSum`, and where they stand: sinh^2 v, then the coefficients of S, T and V as pairs. */
export const TERM_SIZE = 7
export const TERM_SINH_SQR = 0
export const TERM_S = 1
export const TERM_T = 3
export const TERM_V = 5

/**
 * What the poles (`kernel-poles.ts`) leave of a face's fringe current, for one direction and one class of strip lengths (exact
 * truncation): a smooth integrand, and so a sum of real exponentials over the nodes v_n of a `NodeSet` and a residual one,
 *   S = sum D^h_n [1 - exp(-2jL (s_n^2 + c^2))],  T = sum D^s_n [1 - exp(-2jL (s_n^2 + c^2))],
 *   V e^{jL} = sum D^v_n exp(-2jL s_n^2),  s_n^2 = -j sinh^2 v_n
 * (docs/edge-diffraction.md, "Exact truncation"). Refilled for every direction.
 */
export interface RemainderSum {
  /** Terms, residual node included. */
  count: number
  /** count x TERM_SIZE: sinh^2 v_n, D^h_n, D^s_n, D^v_n. */
  data: Float64Array
  /** Sums of D^h and of D^s over the terms, as pairs, in the order of the terms. */
  sumS: Float64Array
  sumT: Float64Array
  /** Direction for which the data hold. */
  stamp: number
}

/** What the sum takes of a strip (fields of `FaceStrip`). */
interface StripDirection {
  wedge: Pick<Wedge, 'N'>
  phi0: number
  a: number
  b: number
  c: number
  pole: SecondPole
  rhoH: number
  rhoS: number
}

/** An empty one for node sets of `nodes` nodes. */
export const remainderSum = (nodes: number): RemainderSum => ({
  count: nodes + 1,
  data: new Float64Array(TERM_SIZE * (nodes + 1)),
  sumS: new Float64Array(2),
  sumT: new Float64Array(2),
  stamp: -1,
})

const delta = new Float64Array(2)
const residue = new Float64Array(2)
/** Sums of D^h and D^s over the nodes but the residual one, as pairs. */
const total = new Float64Array(4)

/**
 * Fills `sum` for the strip's direction. The coefficients of the nodes are `fillNodes`'; those of the residual node make S and T those of
 * the untruncated current (Michaeli's, `deltaUntruncated`) at L = infinity, and V that of the edge, 1/N - 1/2, at L = 0.
 */
export function fillRemainderSum(strip: StripDirection, nodes: NodeSet, sum: RemainderSum): void {
  const { c, phi0, pole } = strip
  const { N } = strip.wedge
  const data = sum.data
  // The residual node is a limit at c = 0: there it is taken a little beside it.
  const near = c < 1e-5
  const cResidual = near ? 1.01e-5 : c
  fillNodes(strip, nodes, c, strip.rhoH, strip.rhoS, data, total)
  let sumVRe = 0
  let sumVIm = 0
  for (let i = 0, t = 0; i < nodes.count; i++, t += TERM_SIZE) {
    sumVRe += data[t + TERM_V]
    sumVIm += data[t + TERM_V + 1]
  }
  const r = TERM_SIZE * nodes.count
  if (near) {
    poleResidues(N, phi0, cResidual, pole, residue, 0)
    fillNodes(strip, nodes, cResidual, residue[0], residue[1], null, total)
  } else {
    residue[0] = strip.rhoH
    residue[1] = strip.rhoS
  }
  deltaUntruncated(N, phi0, cResidual, delta, 0)
  // Psi(1, c) and Psi(a2, c) over j at L = infinity.
  const psiUnit = 0.25 / (cResidual * (cResidual + 1))
  const psiSecond = 0.25 / (cResidual * (cResidual + pole.a))
  data[r + TERM_SINH_SQR] = nodes.residual
  data[r + TERM_S] = -total[0]
  data[r + TERM_S + 1] = delta[0] - residue[0] * psiUnit - total[1]
  data[r + TERM_T] = delta[1] + residue[1] * psiUnit - total[2]
  data[r + TERM_T + 1] = -total[3]
  data[r + TERM_V] = 1 / N - 0.5 - sumVRe
  data[r + TERM_V + 1] = -sumVIm
  if (pole.present) {
    data[r + TERM_S + 1] += psiSecond - pole.a * psiUnit
    data[r + TERM_T] -= 2 * pole.b * (psiUnit - pole.a * psiSecond)
    data[r + TERM_V] -= 0.5 * (1 - pole.a)
  }
  sum.sumS.fill(0)
  sum.sumT.fill(0)
  for (let i = 0, t = 0; i < sum.count; i++, t += TERM_SIZE) {
    sum.sumS[0] += data[t + TERM_S]
    sum.sumS[1] += data[t + TERM_S + 1]
    sum.sumT[0] += data[t + TERM_T]
    sum.sumT[1] += data[t + TERM_T + 1]
  }
}

/**
 * Coefficients of the nodes to `data` (unless null) and their sums of D^h, D^s to `total`. The kernels of the steepest-descent integral,
 * less the half-plane's pole at s^2 = -a^2 (and the second pole's at -a2^2, where present), are, with s = sinh(t/2),
 *   theta1 = (pi - phi0)/N,  theta2 = (pi + phi0)/N - 2 pi,  Q_i = 1/(cosh(t/N) - cos theta_i),
 *   g_h = [sin theta1 Q_1 + sin theta2 Q_2] / (N sqrt(1 + s^2)) - cos(phi0/2)/(s^2 + a^2)
 *         [+ a2/(s^2 + a2^2) - a2/(s^2 + 1)],
 *   g_s = -(2j/N) s sinh(t/N) [Q_2 - Q_1] - 2jb s^2/(s^2 + a^2)  [+ 2j b2/(s^2 + 1) - 2j b2 a2^2/(s^2 + a2^2)],
 * and with the weights w_n of the nodes and the residues rho at the observation pole
 *   D^{h,s}_n = (j/4pi) w_n [g_{h,s} - rho_{h,s}/(s^2 + 1)] / (s^2 + c^2),  D^v_n = -(1/2pi) w_n g_h.
 * This loop runs for every direction and edge: real and imaginary parts are separate. 1/(s^2 + x) is
 * (x + j sinh^2 v)/(x^2 + sinh^4 v).
 *
 * @param rhoS  of rho_s = j rhoS
 */
function fillNodes(
  strip: StripDirection,
  nodes: NodeSet,
  c: number,
  rhoH: number,
  rhoS: number,
  data: Float64Array | null,
  total: Float64Array,
): void {
  const { phi0, a, b, pole } = strip
  const { N } = strip.wedge
  const theta1 = (Math.PI - phi0) / N
  const theta2 = (Math.PI + phi0) / N - 2 * Math.PI
  const cosTheta1 = Math.cos(theta1)
  const cosTheta2 = Math.cos(theta2)
  const sinTheta1 = Math.sin(theta1)
  const sinTheta2 = Math.sin(theta2)
  const cosHalfPhi0 = Math.cos(phi0 / 2)
  const aSqr = a * a
  const cSqr = c * c
  const a2 = pole.a
  const a2Sqr = a2 * a2
  const d = nodes.data
  total.fill(0)
  for (let i = 0, n = 0, t = 0; i < nodes.count; i++, n += NODE_SIZE, t += TERM_SIZE) {
    const sinhSqr = d[n + NODE_SINH_SQR]
    const sinhFourth = sinhSqr * sinhSqr
    // Q_1 and Q_2
    const difference1Re = d[n + NODE_COSH] - cosTheta1
    const difference2Re = d[n + NODE_COSH] - cosTheta2
    const differenceIm = d[n + NODE_COSH + 1]
    const perModulus1 = 1 / (difference1Re * difference1Re + differenceIm * differenceIm)
    const perModulus2 = 1 / (difference2Re * difference2Re + differenceIm * differenceIm)
    const q1Re = difference1Re * perModulus1
    const q1Im = -differenceIm * perModulus1
    const q2Re = difference2Re * perModulus2
    const q2Im = -differenceIm * perModulus2
    // 1/(s^2 + a^2) and 1/(s^2 + 1)
    const perA = 1 / (aSqr * aSqr + sinhFourth)
    const perUnit = 1 / (1 + sinhFourth)
    const poleARe = aSqr * perA
    const poleAIm = sinhSqr * perA
    const unitRe = perUnit
    const unitIm = sinhSqr * perUnit
    const sinesRe = sinTheta1 * q1Re + sinTheta2 * q2Re
    const sinesIm = sinTheta1 * q1Im + sinTheta2 * q2Im
    const rootRe = d[n + NODE_INVERSE_ROOT]
    const rootIm = d[n + NODE_INVERSE_ROOT + 1]
    let gHRe = sinesRe * rootRe - sinesIm * rootIm - cosHalfPhi0 * poleARe
    let gHIm = sinesRe * rootIm + sinesIm * rootRe - cosHalfPhi0 * poleAIm
    // g_s / j; s^2/(s^2 + a^2) = -j sinh^2 (poleARe + j poleAIm)
    const qRe = q2Re - q1Re
    const qIm = q2Im - q1Im
    const sSinhRe = d[n + NODE_S_SINH]
    const sSinhIm = d[n + NODE_S_SINH + 1]
    let gSRe = (-2 / N) * (sSinhRe * qRe - sSinhIm * qIm) - 2 * b * sinhSqr * poleAIm
    let gSIm = (-2 / N) * (sSinhRe * qIm + sSinhIm * qRe) + 2 * b * sinhSqr * poleARe
    if (pole.present) {
      const perA2 = 1 / (a2Sqr * a2Sqr + sinhFourth)
      const poleA2Re = a2Sqr * perA2
      const poleA2Im = sinhSqr * perA2
      gHRe += a2 * (poleA2Re - unitRe)
      gHIm += a2 * (poleA2Im - unitIm)
      gSRe += 2 * pole.b * (unitRe - a2Sqr * poleA2Re)
      gSIm += 2 * pole.b * (unitIm - a2Sqr * poleA2Im)
    }
    const weightRe = d[n + NODE_WEIGHT]
    const weightIm = d[n + NODE_WEIGHT + 1]
    // w_n / (4 pi (s^2 + c^2))
    const perC = 0.25 / Math.PI / (cSqr * cSqr + sinhFourth)
    const poleCRe = perC * cSqr
    const poleCIm = perC * sinhSqr
    const factorRe = weightRe * poleCRe - weightIm * poleCIm
    const factorIm = weightRe * poleCIm + weightIm * poleCRe
    const smoothHRe = gHRe - rhoH * unitRe
    const smoothHIm = gHIm - rhoH * unitIm
    const smoothSRe = gSRe - rhoS * unitRe
    const smoothSIm = gSIm - rhoS * unitIm
    const dHRe = -(factorRe * smoothHIm + factorIm * smoothHRe)
    const dHIm = factorRe * smoothHRe - factorIm * smoothHIm
    // One more factor j: that of g_s.
    const dSRe = -(factorRe * smoothSRe - factorIm * smoothSIm)
    const dSIm = -(factorRe * smoothSIm + factorIm * smoothSRe)
    total[0] += dHRe
    total[1] += dHIm
    total[2] += dSRe
    total[3] += dSIm
    if (data === null) continue
    data[t + TERM_SINH_SQR] = sinhSqr
    data[t + TERM_S] = dHRe
    data[t + TERM_S + 1] = dHIm
    data[t + TERM_T] = dSRe
    data[t + TERM_T + 1] = dSIm
    data[t + TERM_V] = (-0.5 / Math.PI) * (weightRe * gHRe - weightIm * gHIm)
    data[t + TERM_V + 1] = (-0.5 / Math.PI) * (weightRe * gHIm + weightIm * gHRe)
  }
}

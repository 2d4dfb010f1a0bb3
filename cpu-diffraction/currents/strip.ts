import { fresnelE1, fresnelW, psiFrom } from '../../math/fresnel.js'
import {
  chi,
  deltaUntruncated,
  lengthClass,
  NODE_COSH,
  NODE_INVERSE_ROOT,
  NODE_S_SINH,
  NODE_SINH_SQR,
  NODE_SIZE,
  NODE_WEIGHT,
  type NodeSet,
  poleResidues,
  secondPole,
  type SecondPole,
  type Wedge,
} from './wedge.js'

/**
 * How the fringe current ends where its strip leaves the face: `tw-ildc` exactly, with no current on a strip of length zero
 * (tier X); `tw-ildc-j` by Johansen's leading-order end correction; `eec` not at all (Michaeli's untruncated currents, which
 * are singular where the observer lies along the strip: c is then taken as 1e-9).
 */
export type Truncation = 'tw-ildc' | 'tw-ildc-j' | 'eec'

/** Numbers that `moments` writes. */
export const MOMENTS = 12

// Positions in the scratch array: W and e1 at r x, for x = a, c, 1, a2.
const WA = 0
const WC = 2
const W1 = 4
const W2 = 6
const EA = 8
const EC = 10
const EX = 12
const PLACES_A = { wa: WA, ea: EA, ec: EC }
const PLACES_1 = { wa: W1, ea: EX, ec: EC }
const PLACES_2 = { wa: W2, ea: EX, ec: EC }
const scratch = new Float64Array(14)
const psiA = new Float64Array(2)
const psi1 = new Float64Array(2)
const psi2 = new Float64Array(2)
const pair = new Float64Array(2)

/**
 * The fringe current of one face of a wedge along one strip direction, for one direction of incidence and one of observation:
 * what of it depends on neither frequency nor strip length (docs/edge-diffraction.md). One object serves many directions and
 * edges in turn, all of the same `Truncation`.
 *
 * With the dimensionless length L = k l sin^2 beta0 of a strip and mu = 1 - 2c^2, the current moments of the strip are
 *   S = int_0^L Vd e^{j mu X} dX,  T = int_0^L X^-1 dVd/dphi0 e^{j mu X} dX,  R = int_0^L dVd/dX e^{j mu X} dX,
 * and per unit length of the edge
 *   Px = 2/(k sin beta0) Hz0 S,  Pz = 2j/(k sin^2 beta0) [(Ez0/Z) T + cos beta0 Hz0 R].
 */
export class FaceStrip {
  wedge!: Wedge
  sinBeta0 = NaN
  cosBeta0 = NaN
  phi0 = NaN
  /** |s - u|/(2 sin beta0): 0 where the observer lies along the strip. */
  c = NaN
  /** |cos(phi0/2)|, sin(phi0/2). */
  a = NaN
  b = NaN
  /** +1 where the face is lit, else -1. */
  sign = 1
  /** Vd at the edge: 1/N, less 1 where lit. */
  V0 = NaN
  /** Untruncated S/j, T and R (all real). */
  S0 = NaN
  T0 = NaN
  R0 = NaN
  readonly pole: SecondPole = { present: false, angle: NaN, a: NaN, b: NaN }
  /** Residues at the observation pole, rho_h and rho_s/j. */
  rhoH = NaN
  rhoS = NaN
  /** Johansen's dS/j at his clamped c, dT, that c, and the strength of his end term. */
  deltaJ = NaN
  deltaT = NaN
  cJ = NaN
  endJ = NaN
  /** True where the strip integrals are those of a half-plane alone, without exponential sums. */
  closed = false
  private stamp = 0
  private readonly sums: RemainderSum[] = []
  private readonly rangeSums: RemainderSum[] = []

  constructor(readonly truncation: Truncation) {}

  /**
   * @param sinBeta0,cosBeta0  of the angle between incidence and the face frame's z; sinBeta0 > 0
   * @param phi0  direction towards the transmitter from the face [rad], 0 to N pi
   * @param c     see the field
   * @param lit   as physical optics has it for this face
   */
  set(wedge: Wedge, sinBeta0: number, cosBeta0: number, phi0: number, c: number, lit: boolean): void {
    const { N } = wedge
    this.wedge = wedge
    this.sinBeta0 = sinBeta0
    this.cosBeta0 = cosBeta0
    this.phi0 = phi0
    this.c = c
    this.a = Math.abs(Math.cos(phi0 / 2))
    this.b = Math.sin(phi0 / 2)
    this.sign = lit ? 1 : -1
    this.V0 = 1 / N - (lit ? 1 : 0)
    const cu = Math.max(c, 1e-9)
    pair[0] = pair[1] = 0
    if (!wedge.half) deltaUntruncated(N, phi0, cu, pair, 0)
    this.S0 = (this.sign * 0.25) / (cu * (cu + this.a)) + pair[0]
    this.T0 = (-0.5 * this.b) / (cu + this.a) + pair[1]
    this.R0 = -this.V0 + (1 - 2 * c * c) * this.S0
    this.closed = wedge.half || this.truncation !== 'tw-ildc'
    if (wedge.half) {
      this.deltaJ = this.deltaT = this.endJ = 0
    } else if (this.truncation === 'tw-ildc-j') {
      this.cJ = Math.max(c, 1e-6)
      deltaUntruncated(N, phi0, this.cJ, pair, 0)
      this.deltaJ = pair[0]
      this.deltaT = pair[1]
      this.endJ = chi((Math.PI - phi0) / 2, N) + chi((Math.PI + phi0) / 2, N)
    } else if (this.truncation === 'tw-ildc') {
      this.stamp++
      secondPole(N, phi0, this.pole)
      poleResidues(N, phi0, c, this.pole, pair, 0)
      this.rhoH = pair[0]
      this.rhoS = pair[1]
    }
  }

  /** The exponential sum for strips of a length class (tier X, N < 2), filled when first asked for in this direction. */
  sum(lengthClass: number): RemainderSum {
    return this.filled(this.sums, lengthClass, this.wedge.nodes(lengthClass))
  }

  /** As `sum`, for all strips of a length range. */
  rangeSum(range: number): RemainderSum {
    return this.filled(this.rangeSums, range, this.wedge.rangeNodes(range))
  }

  private filled(sums: RemainderSum[], i: number, nodes: NodeSet): RemainderSum {
    let sum = sums[i]
    if (sum === undefined || sum.count !== nodes.count + 1) sums[i] = sum = remainderSum(nodes.count)
    if (sum.stamp !== this.stamp) {
      fillRemainderSum(this, nodes, sum)
      sum.stamp = this.stamp
    }
    return sum
  }

  /**
   * Moments of the strip: out[0..5] = S, T, R as pairs, out[6..11] = the same of what the truncation took away (untruncated less
   * truncated). Exactly zero at L = 0 for the exact truncation.
   *
   * @param L       k l sin^2 beta0, finite, >= 0
   * @param lowest  smallest L of this strip over the sweep (it picks the nodes; wedge.bandRatio covers the rest)
   */
  moments(L: number, lowest: number, out: Float64Array): void {
    const mu = 1 - 2 * this.c * this.c
    if (this.truncation === 'eec') {
      out.fill(0)
      out[1] = this.S0
      out[2] = this.T0
      out[4] = this.R0
      return
    }
    if (L === 0 && (this.truncation === 'tw-ildc' || this.wedge.half)) {
      out.fill(0)
      out[7] = this.S0
      out[8] = this.T0
      out[10] = this.R0
      return
    }
    this.halfPlane(L, out)
    if (!this.closed) this.addRemainder(L, lowest, out)
    else if (this.truncation === 'tw-ildc-j' && !this.wedge.half) this.addJohansen(L, out)
    // V e^{j mu L} stands in out[4..5] times e^{-j mu L}.
    const cos = Math.cos(mu * L)
    const sin = Math.sin(mu * L)
    const vRe = out[4] * cos - out[5] * sin
    const vIm = out[4] * sin + out[5] * cos
    out[4] = vRe - this.V0 + mu * out[1]
    out[5] = vIm - mu * out[0]
    out[6] = -out[0]
    out[7] = this.S0 - out[1]
    out[8] = this.T0 - out[2]
    out[9] = -out[3]
    out[10] = -vRe + mu * out[7]
    out[11] = -vIm - mu * out[6]
  }

  /** S, T, V of a half-plane (exact) to out[0..5]. Leaves W(ra), W(rc), e1(ra), e1(rc) in the scratch array. */
  private halfPlane(L: number, out: Float64Array): void {
    const { a, b, c, sign } = this
    const r = Math.sqrt(2 * L)
    fresnelW(r * a, scratch, WA)
    fresnelW(r * c, scratch, WC)
    fresnelE1(r * a, scratch, WA, scratch, EA)
    fresnelE1(r * c, scratch, WC, scratch, EC)
    psiFrom(a, c, L, scratch, PLACES_A, psiA)
    out[0] = sign * psiA[0]
    out[1] = sign * psiA[1]
    // T = 2jb [(j/4) r e^{j pi/4} e1(rc) - a Psi]
    const f = 0.25 * r * Math.SQRT1_2
    out[2] = 2 * b * (-f * (scratch[EC] - scratch[EC + 1]) + a * psiA[1])
    out[3] = 2 * b * (-f * (scratch[EC] + scratch[EC + 1]) - a * psiA[0])
    const cos = Math.cos(L)
    const sin = Math.sin(L)
    out[4] = -0.5 * sign * (cos * scratch[WA] + sin * scratch[WA + 1])
    out[5] = -0.5 * sign * (cos * scratch[WA + 1] - sin * scratch[WA])
  }

  /**
   * Adds what a wedge's current has beyond a half-plane's (tier X): Psi(1, c) times the residues at the observation pole, the second
   * pole's Psi(a2, c) - a2 Psi(1, c), and the smooth remainder (`RemainderSum`).
   */
  private addRemainder(L: number, lowest: number, out: Float64Array): void {
    const { c, pole, rhoH, rhoS } = this
    const r = Math.sqrt(2 * L)
    fresnelW(r, scratch, W1)
    fresnelE1(r, scratch, W1, scratch, EX)
    psiFrom(1, c, L, scratch, PLACES_1, psi1)
    out[0] += rhoH * psi1[0]
    out[1] += rhoH * psi1[1]
    out[2] -= rhoS * psi1[1]
    out[3] += rhoS * psi1[0]
    // V e^{jL}
    let vRe = 0
    let vIm = 0
    if (pole.present) {
      const a2 = pole.a
      fresnelW(r * a2, scratch, W2)
      fresnelE1(r * a2, scratch, W2, scratch, EX)
      psiFrom(a2, c, L, scratch, PLACES_2, psi2)
      out[0] -= psi2[0] - a2 * psi1[0]
      out[1] -= psi2[1] - a2 * psi1[1]
      out[2] += 2 * pole.b * (psi1[1] - a2 * psi2[1])
      out[3] -= 2 * pole.b * (psi1[0] - a2 * psi2[0])
      vRe = 0.5 * (scratch[W2] - a2 * scratch[W1])
      vIm = 0.5 * (scratch[W2 + 1] - a2 * scratch[W1 + 1])
    }
    // Sums of D exp(-2jL s_n^2), the exponent real.
    const sum = this.sum(lengthClass(lowest))
    const terms = sum.data
    let sRe = 0
    let sIm = 0
    let tRe = 0
    let tIm = 0
    for (let i = 0, t = 0; i < sum.count; i++, t += TERM_SIZE) {
      const decay = Math.exp(-2 * L * terms[t + TERM_SINH_SQR])
      sRe += terms[t + TERM_S] * decay
      sIm += terms[t + TERM_S + 1] * decay
      tRe += terms[t + TERM_T] * decay
      tIm += terms[t + TERM_T + 1] * decay
      vRe += terms[t + TERM_V] * decay
      vIm += terms[t + TERM_V + 1] * decay
    }
    // exp(-2jLc^2)
    const angle = 2 * L * c * c
    const cos = Math.cos(angle)
    const sin = Math.sin(angle)
    out[0] += sum.sumS[0] - (cos * sRe + sin * sIm)
    out[1] += sum.sumS[1] - (cos * sIm - sin * sRe)
    out[2] += sum.sumT[0] - (cos * tRe + sin * tIm)
    out[3] += sum.sumT[1] - (cos * tIm - sin * tRe)
    const cosL = Math.cos(L)
    const sinL = Math.sin(L)
    out[4] += cosL * vRe + sinL * vIm
    out[5] += cosL * vIm - sinL * vRe
  }

  /** Adds what a wedge has beyond a half-plane in Johansen's approximation (tier J; F = W/2). */
  private addJohansen(L: number, out: Float64Array): void {
    const c = this.cJ
    const x = Math.sqrt(2 * L) * c
    fresnelW(x, scratch, WC)
    const wRe = scratch[WC]
    const wIm = scratch[WC + 1]
    // S += j deltaJ - (j/4)(R0/c) e^{-2jLc^2} W(rc),  V -= (c R0/2) W(rc) e^{-jL}
    const cosX = Math.cos(x * x)
    const sinX = Math.sin(x * x)
    const f = (0.25 * this.endJ) / c
    out[0] += f * (cosX * wIm - sinX * wRe)
    out[1] += this.deltaJ - f * (cosX * wRe + sinX * wIm)
    out[2] += this.deltaT
    const g = 0.5 * c * this.endJ
    const cosL = Math.cos(L)
    const sinL = Math.sin(L)
    out[4] -= g * (cosL * wRe + sinL * wIm)
    out[5] -= g * (cosL * wIm - sinL * wRe)
  }
}

/** Numbers per term of a `RemainderSum`, and where they stand: sinh^2 v, then the coefficients of S, T and V as pairs. */
export const TERM_SIZE = 7
const TERM_SINH_SQR = 0
const TERM_S = 1
const TERM_T = 3
const TERM_V = 5

/**
 * What the poles (`poleResidues`) leave of a face's fringe current, for one direction and one class of strip lengths (exact
 * truncation): a smooth integrand, and so a sum of real exponentials over the nodes v_n of a `NodeSet` and a residual one,
 *   S = sum D^h_n [1 - exp(-2jL (s_n^2 + c^2))],  T = sum D^s_n [1 - exp(-2jL (s_n^2 + c^2))],
 *   V e^{jL} = sum D^v_n exp(-2jL s_n^2),  s_n^2 = -j sinh^2 v_n
 * (docs/edge-diffraction.md, "Exact truncation"). Refilled for every direction.
 */
interface RemainderSum {
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

/** An empty one for node sets of `nodes` nodes. */
const remainderSum = (nodes: number): RemainderSum => ({
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
function fillRemainderSum(strip: FaceStrip, nodes: NodeSet, sum: RemainderSum): void {
  const { c, phi0, pole } = strip
  const { N } = strip.wedge
  const data = sum.data
  // The residual node is a limit at c = 0: there it is taken a little beside it.
  const near = c < 1e-5
  const cResidual = near ? 1.01e-5 : c
  fillNodes(strip, nodes, c, strip.rhoH, strip.rhoS, data)
  let sumVRe = 0
  let sumVIm = 0
  for (let i = 0, t = 0; i < nodes.count; i++, t += TERM_SIZE) {
    sumVRe += data[t + TERM_V]
    sumVIm += data[t + TERM_V + 1]
  }
  const r = TERM_SIZE * nodes.count
  if (near) {
    poleResidues(N, phi0, cResidual, pole, residue, 0)
    fillNodes(strip, nodes, cResidual, residue[0], residue[1], null)
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
  strip: FaceStrip,
  nodes: NodeSet,
  c: number,
  rhoH: number,
  rhoS: number,
  data: Float64Array | null,
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

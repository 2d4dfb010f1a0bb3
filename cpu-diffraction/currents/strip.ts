import { fresnelE1, fresnelW, psiFrom } from '../../math/fresnel.js'
import {
  chi,
  deltaUntruncated,
  lengthClass,
  type NodeSet,
  poleResidues,
  secondPole,
  type SecondPole,
  type Wedge,
} from './wedge.js'
import {
  fillRemainderSum,
  remainderSum,
  TERM_S,
  TERM_SINH_SQR,
  TERM_SIZE,
  TERM_T,
  TERM_V,
  type RemainderSum,
} from './smooth-remainder.js'

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
  sinBeta0 = 0.5
  cosBeta0 = 0.5
  phi0 = 0.5
  /** |s - u|/(2 sin beta0): 0 where the observer lies along the strip. */
  c = 0.5
  /** |cos(phi0/2)|, sin(phi0/2). */
  a = 0.5
  b = 0.5
  /** +1 where the face is lit, else -1. */
  sign = 1
  /** Vd at the edge: 1/N, less 1 where lit. */
  V0 = 0.5
  /** Untruncated S/j, T and R (all real). */
  S0 = 0.5
  T0 = 0.5
  R0 = 0.5
  readonly pole: SecondPole = { present: false, angle: 0.5, a: 0.5, b: 0.5 }
  /** Residues at the observation pole, rho_h and rho_s/j. */
  rhoH = 0.5
  rhoS = 0.5
  /** Johansen's dS/j at his clamped c, dT, that c, and the strength of his end term. */
  deltaJ = 0.5
  deltaT = 0.5
  cJ = 0.5
  endJ = 0.5
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

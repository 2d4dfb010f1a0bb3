import { asin, type Complex, divide, magnitude, multiply, scale, subtract } from '../../../math/complex.js'
import { type Condition, conditionOf, DIRICHLET, NEUMANN } from '../../../math/maliuzhinets.js'

/*
 * Paths of the quadratures over a wedge's faces (`SkewWedge`), w(t) = jt + tanh(t) (mean + size tanh(ln t - middle)) from the face, with points even in
 * ln t, and what a quadrature misses of the pole of a place beside its path.
 */

/** An impedance over that of space between E and n x H along a face: a symmetric tensor, x away from the edge, z along it. */
export interface FaceImpedance {
  xx: Complex
  xz: Complex
  zz: Complex
}

/** As good as a perfect conductor where currents are taken from the fields. */
export const METAL: FaceImpedance = { xx: [1e-6, 0], xz: [0, 0], zz: [1e-6, 0] }

/** Steps of the quadrature in ln t: of impedances with a phase up to the first one, and from the second one on, where zeros come close [rad]. */
const STEPS = [0.45, 0.2]
const PHASES = [0.3, 1.2]
/** Its first t, and its last one over N. */
const LEAST = 5e-4
const REACH = 8
/** The path leaves w = jt by this much of the impedance's phase. */
const TURN = 0.9
/** Places this close to a path, as an angle in ln t, take what the quadrature misses of their pole. */
const CLOSE = 0.7
/** Last step of Newton's method. */
const EXACT = 1e-9

/** What of a face is chosen by its impedance at one frequency and kept over a band, so that fields are analytic in frequency. */
export interface FaceShape {
  mean: number
  size: number
  middle: number
  /** Impedances below that of space. */
  isLow: boolean
  /** Of the quadrature in ln t. */
  step: number
}

export function shapeOf({ xx, zz }: FaceImpedance, sinBeta: number): FaceShape {
  const phases = [xx, zz].map(([re, im]) => Math.atan2(im, re))
  const places = [magnitude(xx) / sinBeta, 1 / (magnitude(zz) * sinBeta)].map((s) => Math.log(Math.asinh(s)))
  // Zeros of det(A - sin w) are to stay on the right: with inductive faces near the first place; the other ones on the left, near the second.
  const turns = [-TURN * phases[0], TURN * phases[1]]
  const [low, high] = places[0] <= places[1] ? turns : [turns[1], turns[0]]
  const phase = Math.max(...phases.map(Math.abs))
  const part = Math.min(1, Math.max(0, (phase - PHASES[0]) / (PHASES[1] - PHASES[0])))
  return {
    mean: (low + high) / 2,
    size: (high - low) / 2,
    middle: (places[0] + places[1]) / 2,
    isLow: magnitude(zz) < 1,
    step: STEPS[0] + part * (STEPS[1] - STEPS[0]),
  }
}

/** Points of the quadrature on a face of a wedge of exterior angle N pi. */
export const pointCount = ({ step }: FaceShape, N: number): number =>
  Math.ceil(Math.log((REACH * N) / LEAST) / step) + 1

/** Writes w and dw/d(ln t) at point k: re and im. */
export const pathPoint = (shape: FaceShape, k: number, out: Float64Array): void =>
  pathAt(shape, Math.log(LEAST) + k * shape.step, 0, out)

/**
 * Close to a path: writes how much of the jump of S at w from the face the quadrature misses, -cot(pi (x - x_0)/h)/2j of the pole there and the
 * half of its side, x = ln t. False where w is not close.
 */
export function missedJump(shape: FaceShape, re: number, im: number, out: Float64Array): boolean {
  // Newton's method from the place on w = jt.
  let x = 0.5 * Math.log(re * re + im * im)
  let y = Math.atan2(-re, im)
  let last = Infinity
  for (let i = 0; !(last < EXACT * EXACT); i++) {
    // Beyond, tanh has poles.
    if (i === 8 || !(Math.abs(y) < CLOSE + 0.5)) return false
    pathAt(shape, x, y, place)
    const a = re - place[0]
    const b = im - place[1]
    const size = 1 / (place[2] * place[2] + place[3] * place[3])
    const dx = (a * place[2] + b * place[3]) * size
    const dy = (b * place[2] - a * place[3]) * size
    x += dx
    y += dy
    last = dx * dx + dy * dy
  }
  if (Math.abs(y) > CLOSE) return false
  x = (Math.PI / shape.step) * (x - Math.log(LEAST))
  y *= Math.PI / shape.step
  // Not at a point of the quadrature itself.
  if (Math.abs(Math.sin(x)) + Math.abs(y) < 1e-5) x += 1e-5
  // cot z = -+j (1 + q)/(1 - q), q = e^{+-2jz}
  const sign = y >= 0 ? 1 : -1
  const up = Math.exp(-2 * Math.abs(y))
  const c = up * Math.cos(2 * x)
  const s = up * Math.sin(sign * 2 * x)
  const size = (0.5 * sign) / ((1 - c) * (1 - c) + s * s)
  out[0] = 0.5 + size * (1 - up * up)
  out[1] = size * 2 * s
  return true
}

/** Makes a matrix m 1 - (re + j im) m. */
export function leaveOfOne(m: Float64Array, re: number, im: number): void {
  for (let i = 0; i < 8; i += 2) {
    const x = m[i]
    m[i] = (i % 6 === 0 ? 1 : 0) - (re * x - im * m[i + 1])
    m[i + 1] = -(re * m[i + 1] + im * x)
  }
}

const place = new Float64Array(4)
const tangent = new Float64Array(2)

/** Writes w and dw/dx at x + jy = ln t. */
function pathAt({ mean, size, middle }: FaceShape, x: number, y: number, out: Float64Array): void {
  const t = Math.exp(x)
  const tRe = t * Math.cos(y)
  const tIm = t * Math.sin(y)
  out[0] = out[2] = -tIm
  out[1] = out[3] = tRe
  if (size === 0 && mean === 0) return
  tanh(x - middle, y, tangent)
  const [vRe, vIm] = [tangent[0], tangent[1]]
  tanh(tRe, tIm, tangent)
  const [uRe, uIm] = [tangent[0], tangent[1]]
  const offRe = mean + size * vRe
  const offIm = size * vIm
  out[0] += uRe * offRe - uIm * offIm
  out[1] += uRe * offIm + uIm * offRe
  // t (1 - u^2) off + size u (1 - v^2)
  const aRe = 1 - uRe * uRe + uIm * uIm
  const aIm = -2 * uRe * uIm
  const bRe = 1 - vRe * vRe + vIm * vIm
  const bIm = -2 * vRe * vIm
  const cRe = tRe * aRe - tIm * aIm
  const cIm = tRe * aIm + tIm * aRe
  out[2] += cRe * offRe - cIm * offIm + size * (uRe * bRe - uIm * bIm)
  out[3] += cRe * offIm + cIm * offRe + size * (uRe * bIm + uIm * bRe)
}

function tanh(re: number, im: number, out: Float64Array): void {
  // 1 - 2/(e^{2z} + 1)
  const up = Math.exp(2 * Math.min(re, 300))
  const c = up * Math.cos(2 * im) + 1
  const s = up * Math.sin(2 * im)
  const size = 2 / (c * c + s * s)
  out[0] = 1 - c * size
  out[1] = s * size
}

/** Of places past a face, as a tangent. */
const PAST = 0.55

/**
 * The condition of a face of an obliquely lit wedge (`SkewWedge`), (A - sin w) f(w) = (A + sin w) f(-w), w from the face. Matrices are written by
 * rows, re and im in turn.
 */
export class SkewFace {
  readonly face: FaceImpedance
  readonly isMetal: boolean
  /** Uncoupled conditions of E and H: of two possible ones on one side of the path those that leave it more room. */
  readonly reference: Condition[]
  private readonly sE: Complex
  private readonly sH: Complex
  /** sin(b) Z_xz/Z_zz */
  private readonly mixed: Complex
  /** sin w, cos w, a, and p, q on the diagonal of A + sin w, and its determinant. */
  private readonly at = new Float64Array(12)

  /** @param kappa  cos(b) along the face's own z */
  constructor(
    material: FaceImpedance | null,
    readonly shape: FaceShape,
    private readonly sinBeta: number,
    private readonly kappa: number,
  ) {
    const { xx, xz, zz } = (this.face = material ?? METAL)
    this.sE = divide([sinBeta, 0], zz)
    this.sH = scale(sinBeta, divide(subtract(multiply(xx, zz), multiply(xz, xz)), zz))
    this.mixed = scale(sinBeta, divide(xz, zz))
    this.isMetal = material === null
    this.reference = this.isMetal
      ? [DIRICHLET, NEUMANN]
      : shape.isLow
        ? [conditionOf([1, 0], scale(sinBeta, zz)), conditionOf(this.sH, [1, 0])]
        : [conditionOf(this.sE, [1, 0]), conditionOf(scale(1 / sinBeta, xx), [1, 0])]
  }

  /** Whether f at -w is to be taken from f at w by `reflection`. */
  isPast(re: number, im: number): boolean {
    return im > 0 && re >= -PAST * im && !this.isMetal
  }

  /** size (A + sin w)^{-1} */
  inverse(re: number, im: number, size: number, m: Float64Array): void {
    this.turn(re, im)
    const { at } = this
    const by = size / (at[10] * at[10] + at[11] * at[11])
    this.adjugate(by * at[10], -by * at[11], m)
  }

  /** (A + sin w)^{-1} (A - sin w) */
  reflection(re: number, im: number, m: Float64Array): void {
    this.inverse(re, im, 2, m)
    leaveOfOne(m, this.at[0], this.at[1])
  }

  /** 2 sin w (s - sin w)^{-1} (s - A)(A + sin w)^{-1}, s of the reference. */
  jump(re: number, im: number, m: Float64Array): void {
    this.inverse(re, im, 2, m)
    const { at, reference, sE, sH } = this
    const sRe = at[0]
    const sIm = at[1]
    const crossRe = at[4] * m[4] - at[5] * m[5]
    const crossIm = at[4] * m[5] + at[5] * m[4]
    for (let p = 0; p < 2; p++) {
      const { s, d } = reference[p]
      const by = 1 / (d[0] * d[0] + d[1] * d[1])
      const refRe = (s[0] * d[0] + s[1] * d[1]) * by
      const refIm = (s[1] * d[0] - s[0] * d[1]) * by
      // sin w/(s - sin w)
      const x = refRe - sRe
      const y = refIm - sIm
      const size = 1 / (x * x + y * y)
      const fRe = (sRe * x + sIm * y) * size
      const fIm = (sIm * x - sRe * y) * size
      const own = p === 0 ? sE : sH
      const eRe = refRe - own[0]
      const eIm = refIm - own[1]
      const o = 6 * p
      const re = eRe * m[o] - eIm * m[o + 1] - crossRe
      const im = eRe * m[o + 1] + eIm * m[o] - crossIm
      m[o] = fRe * re - fIm * im
      m[o + 1] = fRe * im + fIm * re
      // (s - s_own) + (s_own + sin w) of the other one's column.
      const gRe = fRe * (refRe + sRe) - fIm * (refIm + sIm)
      const gIm = fRe * (refIm + sIm) + fIm * (refRe + sRe)
      const n = 2 + 2 * p
      const a = m[n]
      m[n] = gRe * a - gIm * m[n + 1]
      m[n + 1] = gRe * m[n + 1] + gIm * a
    }
  }

  /** Zeros of det(A + sin w). */
  zeros(): Complex[] {
    const { at, face, sinBeta } = this
    const angles = [scale(1 / sinBeta, face.xx), divide([1 / sinBeta, 0], face.zz)].map(asin)
    const roots: Complex[] = []
    for (const side of [1, -1])
      for (const theta of angles) {
        // theta or pi - theta: exact where waves with E and with H across the plane of incidence have the same impedance.
        let w: Complex = [Math.PI + (side > 0 ? theta[0] : Math.PI - theta[0]), side * theta[1]]
        for (let i = 0; i < 12; i++) {
          let slope = this.slopeAt(w)
          const value: Complex = [at[10], at[11]]
          // Newton's step for what is left without the roots that are known.
          for (const root of roots) slope = subtract(slope, divide(value, subtract(w, root)))
          const step = divide(value, slope)
          if (!(magnitude(step) < 0.5)) break
          w = subtract(w, step)
          if (magnitude(step) < 1e-11) break
        }
        roots.push(w)
      }
    return roots
  }

  /** Residue in mu = -cos(w) of 2 (A + sin w)^{-1} at one of its poles. */
  residue(w: Complex, m: Float64Array): void {
    const { at } = this
    const slope = this.slopeAt(w)
    const [re, im] = divide([2 * at[0], 2 * at[1]], slope)
    this.adjugate(re, im, m)
  }

  /** d/dw of the determinant. */
  private slopeAt([re, im]: Complex): Complex {
    this.turn(re, im)
    const { at, kappa } = this
    const [s, c, a]: Complex[] = [0, 2, 4].map((i) => [at[i], at[i + 1]])
    const trace: Complex = [at[6] + at[8], at[7] + at[9]]
    return subtract(multiply(c, trace), scale(2 * kappa, multiply(a, s)))
  }

  /** The adjugate of A + sin w as it is set, times a number. */
  private adjugate(re: number, im: number, m: Float64Array): void {
    const { at } = this
    m[0] = re * at[8] - im * at[9]
    m[1] = re * at[9] + im * at[8]
    m[4] = re * at[4] - im * at[5]
    m[5] = re * at[5] + im * at[4]
    m[2] = -m[4]
    m[3] = -m[5]
    m[6] = re * at[6] - im * at[7]
    m[7] = re * at[7] + im * at[6]
  }

  private turn(re: number, im: number): void {
    const { at, sE, sH, mixed, kappa } = this
    const up = Math.exp(im)
    const cosh = 0.5 * (up + 1 / up)
    const sinh = 0.5 * (up - 1 / up)
    const sin = Math.sin(re)
    const cos = Math.cos(re)
    const sRe = (at[0] = sin * cosh)
    const sIm = (at[1] = cos * sinh)
    at[2] = cos * cosh
    at[3] = -sin * sinh
    const aRe = (at[4] = kappa * at[2] - mixed[0])
    const aIm = (at[5] = kappa * at[3] - mixed[1])
    const pRe = (at[6] = sE[0] + sRe)
    const pIm = (at[7] = sE[1] + sIm)
    const qRe = (at[8] = sH[0] + sRe)
    const qIm = (at[9] = sH[1] + sIm)
    at[10] = pRe * qRe - pIm * qIm + aRe * aRe - aIm * aIm
    at[11] = pRe * qIm + pIm * qRe + 2 * aRe * aIm
  }
}

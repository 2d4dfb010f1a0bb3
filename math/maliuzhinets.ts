import { asin, type Complex, divide, magnitude } from './complex.js'

/** Step of the quadrature: its error falls like exp(-2 pi 0.5/STEP), less what an argument's imaginary part y adds, exp(y/2). */
const STEP = 0.1
/** The integrand is taken up to where it has fallen to exp(-REACH). */
const REACH = 40

/** Side of the squares on which log psi is a Taylor series, and its degree: off by (0.28/1.57)^9/9 at most, of half-planes. */
const CELL = 0.4
const DEGREE = 8
const CELL_SIZE = 2 * DEGREE + 2
/** Squares along the real axis, up to pi, and along the imaginary one. */
const ACROSS = Math.ceil(Math.PI / CELL)
const UP = 120
/** Angles that psi of one step back serves. */
const BEYOND = 2 * Math.PI + 0.05

/**
 * Maliuzhinets' function of a wedge of exterior angle 2 Phi (Sov. Phys. Dokl. 3, 1958, 752), up to a constant factor that no ratio of wedge
 * fields contains: psi(x) = exp{-(1/2) int_0^inf (cosh(xv) - 1)/(v cosh(pi v/2) sinh(2 Phi v)) dv}. Its logarithm is kept as Taylor series,
 * made where they are first asked for.
 */
export class Maliuzhinets {
  private readonly weights: Float64Array
  /** log psi(pi/2)^2 */
  private readonly square: number
  /** By square the number of its series, 1 for the first one; 0: not made yet. */
  private readonly index = new Uint16Array(ACROSS * UP)
  private series = new Float64Array(32 * CELL_SIZE)
  private count = 0
  /** A product in the making: log re + j im, times re + j im. */
  private logRe = NaN
  private logIm = NaN
  private re = NaN
  private im = NaN

  /** @param halfAngle  Phi [rad] */
  constructor(readonly halfAngle: number) {
    const count = Math.ceil(REACH / (2 * halfAngle * STEP))
    this.weights = Float64Array.from({ length: count }, (_, n) => {
      const v = (n + 0.5) * STEP
      return (-0.5 * STEP) / (v * Math.cosh((Math.PI * v) / 2) * Math.sinh(2 * halfAngle * v))
    })
    const at = new Float64Array(CELL_SIZE)
    this.expand(Math.PI / 2, 0, at, 0)
    this.square = 2 * at[0]
  }

  /** Begins a product. */
  begin(): void {
    this.logRe = 0
    this.logIm = 0
    this.re = 1
    this.im = 0
  }

  /** Writes the product of all since `begin`, re and im. */
  end(out: Float64Array, at: number): void {
    const size = Math.exp(this.logRe)
    const cos = size * Math.cos(this.logIm)
    const sin = size * Math.sin(this.logIm)
    out[at] = cos * this.re - sin * this.im
    out[at + 1] = cos * this.im + sin * this.re
  }

  /**
   * Multiplies by what a face adds to Maliuzhinets' Psi, psi(x + pi/2 - theta) psi(x - pi/2 + theta), x from the face's place at +-Phi, in a
   * scale of its own; 1 and cos(pi x/(4 Phi)) are the limits for perfect conductors.
   */
  multiplyFace(re: number, im: number, condition: Condition): void {
    const { theta } = condition
    if (condition === DIRICHLET) return
    if (!theta) {
      const q = Math.PI / (4 * this.halfAngle)
      this.multiplyCosine(q * re, q * im)
      return
    }
    this.multiply(re + Math.PI / 2 - theta[0], im - theta[1])
    this.multiply(re - Math.PI / 2 + theta[0], im + theta[1])
  }

  /** Multiplies by psi; beyond pi by psi(x + pi/2) psi(x - pi/2) = psi(pi/2)^2 cos(pi x/(4 Phi)). */
  private multiply(re: number, im: number): void {
    if (re < 0) {
      re = -re
      im = -im
    }
    if (re <= Math.PI) {
      this.addLog(re, im, 1)
      return
    }
    const q = Math.PI / (4 * this.halfAngle)
    this.multiplyCosine(q * (re - Math.PI / 2), q * im)
    if (re <= BEYOND) {
      this.logRe += this.square
      this.addLog(re - Math.PI, im, -1)
      return
    }
    // By the cosine one step further on: its conjugate over its square.
    this.multiplyCosine(q * (re - 1.5 * Math.PI), -q * im)
    const size = Math.cos(q * (re - 1.5 * Math.PI)) ** 2 + Math.sinh(q * im) ** 2
    this.re /= size
    this.im /= size
    this.multiply(re - 2 * Math.PI, im)
  }

  private multiplyCosine(re: number, im: number): void {
    const up = Math.exp(im)
    const cos = 0.5 * (up + 1 / up) * Math.cos(re)
    const sin = 0.5 * (1 / up - up) * Math.sin(re)
    const x = this.re
    this.re = x * cos - this.im * sin
    this.im = x * sin + this.im * cos
  }

  /** Adds log psi times a sign, 0 <= re <= pi. */
  private addLog(re: number, im: number, sign: number): void {
    const y = Math.abs(im)
    const i = Math.floor(re / CELL)
    const j = Math.floor(y / CELL)
    const number = j < UP ? this.index[UP * i + j] || this.make(i, j) : this.far(re, y)
    const { series } = this
    const dx = number > 0 ? re - (i + 0.5) * CELL : 0
    const dy = number > 0 ? y - (j + 0.5) * CELL : 0
    let o = CELL_SIZE * number + CELL_SIZE - 2
    let a = series[o]
    let b = series[o + 1]
    for (let n = 0; n < DEGREE; n++) {
      o -= 2
      const next = a * dx - b * dy + series[o]
      b = a * dy + b * dx + series[o + 1]
      a = next
    }
    this.logRe += sign * a
    this.logIm += im < 0 ? -sign * b : sign * b
  }

  private make(i: number, j: number): number {
    const number = ++this.count
    if (CELL_SIZE * (number + 1) > this.series.length) {
      const larger = new Float64Array(2 * this.series.length)
      larger.set(this.series)
      this.series = larger
    }
    this.expand((i + 0.5) * CELL, (j + 0.5) * CELL, this.series, CELL_SIZE * number)
    this.index[UP * i + j] = number
    return number
  }

  /** Series 0: at a place beyond the squares. */
  private far(re: number, im: number): number {
    this.expand(re, im, this.series, 0)
    return 0
  }

  /** Taylor series of log psi about a place. cosh(xv) and sinh(xv) at equal steps by their recurrence. */
  private expand(x: number, y: number, out: Float64Array, at: number): void {
    const { weights } = this
    out.fill(0, at, at + CELL_SIZE)
    const a = x * STEP
    const b = y * STEP
    const [stepCosRe, stepCosIm] = [Math.cosh(a) * Math.cos(b), Math.sinh(a) * Math.sin(b)]
    const [stepSinRe, stepSinIm] = [Math.sinh(a) * Math.cos(b), Math.cosh(a) * Math.sin(b)]
    let cRe = Math.cosh(a / 2) * Math.cos(b / 2)
    let cIm = Math.sinh(a / 2) * Math.sin(b / 2)
    let sRe = Math.sinh(a / 2) * Math.cos(b / 2)
    let sIm = Math.cosh(a / 2) * Math.sin(b / 2)
    for (let n = 0; n < weights.length; n++) {
      const v = (n + 0.5) * STEP
      let f = weights[n]
      out[at] -= f
      for (let d = 0; d <= DEGREE; d++) {
        const odd = d % 2 === 1
        out[at + 2 * d] += f * (odd ? sRe : cRe)
        out[at + 2 * d + 1] += f * (odd ? sIm : cIm)
        f *= v / (d + 1)
      }
      const [re, im] = [cRe, cIm]
      cRe = re * stepCosRe - im * stepCosIm + sRe * stepSinRe - sIm * stepSinIm
      cIm = re * stepCosIm + im * stepCosRe + sRe * stepSinIm + sIm * stepSinRe
      const sine = sRe
      sRe = sine * stepCosRe - sIm * stepCosIm + re * stepSinRe - im * stepSinIm
      sIm = sine * stepCosIm + sIm * stepCosRe + re * stepSinIm + im * stepSinRe
    }
  }
}

/**
 * Boundary condition of a face: d du/dn = jk s u, n out of the face, u = E_z or H_z along the edge. With Z its surface impedance over
 * that of space, s/d = sin(theta) = 1/Z for E_z and Z for H_z; theta is its Brewster angle.
 */
export interface Condition {
  s: Complex
  d: Complex
  /** Null where s or d is 0. */
  theta: Complex | null
  /** Serves many edges: what is computed of it is kept. */
  isFixed?: boolean
}

/** du/dn = 0 and u = 0: of a perfect conductor for H_z and E_z. */
export const NEUMANN: Condition = { s: [0, 0], d: [1, 0], theta: null }
export const DIRICHLET: Condition = { s: [1, 0], d: [0, 0], theta: null }

/** Ratios smaller than this are 0. */
const LEAST = 1e-8

/** The condition with sin(theta) = s/d, in any scale. */
export function conditionOf(s: Complex, d: Complex): Condition {
  const [a, b] = [magnitude(s), magnitude(d)]
  if (a <= LEAST * b) return NEUMANN
  if (b <= LEAST * a) return DIRICHLET
  const sine = divide(s, d)
  return a < b ? { s: sine, d: [1, 0], theta: asin(sine) } : { s: [1, 0], d: divide(d, s), theta: asin(sine) }
}

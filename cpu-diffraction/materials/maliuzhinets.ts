import type { Complex } from '../../scene/complex.js'
import { asin, cos, divide, exp, magnitude, multiply } from './complex.js'

/** Step of the quadrature: its error falls like exp(-2 pi 0.5/STEP), less what an argument's imaginary part y adds, exp(y/2). */
const STEP = 0.1
/** The integrand is taken up to where it has fallen to exp(-REACH). */
const REACH = 40

/**
 * Maliuzhinets' function of a wedge of exterior angle 2 Phi (Sov. Phys. Dokl. 3, 1958, 752), up to a constant factor that no ratio of wedge
 * fields contains: psi(x) = exp{-(1/2) int_0^inf (cosh(xv) - 1)/(v cosh(pi v/2) sinh(2 Phi v)) dv}.
 */
export class Maliuzhinets {
  private readonly weights: Float64Array
  /** psi(pi/2)^2 */
  private readonly square: number

  /** @param halfAngle  Phi [rad] */
  constructor(readonly halfAngle: number) {
    const count = Math.ceil(REACH / (2 * halfAngle * STEP))
    this.weights = Float64Array.from({ length: count }, (_, n) => {
      const v = (n + 0.5) * STEP
      return (-0.5 * STEP) / (v * Math.cosh((Math.PI * v) / 2) * Math.sinh(2 * halfAngle * v))
    })
    this.square = this.central([Math.PI / 2, 0])[0] ** 2
  }

  /** psi(x), for any x: psi(x + pi/2) psi(x - pi/2) = psi(pi/2)^2 cos(pi x/(4 Phi)) brings x near the imaginary axis. */
  at(x: Complex): Complex {
    const [re, im] = x[0] < 0 ? [-x[0], -x[1]] : x
    if (re <= Math.PI / 2 + 1e-9) return this.central([re, im])
    const wave = cos([
      (Math.PI * (re - Math.PI / 2)) / (4 * this.halfAngle),
      (Math.PI * im) / (4 * this.halfAngle),
    ])
    return divide([this.square * wave[0], this.square * wave[1]], this.at([re - Math.PI, im]))
  }

  /** |Re x| <= pi/2. cosh(x v) at equal steps by its recurrence. */
  private central(x: Complex): Complex {
    const { weights } = this
    const a = x[0] * STEP
    const b = x[1] * STEP
    const twiceRe = 2 * Math.cosh(a) * Math.cos(b)
    const twiceIm = 2 * Math.sinh(a) * Math.sin(b)
    let re = Math.cosh(a / 2) * Math.cos(b / 2)
    let im = Math.sinh(a / 2) * Math.sin(b / 2)
    let lastRe = re
    let lastIm = im
    let sumRe = 0
    let sumIm = 0
    for (let n = 0; n < weights.length; n++) {
      sumRe += weights[n] * (re - 1)
      sumIm += weights[n] * im
      const nextRe = twiceRe * re - twiceIm * im - lastRe
      const nextIm = twiceRe * im + twiceIm * re - lastIm
      lastRe = re
      lastIm = im
      re = nextRe
      im = nextIm
    }
    return exp([sumRe, sumIm])
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

/**
 * What a face adds to Maliuzhinets' Psi, psi(x + pi/2 - theta) psi(x - pi/2 + theta), x from the face's place at +-Phi, in a scale of its own;
 * 1 and cos(pi x/(4 Phi)) are the limits for perfect conductors.
 */
export function faceFactor(psi: Maliuzhinets, x: Complex, condition: Condition): Complex {
  const { theta } = condition
  if (condition === DIRICHLET) return [1, 0]
  if (!theta) return cos([(Math.PI * x[0]) / (4 * psi.halfAngle), (Math.PI * x[1]) / (4 * psi.halfAngle)])
  const [re, im] = theta
  return multiply(psi.at([x[0] + Math.PI / 2 - re, x[1] - im]), psi.at([x[0] - Math.PI / 2 + re, x[1] + im]))
}

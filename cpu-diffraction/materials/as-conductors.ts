import { apartSlope, isJoint } from '../edge-field.js'
import { apartFrom } from '../face.js'
import { type SecondPole, secondPole } from '../kernel-poles.js'
import type { Truncation } from '../strip.js'

/**
 * Where a conductor's strips are displaced to keep their digits (`EdgeFace`, `EdgeField`), by some 1e-5: backscatter of right angles and
 * forward scattering; and where they are added by the midpoints of segments, off by up to 5e-4. So are those of other materials, whose
 * limit is the conductor's field.
 */
export class AsConductors {
  /** Displaced |s - u|/(2 sin beta0), and its argument a. */
  c = 0.5
  a = 0.5
  closed = true
  readonly pole: SecondPole = { present: false, angle: 0.5, a: 0.5, b: 0.5 }

  constructor(readonly truncation: Truncation) {}

  /** Sets c. @param N,phi0  see `MaterialFace` */
  aim(N: number, phi0: number, c: number): void {
    const { truncation, pole } = this
    this.a = Math.abs(Math.cos(phi0 / 2))
    this.closed = truncation !== 'tw-ildc' || Math.abs(N - 2) < 1e-9
    secondPole(N, phi0, pole)
    this.c = truncation === 'eec' ? c : apartFrom(this, c)
  }

  /** Whether strips of a largest L are added by segments. */
  isCut(L: number): boolean {
    return this.truncation !== 'eec' && isJoint(this.c, L) && isJoint(this.a, L)
  }

  /**
   * The slope of the phase path of the strips' ends, displaced.
   *
   * @param sin    sin(beta0)
   * @param slope  of the strips' length
   */
  displaced(phase: number, sin: number, slope: number): number {
    return apartSlope(this, phase, 2 * sin * sin * slope)
  }
}

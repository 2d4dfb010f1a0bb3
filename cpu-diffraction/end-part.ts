import { fresnelW } from './fresnel.js'
import { TERM_SIZE, type ExponentialSum } from './rest.js'
import { MOMENTS, type FaceStrip } from './strip.js'
import { lengthClass } from './wedge.js'

const w = new Float64Array(8)
const moments = new Float64Array(MOMENTS)
/** exp(-45) is below the last digit of any term. */
const NEGLIGIBLE = 45

/**
 * The end part of a strip's moments (untruncated less truncated) without its fast phase, i.e. times exp(+2jLc^2): a slowly
 * varying function of L made of W(ra), W(rc), W(r), W(r a2), r = sqrt(2L), with real factors, and of decaying exponentials.
 * The factors depend on direction only (docs/edge-diffraction.md, "Frequency interpolation").
 */
export class EndPart {
  /** Factors of W at a, c, 1, a2 in S/j (0..3), T (4..7) and V e^{jL} (8..11). */
  readonly weight = new Float64Array(12)
  private strip!: FaceStrip
  private lowest = 0.5
  /** The decaying exponentials, or null where there are none. */
  sum: ExponentialSum | null = null
  /** True where two arguments nearly meet and the factors would lose digits: then the moments are taken as they are. */
  private meeting = false

  /**
   * Takes over the strip's direction; c > 0.
   *
   * @param lowest  smallest L over the sweep, see `FaceStrip.moments`
   */
  set(strip: FaceStrip, lowest: number): void {
    this.strip = strip
    this.lowest = lowest
    this.sum = strip.closed ? null : strip.sum(lengthClass(lowest))
    const { weight: f } = this
    const { a, b, c, sign, pole } = strip
    const wedge = !strip.closed
    const second = wedge && pole.present
    const apart = (x: number): boolean => Math.abs(c - x) > 1e-4 * (c + x)
    this.meeting = !(apart(a) && (!wedge || apart(1)) && (!second || apart(pole.a)))
    f.fill(0)
    if (this.meeting) return
    // psi(x) = j q(x) [c W(rx) - x W(rc)] is the end part of Psi(x, c).
    const q = (x: number): number => 0.25 / (c * (c - x) * (c + x))
    const qa = q(a)
    f[0] = sign * c * qa
    f[1] = -sign * a * qa
    f[4] = 2 * a * b * c * qa
    f[5] = (-0.5 * b) / c - 2 * a * a * b * qa
    f[8] = -0.5 * sign
    if (wedge) {
      const q1 = q(1)
      const hs = strip.rhoH + (second ? pole.a : 0)
      const ht = -strip.rhoS + (second ? 2 * pole.b : 0)
      f[2] = hs * c * q1
      f[1] -= hs * q1
      f[6] = ht * c * q1
      f[5] -= ht * q1
      if (second) {
        const x = pole.a
        const q2 = q(x)
        f[3] = -c * q2
        f[1] += x * q2
        f[7] = -2 * pole.b * x * c * q2
        f[5] += 2 * pole.b * x * x * q2
        f[11] = 0.5
        f[10] = -0.5 * x
      }
    } else if (strip.truncation === 'tw-ildc-j' && !strip.wedge.half) {
      f[1] += (0.25 * strip.endJ) / c
      f[9] = -0.5 * c * strip.endJ
    }
  }

  /** S, T, R of the end part at L > 0, times exp(+2jLc^2), to out[0..5]. */
  at(L: number, out: Float64Array): void {
    const { strip, sum, weight: f } = this
    const { c } = strip
    if (this.meeting) {
      this.turned(L, out)
      return
    }
    const r = Math.sqrt(2 * L)
    fresnelW(r * strip.a, w, 0)
    fresnelW(r * c, w, 2)
    let si = f[0] * w[0] + f[1] * w[2]
    let sr = -(f[0] * w[1] + f[1] * w[3])
    let tr = f[4] * w[0] + f[5] * w[2]
    let ti = f[4] * w[1] + f[5] * w[3]
    let vr = f[8] * w[0] + f[9] * w[2]
    let vi = f[8] * w[1] + f[9] * w[3]
    if (sum !== null) {
      fresnelW(r, w, 4)
      si += f[2] * w[4]
      sr -= f[2] * w[5]
      tr += f[6] * w[4]
      ti += f[6] * w[5]
      if (strip.pole.present) {
        fresnelW(r * strip.pole.a, w, 6)
        si += f[3] * w[6]
        sr -= f[3] * w[7]
        tr += f[7] * w[6]
        ti += f[7] * w[7]
        vr += f[10] * w[4] + f[11] * w[6]
        vi += f[10] * w[5] + f[11] * w[7]
      }
      const { data, count } = sum
      for (let i = 0, t = 0; i < count; i++, t += TERM_SIZE) {
        const y = 2 * L * data[t]
        if (y > NEGLIGIBLE) break
        const e = Math.exp(-y)
        sr += data[t + 1] * e
        si += data[t + 2] * e
        tr += data[t + 3] * e
        ti += data[t + 4] * e
        vr += data[t + 5] * e
        vi += data[t + 6] * e
      }
    }
    const mu = 1 - 2 * c * c
    out[0] = sr
    out[1] = si
    out[2] = tr
    out[3] = ti
    out[4] = mu * si - vr
    out[5] = -mu * sr - vi
  }

  private turned(L: number, out: Float64Array): void {
    const { strip } = this
    strip.moments(L, this.lowest, moments)
    const y = 2 * L * strip.c * strip.c
    const cos = Math.cos(y)
    const sin = Math.sin(y)
    for (let i = 0; i < 6; i += 2) {
      out[i] = cos * moments[i + 6] - sin * moments[i + 7]
      out[i + 1] = cos * moments[i + 7] + sin * moments[i + 6]
    }
  }
}

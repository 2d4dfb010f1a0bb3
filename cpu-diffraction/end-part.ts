import type { FaceStrip } from './strip.js'

/** Numbers that `endWeights` writes. */
export const WEIGHTS = 12

/** Arguments of W but c. */
export type Arguments = Pick<FaceStrip, 'a' | 'closed' | 'pole'>

/** Whether c lies apart from the other arguments of W by a part of them: where two meet, partial fractions lose digits. */
export function argumentsApart(c: number, { a, closed, pole }: Arguments, part: number): boolean {
  const apart = (x: number): boolean => Math.abs(c - x) > part * (c + x)
  return apart(a) && (closed || (apart(1) && (!pole.present || apart(pole.a))))
}

/**
 * The end part of a strip's moments (untruncated less truncated) without its fast phase, i.e. times exp(+2jLc^2), is a slowly
 * varying function of L made of W(ra), W(rc), W(r), W(r a2), r = sqrt(2L), with real factors, and of decaying exponentials
 * (`FaceStrip.sum`). The factors depend on direction only (docs/edge-diffraction.md, "Frequency interpolation").
 *
 * @param out  factors of W at a, c, 1, a2 in S/j (0..3), T (4..7) and V e^{jL} (8..11); c must lie apart (`argumentsApart`)
 */
export function endWeights(strip: FaceStrip, out: Float64Array): void {
  const { a, b, c, sign, pole } = strip
  const wedge = !strip.closed
  const second = wedge && pole.present
  out.fill(0)
  // psi(x) = j q(x) [c W(rx) - x W(rc)] is the end part of Psi(x, c).
  const q = (x: number): number => 0.25 / (c * (c - x) * (c + x))
  const qa = q(a)
  out[0] = sign * c * qa
  out[1] = -sign * a * qa
  out[4] = 2 * a * b * c * qa
  out[5] = (-0.5 * b) / c - 2 * a * a * b * qa
  out[8] = -0.5 * sign
  if (wedge) {
    const q1 = q(1)
    const hs = strip.rhoH + (second ? pole.a : 0)
    const ht = -strip.rhoS + (second ? 2 * pole.b : 0)
    out[2] = hs * c * q1
    out[1] -= hs * q1
    out[6] = ht * c * q1
    out[5] -= ht * q1
    if (second) {
      const x = pole.a
      const q2 = q(x)
      out[3] = -c * q2
      out[1] += x * q2
      out[7] = -2 * pole.b * x * c * q2
      out[5] += 2 * pole.b * x * x * q2
      out[11] = 0.5
      out[10] = -0.5 * x
    }
  } else if (strip.truncation === 'tw-ildc-j' && !strip.wedge.half) {
    out[1] += (0.25 * strip.endJ) / c
    out[9] = -0.5 * c * strip.endJ
  }
}

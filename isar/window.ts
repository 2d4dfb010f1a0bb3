import { InputError } from '../scene/index.js'

/** Names of the amplitude windows (tapers). */
export const WINDOWS = ['hamming', 'hann', 'taylor', 'none'] as const
/** One of the windows. */
export type WindowName = (typeof WINDOWS)[number]

/** Taylor window: peak sidelobe level [dB] and number of nearly constant sidelobes (nbar >= 2 A^2 + 1/2 for -35 dB). */
const TAYLOR_SIDELOBE_DB = -35
const TAYLOR_NBAR = 5

/**
 * Samples of a symmetric window of n points, largest near the middle; all are positive.
 *
 * | window  | peak sidelobe | -3 dB width, in cells (c/2B or its cross-range equal) |
 * | ------- | ------------- | ---- |
 * | none    | -13.3 dB      | 0.89 |
 * | taylor  | -35 dB        | 1.19 |
 * | hamming | -42.7 dB      | 1.30 |
 * | hann    | -31.5 dB      | 1.44 |
 *
 * hamming is 0.54 - 0.46 cos(2 pi i / (n - 1)). hann leaves out the zeros at its ends (period n + 1), so that no
 * computed sample is wasted. taylor has nbar = 5 and -35 dB (T. T. Taylor, IRE Trans. AP-3, 1955; sampled as in
 * Carrara, Goodman, Majewski, "Spotlight Synthetic Aperture Radar", appendix D.2).
 * @throws InputError for an unknown name.
 */
export function windowSamples(name: WindowName, n: number): Float64Array {
  const w = new Float64Array(n)
  if (name === 'none') return w.fill(1)
  if (name === 'hamming')
    return w.map((_, i) => (n === 1 ? 1 : 0.54 - 0.46 * Math.cos((2 * Math.PI * i) / (n - 1))))
  if (name === 'hann') return w.map((_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 1)) / (n + 1)))
  if (name === 'taylor') return taylor(n)
  throw new InputError(`unknown window '${String(name)}': use one of ${WINDOWS.join(', ')}`)
}

/** Mean of the samples: the factor by which a window lowers the peak of a plain (unnormalised) transform. */
export const coherentGain = (w: Float64Array): number => w.reduce((sum, x) => sum + x, 0) / w.length

function taylor(n: number): Float64Array {
  const a = Math.acosh(10 ** (-TAYLOR_SIDELOBE_DB / 20)) / Math.PI
  const dilation = TAYLOR_NBAR ** 2 / (a * a + (TAYLOR_NBAR - 0.5) ** 2)
  const w = new Float64Array(n).fill(1)
  for (let m = 1; m < TAYLOR_NBAR; m++) {
    let numerator = m % 2 === 1 ? 1 : -1
    let denominator = 2
    for (let i = 1; i < TAYLOR_NBAR; i++) {
      numerator *= 1 - (m * m) / (dilation * (a * a + (i - 0.5) ** 2))
      if (i !== m) denominator *= 1 - (m * m) / (i * i)
    }
    const coefficient = (2 * numerator) / denominator
    for (let i = 0; i < n; i++) w[i] += coefficient * Math.cos((2 * Math.PI * m * (i - (n - 1) / 2)) / n)
  }
  return w
}

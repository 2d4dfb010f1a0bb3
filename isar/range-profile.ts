import { C0, InputError } from '../scene/index.js'
import { axisPoints, chirpTransform } from '../math/chirp.js'
import { frequencyAxis, pixelAxis, requireFinite } from './image.js'
import { windowSamples, type WindowName } from './window.js'

/** How a range profile is made. */
export interface RangeProfileOptions {
  /** Window over frequency; default hamming. */
  window?: WindowName
  /** Range window [m]; default: one unambiguous extent about the phase centre. */
  rangeM?: [number, number]
  /** Number of samples; default four to a resolution cell (two where that passes 2,048). */
  count?: number
}

/** A range profile with its axis. */
export interface RangeProfile {
  /** Complex profile, interleaved re, im; |sample|^2 is RCS [m^2] for an isolated point. */
  profile: Float64Array
  /** Range -r . r-hat relative to the phase centre [m], ascending. */
  rangeM: Float64Array
}

/**
 * High-resolution range profile of one aspect: sqrt(4 pi) sum_m w_m F_m exp(+2j k_m R) / sum_m w_m, so that an isolated
 * point scatterer of amplitude A at range R gives sqrt(4 pi) A there.
 * @param freqHz Nf frequencies, ascending and uniformly spaced [Hz].
 * @param f scattering amplitudes F [m], interleaved re, im: 2 Nf numbers.
 * @throws InputError for frequencies that are not uniform and positive, amplitudes that are not finite, bad options.
 */
export function rangeProfile(
  freqHz: Float64Array,
  f: Float64Array,
  options: RangeProfileOptions = {},
): RangeProfile {
  const freq = frequencyAxis(freqHz)
  if (f.length !== 2 * freq.count)
    throw new InputError(`range profile: ${f.length / 2} samples for ${freq.count} frequencies`)
  requireFinite(f)
  const w = windowSamples(options.window ?? 'hamming', freq.count)
  const scale = Math.sqrt(4 * Math.PI) / w.reduce((sum, x) => sum + x, 0)
  const toWavenumber = (4 * Math.PI) / C0
  const k = { start: freq.start * toWavenumber, step: freq.step * toWavenumber, count: freq.count }
  const unambiguous = C0 / (2 * freq.step)
  const x = pixelAxis('range', options.rangeM, unambiguous, unambiguous / (freq.count - 1), options.count)
  const profile = new Float64Array(2 * x.count)
  chirpTransform(k, x)(
    f.map((value, i) => value * w[i >> 1] * scale),
    profile,
  )
  return { profile, rangeM: axisPoints(x) }
}

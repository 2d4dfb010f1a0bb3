import { C0, InputError } from '../scene/index.js'
import { type Axis, axisPoints, chirpTransform } from '../math/chirp.js'
import { frequencyAxis, requireFinite, type WindowName, windowSamples } from './image.js'

/** Scattering amplitudes over frequency and slow time. */
export interface SlowTimeHistory {
  /** Nf frequencies, ascending and uniformly spaced; one is enough for spectrograms [Hz]. */
  freqHz: Float64Array
  /** P times, uniformly spaced [s]. */
  timeS: Float64Array
  /** F [m], [frequency][pulse], interleaved re, im: 2 Nf P numbers; exp(+j w t), the phase of an approaching target grows. */
  f: Float64Array
}

/** Pulses of a coherent processing interval, and how they are weighted. */
export interface IntervalOptions {
  /** Number of pulses; default all. */
  pulses?: number
  /** Part of an interval that the next one has in common with it, from 0 to below 1; default 0.5. */
  overlap?: number
  /** Window over frequency and over time; default hamming. */
  window?: WindowName
  /** Range window [m]; default: one unambiguous extent about the phase centre. */
  rangeM?: [number, number]
}

/** Range profiles of all pulses. */
export interface RangeProfiles {
  /** [range][pulse], interleaved re, im; |sample|^2 is RCS [m^2] of an isolated point. */
  profiles: Float64Array
  rangeM: Float64Array
}

/** Range-Doppler maps of consecutive intervals. */
export interface RangeDoppler {
  /** Per interval [range][Doppler], interleaved re, im; |sample|^2 is RCS [m^2] of an isolated point of constant velocity. */
  maps: Float64Array[]
  rangeM: Float64Array
  /** Ascending, positive where the target approaches; v = lambda f / 2 [Hz]. */
  dopplerHz: Float64Array
  /** Middle of each interval [s]. */
  timeS: Float64Array
}

/** Power over Doppler and time. */
export interface Spectrogram {
  /** [Doppler][time]: RCS of an isolated point of constant velocity [m^2]. */
  power: Float64Array
  dopplerHz: Float64Array
  /** Middle of each interval [s]. */
  timeS: Float64Array
}

/** Samples to a resolution cell of range and Doppler. */
const FINE = 2

/**
 * Range profiles of all pulses: sqrt(4 pi) sum_m w_m F_m exp(+2j k_m R) / sum_m w_m at range R away from the radar.
 * @throws InputError for axes that are not uniform or do not fit the samples, and samples that are not finite
 */
export function rangeProfiles(history: SlowTimeHistory, options: IntervalOptions = {}): RangeProfiles {
  const { freqHz, timeS, f } = history
  checkHistory(history)
  const axis = frequencyAxis(freqHz)
  const w = windowSamples(options.window ?? 'hamming', axis.count)
  const scale = Math.sqrt(4 * Math.PI) / sumOf(w)
  const k = { start: wavenumber2(axis.start), step: wavenumber2(axis.step), count: axis.count }
  const x = rangeAxis(axis, options.rangeM)
  const transform = chirpTransform(k, x)
  const [n, p] = [axis.count, timeS.length]
  const profiles = new Float64Array(2 * x.count * p)
  const [line, out] = [new Float64Array(2 * n), new Float64Array(2 * x.count)]
  for (let t = 0; t < p; t++) {
    for (let m = 0; m < n; m++) {
      line[2 * m] = scale * w[m] * f[2 * (m * p + t)]
      line[2 * m + 1] = scale * w[m] * f[2 * (m * p + t) + 1]
    }
    transform(line, out)
    for (let i = 0; i < x.count; i++) {
      profiles[2 * (i * p + t)] = out[2 * i]
      profiles[2 * (i * p + t) + 1] = out[2 * i + 1]
    }
  }
  return { profiles, rangeM: axisPoints(x) }
}

/**
 * Range-Doppler maps: the Fourier sum sum_p w_p s_p exp(-2 pi j f t_p) / sum_p w_p of the range profiles s of each interval, over one
 * unambiguous Doppler extent. @throws InputError as `rangeProfiles`, and for intervals that do not fit
 */
export function rangeDoppler(history: SlowTimeHistory, options: IntervalOptions = {}): RangeDoppler {
  const { profiles, rangeM } = rangeProfiles(history, options)
  const cut = intervals(history, options)
  const x = dopplerAxis(cut)
  const total = history.timeS.length
  const w = windowSamples(options.window ?? 'hamming', cut.pulses)
  const scale = 1 / sumOf(w)
  const transform = dopplerTransform(cut, x)
  const [line, out] = [new Float64Array(2 * cut.pulses), new Float64Array(2 * x.count)]
  const maps = cut.starts.map((from) => {
    const map = new Float64Array(2 * rangeM.length * x.count)
    for (let i = 0; i < rangeM.length; i++) {
      for (let p = 0; p < 2 * cut.pulses; p++)
        line[p] = scale * w[p >> 1] * profiles[2 * (i * total + from) + p]
      transform(line, out)
      map.set(out, 2 * i * x.count)
    }
    return map
  })
  return { maps, rangeM, dopplerHz: axisPoints(x), timeS: middles(history, cut) }
}

/**
 * Spectrogram: the squared short-time Fourier transform, its mean over the frequencies (by Parseval's theorem the sum over range cells).
 * @throws InputError as `rangeDoppler`
 */
export function spectrogram(history: SlowTimeHistory, options: IntervalOptions = {}): Spectrogram {
  checkHistory(history)
  const { freqHz, timeS, f } = history
  const cut = intervals(history, options)
  const x = dopplerAxis(cut)
  const w = windowSamples(options.window ?? 'hamming', cut.pulses)
  const scale = Math.sqrt(4 * Math.PI) / sumOf(w)
  const transform = dopplerTransform(cut, x)
  const [line, out] = [new Float64Array(2 * cut.pulses), new Float64Array(2 * x.count)]
  const columns = cut.starts.length
  const power = new Float64Array(x.count * columns)
  cut.starts.forEach((from, column) => {
    for (let m = 0; m < freqHz.length; m++) {
      for (let p = 0; p < 2 * cut.pulses; p++)
        line[p] = scale * w[p >> 1] * f[2 * (m * timeS.length + from) + p]
      transform(line, out)
      for (let i = 0; i < x.count; i++)
        power[i * columns + column] += (out[2 * i] ** 2 + out[2 * i + 1] ** 2) / freqHz.length
    }
  })
  return { power, dopplerHz: axisPoints(x), timeS: middles(history, cut) }
}

interface Intervals {
  pulses: number
  /** First pulse of each. */
  starts: number[]
  /** Between pulses [s]. */
  step: number
}

function intervals(
  { timeS }: SlowTimeHistory,
  { pulses = timeS.length, overlap = 0.5 }: IntervalOptions,
): Intervals {
  if (!(Number.isInteger(pulses) && pulses >= 2 && pulses <= timeS.length))
    throw new InputError(
      `an interval of ${pulses} pulses does not fit ${timeS.length}; give a whole number from 2 to that`,
    )
  if (!(overlap >= 0 && overlap < 1))
    throw new InputError(`overlap ${overlap} is out of range; give a part from 0 to below 1`)
  const hop = Math.max(1, Math.round(pulses * (1 - overlap)))
  const count = Math.floor((timeS.length - pulses) / hop) + 1
  const step = (timeS[timeS.length - 1] - timeS[0]) / (timeS.length - 1)
  return { pulses, starts: Array.from({ length: count }, (_, i) => i * hop), step }
}

const middles = ({ timeS }: SlowTimeHistory, { pulses, starts, step }: Intervals): Float64Array =>
  Float64Array.from(starts, (from) => timeS[from] + ((pulses - 1) / 2) * step)

/** From minus half to half the pulse rate, the upper end left out: it is the lower one. */
function dopplerAxis({ pulses, step }: Intervals): Axis {
  const count = FINE * pulses
  const rate = 1 / step
  return { start: -rate / 2, step: rate / count, count }
}

const dopplerTransform = ({ pulses, step }: Intervals, x: Axis) =>
  chirpTransform({ start: 0, step: -2 * Math.PI * step, count: pulses }, x)

function rangeAxis(freq: Axis, window?: [number, number]): Axis {
  const extent = C0 / (2 * freq.step)
  const [from, to] = window ?? [-extent / 2, extent / 2]
  if (!(to > from)) throw new InputError(`range window ${from} to ${to} m: it must ascend`)
  const step = extent / (freq.count - 1) / FINE
  const count = Math.max(2, Math.round((Math.min(to - from, extent) - step) / step) + 1)
  return { start: from, step, count }
}

const wavenumber2 = (freqHz: number): number => (4 * Math.PI * freqHz) / C0
const sumOf = (w: Float64Array): number => w.reduce((sum, x) => sum + x, 0)

function checkHistory({ freqHz, timeS, f }: SlowTimeHistory): void {
  const n = timeS.length
  if (f.length !== 2 * freqHz.length * n)
    throw new InputError(`slow time: ${f.length / 2} samples for ${freqHz.length} frequencies x ${n} pulses`)
  if (n < 2) throw new InputError('slow time: one pulse has no Doppler; give two at least')
  const step = (timeS[n - 1] - timeS[0]) / (n - 1)
  const bad = timeS.findIndex((t, i) => Math.abs(t - timeS[0] - i * step) > 1e-6 * step)
  if (!(step > 0) || bad >= 0)
    throw new InputError('slow time: pulses are not uniformly spaced in ascending order; resample them')
  requireFinite(f)
}

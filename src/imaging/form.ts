import {
  apertureOf,
  type BackprojectionOptions,
  type ImagePlane,
  planBackprojection,
  polarFormat,
  type PulseHistory,
  rangeProfile,
} from '../../isar/index.js'
import { C0, direction, InputError } from '../../scene/index.js'
import type { Backprojector } from './solve.js'
import { requireFinite } from '../../isar/image.js'

/** The pulses of one channel in one file. */
export interface HistoryPart extends PulseHistory {
  channel: string
}

/** Unit vectors towards the radar, x y z of each. */
export function directionsOf(thetaDeg: Float64Array, phiDeg: Float64Array): Float64Array {
  const out = new Float64Array(3 * phiDeg.length)
  phiDeg.forEach((phi, n) => out.set(direction(thetaDeg[n], phi).r, 3 * n))
  return out
}

/** Steps between frequencies may differ by this share of a step: files hold them in single precision. */
const UNEVEN = 0.02

/** Frequencies beyond these are in another unit [Hz]. */
const BAND_HZ = [1e6, 1e13]

/**
 * A part with exactly uniform, ascending frequencies. @throws InputError where they are not uniform, sizes do not fit, or numbers are not finite
 */
export function checkedPart(part: HistoryPart): HistoryPart {
  const { pulses, antenna, referenceM } = part
  let { freqHz, f } = part
  const nf = freqHz.length
  if (f.length !== 2 * nf * pulses)
    throw new InputError(`${f.length / 2} samples for ${nf} frequencies x ${pulses} pulses`)
  if (nf < 2) throw new InputError(`${nf} frequencies; an image needs at least 2`)
  if (antenna.length !== 3 * pulses || referenceM.length !== pulses)
    throw new InputError(`positions of ${antenna.length / 3} pulses for ${pulses} pulses`)
  if (![...antenna, ...referenceM].every(Number.isFinite))
    throw new InputError('positions and ranges of the radar must be finite numbers')
  requireFinite(f)
  if (freqHz[0] > freqHz[nf - 1]) {
    freqHz = freqHz.toReversed()
    const turned = new Float64Array(f.length)
    for (let m = 0; m < nf; m++)
      turned.set(f.subarray(2 * pulses * m, 2 * pulses * (m + 1)), 2 * pulses * (nf - 1 - m))
    f = turned
  }
  const step = (freqHz[nf - 1] - freqHz[0]) / (nf - 1)
  const uneven = freqHz.findIndex((hz, m) => !(Math.abs(hz - freqHz[0] - m * step) <= UNEVEN * step))
  if (uneven >= 0 || !(freqHz[0] > 0 && step > 0))
    throw new InputError(`frequencies must be positive and uniformly spaced; number ${Math.max(0, uneven)} is ${freqHz[Math.max(0, uneven)]} Hz; resample them`) // prettier-ignore
  if (freqHz[0] < BAND_HZ[0] || freqHz[nf - 1] > BAND_HZ[1])
    throw new InputError(`frequencies of ${freqHz[0]} to ${freqHz[nf - 1]} Hz are those of no radar; check their unit`) // prettier-ignore
  return { ...part, f, freqHz: freqHz.map((_, m) => freqHz[0] + m * step) }
}

/** Several files' pulses as one history. @throws InputError for other frequencies or another kind of geometry than the first's */
export function joinedParts(parts: HistoryPart[], files: string[]): HistoryPart {
  const [first] = parts
  if (parts.length === 1) return first
  const nf = first.freqHz.length
  const step = first.freqHz[1] - first.freqHz[0]
  parts.forEach(({ freqHz, farField }, i) => {
    const apart = Math.max(
      Math.abs(freqHz[0] - first.freqHz[0]),
      Math.abs(freqHz.at(-1)! - first.freqHz[nf - 1]),
    )
    if (freqHz.length !== nf || apart > UNEVEN * step)
      throw new InputError(`${files[i]}: its frequencies are not those of ${files[0]}; make an image of each`)
    if (farField !== first.farField)
      throw new InputError(
        `${files[i]}: its geometry is not of the kind of ${files[0]}; make an image of each`,
      )
  })
  const pulses = parts.reduce((n, p) => n + p.pulses, 0)
  const f = new Float64Array(2 * nf * pulses)
  let before = 0
  for (const part of parts) {
    for (let m = 0; m < nf; m++)
      f.set(part.f.subarray(2 * m * part.pulses, 2 * (m + 1) * part.pulses), 2 * (m * pulses + before))
    before += part.pulses
  }
  const all = (key: 'antenna' | 'referenceM'): Float64Array =>
    Float64Array.from(parts.flatMap((part) => [...part[key]]))
  return { ...first, pulses, antenna: all('antenna'), referenceM: all('referenceM'), f }
}

/** The pulses and frequencies with these numbers. */
export function selected<H extends PulseHistory>(history: H, frequencies: number[], pulses: number[]): H {
  const f = new Float64Array(2 * frequencies.length * pulses.length)
  frequencies.forEach((m, i) =>
    pulses.forEach((n, k) => {
      const [to, from] = [2 * (i * pulses.length + k), 2 * (m * history.pulses + n)]
      f[to] = history.f[from]
      f[to + 1] = history.f[from + 1]
    }),
  )
  return {
    ...history,
    freqHz: Float64Array.from(frequencies, (m) => history.freqHz[m]),
    pulses: pulses.length,
    antenna: Float64Array.from(pulses.flatMap((n) => [...history.antenna.subarray(3 * n, 3 * n + 3)])),
    referenceM: Float64Array.from(pulses, (n) => history.referenceM[n]),
    f,
  }
}

/** Steps of azimuth above this many times the median are gaps. */
const WIDE = 2.5
/** Gaps that are told one by one. */
const MOST = 3

/**
 * A line on each gap in the azimuths of a history: where it is, and its effect. What is missing of the aperture is an image of its own, taken off
 * the whole: around each scatterer side lobes of the missing weight over the rest's, as wide as the gap resolves.
 */
export function gapsOf(history: HistoryPart, form: FormOptions): string[] {
  const { phiDeg, spanDeg, centre } = apertureOf(history)
  const order = [...phiDeg.keys()].sort((a, b) => phiDeg[a] - phiDeg[b])
  const steps = order.slice(1).map((n, i) => phiDeg[n] - phiDeg[order[i]])
  const median = steps.toSorted((a, b) => a - b)[steps.length >> 1]
  if (!(median > 0)) return []
  const { pulseWeights } = planBackprojection(history, form)
  const total = pulseWeights.reduce((a, b) => a + b, 0)
  const { freqHz, channel } = history
  const wavelength = (2 * 299_792_458) / (freqHz[0] + freqHz[freqHz.length - 1])
  const found = steps
    .map((step, i) => ({ step, i, missing: Math.round(step / median) - 1 }))
    .filter(({ step }) => step > WIDE * median)
  const lines = found
    .toSorted((a, b) => b.step - a.step)
    .slice(0, MOST)
    .map(({ step, i, missing }) => {
      const beside = (pulseWeights[order[i]] + pulseWeights[order[i + 1]]) / 2
      const level = 20 * Math.log10((missing * beside) / total)
      const width = wavelength / (2 * ((step * Math.PI) / 180) * Math.sin((centre.thetaDeg * Math.PI) / 180))
      return `${channel}: a gap of ${step.toPrecision(3)}° after azimuth ${phiDeg[order[i]].toFixed(2)}° (${missing} pulses missing of an aperture of ${spanDeg.toPrecision(3)}°): side lobes of ${level.toFixed(0)} dB within ${width.toPrecision(2)} m in cross-range of each scatterer` // prettier-ignore
    })
  return found.length > MOST ? [...lines, `${channel}: ${found.length - MOST} more gaps, none wider`] : lines
}

export const ALGORITHMS = ['backprojection', 'polar-format'] as const
type Algorithm = (typeof ALGORITHMS)[number]

export interface FormOptions extends BackprojectionOptions {
  algorithm: Algorithm
  /** Nominal resolution in range and cross-range [m]: the middle of band and aperture alone is used. */
  resolutionM?: [number, number]
}

/** An image of measured or simulated pulses with its axes. */
export interface FormedImage {
  channel: string
  plane: ImagePlane
  /** [along][across], interleaved re, im; |pixel|^2 is RCS [m^2] where amplitudes are calibrated. */
  image: Float64Array
  alongM: Float64Array
  acrossM: Float64Array
  rangeResolutionM: number
  crossRangeResolutionM: number
  notes: string[]
}

/** The part of band and aperture that has a resolution, about their middles. @throws InputError for a finer one than the data have */
export function atResolution(history: HistoryPart, resolutionM: [number, number]): HistoryPart {
  const { frequencies, pulses } = selectionAt(history, resolutionM)
  return selected(history, frequencies, pulses)
}

/** Numbers of the frequencies and pulses of that part; samples are not needed. */
export function selectionAt(
  history: Omit<HistoryPart, 'f'>,
  [range, cross]: [number, number],
): { frequencies: number[]; pulses: number[] } {
  const whole = planBackprojection(history, { plane: 'slant', window: 'none' })
  const { freqHz } = history
  const refuse = (name: string, wanted: number, best: number): never => {
    throw new InputError(
      `--resolution: ${wanted} m in ${name} is finer than the ${best.toPrecision(3)} m of the data`,
    )
  }
  if (range < 0.999 * whole.rangeResolutionM) refuse('range', range, whole.rangeResolutionM)
  if (cross < 0.999 * whole.crossRangeResolutionM) refuse('cross-range', cross, whole.crossRangeResolutionM)
  const count = Math.max(2, Math.round((freqHz.length * whole.rangeResolutionM) / range))
  const from = (freqHz.length - count) >> 1
  const { phiDeg, spanDeg, centre } = apertureOf(history)
  const sine =
    Math.sin(((Math.min(180, spanDeg) / 2) * Math.PI) / 180) * (whole.crossRangeResolutionM / cross)
  const half = (Math.asin(sine) * 180) / Math.PI
  return {
    frequencies: Array.from({ length: count }, (_, i) => from + i),
    pulses: [...phiDeg.keys()].filter((n) => Math.abs(phiDeg[n] - centre.phiDeg) <= half * (1 + 1e-9)),
  }
}

/** The image of a history. @throws InputError for options that do not fit it, and what the device throws */
export async function formPulses(
  history: HistoryPart,
  options: FormOptions,
  device: Pick<Backprojector, 'image'>,
  progress?: (done: number, total: number) => void,
  signal?: AbortSignal,
): Promise<FormedImage> {
  const { channel } = history
  const plan = planBackprojection(history, options)
  const { plane, alongM, acrossM, rangeResolutionM, crossRangeResolutionM } = plan
  const polar = options.algorithm === 'polar-format'
  const { image, notes } = polar
    ? polarFormat(history, plan)
    : { image: await device.image(history, plan, progress, signal), notes: [] }
  return {
    channel,
    plane,
    image,
    alongM,
    acrossM,
    rangeResolutionM,
    crossRangeResolutionM,
    notes: [...plan.notes, ...notes],
  }
}

/** Range profiles of all pulses, or of every few. */
export interface PulseProfiles {
  /** Numbers of the pulses. */
  pulse: Int32Array
  /** Range beyond the reference of each pulse [m]. */
  rangeM: Float64Array
  /** [pulse][range], interleaved; |sample|^2 is RCS [m^2] of an isolated point where calibrated. */
  profiles: Float32Array
}

/** Numbers kept of all profiles, at the most. */
const MOST_KEPT = 2 ** 23

/** Range profiles of a history within +-`reachM` of the reference, of so many pulses at the most, with so many samples to a resolution cell. */
export function pulseProfiles(
  { freqHz, f, pulses }: HistoryPart,
  window: FormOptions['window'],
  reachM: number,
  { mostPulses = Infinity, samplesPerCell = 4 } = {},
): PulseProfiles {
  const nf = freqHz.length
  const unambiguous = (nf - 1) / (freqHz[nf - 1] - freqHz[0])
  const half = Math.min(reachM, (C0 * unambiguous) / 4)
  const cellM = C0 / (2 * (freqHz[nf - 1] - freqHz[0]))
  const count = Math.max(2, Math.ceil((samplesPerCell * 2 * half) / cellM))
  const line = new Float64Array(2 * nf)
  const profileOf = (n: number) => {
    for (let m = 0; m < nf; m++) {
      line[2 * m] = f[2 * (m * pulses + n)]
      line[2 * m + 1] = f[2 * (m * pulses + n) + 1]
    }
    return rangeProfile(freqHz, line, { window, rangeM: [-half, half], count })
  }
  const { rangeM } = profileOf(0)
  const step = Math.ceil(pulses / Math.min(mostPulses, MOST_KEPT / rangeM.length))
  const pulse = Int32Array.from({ length: Math.ceil(pulses / step) }, (_, i) => i * step)
  const profiles = new Float32Array(2 * pulse.length * rangeM.length)
  pulse.forEach((n, i) => profiles.set(profileOf(n).profile, 2 * i * rangeM.length))
  return { pulse, rangeM, profiles }
}

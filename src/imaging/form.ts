import {
  apertureOf,
  type BackprojectionOptions,
  type ImagePlane,
  planBackprojection,
  polarFormat,
  rangeProfile,
} from '../../isar/index.js'
import { C0, InputError } from '../../scene/index.js'
import { type HistoryPart, selected } from './history-part.js'
import type { Backprojector } from './solve.js'

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
export type Algorithm = (typeof ALGORITHMS)[number]

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

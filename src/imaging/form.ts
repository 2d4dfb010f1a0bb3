import {
  apertureOf,
  type BackprojectionOptions,
  formImage,
  type ImagePlane,
  pixelSteps,
  planBackprojection,
  rangeProfile,
} from '../../isar/index.js'
import { C0, InputError } from '../../scene/index.js'
import { type HistoryPart, selected } from './history-part.js'
import type { Backprojector } from './solve.js'

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
  plane: Pick<ImagePlane, 'name'>
  /** [along][across], interleaved re, im; |pixel|^2 is RCS [m^2] where amplitudes are calibrated. */
  image: Float64Array
  alongM: Float64Array
  acrossM: Float64Array
  rangeResolutionM: number
  crossRangeResolutionM: number
  notes: string[]
}

/** The part of band and aperture that has a resolution, about their middles. @throws InputError for a finer one than the data have */
export function atResolution<H extends HistoryPart>(history: H, [range, cross]: [number, number]): H {
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
  const pulses = [...phiDeg.keys()].filter((n) => Math.abs(phiDeg[n] - centre.phiDeg) <= half * (1 + 1e-9))
  return selected(
    history,
    Array.from({ length: count }, (_, i) => from + i),
    pulses,
  )
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
  checkAlgorithm(history, options)
  if (options.algorithm === 'polar-format') return polarFormat(history, options)
  const plan = planBackprojection(history, options)
  const image = await device.image(history, plan, progress, signal)
  const { plane, alongM, acrossM, rangeResolutionM, crossRangeResolutionM, notes } = plan
  return { channel, plane, image, alongM, acrossM, rangeResolutionM, crossRangeResolutionM, notes }
}

/** Thetas of one sweep may differ so much [degrees]. */
const LEVEL = 1e-6

/** @throws InputError where a history or the options do not suit the algorithm */
export function checkAlgorithm(history: HistoryPart, options: FormOptions): void {
  if (options.algorithm !== 'polar-format') return
  const { thetaDeg, centre } = apertureOf(history)
  if (!history.farField || thetaDeg.some((theta) => Math.abs(theta - centre.thetaDeg) > LEVEL))
    throw new InputError(
      '--algorithm polar-format: it needs a far-field sweep at one elevation; use backprojection',
    )
  if (options.plane !== 'slant')
    throw new InputError('--algorithm polar-format: its axes are range and cross-range; give --plane slant, or use backprojection') // prettier-ignore
  if (options.pixelM !== undefined && !(options.alongM && options.acrossM))
    throw new InputError('--pixel: with --algorithm polar-format give --extent too')
}

function polarFormat(history: HistoryPart, options: FormOptions): FormedImage {
  const { phiDeg, centre } = apertureOf(history)
  const { alongM: rangeM, acrossM: crossRangeM } = options
  const [across, along] = pixelSteps(options.pixelM)
  const count = ([low, high]: [number, number], step: number): number => Math.round((high - low) / step)
  const formed = formImage(
    { freqHz: history.freqHz, thetaDeg: centre.thetaDeg, phiDeg, f: history.f },
    {
      window: options.window,
      polarFormat: true,
      rangeM,
      crossRangeM,
      ...(rangeM &&
        crossRangeM &&
        across !== undefined && { size: { rows: count(rangeM, along), cols: count(crossRangeM, across) } }),
    },
  )
  return {
    channel: history.channel,
    plane: { name: 'slant' },
    image: formed.image,
    alongM: formed.rangeM,
    acrossM: formed.crossRangeM,
    rangeResolutionM: formed.rangeResolutionM,
    crossRangeResolutionM: formed.crossRangeResolutionM,
    notes: formed.notes,
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

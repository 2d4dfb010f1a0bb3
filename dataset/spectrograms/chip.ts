import { spectrogram } from '../../isar/index.js'
import {
  type LoadedMotion,
  type MotionPlan,
  planMotion,
  pulseFields,
  timeOf,
} from '../../run/motion/index.js'
import { type Rows, rowField, type SweepJob } from '../../run/sweep/index.js'
import { type Channel, CHANNELS } from '../../rays/index.js'
import type { Band } from '../../scene/index.js'
import { PURPOSE, Random } from '../../math/random.js'
import { type ChipDraw, chipPulses, type SpectrogramConfig, type SpectrogramPose } from './config.js'

/** The one frequency of a pose. */
export const poseBand = ({ carrierHz }: SpectrogramPose): Band => ({ f0: carrierHz, df: 0, n: 1 })

/** The motion of a target as a pose's radar sees it over a chip. */
export function chipMotion(
  config: SpectrogramConfig,
  loaded: LoadedMotion,
  { azimuthDeg, elevationDeg, carrierHz }: SpectrogramPose,
  { startS, prfHz, rateFactor }: ChipDraw,
): LoadedMotion {
  const { pulses } = chipPulses(config)
  return {
    ...loaded,
    startS,
    duration: (pulses - 1) / prfHz,
    config: {
      ...loaded.config,
      radar: {
        freqHz: Float64Array.of(carrierHz),
        waveform: 'chirp',
        prfHz,
        pulses,
        thetaDeg: 90 - elevationDeg,
        phiDeg: azimuthDeg,
      },
      parts: loaded.config.parts.map((part) => ({ ...part, rate: part.rate * rateFactor })),
    },
  }
}

/** What is solved for a chip: alike for all chips of a pose whose target keeps its attitude. */
export const chipPlan = (motion: LoadedMotion): MotionPlan => planMotion(motion, false, false)

/** Identifies what a plan solves: the aspects of its meshes, in the order of their rows. */
export const planKey = ({ units, components, loaded: { startS, config } }: MotionPlan): string =>
  JSON.stringify([
    // Solved at its own pulses.
    components.some(({ direct }) => direct) && [
      startS,
      config.radar.prfHz,
      config.parts.map(({ rate }) => rate),
    ],
    units.map(({ name, sights }) => [name, sights]),
    components.map(({ angle, first, direct }) => [[...angle.nodes], first, direct]),
  ])

/** Power over Doppler and time of each channel [m^2], and the largest of the first. */
export interface SpectrogramChip {
  /** [channel][Doppler][time]. */
  power: Float32Array
  peakDbsm: number
}

/** The chip of a plan whose rows are solved. */
export function formChip(
  config: SpectrogramConfig,
  plan: MotionPlan,
  { rows }: Rows,
  pose: SpectrogramPose,
  realisation: number,
  { snrDb }: ChipDraw,
): SpectrogramChip {
  const { channels, spectrogram: how } = config
  const job: SweepJob = { aspects: [], bands: [poseBand(pose)], phaseCentre: [0, 0, 0] }
  const f = pulseFields(plan, (row) => rowField(job, rows.get(row)!), channels)
  if (snrDb !== undefined) addNoise(config, f, pose, realisation, snrDb)
  const { pulses } = chipPulses(config)
  const timeS = Float64Array.from({ length: pulses }, (_, p) => timeOf(plan.loaded, p, 0))
  const size = 2 * how.pulses * how.columns
  const power = new Float32Array(channels.length * size)
  channels.forEach((channel, c) => {
    const data = { freqHz: Float64Array.of(pose.carrierHz), timeS, f: f[channel] }
    const made = spectrogram(data, { pulses: how.pulses, overlap: how.overlap, window: how.window })
    power.set(made.power, c * size)
  })
  const peak = power.subarray(0, size).reduce((a, b) => Math.max(a, b), 0)
  return { power, peakDbsm: peak > 0 ? Math.max(-300, 10 * Math.log10(peak)) : -300 }
}

/** Adds circular complex Gaussian noise, independent in every sample, of one variance for all channels. */
function addNoise(
  { seed }: SpectrogramConfig,
  f: Record<string, Float64Array>,
  { serial }: SpectrogramPose,
  realisation: number,
  snrDb: number,
): void {
  const powers = Object.values(f).map((x) => (2 * x.reduce((sum, v) => sum + v * v, 0)) / x.length)
  const deviation = Math.sqrt(Math.max(...powers) / 10 ** (snrDb / 10) / 2)
  for (const [channel, values] of Object.entries(f)) {
    const number = 4 * realisation + CHANNELS.indexOf(channel as Channel)
    const random = new Random(seed, PURPOSE.noise, serial, number)
    for (let i = 0; i < values.length; i++) values[i] += deviation * random.normal()
  }
}

/** A chip's first channel as grey levels, [Doppler][time], the highest Doppler first: so many decibels down from the highest level. */
export function chipLevels(
  { spectrogram: { pulses, columns, dynamicRangeDb } }: SpectrogramConfig,
  { power, peakDbsm }: SpectrogramChip,
): Uint8Array {
  const rows = 2 * pulses
  return Uint8Array.from({ length: rows * columns }, (_, i) => {
    const at = (rows - 1 - Math.floor(i / columns)) * columns + (i % columns)
    const below = peakDbsm - 10 * Math.log10(Math.max(power[at], 1e-30))
    return Math.round(255 * Math.max(0, 1 - Math.max(0, below) / dynamicRangeDb))
  })
}

import { z } from 'zod'
import { checkJson } from '../../formats/described-json.js'
import { parseFrequencies } from '../../formats/expression.js'
import { expressionsIn, quantity } from '../../formats/materials-schema.js'
import { spectrogram, WINDOWS } from '../../isar/index.js'
import { PURPOSE, Random } from '../../math/random.js'
import { type Channel, CHANNELS } from '../../rays/index.js'
import {
  type LoadedMotion,
  motionLabels,
  type MotionPlan,
  planMotion,
  pulseFields,
  timeOf,
} from '../../run/motion/index.js'
import { rowField, type Rows, type SweepJob } from '../../run/sweep/index.js'
import { type Band, InputError } from '../../scene/index.js'
import {
  count,
  areFrequencies,
  frequency,
  KEYS,
  NO_PARTS,
  type Splits,
  TARGET_KEYS,
  withParts,
} from '../config.js'
import { anglesOf, type SplitConfig, splitRule } from '../plan.js'

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

/** A number, or the ends of a range that it is drawn from. */
const drawn = (type: z.ZodType<number, number | string>, text: string) =>
  z.union([type, z.tuple([type, type])]).describe(`${text}; [lowest, highest]: drawn at random`)

const instant = quantity('s', z.number().min(0).max(1e6))

/** Samples of slow time of a chip. */
const MOST_PULSES = 65_536

const target = z
  .strictObject({
    label: TARGET_KEYS.label,
    name: TARGET_KEYS.name('name of the target; the motion file’s without folder and ending by default'),
    motion: z
      .union([z.string(), z.record(z.string(), z.unknown())])
      .describe('motion file relative to this file, or its content; "radar" in it is not used'),
    material: z.array(z.string()).optional().describe('materials: GROUP=NAME each, or NAME'),
    materials: TARGET_KEYS.materials,
  })
  .describe('a target that moves')

export const spectrogramSchema = z.strictObject({
  $schema: KEYS.$schema,
  name: KEYS.name,
  description: KEYS.description,
  product: z.literal('spectrograms').describe('micro-Doppler spectrograms of targets that move'),
  seed: KEYS.seed,
  targets: z.array(target).min(1).describe('what moves'),
  aspects: KEYS.aspects,
  radar: z
    .strictObject({
      freqHz: z
        .union([frequency('carrier [Hz]'), z.tuple([frequency('lowest'), frequency('highest')])])
        .superRefine(areFrequencies)
        .describe('carrier [Hz, or a text like "10 GHz"]; [lowest, highest]: drawn for every aspect'),
      prfHz: drawn(quantity('Hz', z.number().positive()), 'pulses per second'),
      snrDb: drawn(
        z.number(),
        'mean power of a chip’s pulses in the strongest channel over that of white noise [dB]',
      ).optional(),
    })
    .describe('radar, far away'),
  start: z
    .tuple([instant, instant])
    .default([0, 10])
    .describe('range of the time of a chip’s first pulse in the motion [s]'),
  rateFactor: z
    .tuple([z.number().positive().max(100), z.number().positive().max(100)])
    .default([1, 1])
    .describe('range of the factor that all rates of a target’s parts are multiplied by'),
  realisations: count('chips of every aspect: draws of all but aspect and carrier').default(8),
  spectrogram: z
    .strictObject({
      pulses: z
        .number()
        .int()
        .min(8)
        .max(4096)
        .default(64)
        .describe('pulses of a column; it has twice as many rows'),
      columns: z.number().int().min(2).max(4096).default(64).describe('columns, along time'),
      overlap: z
        .number()
        .min(0)
        .max(0.99)
        .default(0.75)
        .describe('part of a column that the next one shares'),
      window: z.enum(WINDOWS).default('hamming').describe('window over the pulses of a column'),
      dynamicRangeDb: z
        .number()
        .positive()
        .default(40)
        .describe('levels below the highest in pictures; arrays hold all [dB]'),
    })
    .prefault({})
    .describe('how pulses become chips'),
  channels: KEYS.channels,
  splits: KEYS.splits,
  formats: z
    .array(z.enum(['npz', 'hdf5', 'mat', 'png']))
    .min(1)
    .default(['npz'])
    .describe('how the data are written'),
  shardChips: count('chips in a file').max(65536).default(64),
  solver: KEYS.solver,
})

/** A configuration with its defaults filled in. */
export interface SpectrogramConfig extends Omit<z.infer<typeof spectrogramSchema>, 'radar' | 'splits'> {
  splits?: Splits
  /** What the file has as text with units, by place; absent where all are plain numbers. */
  expressions?: Record<string, string>
  /** Ends of ranges; equal where nothing is drawn [Hz, Hz, dB]. */
  radar: { freqHz: [number, number]; prfHz: [number, number]; snrDb?: [number, number] }
}

/** Whether a configuration is of spectrograms: a target has a motion, or the product says so. */
export const isOfSpectrograms = (value: unknown): boolean => {
  const { product, targets } = (value ?? {}) as { product?: unknown; targets?: unknown }
  return (
    product === 'spectrograms' ||
    (Array.isArray(targets) && targets.some((t) => typeof t === 'object' && t !== null && 'motion' in t))
  )
}

/** Pulses between the starts of columns, and of a chip. */
export function chipPulses({
  spectrogram: { pulses, columns, overlap },
}: Pick<SpectrogramConfig, 'spectrogram'>): {
  hop: number
  pulses: number
} {
  const hop = Math.max(1, Math.round(pulses * (1 - overlap)))
  return { hop, pulses: pulses + (columns - 1) * hop }
}

const HIGHEST_ELEVATION = 90

/** Checks a configuration. @param name  of its file, for messages @throws InputError naming the position */
export function checkSpectrogramConfig(value: unknown, name: string): SpectrogramConfig {
  const data = checkJson(spectrogramSchema, value, name)
  const refuse = (where: string, what: string): never => {
    throw new InputError(`${name}: ${where}: ${what}`)
  }
  const range = <T>(x: T | [T, T]): [T, T] => (Array.isArray(x) ? (x as [T, T]) : [x, x])
  const { freqHz, prfHz, snrDb } = data.radar
  const [f0, f1] = parseFrequencies(range(freqHz as number | string).map(String), `${name}: radar.freqHz`)
  const radar = { freqHz: [f0, f1], prfHz: range(prfHz), ...(snrDb !== undefined && { snrDb: range(snrDb) }) } as SpectrogramConfig['radar'] // prettier-ignore
  for (const [where, [low, high]] of Object.entries({
    ...Object.fromEntries(Object.entries(radar).map(([k, v]) => [`radar.${k}`, v])),
    start: data.start,
    rateFactor: data.rateFactor,
  }))
    // prettier-ignore
    if (high < low) refuse(where, `${low} to ${high} is descending; give the lower value first`)
  const { pulses } = chipPulses(data)
  if (pulses > MOST_PULSES)
    refuse('spectrogram', `a chip of ${pulses} pulses is longer than ${MOST_PULSES}; take fewer columns`)
  const { elevation } = data.aspects
  const ends = Array.isArray(elevation) ? elevation : [elevation.from, elevation.to]
  if (ends.some((e) => Math.abs(e) > HIGHEST_ELEVATION))
    refuse('aspects.elevation', `is an angle from −${HIGHEST_ELEVATION} to ${HIGHEST_ELEVATION} degrees`)
  if (data.splits?.by === 'copy')
    refuse('splits.by', 'there are no copies; split by azimuth, elevation or target')
  const expressions = expressionsIn(value, data)
  const splits = data.splits && withParts(data.splits)
  if (splits && Object.keys(splits.parts).length === 0) refuse('splits.parts', NO_PARTS)
  return {
    ...data,
    ...(splits && { splits }),
    radar,
    ...(expressions && { expressions }),
  } as SpectrogramConfig
}

/** An aspect of a target: what is solved. Its chips differ by what is drawn for them. */
export interface SpectrogramPose {
  /** Number among all poses of the configuration; seeds random numbers. */
  serial: number
  /** Number in the dataset; its first chip has number * realisations. */
  number: number
  target: number
  azimuthDeg: number
  elevationDeg: number
  carrierHz: number
  split: string
}

/** What is drawn for a chip. */
export interface ChipDraw {
  /** Time of the first pulse in the motion [s]. */
  startS: number
  prfHz: number
  rateFactor: number
  snrDb?: number
}

export interface SpectrogramShard {
  index: number
  name: string
  split: string
  poses: SpectrogramPose[]
}

export interface SpectrogramPlan {
  poses: SpectrogramPose[]
  shards: SpectrogramShard[]
  realisations: number
  classes: string[]
  /** Class of each target, and its name. */
  classOf: number[]
  names: string[]
}

const MOST_CHIPS = 1_000_000

/** All chips of a dataset, in the order in which they are written. @throws InputError */
export function planSpectrograms(config: SpectrogramConfig, loaded: LoadedMotion[]): SpectrogramPlan {
  const { seed, aspects, targets, realisations, radar } = config
  const azimuths = anglesOf(aspects.azimuth, seed, 0)
  const elevations = anglesOf(aspects.elevation, seed, 1)
  const chips = targets.length * azimuths.length * elevations.length * realisations
  if (chips > MOST_CHIPS)
    throw new InputError(`the configuration names ${chips} chips, at most ${MOST_CHIPS} fit into one dataset; take fewer aspects or realisations`) // prettier-ignore
  const names = targets.map(({ name }, t) => name ?? loaded[t].name)
  const twice = names.findIndex((name, i) => names.indexOf(name) < i)
  if (twice >= 0)
    throw new InputError(`targets[${twice}]: another target is called ${names[twice]}; give each a different "name"`) // prettier-ignore
  const split: SplitConfig = {
    seed,
    splits: config.splits,
    targets: targets.map(({ label }, t) => ({ label, name: names[t] })),
    copies: { count: 1 },
    jitter: { elevationDeg: 0 },
  }
  const rule = splitRule(split, elevations)
  const poses: SpectrogramPose[] = []
  let serial = 0
  for (const target of targets.keys())
    for (const elevationDeg of elevations)
      for (const azimuthDeg of azimuths) {
        const random = new Random(seed, PURPOSE.jitter, serial)
        const carrierHz = between(random, radar.freqHz)
        // A single aspect lies in one block of azimuth, never on a border of two.
        const part = rule({ target, copy: 0, elevationDeg, azimuths: [azimuthDeg, azimuthDeg] })!
        poses.push({ serial: serial++, number: 0, target, azimuthDeg, elevationDeg, carrierHz, split: part })
      }
  const parts = Object.keys(config.splits?.parts ?? { '': 1 })
  const ordered = parts.flatMap((part) => poses.filter((pose) => pose.split === part))
  ordered.forEach((pose, i) => (pose.number = i))
  const empty = parts.find((part) => !ordered.some((pose) => pose.split === part))
  if (empty !== undefined) throw new InputError(`splits: no chip falls into "${empty}"; widen the aspects`)
  const classes = [...new Set(targets.map((t) => t.label))].sort()
  const size = Math.max(1, Math.floor(config.shardChips / realisations))
  const shards = parts.flatMap((part) => {
    const own = ordered.filter((pose) => pose.split === part)
    return Array.from({ length: Math.ceil(own.length / size) }, (_, k) => {
      const name = `shard-${String(k).padStart(5, '0')}`
      return {
        name: part ? `${part}/${name}` : name,
        split: part,
        poses: own.slice(k * size, (k + 1) * size),
      }
    })
  })
  return {
    poses: ordered,
    shards: shards.map((shard, index) => ({ index, ...shard })),
    realisations,
    classes,
    classOf: targets.map((t) => classes.indexOf(t.label)),
    names,
  }
}

const between = (random: Random, [low, high]: [number, number]): number =>
  low + (high - low) * random.uniform()

/** What is drawn for a realisation of a pose. */
export function chipDraw(
  config: SpectrogramConfig,
  { serial }: SpectrogramPose,
  realisation: number,
): ChipDraw {
  const random = new Random(config.seed, PURPOSE.pulses, serial, realisation)
  const { prfHz, snrDb } = config.radar
  return {
    startS: between(random, config.start),
    prfHz: between(random, prfHz),
    rateFactor: between(random, config.rateFactor),
    ...(snrDb && { snrDb: between(random, snrDb) }),
  }
}

/** Labels of a chip, by the names of their columns. */
export function chipLabels(loaded: LoadedMotion, { carrierHz }: SpectrogramPose, draw: ChipDraw) {
  const { rotors, wings, rateHz, bladeM } = motionLabels(loaded)
  return {
    rotor_count: rotors,
    wing_count: wings,
    rate_hz: rateHz * draw.rateFactor,
    blade_length_m: bladeM,
    carrier_hz: carrierHz,
    prf_hz: draw.prfHz,
    start_s: draw.startS,
  }
}

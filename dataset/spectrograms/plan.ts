import { type LoadedMotion, motionLabels } from '../../motion/index.js'
import { InputError } from '../../scene/index.js'
import { anglesOf } from '../angles.js'
import { PURPOSE, Random } from '../random.js'
import { type SplitConfig, splitRule } from '../splits.js'
import type { SpectrogramConfig } from './config.js'

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

import { InputError } from '../scene/index.js'
import { anglesOf, apertureAt, groundSigma0, type Radar } from './radar.js'
import type { DatasetConfig } from './config.js'
import { PURPOSE, Random } from '../math/random.js'
import { splitRule, targetName } from './splits.js'

/** One pose seen over one aperture: what is traced. Its images differ by their nuisances alone. */
export interface Pose {
  /** Number among all poses of the configuration, including dropped ones; seeds random numbers. */
  serial: number
  /** Number in the dataset; its first image has number * realisations. */
  number: number
  target: number
  /** Index of the rotating part's angle. */
  state: number
  copy: number
  /** Centre of the aspects as computed, jitter included [degrees]. */
  azimuthDeg: number
  elevationDeg: number
  /** Span of the aspects [degrees]. */
  apertureDeg: number
  /** Shift of the target in range and cross-range [m]. */
  offsetM: [number, number]
  /** Where poses share the aspects of a sweep: number of the first; aspect g has azimuth g apertureDeg / (angles - 1). */
  firstAspect?: number
  split: string
}

/** What is computed, written and recorded as a whole. */
export interface Shard {
  index: number
  /** `shard-00000`, with the split before it where there are splits. */
  name: string
  split: string
  poses: Pose[]
}

export interface DatasetPlan {
  poses: Pose[]
  shards: Shard[]
  /** Images per pose. */
  realisations: number
  /** Poses dropped because their aspects reach into two splits. */
  dropped: number
  classes: string[]
  /** Class of each target, and its name. */
  classOf: number[]
  names: string[]
}

const HIGHEST_ELEVATION = 85

/** Most poses and images of a dataset: a plan holds them all. */
const MAX_POSES = 1_000_000
const MAX_IMAGES = 10_000_000
/** Poses per step of the planning: some milliseconds. */
const STEP_POSES = 1000

/** All images of a dataset, in the order in which they are written. @throws InputError */
export function planDataset(config: DatasetConfig, radar: Radar): DatasetPlan {
  const steps = planSteps(config, radar)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** The same in steps, for callers that handle signals in between. */
export function* planSteps(config: DatasetConfig, radar: Radar): Generator<void, DatasetPlan> {
  const { seed, aspects, jitter, targets, copies, realisations, trace } = config
  const elevations = anglesOf(aspects.elevation, seed, 1)
  const high = elevations.find((e) => Math.abs(e) + jitter.elevationDeg > HIGHEST_ELEVATION)
  if (high !== undefined)
    throw new InputError(
      `aspects.elevation: from ${high} degrees rotation gives no cross-range; stay within ${HIGHEST_ELEVATION}`,
    )
  for (const e of config.ground ? [Math.min(...elevations), Math.max(...elevations)] : []) {
    const [low, high] = [e - jitter.elevationDeg, e + jitter.elevationDeg]
    if (low <= 0)
      throw new InputError(`aspects.elevation: ${low} degrees look at the ground from below; stay above 0`)
    for (const elevation of [low, high]) groundSigma0(config, radar, elevation, 'vv')
  }
  const sweeps = config.product === 'history'
  const azimuths = sweeps ? [radar.centreDeg!] : anglesOf(aspects.azimuth, seed, 0)
  const rule = splitRule(config, elevations)
  const states = targets.map((target) => target.articulation?.anglesDeg.length ?? 1)
  checkCount(states.reduce((a, b) => a + b) * copies.count * elevations.length * azimuths.length, realisations) // prettier-ignore
  const poses: Pose[] = []
  let serial = 0
  for (const t of targets.keys())
    for (let state = 0; state < states[t]; state++)
      for (let copy = 0; copy < copies.count; copy++)
        for (const elevation of elevations)
          for (const azimuth of azimuths) {
            if (serial % STEP_POSES === 0) yield
            const pose = placed(config, radar, serial++, azimuth, elevation, trace === 'shared' && !sweeps)
            const half = pose.apertureDeg / 2
            const split = rule({
              target: t,
              copy,
              elevationDeg: elevation,
              azimuths: [pose.azimuthDeg - half, pose.azimuthDeg + half],
            })
            if (split !== null) poses.push({ ...pose, target: t, state, copy, split })
          }
  if (poses.length === 0)
    throw new InputError(
      'splits: no image remains, every aperture reaches into two parts; widen splits.blockDeg',
    )
  const parts = Object.keys(config.splits?.parts ?? { '': 1 })
  const ordered = parts.flatMap((part) => poses.filter((pose) => pose.split === part))
  ordered.forEach((pose, i) => (pose.number = i))
  const empty = parts.find((part) => !ordered.some((pose) => pose.split === part))
  if (empty !== undefined) throw new InputError(`splits: no image falls into "${empty}"; widen the aspects`)
  const names = targets.map((_, t) => targetName(config, t))
  const twice = names.findIndex((name, i) => names.indexOf(name) < i)
  if (twice >= 0)
    throw new InputError(
      `targets[${twice}]: another target is called ${names[twice]}; give each a different "name"`,
    )
  const classes = [...new Set(targets.map((t) => t.label))].sort()
  return {
    poses: ordered,
    shards: shardsOf(ordered, parts, sweeps ? 1 : Math.max(1, Math.floor(config.shardChips / realisations))),
    realisations,
    dropped: serial - ordered.length,
    classes,
    classOf: targets.map((t) => classes.indexOf(t.label)),
    names,
  }
}

/** @throws InputError where the configuration has too many images */
function checkCount(poses: number, realisations: number): void {
  if (poses > MAX_POSES || poses * realisations > MAX_IMAGES)
    throw new InputError(
      `the configuration names ${poses} poses and ${poses * realisations} images, at most ${MAX_POSES} and ${MAX_IMAGES} fit into one dataset; take larger steps of angle, fewer copies or realisations, or several datasets`,
    )
}

function placed(
  { seed, jitter }: DatasetConfig,
  radar: Radar,
  serial: number,
  azimuth: number,
  elevation: number,
  shared: boolean,
): Pose {
  const random = new Random(seed, PURPOSE.jitter, serial)
  const azimuthDeg = azimuth + random.within(jitter.azimuthDeg)
  const elevationDeg = elevation + random.within(jitter.elevationDeg)
  const offsetM: [number, number] = [random.within(jitter.offsetM), random.within(jitter.offsetM)]
  const apertureDeg = apertureAt(radar, elevationDeg)
  const pose = {
    serial,
    number: 0,
    target: 0,
    state: 0,
    copy: 0,
    elevationDeg,
    apertureDeg,
    offsetM,
    split: '',
  }
  if (!shared) return { ...pose, azimuthDeg }
  const step = apertureDeg / (radar.angles - 1)
  const firstAspect = Math.round((azimuthDeg - apertureDeg / 2) / step)
  return { ...pose, azimuthDeg: (firstAspect + (radar.angles - 1) / 2) * step, firstAspect }
}

function shardsOf(poses: Pose[], parts: string[], size: number): Shard[] {
  const shards: Shard[] = []
  for (const split of parts) {
    const own = poses.filter((pose) => pose.split === split)
    for (let at = 0, k = 0; at < own.length; at += size, k++) {
      const name = `shard-${String(k).padStart(5, '0')}`
      shards.push({
        index: shards.length,
        name: split ? `${split}/${name}` : name,
        split,
        poses: own.slice(at, at + size),
      })
    }
  }
  return shards
}

/** Azimuths of a pose's aspects [degrees]. */
export function poseAzimuths(pose: Pose, angles: number): Float64Array {
  const step = pose.apertureDeg / (angles - 1)
  return Float64Array.from({ length: angles }, (_, m) =>
    pose.firstAspect === undefined
      ? pose.azimuthDeg + (m - (angles - 1) / 2) * step
      : (pose.firstAspect + m) * step,
  )
}

import { parseQuantity } from '../formats/expression.js'
import { planSweep } from '../isar/index.js'
import { PURPOSE, Random } from '../math/random.js'
import type { Channel } from '../rays/index.js'
import { backscatter, InputError } from '../scene/index.js'
import type { DatasetConfig } from './config.js'

type Angles = DatasetConfig['aspects']['azimuth']

/** The angles of a configuration; `which` selects the random stream of the list. */
export function anglesOf(angles: Angles, seed: number, which: number): number[] {
  if (Array.isArray(angles)) return angles
  const { from, to } = angles
  if ('count' in angles) {
    const random = new Random(seed, PURPOSE.aspects, which)
    return Array.from({ length: angles.count }, () => from + (to - from) * random.uniform())
  }
  if (to < from)
    throw new InputError(`aspects: ${from} to ${to} degrees is descending; give the lower angle first`)
  const n = Math.floor((to - from) / angles.step + 1e-9) + 1
  if (n > 1_000_000) throw new InputError(`aspects: ${n} angles are too many; take a larger step`)
  const list = Array.from({ length: n }, (_, i) => Number((from + i * angles.step).toPrecision(13)))
  // 360 degrees after the first angle is the first angle.
  if (n > 1 && Math.abs(list[n - 1] - from - 360) < 1e-9) list.pop()
  return list
}

/** Band, aperture and pixels of a dataset, the same for all its images. Lengths in metres. */
export interface Radar {
  /** Uniform and ascending [Hz]. */
  freqHz: number[]
  /** Aspects of an image. */
  angles: number
  /** Span of an image's aspects in azimuth, seen from elevation 0 [degrees]. */
  apertureDeg: number
  /** Whether the span grows with elevation as 1 / cos, which keeps the cross-range resolution. */
  constantResolution: boolean
  rangeResolutionM: number
  /** At elevation 0. */
  crossRangeResolutionM: number
  size: [number, number]
  spacingM: [number, number]
  /** Of whole sweeps: middle of their azimuths [degrees]. */
  centreDeg?: number
}

/** Sampled extent of the scene over the target's largest size. */
const MARGIN = 1.2

/** Frequencies as given in Hz; texts with units are to be resolved before. */
interface Frequencies {
  centreHz?: number
  band?: [number, number]
}

/**
 * Band, sampling and pixels. @param diameterM  largest size of a target, which must be imaged without aliasing [m]
 * @throws InputError
 */
export function resolveRadar(
  config: DatasetConfig,
  { centreHz, band }: Frequencies,
  diameterM: number,
): Radar {
  const { radar, image } = config
  const pair = (x: number | [number, number]): [number, number] => (typeof x === 'number' ? [x, x] : x)
  const resolution = radar.resolutionM === undefined ? undefined : pair(radar.resolutionM)
  const swept = config.product === 'history' ? anglesOf(config.aspects.azimuth, config.seed, 0) : null
  if (swept && swept.length < 2) throw new InputError('aspects.azimuth: a sweep needs at least 2 azimuths')
  // The sweep of a point target checks the request and gives band and aperture.
  const sweep = planSweep({
    points: new Float64Array(3),
    thetaDeg: 90,
    phiDeg: 0,
    ...(band
      ? { band: { f0: band[0], f1: band[1] }, apertureDeg: swept ? 1 : radar.apertureDeg }
      : {
          resolution: { rangeM: resolution![0], crossRangeM: resolution![1], centreHz: centreHz! },
        }),
  })
  const spacingM: [number, number] =
    image.spacingM === undefined
      ? [(2 / 3) * sweep.rangeResolutionM, (2 / 3) * sweep.crossRangeResolutionM]
      : pair(image.spacingM)
  const extent = image.size.map((n, i) => Math.max(n * spacingM[i], MARGIN * diameterM))
  const f0 = sweep.freqHz[0]
  const f1 = f0 + sweep.bandwidthHz
  const frequencies = radar.frequencies ?? Math.ceil(extent[0] / sweep.rangeResolutionM - 1e-9) + 1
  // Unambiguous at the highest frequency, where the spacing of angles counts most.
  const cells = (extent[1] / sweep.crossRangeResolutionM) * ((2 * f1) / (f0 + f1))
  const angles = swept?.length ?? radar.angles ?? Math.ceil(cells - 1e-9) + 1
  if (frequencies > 100_000 || angles > 100_000)
    throw new InputError(
      `radar: a target of ${diameterM.toPrecision(3)} m needs ${frequencies} frequencies and ${angles} aspects; check the units of the meshes`,
    )
  return {
    freqHz: Array.from({ length: frequencies }, (_, i) => f0 + (i * (f1 - f0)) / (frequencies - 1)),
    angles,
    apertureDeg: swept ? swept.at(-1)! - swept[0] : sweep.apertureDeg,
    // A straight path is as long as its angle in the plane of the image, whatever the elevation.
    constantResolution: !band && radar.geometry === 'turntable',
    rangeResolutionM: sweep.rangeResolutionM,
    crossRangeResolutionM: sweep.crossRangeResolutionM,
    size: image.size,
    spacingM,
    ...(swept && { centreDeg: (swept[0] + swept.at(-1)!) / 2 }),
  }
}

/** Span of the azimuths of an image seen from an elevation [degrees]. */
export const apertureAt = (radar: Radar, elevationDeg: number): number =>
  radar.constantResolution ? radar.apertureDeg / Math.cos((elevationDeg * Math.PI) / 180) : radar.apertureDeg

/** Warnings about the sampling, one line each. */
export function radarNotes({ size, spacingM, ...radar }: Radar, diameterM: number): string[] {
  const notes: string[] = []
  const names = ['range', 'cross-range']
  const resolution = [radar.rangeResolutionM, radar.crossRangeResolutionM]
  size.forEach((n, i) => {
    if (n * spacingM[i] < diameterM)
      notes.push(
        `images of ${(n * spacingM[i]).toPrecision(3)} m in ${names[i]} cut off targets of ${diameterM.toPrecision(3)} m; raise image.size or image.spacingM`,
      )
    if (spacingM[i] > resolution[i])
      notes.push(
        `pixels of ${spacingM[i].toPrecision(2)} m in ${names[i]} are coarser than the resolution of ${resolution[i].toPrecision(2)} m: points between pixels are missed`,
      )
  })
  return notes
}

/** Backscatter coefficient of a dataset's ground in a channel, at the middle of the band [m^2/m^2]. @throws InputError */
export function groundSigma0(
  config: DatasetConfig,
  radar: Radar,
  elevationDeg: number,
  channel: Channel,
): number {
  const { freqHz } = radar
  const middle = (freqHz[0] + freqHz[freqHz.length - 1]) / 2
  const { vv, hh, cross } = backscatter(config.ground!.surface, middle, elevationDeg)
  return channel === 'vv' ? vv : channel === 'hh' ? hh : cross
}

/** Slant range over the range that pixels have: 1 in the slant plane, the cosine of the elevation on the ground. */
export const rangeScale = ({ image }: DatasetConfig, { elevationDeg }: { elevationDeg: number }): number =>
  image.plane === 'ground' ? Math.cos((elevationDeg * Math.PI) / 180) : 1

/** The properties of an image that splits depend on. */
interface SplitProperties {
  target: number
  copy: number
  /** As configured, without jitter [degrees]. */
  elevationDeg: number
  /** First and last azimuth of its aspects [degrees]. */
  azimuths: [number, number]
}

/** What splits take of a configuration. */
export type SplitConfig = Pick<DatasetConfig, 'splits' | 'seed'> & {
  targets: { label: string; name?: string; mesh?: string }[]
  copies: Pick<DatasetConfig['copies'], 'count'>
  jitter: Pick<DatasetConfig['jitter'], 'elevationDeg'>
}

/** The part that an image belongs to; null where its aspects reach into two parts, so that it is dropped. */
type SplitRule = (properties: SplitProperties) => string | null

/**
 * Distributes `items` among parts in random order: each gets its share, rounded, and at least one.
 * @throws InputError where there are fewer items than parts
 */
function share<T>(items: T[], parts: Record<string, number>, random: Random, what: string): Map<T, string> {
  const names = Object.keys(parts)
  if (items.length < names.length)
    throw new InputError(
      `splits: ${items.length} ${what} cannot be distributed among ${names.length} parts (${names.join(', ')}); give more of them, fewer parts, or another "by"`,
    )
  const total = names.reduce((s, n) => s + parts[n], 0)
  const counts = names.map((n) => Math.max(1, Math.floor((items.length * parts[n]) / total)))
  // The remainder of rounding, of either sign, goes to the largest share.
  const largest = names.reduce((best, n, i) => (parts[n] > parts[names[best]] ? i : best), 0)
  counts[largest] += items.length - counts.reduce((s, n) => s + n, 0)
  const order = random.permutation(items.length)
  const result = new Map<T, string>()
  let at = 0
  names.forEach((name, i) => {
    for (let k = 0; k < counts[i]; k++) result.set(items[order[at++]], name)
  })
  return result
}

const wrap = (deg: number): number => ((deg % 360) + 360) % 360

/** How images are distributed among the parts of a dataset. @throws InputError where the configuration cannot be met */
export function splitRule(config: SplitConfig, elevations: number[]): SplitRule {
  const { splits, seed, targets, copies, jitter } = config
  if (!splits) return () => ''
  const { by, parts, blockDeg, assign } = splits
  const random = new Random(seed, PURPOSE.split)
  if (by === 'azimuth') {
    const blocks = Array.from({ length: Math.round(360 / blockDeg) }, (_, i) => i)
    const partOf = share(blocks, parts, random, 'blocks of azimuth')
    return ({ azimuths: [first, last] }) => {
      const part = partOf.get(blockOf(first, blockDeg, blocks.length))!
      // Aspects on the border of two blocks belong to both.
      for (let at = first; at < last + blockDeg; at += blockDeg)
        if (partOf.get(blockOf(Math.min(at, last), blockDeg, blocks.length)) !== part) return null
      return part
    }
  }
  if (assign) return assigned(config, assign)
  if (by === 'elevation') {
    const partOf = share([...new Set(elevations)], parts, random, 'elevations')
    checkJitter(partOf, jitter.elevationDeg)
    return ({ elevationDeg }) => partOf.get(elevationDeg)!
  }
  if (by === 'copy') {
    const numbers = Array.from({ length: copies.count }, (_, i) => i)
    const partOf = share(numbers, parts, random, 'copies')
    return ({ copy }) => partOf.get(copy)!
  }
  // Every class has a target in every part.
  const partOf = new Map<number, string>()
  for (const label of new Set(targets.map((t) => t.label))) {
    const own = targets.flatMap((t, i) => (t.label === label ? [i] : []))
    share(own, parts, random, `target${own.length === 1 ? '' : 's'} of class ${label}`).forEach((p, i) =>
      partOf.set(i, p),
    )
  }
  return ({ target }) => partOf.get(target)!
}

const blockOf = (deg: number, blockDeg: number, blocks: number): number =>
  Math.floor(wrap(deg) / blockDeg) % blocks

/** Elevations of different parts must not meet. */
function checkJitter(partOf: Map<number, string>, jitterDeg: number): void {
  const list = [...partOf].sort(([a], [b]) => a - b)
  list.slice(1).forEach(([elevation, part], i) => {
    const [before, other] = list[i]
    if (part !== other && elevation - before <= 2 * jitterDeg)
      throw new InputError(
        `splits: with a jitter of ${jitterDeg} degrees the elevations ${before} (${other}) and ${elevation} (${part}) overlap; lower jitter.elevationDeg`,
      )
  })
}

function assigned(config: SplitConfig, assign: Record<string, (string | number)[]>): SplitRule {
  const { by } = config.splits!
  const keyOf = ({ target, copy, elevationDeg }: SplitProperties): string | number => {
    if (by === 'target') return targetName(config, target)
    return by === 'copy' ? copy : elevationDeg
  }
  const partOf = new Map<string | number, string>()
  for (const [part, keys] of Object.entries(assign))
    for (const given of keys) {
      const key = by === 'elevation' ? parseQuantity(String(given), 'deg') : given
      const there = partOf.get(key)
      if (there !== undefined)
        throw new InputError(`splits.assign: ${by} ${key} is assigned to ${there} and to ${part}; remove one`)
      partOf.set(key, part)
    }
  if (by === 'elevation')
    checkJitter(new Map([...partOf].map(([k, p]) => [Number(k), p])), config.jitter.elevationDeg)
  return (properties) => {
    const part = partOf.get(keyOf(properties))
    if (part === undefined)
      throw new InputError(`splits.assign: ${by} ${keyOf(properties)} is assigned to no part; add it to one`)
    return part
  }
}

/** Name of a target: its own, or its mesh file's without folder and ending. */
function targetName({ targets }: Pick<SplitConfig, 'targets'>, i: number): string {
  const { name, mesh = '' } = targets[i]
  return name ?? mesh.replace(/^.*[/\\]/, '').replace(/\.[^.]*$/, '')
}

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

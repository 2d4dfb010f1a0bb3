import { existsSync, statfsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { checkMemory } from '../run/estimate.js'
import {
  type Caller as JobCaller,
  type Job,
  type JobPlan,
  keyOf,
  type RunSettings,
  runWholeJob,
  type Store,
} from '../run/job.js'
import { AlreadyComplete, folderLocation, writeJson } from '../run/results.js'
import { stripForDataset } from '../run/settings/settings.js'
import { expressionsOf } from '../run/run.js'
import { faults } from '../run/solver.js'
import { fieldNames } from '../run/sweep/index.js'
import { VERSION } from '../run/version.js'
import { InputError } from '../scene/index.js'
import { checkBands } from '../scene/materials/index.js'
import type { DatasetConfig, Format } from './config.js'
import { finishDataset, recordsOf } from './finish.js'
import { type DatasetPlan, type Radar, radarNotes, resolveRadar } from './plan.js'
import { claimDataset, type DatasetIdentity, readRecord, sheetChips, type SheetRow } from './record.js'
import { runDataset } from './run.js'
import {
  configFrequencies,
  copyFactors,
  estimateTargets,
  type OpenedVariant,
  openVariant,
  planned,
  type ReadTarget,
  readTargets,
  type TargetEstimate,
} from './variant.js'
import { BATCH_BYTES, type DatasetTiming, radarBand, timingOf, type Variant } from './trace.js'

/** Where a dataset goes, and how much of it a call makes. */
export interface DatasetOutput {
  folder: string
  /** `[i, n]`: only every n-th shard from the i-th, from 1; null: all. */
  share: readonly [number, number] | null
  resume: boolean
  force: boolean
  /** Draws the contact sheet, as PNG. */
  drawSheet: (name: string, caption: string, rows: SheetRow[], size: [number, number]) => Promise<Uint8Array>
}

/** Under the contact sheet of images. */
export const CAPTION =
  'Decibels, 40 dB down from the brightest pixel of each; azimuth and elevation below. Range upwards away from the radar.'

/** What a call has made of a dataset. */
export interface DatasetPart {
  folder: string
  /** Images of the whole set, and those that this call computed. */
  images: number
  computed: number
  /** Shards of the whole set, and those that are complete now. */
  shards: number
  complete: number
  /** Whether the set is whole, with its description and manifest. */
  finished: boolean
  seconds: number
  device: string
}

/** Shards kept in the dataset's own folder, which several processes may share. */
export const datasetStore = ({ folder, share, resume, force }: DatasetOutput): Store<undefined> => ({
  async open(key) {
    const state = await claimDataset(folder, key, { resume, force, join: share !== null })
    if (state === 'done') throw new AlreadyComplete(folder, 'this dataset')
    return undefined
  },
  close() {},
})

/** The shards of a share, and what is kept of them: as finished by others, or, once `started`, by this run too. */
export function shardsOf<S extends { index: number }>(
  { folder, share }: DatasetOutput,
  all: S[],
): { shards: S[]; kept: (started: boolean) => string | null } {
  const shards = share ? all.filter((s) => s.index % share[1] === share[0] - 1) : all
  return {
    shards,
    kept(started) {
      if (started) return 'finished shards and aspects'
      const done = shards.filter((s) => readRecord(folder, s.index)).length
      return done > 0 ? `${done} of ${shards.length} shards` : null
    },
  }
}

/** Name of the timing report of a share. */
export const timingName = ({ share }: DatasetOutput): string =>
  share ? `timing-${share.join('-of-')}.json` : 'timing.json'

/** A configuration with its targets read. */
export interface PreparedDataset {
  config: DatasetConfig
  radar: Radar
  plan: DatasetPlan
  targets: ReadTarget[]
  diameterM: number
}

/** Reads the targets and plans the images. @param path  of the configuration, which files are named relative to */
export async function prepareDataset(
  config: DatasetConfig,
  { method, ...options }: RunSettings,
  path: string,
  nameOf: (setting: string) => string,
): Promise<PreparedDataset> {
  void options
  if (config.labels.includes('convergence') && method !== 'sbr')
    throw new InputError(
      `labels: with ${nameOf('method')} ${method} there are no ray tubes to coarsen; leave "convergence" out`,
    )
  const parts = config.labels.find((label) => label === 'layers' || label === 'centres')
  if (parts && method === 'mom')
    throw new InputError(
      `labels: with ${nameOf('method')} mom there is one field, without parts by mechanism; leave "${parts}" out`,
    )
  const frequencies = configFrequencies(config)
  const targets = await readTargets(config, dirname(resolve(path)))
  const diameterM = Math.max(...targets.map((t) => t.diameterM)) * (1 + 2 * config.copies.scale)
  const radar = resolveRadar(config, frequencies, diameterM)
  for (const { materials } of targets) checkBands(materials, [radarBand(radar)])
  return { config, radar, plan: await planned(config, radar), targets, diameterM }
}

/** What is known of a dataset before its first shard. */
export interface ImagesPlan extends JobPlan, PreparedDataset {
  variant: OpenedVariant
  /** By target; none of those without poses. */
  estimates: (TargetEstimate | undefined)[]
  memoryBytes: number
}

export type DatasetCaller<Plan extends JobPlan> = JobCaller<undefined, void, Plan>

/** Makes a dataset of images, or the missing part of it. @param imageWorkers  threads that form images; 0: this one. @throws as `runJob` */
export const makeImages = (
  prepared: PreparedDataset,
  settings: RunSettings,
  output: DatasetOutput,
  imageWorkers: number,
  caller: DatasetCaller<ImagesPlan>,
): Promise<DatasetPart> =>
  runWholeJob(() => openImages(prepared, settings, output, imageWorkers, caller), caller)

async function openImages(
  prepared: PreparedDataset,
  settings: RunSettings,
  output: DatasetOutput,
  imageWorkers: number,
  { hooks }: DatasetCaller<ImagesPlan>,
): Promise<Job<undefined, void, ImagesPlan, DatasetPart>> {
  const { config, radar, plan, targets, diameterM } = prepared
  const { folder, share, drawSheet } = output
  checkShardSize(config, radar, plan)
  const variant = await openVariant(config, radar, targets, plan.poses[0], settings, hooks)
  // Of the first pose; the run takes it, and closes it then.
  let first: OpenedVariant | null = variant
  try {
    const { engines } = variant
    const { device, text } = engines.facets.describe()
    const solver = stripForDataset(settings)
    const made = targets.flatMap((t) => t.materialsKey)
    const key = [
      VERSION,
      { ...config, solver: {} },
      radar,
      solver,
      device,
      targets.map((t) => t.hash),
      ...made,
    ]
    checkRoom(folder, bytesOf(config, radar, plan))
    const estimates = estimateTargets(config, radar, plan, targets, variant, settings)
    const memoryBytes =
      Math.max(...estimates.map((e) => e?.memoryBytes ?? 0)) +
      rowBytes(radar, plan, variant) +
      imageBytes(config, radar, plan, imageWorkers)
    checkMemory(
      memoryBytes,
      'take fewer frequencies, angles or pixels, a lower shardChips, or fewer --image-workers',
    )
    const { shards, kept } = shardsOf(output, plan.shards)
    let solved: { timing: DatasetTiming; seconds: number }
    let started = false
    return {
      key,
      shape: undefined,
      warnings: [...radarNotes(radar, config.product === 'chips' ? diameterM : 0), ...engines.warnings],
      plan: () => ({ ...prepared, variant, estimates, memoryBytes, kept: () => kept(started) }),
      async solve() {
        started = true
        const start = performance.now()
        const what = config.product === 'chips' ? 'images' : 'sweeps'
        const timing = await runDataset(
          {
            config,
            radar,
            plan,
            folder,
            key: keyOf(key),
            openVariant: async (pose) => {
              const opened = first
              first = null
              if (opened && pose === plan.poses[0]) return opened
              await opened?.close()
              return openVariant(config, radar, targets, pose, settings, hooks)
            },
            workers: imageWorkers,
            faults: faults({}),
            thumbnails: new Set(sheetChips(plan)),
          },
          shards,
          ({ done, total }) => hooks.progress('solve', done, total, undefined, what),
          hooks.signal,
        )
        solved = { timing, seconds: (performance.now() - start) / 1000 }
      },
      async finish() {
        const { timing, seconds } = solved
        const records = recordsOf(folder, plan)
        // Shares may end at the same time on several machines: none of them makes the last step.
        const finished = share === null && records.length === plan.shards.length
        const identity: DatasetIdentity = {
          version: VERSION,
          device,
          solver,
          meshes: targets.map((t, i) => ({
            name: config.targets[i].mesh.replace(/^.*[/\\]/, ''),
            sha256: t.hash,
            facets: t.facets,
            size_m: t.sizeM,
          })),
          materials: targets.map((t, i) => materialsRecord(config, t, i)),
          key: keyOf(key),
        }
        if (finished)
          await finishDataset(folder, { config, radar, plan, identity }, records, (rows) =>
            drawSheet(config.name, CAPTION, rows, radar.size),
          )
        const report = timingOf(text, settings.schedule, timing, seconds)
        await writeJson(folderLocation(folder), timingName(output), report)
        const warning = timing.cutOff.warning(settings.sbr.maxBounces, hooks.nameOf('maxBounces'))
        if (warning) hooks.warn(warning)
        return {
          folder,
          images: plan.poses.length * plan.realisations,
          computed: timing.images,
          shards: plan.shards.length,
          complete: records.length,
          finished,
          seconds,
          device: text,
        }
      },
      close: async () => void (await first?.close()),
    }
  } catch (error) {
    await variant.close()
    throw error
  }
}

/** Materials of a target, for the dataset's description. */
function materialsRecord(
  config: DatasetConfig,
  read: ReadTarget,
  target: number,
): DatasetIdentity['materials'][number] {
  const count = config.copies.thickness || config.copies.permittivity ? config.copies.count : 0
  return {
    names: read.materials.slice(1).map(({ name }) => name),
    ...expressionsOf(read.materials),
    copies: Array.from({ length: count }, (_, copy) => copyFactors(config, read, target, copy)),
  }
}

/** Number of aspects traced for each target: once per image, or once for all images of a shard that share them. */
export function aspectsPerTarget(config: DatasetConfig, radar: Radar, plan: DatasetPlan): number[] {
  const sums = config.targets.map(() => 0)
  for (const { poses } of plan.shards)
    poses.forEach((pose, i) => {
      const last = poses[i - 1]
      const continues =
        pose.firstAspect !== undefined &&
        last?.target === pose.target &&
        last.state === pose.state &&
        last.copy === pose.copy &&
        last.elevationDeg === pose.elevationDeg
      sums[pose.target] += continues
        ? Math.min(radar.angles, Math.abs(pose.firstAspect! - last.firstAspect!))
        : radar.angles
    })
  return sums
}

/** Approximate size of the finished dataset [bytes], within some per cent. */
export function bytesOf(config: DatasetConfig, radar: Radar, plan: DatasetPlan): number {
  const { formats, labels, channels } = config
  if (config.product === 'history')
    return 16 * radar.freqHz.length * radar.angles * channels.length * plan.poses.length * formats.length
  const pixels = radar.size[0] * radar.size[1]
  const image = 8 * pixels * channels.length
  const extra =
    (labels.includes('layers') ? 3 * image : 0) +
    (labels.includes('mask') ? pixels : 0) +
    (labels.includes('lit') ? pixels : 0) +
    (labels.includes('clean') ? image : 0) +
    (labels.includes('free') ? image : 0) +
    (labels.includes('centres') ? 36 * config.centres.count : 0)
  const size = {
    npz: image + extra + 120,
    hdf5: image + extra + 120,
    mat: image + extra + 120,
    webdataset: image + extra + 0.5 * pixels + 5000,
    sample: image + pixels + 3000,
    mstar: 2 * image + 0.5 * pixels + 3000,
    png: 0.5 * pixels,
    magnitude: 0.7 * pixels,
    cvdomes: 0,
  }
  return plan.poses.length * plan.realisations * formats.reduce((sum, f) => sum + size[f], 0)
}

/** Formats with files of single images. */
const PER_IMAGE = new Set<Format>(['sample', 'mstar', 'png', 'magnitude'])

/** Largest file that is written in one piece, and that every reader takes [bytes]. */
const LARGEST_FILE = 2 ** 31 - 2 ** 20

/** Fraction of the images in the largest shard. */
const largestShare = ({ shards, poses }: DatasetPlan): number =>
  shards.reduce((most, s) => Math.max(most, s.poses.length), 0) / poses.length

/**
 * Bytes of the images of a shard while it is formed and written, and of the images that `threads` form at a time (each with the
 * transform it comes from, twice as long a side).
 */
function imageBytes(config: DatasetConfig, radar: Radar, plan: DatasetPlan, threads: number): number {
  const shard = bytesOf(config, radar, plan) * largestShare(plan)
  const formed = config.product === 'chips' ? 16 * 5 * radar.size[0] * radar.size[1] : 0
  return 2 * shard + Math.max(1, threads) * formed
}

/** Bytes of the rows of two batches of poses: one is traced while the images of the one before are formed. */
function rowBytes(
  radar: Radar,
  plan: DatasetPlan,
  { engines, free }: Pick<Variant, 'engines' | 'free'>,
): number {
  const fields = fieldNames(engines).length + (free ? 1 : 0)
  const pose = 64 * radar.freqHz.length * fields * radar.angles
  return 2 * Math.min(plan.poses.length * pose, Math.max(BATCH_BYTES, pose))
}

/** @throws InputError where a shard's, or a sweep's, largest file would be too large */
function checkShardSize(config: DatasetConfig, radar: Radar, plan: DatasetPlan): void {
  const largest = largestShare(plan)
  const bytes = Math.max(
    ...config.formats.map((f) => bytesOf({ ...config, formats: [f] }, radar, plan) * largest),
  )
  const perChip = config.product === 'chips' && config.formats.every((f) => PER_IMAGE.has(f))
  if (bytes <= LARGEST_FILE || perChip) return
  throw new InputError(
    `files of ${(bytes / 2 ** 30).toFixed(1)} GiB are more than readers take; ${config.product === 'chips' ? 'lower shardChips' : 'take fewer azimuths, frequencies or channels'}`,
  )
}

/** @throws InputError where the disk has less room than the dataset needs */
export function checkRoom(folder: string, bytes: number): void {
  let existing = folder
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing)
  const { bavail, bsize } = statfsSync(existing)
  const free = bavail * bsize
  if (bytes > free)
    throw new InputError(
      `${folder}: the dataset takes about ${(bytes / 2 ** 30).toFixed(1)} GiB and ${(free / 2 ** 30).toFixed(1)} GiB are free; make room, or choose another --out, fewer formats or fewer images`,
    )
}

import { dirname, resolve } from 'node:path'
import { checkMemory } from '../run/estimate.js'
import type { RunSettings } from '../run/hooks.js'
import {
  type Caller as JobCaller,
  type Job,
  type JobPlan,
  keyOf,
  runWholeJob,
  type Store,
} from '../run/job.js'
import { AlreadyComplete, folderLocation, writeJson } from '../run/results.js'
import { stripForDataset } from '../run/settings/settings.js'
import { expressionsOf } from '../run/solved-run.js'
import { faults } from '../run/solver.js'
import { VERSION } from '../run/version.js'
import { checkBands } from '../scene/materials/index.js'
import { InputError, wavelength } from '../scene/index.js'
import { type DatasetConfig } from './config.js'
import { sheetChips, type SheetRow, claimDataset, type DatasetIdentity, readRecord } from './record.js'
import { bytesOf, checkRoom, checkShardSize, imageBytes, rowBytes } from './estimate.js'
import { finishDataset, recordsOf } from './finish.js'
import type { DatasetPlan } from './plan.js'
import { type Radar, radarNotes, resolveRadar } from './radar.js'
import { runDataset } from './run.js'
import { copyFactors, type ReadTarget, readTargets } from './targets.js'
import { timingOf, type DatasetTiming } from './timing.js'
import { radarBand } from './trace.js'
import {
  configFrequencies,
  estimateTargets,
  type OpenedVariant,
  openVariant,
  planned,
  type TargetEstimate,
} from './variant.js'

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
  // The band does not depend on the targets' size.
  const { freqHz } = resolveRadar(config, frequencies, 1)
  const targets = await readTargets(config, dirname(resolve(path)), wavelength(Math.max(...freqHz)))
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
          await finishDataset(folder, config, radar, plan, identity, records, (rows) =>
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

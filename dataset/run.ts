import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { ARRAY_ENDINGS, encodeArrays, fieldAttributes, vector } from '../formats/index.js'
import { type FaultOptions, WorkerPool } from '../parallel/worker-pool.js'
import { InputError } from '../scene/index.js'
import { cvdomesFile, type DatasetFile, greyLevels } from './chip-formats.js'
import { type ChipTask, chipTasks, type TimedChips } from './chip.js'
import type { DatasetConfig } from './config.js'
import type { DatasetPlan, Pose, Radar, Shard } from './plan.js'
import { missingShards, partialFolder, type ShardRecord, writeFiles, writeRecord } from './record.js'
import { chipRecords, type MadeLook, peakDbsm, shardArrays, shardFiles, stateAngle } from './shard-data.js'
import {
  addTimes,
  batchesOf,
  type DatasetTiming,
  emptyTiming,
  poseFields,
  traceBatch,
  type Traced,
  type Variant,
} from './trace.js'

/** The files of a whole sweep. */
async function sweepFiles(
  config: DatasetConfig,
  plan: DatasetPlan,
  { split, poses: [pose] }: Shard,
  traced: Traced,
): Promise<DatasetFile[]> {
  const { job } = traced
  const band = job.bands[0]
  const { fields } = poseFields(traced, job.aspects.map((_, a) => a), config.channels) // prettier-ignore
  const freqHz = Float64Array.from({ length: band.n }, (_, i) => band.f0 + i * band.df)
  const azimuthDeg = Float64Array.from(job.aspects, (a) => a.tx.phiDeg)
  const size = 2 * band.n * azimuthDeg.length
  const f = Object.fromEntries(
    config.channels.map((channel, c) => [channel, fields.total.subarray(c * size, (c + 1) * size)]),
  )
  const label = plan.classes[plan.classOf[pose.target]]
  const state = config.targets[pose.target].articulation ? `_state${stateAngle(config, pose).toFixed(1)}` : ''
  const copied = config.copies.count > 1 ? `_copy${pose.copy}` : ''
  const stem = `${plan.names[pose.target]}${state}${copied}_el${pose.elevationDeg.toFixed(4)}`
  const at = (format: string): string => [format, split, label, stem].filter(Boolean).join('/')
  const arrays = {
    ...Object.fromEntries(
      Object.entries(f).map(([channel, data]) => [
        `f_${channel}`,
        { data, shape: [band.n, azimuthDeg.length], dtype: '<c16' as const },
      ]),
    ),
    freq_hz: vector(freqHz),
    azimuth_deg: vector(azimuthDeg),
    elevation_deg: vector(Float64Array.of(pose.elevationDeg)),
  }
  const files: DatasetFile[] = []
  for (const format of config.formats) {
    if (format === 'cvdomes')
      files.push({
        path: `${at('cvdomes')}.mat`,
        data: cvdomesFile({ freqHz, azimuthDeg, elevationDeg: pose.elevationDeg, f }),
      })
    if (format === 'npz' || format === 'hdf5' || format === 'mat')
      files.push({
        path: `${at(format)}.${ARRAY_ENDINGS[format]}`,
        data: await encodeArrays(format, arrays, fieldAttributes(job.phaseCentre)),
      })
  }
  return files
}

/** Forms images. */
type ChipPool = WorkerPool<ChipTask, TimedChips>

interface DatasetRun {
  config: DatasetConfig
  radar: Radar
  plan: DatasetPlan
  folder: string
  /** Identifies what the run computes; rows of another key are not resumed. */
  key: string
  /** Opens the engines of a target in one state and copy; the previous ones are closed. */
  openVariant: (pose: Pose) => Promise<Variant>
  /** Threads that form images; 0: this one. */
  workers: number
  /** Called for threads that fail or hang. */
  faults: FaultOptions
  /** Numbers of the images of the contact sheet. */
  thumbnails: ReadonlySet<number>
}

interface DatasetProgress {
  /** Images (of sweeps: aspects) computed so far, and in total, of the shards of this run. */
  done: number
  total: number
}

const NO_ROOM = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/**
 * Makes the missing shards, one after the other. A shard's files are written under temporary names and renamed, and
 * its record comes last: killed at any moment, a run with the same key continues and ends with the same bytes. Rows of
 * finished aspects are stored too, so that little is computed twice.
 * @throws InputError when the disk is full; rejects with the engines' failure or the signal's reason
 */
export async function runDataset(
  run: DatasetRun,
  shards: Shard[],
  onProgress: (progress: DatasetProgress) => void,
  signal?: AbortSignal,
): Promise<DatasetTiming> {
  const timing = emptyTiming()
  const images = run.config.product === 'chips' ? shards.reduce((n, { poses }) => n + poses.length, 0) : 0
  const pool: ChipPool = new WorkerPool({
    what: 'images',
    workers: Math.min(run.workers, images),
    data: undefined,
    tasks: chipTasks,
    ...run.faults,
  })
  const current: { key: string; variant: Variant | null } = { key: '', variant: null }
  const variantOf = async (pose: Pose): Promise<Variant> => {
    const key = `${pose.target} ${pose.state} ${pose.copy}`
    if (current.key !== key) {
      await current.variant?.close()
      current.variant = null
      current.variant = await run.openVariant(pose)
      current.key = key
    }
    return current.variant!
  }
  const sizeOf = ({ poses }: Shard): number => poses.length * run.plan.realisations
  const sizes = (list: Shard[]): number => list.reduce((sum, shard) => sum + sizeOf(shard), 0)
  const missing = missingShards(run.folder, shards)
  const total = sizes(shards)
  let shown = 0
  const show = (done: number): void => {
    shown = Math.max(shown, done)
    onProgress({ done: shown, total })
  }
  // A shard is formed and written while the next one is traced.
  let last: Promise<void> = Promise.resolve()
  let before = total - sizes(missing)
  try {
    show(before)
    for (const shard of missing) {
      signal?.throwIfAborted()
      const at = before
      const size = sizeOf(shard)
      before += size
      const partial = partialFolder(run.folder, shard)
      const complete = (): void => {
        rmSync(partial, { recursive: true, force: true })
        show(at + size)
      }
      const finish = await traceShard(run, shard, partial, { variantOf, pool, timing, signal }, (part) =>
        show(at + Math.min(size - 1, Math.floor(part * size))),
      )
      await last
      last = finish().then(complete)
      // If the next shard fails first, this one's failure must not be an unhandled rejection.
      last.catch(() => {})
    }
    await last
  } catch (error) {
    throw signal?.aborted ? signal.reason : roomError(error, run.folder)
  } finally {
    await last.catch(() => {})
    await pool.close()
    await current.variant?.close()
  }
  return timing
}

/** A full disk as an error that the user can fix: finished parts are kept. */
function roomError(error: unknown, folder: string): unknown {
  const code =
    (error as NodeJS.ErrnoException).code ?? ((error as Error).cause as NodeJS.ErrnoException)?.code
  if (!NO_ROOM.has(code ?? '')) return error
  return new InputError(
    `${folder}: no space left (${code}); finished parts are kept: free some space, then continue with --resume`,
    { cause: error },
  )
}

/** What the shards of a call share. */
interface Making {
  variantOf: (pose: Pose) => Promise<Variant>
  pool: ChipPool
  timing: DatasetTiming
  signal: AbortSignal | undefined
}

/** Traces a shard's aspects; the returned function forms the remaining images, and writes them. */
async function traceShard(
  run: DatasetRun,
  shard: Shard,
  partial: string,
  making: Making,
  onPart: (part: number) => void,
): Promise<() => Promise<void>> {
  const { variantOf, timing, signal } = making
  const { config, radar } = run
  const fields = fieldCount(config)
  const made: MadeLook[] = []
  let forming: Promise<MadeLook[]> = Promise.resolve([])
  const batches = batchesOf(shard.poses, config, radar, fields)
  let sweep: Traced | null = null
  try {
    for (const [b, batch] of batches.entries()) {
      const variant = await variantOf(batch.poses[0])
      const traced = await traceBatch(
        variant,
        radar,
        batch,
        { folder: join(partial, String(b)), key: `${run.key} ${shard.index} ${b}` },
        (done, of) => onPart((made.length + (batch.poses.length * done) / of) / shard.poses.length),
        signal,
      )
      addTimes(timing, traced, run, variant.engines.schedule, batch.poses[0])
      if (config.product === 'history') sweep = traced
      else {
        made.push(...(await forming))
        forming = formBatch(run, variant, batch, traced, making)
        // If the next batch fails first, this one's failure must not be an unhandled rejection.
        forming.catch(() => {})
      }
    }
  } catch (error) {
    await forming.catch(() => {})
    throw error
  }
  return async () => {
    made.push(...(await forming))
    await writeShard(run, shard, made, sweep, timing)
  }
}

async function writeShard(
  run: DatasetRun,
  shard: Shard,
  made: MadeLook[],
  sweep: Traced | null,
  timing: DatasetTiming,
): Promise<void> {
  const { config, radar, plan } = run
  const start = performance.now()
  const files = sweep ? await sweepFiles(config, plan, shard, sweep) : null
  let record: Omit<ShardRecord, 'files'> = {
    index: shard.index,
    name: shard.name,
    split: shard.split,
    first: shard.poses[0].number * plan.realisations,
    count: files ? 0 : shard.poses.length * plan.realisations,
    peakDbsm: [],
    thumbnails: {},
  }
  let list = files
  if (!list) {
    const arrays = shardArrays(config, radar, plan, made)
    const records = chipRecords(config, radar, plan, shard.split, arrays)
    list = await shardFiles(config, shard.name, arrays, records)
    record = {
      ...record,
      peakDbsm: records.map((r) => peakDbsm(r.image, r.rows, r.cols)),
      thumbnails: Object.fromEntries(
        records
          .filter((r) => run.thumbnails.has(r.chip))
          .map((r) => [
            r.chip,
            Buffer.from(greyLevels(r.image, r.rows, r.cols, 'decibel')).toString('base64'),
          ]),
      ),
    }
  }
  const entries = await writeFiles(run.folder, list)
  await writeRecord(run.folder, { ...record, files: entries })
  timing.images += record.count
  timing.writing += (performance.now() - start) / 1000
}

/** Largest number of fields of a row. */
const fieldCount = ({ labels }: DatasetConfig): number =>
  1 +
  (labels.includes('layers') || labels.includes('centres') ? 2 : 0) +
  (labels.includes('convergence') ? 1 : 0) +
  (labels.includes('free') ? 1 : 0)

async function formBatch(
  { config, radar, plan }: DatasetRun,
  variant: Variant,
  batch: { poses: Pose[]; numbers: number[][] },
  traced: Traced,
  { pool, timing, signal }: Making,
): Promise<MadeLook[]> {
  const { scene, edges, phaseCentre } = variant
  const geometric =
    config.ground !== undefined ||
    config.labels.some((l) => l === 'mask' || l === 'facets' || l === 'centres')
  return Promise.all(
    batch.poses.map(async (pose, i) => {
      const { fields, counts } = poseFields(traced, batch.numbers[i], config.channels)
      const task: ChipTask = {
        config,
        radar,
        pose,
        realisations: plan.realisations,
        phaseCentre,
        fields,
        ...(geometric && { scene, ...(edges && { edges }) }),
      }
      const { seconds, ...result } = await pool.run(task, signal)
      timing.forming += seconds
      return { pose, result, counts }
    }),
  )
}

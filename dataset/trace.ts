import { join } from 'node:path'
import type { EdgeScene } from '../cpu-diffraction/index.js'
import type { Aspect, Band, Vec3 } from '../scene/index.js'
import { type Channel, CHANNELS, type RayScene } from '../rays/index.js'
import { coarserName, fieldNames } from '../run/sweep/aspect-solver.js'
import type { AspectDetail, Engines } from '../run/sweep/engines.js'
import { RowStore } from '../run/sweep/row-store.js'
import { runSweep } from '../run/sweep/sweep.js'
import { rowField, rowLength, rowReport, type SweepJob } from '../run/sweep/rows.js'
import type { DatasetConfig } from './config.js'
import { looksOf } from './imager.js'
import type { Pose } from './plan.js'
import type { Radar } from './radar.js'

/** A target in one state and copy, prepared for tracing. */
export interface Variant {
  scene: RayScene
  /** Diffracting edges, for labels. */
  edges: EdgeScene | null
  phaseCentre: Vec3
  engines: Engines
  /** For labels: those of the target in free space. */
  free?: Engines
  /** Called with the aspects of each batch, for clusters. */
  progress?: (done: number, total: number) => void
  close: () => Promise<void>
}

/** Fewer rays per wavelength, for the estimate of convergence. */
export const COARSER = 0.5

/** Poses of one variant that are traced in one sweep, and the aspects that they need. */
export interface Batch {
  poses: Pose[]
  aspects: Aspect[]
  /** Per pose the numbers of its aspects. */
  numbers: number[][]
}

/** Rows of a batch that are kept in memory at once [bytes]. */
export const BATCH_BYTES = 2 ** 27

export const radarBand = ({ freqHz }: Radar): Band => ({
  f0: freqHz[0],
  df: (freqHz[freqHz.length - 1] - freqHz[0]) / (freqHz.length - 1),
  n: freqHz.length,
})

/** Divides a shard's poses, in their order, into batches. @param fields  number of fields of a row */
export function batchesOf(poses: Pose[], config: DatasetConfig, radar: Radar, fields: number): Batch[] {
  const most = Math.max(1, Math.floor(BATCH_BYTES / (64 * radar.freqHz.length * fields * radar.angles)))
  const batches: Batch[] = []
  let group: Pose[] = []
  const close = (): void => {
    if (group.length) batches.push(batchOf(group, config, radar))
    group = []
  }
  for (const pose of poses) {
    const last = group.at(-1)
    const goesOn =
      last?.target === pose.target &&
      last.state === pose.state &&
      last.copy === pose.copy &&
      (pose.firstAspect === undefined || last.elevationDeg === pose.elevationDeg)
    if (!goesOn || group.length >= most) close()
    group.push(pose)
  }
  close()
  return batches
}

function batchOf(poses: Pose[], config: DatasetConfig, radar: Radar): Batch {
  const aspects: Aspect[] = []
  /** Shared aspects by their numbers in the sweep. */
  const known = new Map<number, number>()
  const numbers = poses.map((pose) =>
    looksOf(config, radar, pose).directions.map((d, m) => {
      const g = pose.firstAspect === undefined ? undefined : pose.firstAspect + m
      const there = g === undefined ? undefined : known.get(g)
      if (there !== undefined) return there
      if (g !== undefined) known.set(g, aspects.length)
      return aspects.push({ tx: d, rx: d }) - 1
    }),
  )
  return { poses, aspects, numbers }
}

/** The rows of a batch, and their timings. */
export interface Traced {
  job: SweepJob
  names: string[]
  store: RowStore
  details: Map<number, AspectDetail>
  /** The same in free space, for labels. */
  free?: Traced
}

/**
 * Computes a batch, resuming with the rows stored in `folder`. Rejects with the engines' failure or the signal's reason.
 */
export async function traceBatch(
  variant: Variant,
  radar: Radar,
  batch: Batch,
  folder: string,
  key: string,
  onAspects: (done: number, total: number) => void,
  signal?: AbortSignal,
): Promise<Traced> {
  const job: SweepJob = {
    aspects: batch.aspects,
    bands: [radarBand(radar)],
    phaseCentre: variant.phaseCentre,
  }
  const parts = variant.free ? 2 : 1
  const traced = await traceJob(
    variant.engines,
    job,
    folder,
    key,
    (done, total) => {
      variant.progress?.(done, total)
      onAspects(done, parts * total)
    },
    signal,
  )
  if (!variant.free) return traced
  const onFree = (done: number, total: number): void => onAspects(total + done, 2 * total)
  return { ...traced, free: await traceJob(variant.free, job, join(folder, 'free'), key, onFree, signal) }
}

async function traceJob(
  engines: Engines,
  job: SweepJob,
  folder: string,
  key: string,
  onAspects: (done: number, total: number) => void,
  signal: AbortSignal | undefined,
): Promise<Traced> {
  const names = fieldNames(engines)
  const store = await RowStore.open(folder, key, rowLength(job, names.length), true)
  try {
    const details = await runSweep(engines, job, store, ({ done, total }) => onAspects(done, total), signal)
    return { job, names, store, details }
  } finally {
    store.close()
  }
}

/** Fields of a pose, [channel][frequency][aspect], by name, and the sums of its aspects' counts. */
export function poseFields(
  { job, names, store, free }: Traced,
  numbers: number[],
  channels: Channel[],
): {
  fields: Record<string, Float64Array>
  counts: { tubes: number; contributions: number; segments: number }
} {
  const rows = numbers.map((a) => store.rows.get(a)!)
  const n = job.bands[0].n
  const fields: Record<string, Float64Array> = Object.fromEntries(
    names.map((name, i) => {
      const out = new Float64Array(2 * channels.length * n * rows.length)
      rows.forEach((row, m) => {
        const field = rowField(job, row, i)
        channels.forEach((channel, c) => {
          const from = 2 * CHANNELS.indexOf(channel)
          for (let f = 0; f < n; f++) {
            const to = 2 * ((c * n + f) * rows.length + m)
            out[to] = field[8 * f + from]
            out[to + 1] = field[8 * f + from + 1]
          }
        })
      })
      return [name === coarserName(COARSER) ? 'coarser' : name, out]
    }),
  )
  if (free) fields.free = poseFields(free, numbers, channels).fields.total
  const counts = { tubes: 0, contributions: 0, segments: 0 }
  for (const row of rows) {
    const report = rowReport(row)
    for (const key of ['tubes', 'contributions', 'segments'] as const) counts[key] += report[key]
  }
  return { fields, counts }
}

import { join } from 'node:path'
import type { EdgeScene } from '../cpu-diffraction/index.js'
import { type Channel, CHANNELS, type RayScene } from '../rays/index.js'
import { coarserName, fieldNames } from '../run/sweep/aspect-solver.js'
import {
  type AngleTiming,
  angleTiming,
  CutOffPower,
  rowField,
  rowLength,
  rowReport,
  type SweepJob,
} from '../run/sweep/rows.js'
import type { AspectDetail, Engines } from '../run/sweep/engines.js'
import { RowStore } from '../run/sweep/row-store.js'
import { runSweep } from '../run/sweep/sweep.js'
import type { Aspect, Band, Vec3 } from '../scene/index.js'
import type { DatasetConfig } from './config.js'
import { looksOf } from './imager.js'
import type { DatasetPlan, Pose, Radar } from './plan.js'
import { stateAngle } from './shard-data.js'

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
interface Batch {
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
  { folder, key }: { folder: string; key: string },
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

/** Most aspects listed: the list of a large dataset would be larger than its images. */
const MOST_ANGLES = 10_000

/** `AngleTiming` of an aspect of a dataset: with the target that was traced, as `chips.csv` names it. */
interface DatasetAngle extends AngleTiming {
  target: string
  state_deg: number
  copy: number
}

/** Seconds and counts of what this process computed. */
export interface DatasetTiming {
  images: number
  aspects: number
  trace: number
  field: number
  reduction: number
  prepare: number
  evaluate: number
  /** Of all threads together: forming images and labels. */
  forming: number
  writing: number
  /** The first 10,000 aspects. */
  perAngle: DatasetAngle[]
  /** Power cut off by the bounce limit. */
  cutOff: CutOffPower
}

export const emptyTiming = (): DatasetTiming => ({
  images: 0,
  aspects: 0,
  trace: 0,
  field: 0,
  reduction: 0,
  prepare: 0,
  evaluate: 0,
  forming: 0,
  writing: 0,
  perAngle: [],
  cutOff: new CutOffPower(),
})

const BUSY = ['trace', 'field', 'reduction', 'prepare', 'evaluate'] as const

function addReport(timing: DatasetTiming, report: Record<(typeof BUSY)[number], number>): void {
  for (const key of BUSY) timing[key] += report[key]
}

/** Adds the times of a batch, without rows that it was resumed with. @param pose  any pose of the batch */
export function addTimes(
  timing: DatasetTiming,
  { job, store, details, free }: Traced,
  { config, plan }: { config: DatasetConfig; plan: DatasetPlan },
  schedule: string,
  pose: Pose,
): void {
  timing.aspects += details.size
  const target = {
    target: plan.names[pose.target],
    state_deg: stateAngle(config, pose),
    copy: pose.copy,
  }
  for (const [number, detail] of [...details].sort(([a], [b]) => a - b)) {
    const report = rowReport(store.rows.get(number)!)
    addReport(timing, report)
    timing.cutOff.add(job.aspects[number], report)
    if (timing.perAngle.length < MOST_ANGLES)
      timing.perAngle.push({ ...target, ...angleTiming(schedule, job.aspects[number], report, detail) })
  }
  for (const number of free?.details.keys() ?? []) addReport(timing, rowReport(free!.store.rows.get(number)!))
}

/** What `timing.json` of a dataset holds [s]. */
export function timingOf(
  device: string,
  schedule: string,
  t: DatasetTiming,
  total: number,
): Record<string, unknown> {
  const { trace, field, reduction, prepare, evaluate } = t
  const gpuBusy = trace + field + reduction
  const cpuBusy = prepare + evaluate
  return {
    device,
    schedule,
    steps: {
      ray_tube_tracing: trace,
      electromagnetic_computing: field,
      reduction,
      frequency_independent_diffraction: prepare,
      frequency_dependent_diffraction: evaluate,
    },
    total,
    gpu_busy: gpuBusy,
    cpu_busy: cpuBusy,
    wait: Math.max(0, total - Math.max(gpuBusy, cpuBusy)),
    per_angle: t.perAngle,
    dataset: {
      images: t.images,
      aspects: t.aspects,
      images_per_hour: t.images > 0 ? (3600 * t.images) / total : null,
      forming_seconds: t.forming,
      writing_seconds: t.writing,
      power_cut_off: t.cutOff.record,
    },
  }
}

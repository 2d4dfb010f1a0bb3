import { CutOffPower } from '../run/sweep/cut-off.js'
import { rowReport } from '../run/sweep/rows.js'
import { type AngleTiming, angleTiming } from '../run/sweep/timing.js'
import type { DatasetConfig } from './config.js'
import type { DatasetPlan, Pose } from './plan.js'
import { stateAngle } from './shard-data.js'
import type { Traced } from './trace.js'

/** Most aspects listed: the list of a large dataset would be larger than its images. */
const MOST_ANGLES = 10_000

/** `AngleTiming` of an aspect of a dataset: with the target that was traced, as `chips.csv` names it. */
export interface DatasetAngle extends AngleTiming {
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

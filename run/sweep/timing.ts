import type { Aspect } from '../../scene/index.js'
import type { AspectDetail, Engines } from './engines.js'
import { type AspectReport, rowReport } from './rows.js'

/** The timing report of a run (`timing.json`). Seconds; steps as in paper 003, Table 1. */
export interface TimingReport {
  device: string
  schedule: string
  steps: {
    ray_tube_tracing: number
    electromagnetic_computing: number
    reduction: number
    frequency_independent_diffraction: number
    frequency_dependent_diffraction: number
  }
  total: number
  /** Busy time of the SBR side: the GPU's kernels, or all worker threads together where `device` is the cpu. */
  gpu_busy: number
  cpu_busy: number
  /** Time of the run minus the busier side's busy time, at least 0. */
  wait: number
  /** With --cluster; see `ClusterTiming`. */
  cluster?: ClusterTiming
  per_angle: AngleTiming[]
}

/** Times of an aspect [s]: busy times, and those of its sub-grids where known. */
export interface AngleTiming {
  theta_deg: number
  phi_deg: number
  schedule: string
  sbr_seconds: number
  diffraction_seconds: number
  sub_grid_seconds: number[]
  edges_per_sub_grid: number[]
  diffraction_seconds_per_sub_grid: number[]
}

/** How the work of a run was distributed; the steps above are then device time summed over the workers. */
export interface ClusterTiming {
  target: string
  workers: string[]
  distribute: string
  /** Aspects whose aperture was divided among workers; `efficiency`: sum of the times of their parts over the number of workers times the longest. */
  shared_angles: number
  efficiency: number | null
  /** Units of work that were resent. */
  resent: number
}

/**
 * Builds the report from the rows of a run; `total` is the wall time of the sweep in this process [s]. Sub-grids are listed
 * for the aspects that this process computed, not for those it resumed with.
 */
export function timingReport(
  engines: Engines,
  aspects: Aspect[],
  rows: ReadonlyMap<number, Float64Array>,
  details: ReadonlyMap<number, AspectDetail>,
  total: number,
): TimingReport {
  const reports = aspects.map((_, i) => rowReport(rows.get(i)!))
  const sum = (key: keyof AspectReport): number => reports.reduce((a, r) => a + r[key], 0)
  const gpuBusy = sum('trace') + sum('field') + sum('reduction')
  const cpuBusy = sum('prepare') + sum('evaluate')
  return {
    device: engines.facets.describe().text,
    schedule: engines.schedule,
    steps: {
      ray_tube_tracing: sum('trace'),
      electromagnetic_computing: sum('field'),
      reduction: sum('reduction'),
      frequency_independent_diffraction: sum('prepare'),
      frequency_dependent_diffraction: sum('evaluate'),
    },
    total,
    gpu_busy: gpuBusy,
    cpu_busy: cpuBusy,
    wait: Math.max(0, total - Math.max(gpuBusy, cpuBusy)),
    per_angle: reports.map((r, i) => angleTiming(engines.schedule, aspects[i], r, details.get(i))),
  }
}

/** @param detail  absent for an aspect that another process computed */
export const angleTiming = (
  schedule: string,
  { tx }: Aspect,
  r: AspectReport,
  detail?: AspectDetail,
): AngleTiming => ({
  theta_deg: tx.thetaDeg,
  phi_deg: tx.phiDeg,
  schedule,
  sbr_seconds: r.trace + r.field + r.reduction,
  diffraction_seconds: r.prepare + r.evaluate,
  sub_grid_seconds: detail?.partSeconds ?? [],
  edges_per_sub_grid: detail?.edgesPerPart ?? [],
  diffraction_seconds_per_sub_grid: detail?.edgeSecondsPerPart ?? [],
})

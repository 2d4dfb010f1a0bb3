import { MAX_BOUNCES, optionsOfStep } from '../../rays/index.js'
import { bandsOfSteps } from '../../scene/band.js'
import { type Aspect, type Band, dot, frequency, type Vec3, wavenumber } from '../../scene/index.js'
import { type AspectDetail, type Engines, isFullWave } from './engines.js'

/** Seconds and counts of one aspect. Times are busy times (per thread where several share the work), `total` is wall time. */
export interface AspectReport {
  trace: number
  field: number
  reduction: number
  /** Frequency-independent and frequency-dependent part of edge diffraction. */
  prepare: number
  evaluate: number
  total: number
  tubes: number
  leaves: number
  contributions: number
  /** Aperture of the contributing tubes, and of those still inside the target at the bounce limit (`AspectStatistics`), in tubes. */
  lit: number
  cutOff: number
  segments: number
}

export const emptyReport = (): AspectReport => ({
  trace: 0,
  field: 0,
  reduction: 0,
  prepare: 0,
  evaluate: 0,
  total: 0,
  tubes: 0,
  leaves: 0,
  contributions: 0,
  lit: 0,
  cutOff: 0,
  segments: 0,
})

export const REPORT_KEYS = Object.keys(emptyReport()) as (keyof AspectReport)[]

export const frequencyTotal = (job: SweepJob): number => job.bands.reduce((n, b) => n + b.n, 0)

/** Length of a row, at the most where some bounces may be missing: per field 8 numbers per frequency (re, im of VV HH VH HV), then the report. */
export const rowLength = (job: SweepJob, fields: number): number =>
  8 * frequencyTotal(job) * fields + REPORT_KEYS.length

/** Field number `index` of a row, F [m]. */
export function rowField(job: SweepJob, row: Float64Array, index = 0): Float64Array {
  const size = 8 * frequencyTotal(job)
  return row.subarray(index * size, (index + 1) * size)
}

export function rowReport(row: Float64Array): AspectReport {
  const report = emptyReport()
  const from = row.length - REPORT_KEYS.length
  REPORT_KEYS.forEach((key, i) => (report[key] = row[from + i]))
  return report
}

/** Fields of a row. */
export const rowFields = (job: SweepJob, row: Float64Array): number =>
  (row.length - REPORT_KEYS.length) / (8 * frequencyTotal(job))

/** Where finished rows are kept: on disk (`RowStore`) or in memory. */
export interface Rows {
  readonly rows: ReadonlyMap<number, Float64Array>
  /** Stores a row permanently. */
  add: (row: number, values: Float64Array) => void
}

/** Rows in memory alone. */
export function memoryRows(): Rows {
  const rows = new Map<number, Float64Array>()
  return { rows, add: (row, values) => void rows.set(row, values) }
}

export interface SweepProgress {
  done: number
  total: number
  /** Aspects just finished, whose report is in the row of the first; none at the start. */
  finished: number[]
  /** What is counted. */
  what: string
}

/** @throws Error naming channel, frequency and aspect of an amplitude that is NaN or infinite: such a result must not be written */
export function checkFinite(field: Float64Array, name: string, { tx, rx }: Aspect, band: Band): void {
  const at = field.findIndex((x) => !Number.isFinite(x))
  if (at < 0) return
  const channel = ['VV', 'HH', 'VH', 'HV'][Math.floor((at % 8) / 2)]
  const receiver = tx === rx ? '' : `, received at theta ${rx.thetaDeg}, phi ${rx.phiDeg}`
  throw new Error(
    `the field "${name}" is ${field[at]} in ${channel} at ${frequency(band, Math.floor(at / 8))} Hz, theta ${tx.thetaDeg}, phi ${tx.phiDeg}${receiver}: the aspect is not stored; please report this target`,
  )
}

/** Refers the phase to `centre` instead of the mesh's origin: F exp(-jk (r_tx + r_rx) . centre). */
export function movePhaseCentre(field: Float64Array, band: Band, aspect: Aspect, centre: Vec3): void {
  const path = dot(aspect.tx.r, centre) + dot(aspect.rx.r, centre)
  if (path === 0) return
  for (let n = 0; n < band.n; n++) {
    const angle = -wavenumber(frequency(band, n)) * path
    const [c, s] = [Math.cos(angle), Math.sin(angle)]
    for (let o = 8 * n; o < 8 * n + 8; o += 2) {
      const re = field[o]
      field[o] = re * c - field[o + 1] * s
      field[o + 1] = re * s + field[o + 1] * c
    }
  }
}

/** What a run computes: the fields of every aspect over every band. */
export interface SweepJob {
  aspects: Aspect[]
  /** Uniform bands; their frequencies follow one another in a row's fields. */
  bands: Band[]
  /** Point that phases are referred to [m]. */
  phaseCentre: Vec3
  /** Groups of aspect numbers, each extrapolated from its middle aspect (`extrapolateAspects`); absent: rays are traced at every aspect. */
  groups?: number[][]
}

/**
 * The job with every band divided into those of one step each (`bandsOfSteps`), as rays, edges and curved patches take it. A raster's pixels do not
 * depend on the frequency, and full wave solves each alone: their bands stay whole.
 */
export const inSteps = (
  { facets, edges, meshOfStep }: Pick<Engines, 'facets' | 'edges' | 'meshOfStep'>,
  job: SweepJob,
): SweepJob =>
  !edges && !meshOfStep && ('raster' in facets || isFullWave(facets))
    ? job
    : { ...job, bands: job.bands.flatMap(bandsOfSteps) }

/** The engines with the rays of a band of one step. */
export const atStep = <E extends Engines>(engines: E, band: Band): E => ({
  ...engines,
  options: optionsOfStep(engines.options, band),
})

/**
 * Share of an aspect's power up to which there is no warning. Measured against runs of 20 and 32 bounces (docs/limits.md): .4 and .6 % changed no
 * RCS by more than .2 dB, 1.7 to 4 % changed some by 1 to 4 dB.
 */
const WARN_FROM = 0.01

/**
 * Power cut off by the bounce limit: that of the tubes whose central ray hits the target again after the last reflection
 * followed, over that of all contributing tubes. A tube carries power in proportion to its aperture, and a perfect conductor absorbs
 * none. Where this power leaves the target is unknown; it is not a bound of the error of the RCS.
 */
export class CutOffPower {
  private lit = 0
  private cutOff = 0
  /** Largest share of one aspect, and that aspect. */
  private most = 0
  private at: Aspect | null = null

  add(aspect: Aspect, { lit, cutOff }: Pick<AspectReport, 'lit' | 'cutOff'>): void {
    this.lit += lit
    this.cutOff += cutOff
    if (cutOff <= this.most * lit) return
    this.most = cutOff / lit
    this.at = aspect
  }

  /** Share of the aspects' power all together, 0 to 1. */
  get share(): number {
    return this.lit > 0 ? this.cutOff / this.lit : 0
  }

  /** For `meta.json`. */
  get record(): { mean: number; most: number; theta_deg?: number; phi_deg?: number } {
    const { share: mean, most, at } = this
    return { mean, most, ...(at && { theta_deg: at.tx.thetaDeg, phi_deg: at.tx.phiDeg }) }
  }

  /**
   * One line where some aspect's share is above 1 %. No warning with a limit of one bounce, which means physical optics alone.
   * @param setting  how the limit is set, e.g. `--max-bounces`
   */
  warning(maxBounces: number, setting: string): string | null {
    const { most, at, share } = this
    if (maxBounces === 1 || most <= WARN_FROM || !at) return null
    const { thetaDeg, phiDeg } = at.tx
    const advice =
      maxBounces < MAX_BOUNCES
        ? `raise ${setting} (to ${Math.min(2 * maxBounces, MAX_BOUNCES)}, at most ${MAX_BOUNCES})`
        : `${MAX_BOUNCES} is the most that can be followed, so cavities are not resolved`
    return `${percent(most)} of the power that hits the target at theta ${degrees(thetaDeg)}, phi ${degrees(phiDeg)} (${percent(share)} over all aspects) would hit it again after bounce ${maxBounces}, where rays end; ${advice}`
  }
}

/** To a hundredth: directions drawn at random have all their digits. */
const degrees = (x: number): number => Number(x.toFixed(2))
const percent = (x: number): string => `${Number((100 * x).toPrecision(2))} %`

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

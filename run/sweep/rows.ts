import { optionsOfStep } from '../../rays/index.js'
import { bandsOfSteps } from '../../scene/band.js'
import { type Aspect, type Band, dot, frequency, type Vec3, wavenumber } from '../../scene/index.js'
import { type Engines, isFullWave } from './engines.js'

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
  { facets, edges, size, meshOfStep }: Pick<Engines, 'facets' | 'edges' | 'size' | 'meshOfStep'>,
  job: SweepJob,
): SweepJob =>
  !edges && !meshOfStep && ('raster' in facets || isFullWave(facets))
    ? job
    : { ...job, bands: job.bands.flatMap((band) => bandsOfSteps(band, size)) }

/** The engines with the rays of a band of one step. */
export const atStep = <E extends Engines>(engines: E, band: Band): E => ({
  ...engines,
  options: optionsOfStep(engines.options, band, engines.size),
})

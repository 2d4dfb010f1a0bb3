import {
  type Aspect,
  type Band,
  dot,
  frequency,
  isMonostatic,
  type Vec3,
  wavenumber,
} from '../scene/index.js'
import { type AspectField, symmetrise } from '../rays/index.js'
import { emptyReport, fieldNames, solveAspect, type AspectReport } from './aspect-solver.js'
import { type AspectDetail, type AspectTimings, type Engines, waysOf } from './engines.js'
import { extrapolateAspects } from './aspect-extrapolation.js'
import { eachInFlight, stoppable } from './in-flight.js'
import { runningAhead } from './run-ahead.js'
import type { SweepJob } from './sweep-job.js'

export { symmetrise }

const REPORT_KEYS = Object.keys(emptyReport()) as (keyof AspectReport)[]

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
}

/**
 * Computes the rows missing from the store and stores each as soon as it is finished: a few aspects in flight under the
 * overlapped schedule, one after the other under the paper's. Rejects with the first failure or with the signal's reason;
 * rows finished by then are in the store.
 *
 * @returns timings of the aspects computed by this call, by aspect number; those of a group of extrapolated aspects under its first number
 */
export async function runSweep(
  engines: Engines,
  job: SweepJob,
  store: Rows,
  onProgress: (progress: SweepProgress) => void,
  signal?: AbortSignal,
): Promise<Map<number, AspectDetail>> {
  const details = new Map<number, AspectDetail>()
  let previous: AspectTimings | null = null
  const sweep = stoppable(signal)
  const isLeft = (i: number): boolean => !store.rows.has(i)
  const ways = job.aspects.map((aspect) => waysOf(engines, aspect))
  const left = ways.filter((_, i) => isLeft(i)).flat()
  const { engines: run, inFlight } = runningAhead(engines, job, left, sweep.signal)
  const report = (finished: number[]): void =>
    onProgress({ done: store.rows.size, total: job.aspects.length, finished })
  const groups = job.groups ?? job.aspects.map((_, i) => [i])
  report([])
  const work = async (group: number[]): Promise<void> => {
    if (group.length > 1) {
      const { rows, detail } = await extrapolatedRows(run, job, group, sweep.signal)
      details.set(group[0], detail)
      group.forEach((i, m) => isLeft(i) && store.add(i, rows[m]))
    } else {
      const [i] = group
      const { row, detail, timings } = await aspectRow(run, job, ways[i], previous, sweep.signal)
      previous = timings
      details.set(i, detail)
      // A row that arrives after the run has failed is still valid.
      store.add(i, row)
    }
    report(group)
  }
  try {
    await eachInFlight(
      groups.filter((group) => group.some(isLeft)),
      inFlight,
      sweep,
      work,
    )
  } catch (error) {
    throw signal?.aborted ? signal.reason : error
  }
  return details
}

/** The row of an aspect. @param ways  the mean of these is its field (`waysOf`) */
async function aspectRow(
  engines: Engines,
  job: SweepJob,
  ways: Aspect[],
  previous: AspectTimings | null,
  signal: AbortSignal,
): Promise<{ row: Float64Array; detail: AspectDetail; timings: AspectTimings | null }> {
  const names = fieldNames(engines)
  const bands: AspectField[][] = []
  const sum = emptyReport()
  let detail: AspectDetail = { partSeconds: [], edgesPerPart: [], edgeSecondsPerPart: [], spans: [] }
  let timings = previous
  for (const band of job.bands) {
    const each: AspectField[][] = []
    for (const aspect of ways) {
      const solved = await solveAspect(engines, aspect, band, timings, signal)
      solved.fields.forEach((field, index) => checkFinite(field, names[index], aspect, band))
      each.push(solved.fields)
      for (const key of REPORT_KEYS) sum[key] += solved.report[key]
      timings = solved.timings
      detail = solved.detail
    }
    const count = Math.max(...each.map((fields) => fields.length))
    // Bounces that one way lacks contribute nothing there.
    const [fields, back] = each.map((list) =>
      Array.from({ length: count }, (_, i) => list[i] ?? new Float64Array(8 * band.n)),
    )
    fields.forEach((field, index) => finishRow(field, back?.[index], ways[0], band, job))
    bands.push(fields)
  }
  const row = new Float64Array(rowLength(job, Math.max(...bands.map((fields) => fields.length))))
  let at = 0
  for (const fields of bands) {
    fields.forEach((field, index) => rowField(job, row, index).set(field, at))
    at += fields[0].length
  }
  REPORT_KEYS.forEach((key, i) => (row[row.length - REPORT_KEYS.length + i] = sum[key]))
  return { row, detail, timings }
}

/** The rows of a group of extrapolated aspects; the first row holds their common report. */
async function extrapolatedRows(
  engines: Engines,
  job: SweepJob,
  group: number[],
  signal: AbortSignal,
): Promise<{ rows: Float64Array[]; detail: AspectDetail }> {
  const aspects = group.map((i) => job.aspects[i])
  const rows = aspects.map(() => new Float64Array(rowLength(job, 1)))
  let at = 0
  let detail!: AspectDetail
  for (const band of job.bands) {
    const { fields, report, ...rest } = await extrapolateAspects(engines, aspects, band, signal)
    fields.forEach((field, m) => {
      checkFinite(field, 'total', aspects[m], band)
      finishRow(field, undefined, aspects[m], band, job)
      rowField(job, rows[m]).set(field, at)
    })
    at += 8 * band.n
    REPORT_KEYS.forEach((key, i) => (rows[0][rows[0].length - REPORT_KEYS.length + i] += report[key]))
    ;({ detail } = rest)
  }
  return { rows, detail }
}

/** Raw amplitudes as a row holds them. @param back  those with transmitter and receiver exchanged, for the mean over both ways */
function finishRow(
  field: Float64Array,
  back: Float64Array | undefined,
  aspect: Aspect,
  band: Band,
  { phaseCentre }: SweepJob,
): void {
  if (back || isMonostatic(aspect)) symmetrise(field, back)
  movePhaseCentre(field, band, aspect, phaseCentre)
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

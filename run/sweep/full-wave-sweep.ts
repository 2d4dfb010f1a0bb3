import {
  fullWaveCost,
  type FullWaveEngine,
  type FullWaveReport,
  type SystemSize,
} from '../../full-wave/index.js'
import { type Band, frequency, highestFrequency, isMonostatic } from '../../scene/index.js'
import { symmetrise } from '../../rays/index.js'
import { type AspectDetail, type Engines, isFullWave } from './engines.js'
import {
  checkFinite,
  movePhaseCentre,
  REPORT_KEYS,
  rowLength,
  type Rows,
  type SweepJob,
  type SweepProgress,
} from './rows.js'

/** Numbers of a report as the store keeps them, at the head of a frequency's records. */
const REPORT = 13

/** Every frequency of a job, in the order of its bands. */
const frequenciesOf = ({ bands }: SweepJob): { band: Band; n: number }[] =>
  bands.flatMap((band) => Array.from({ length: band.n }, (_, n) => ({ band, n })))

/**
 * Where a store keeps a frequency's fields until all are there: in records beyond those of the aspects, since a factorisation serves
 * one frequency of all aspects and a row all frequencies of one.
 */
function recordsOf(job: SweepJob): { each: number; length: number; first: (frequency: number) => number } {
  const length = rowLength(job, 1)
  const each = Math.ceil((8 * job.aspects.length + REPORT) / length)
  return { each, length, first: (f) => job.aspects.length + f * each }
}

/** What full wave takes, about. */
export interface FullWavePlan {
  /** Unknowns at the lowest and at the highest frequency. */
  unknowns: number
  most: number
  /** Of the largest frequency. */
  bytes: number
  seconds: number
  /** The highest frequency that would fit into so many bytes [Hz]. */
  fits: (bytes: number) => number
}

/**
 * Unknowns, memory and time of a job, before it starts.
 * @param sizeAt  a frequency [Hz]
 * @param threads  that solve, beside a GPU too
 */
export function planFullWave(
  sizeAt: (frequencyHz: number) => SystemSize,
  job: SweepJob,
  device: 'cpu' | 'software' | 'gpu',
  threads: number,
): FullWavePlan {
  let [unknowns, most, bytes, seconds] = [Infinity, 0, 0, 0]
  for (const { band, n } of frequenciesOf(job)) {
    const size = sizeAt(frequency(band, n))
    const cost = fullWaveCost(size, job.aspects.length, device, threads)
    unknowns = Math.min(unknowns, size.unknowns)
    most = Math.max(most, size.unknowns)
    bytes = Math.max(bytes, cost.bytes)
    seconds += cost.seconds
  }
  const top = Math.max(...job.bands.map(highestFrequency))
  // The matrix grows with the fourth power of the frequency.
  return { unknowns, most, bytes, seconds, fits: (free) => 0.98 * top * Math.min(1, free / bytes) ** 0.25 }
}

/** What a store holds of a run, in what is stored as soon as it is finished: aspects, with full wave frequencies. */
export function keptUnits(
  { facets }: Pick<Engines, 'facets'>,
  job: SweepJob,
  rows: Rows['rows'],
): { done: number; total: number; what: string } {
  if (!isFullWave(facets)) return { done: rows.size, total: job.aspects.length, what: 'aspects' }
  const { each, first } = recordsOf(job)
  const all = frequenciesOf(job)
  const done = all.filter((_, f) => rows.has(first(f) + each - 1)).length
  return { done, total: all.length, what: unitsOf(all.length) }
}

const unitsOf = (count: number): string => (count === 1 ? 'frequency' : 'frequencies')

/** The reports of all frequencies that a store holds. */
export function frequencyReports(job: SweepJob, rows: Rows['rows']): FullWaveReport[] {
  return frequenciesOf(job).flatMap((_, f) => {
    const kept = readFrequency(job, rows, f)
    return kept ? [reportFrom(kept)] : []
  })
}

/**
 * The sweep of `runSweep` with full wave: frequency by frequency, each stored as soon as it is solved, then the rows of the aspects.
 * A frequency depends on nothing of the others.
 */
export async function fullWaveSweep(
  engine: FullWaveEngine,
  job: SweepJob,
  store: Rows,
  onProgress: (progress: SweepProgress) => void,
  signal?: AbortSignal,
): Promise<Map<number, AspectDetail>> {
  const { aspects } = job
  const all = frequenciesOf(job)
  const report = (done: number): void =>
    onProgress({
      done,
      total: all.length,
      finished: [],
      what: unitsOf(all.length),
    })
  if (aspects.every((_, i) => store.rows.has(i))) return new Map()
  report(0)
  for (let f = 0; f < all.length; f++) {
    signal?.throwIfAborted()
    if (!readFrequency(job, store.rows, f)) {
      const { band, n } = all[f]
      const one = { f0: frequency(band, n), df: 0, n: 1 }
      const { fields, report: solved } = await engine.solve(
        one.f0,
        aspects,
        (part) => report(f + part),
        signal,
      )
      aspects.forEach((aspect, i) => {
        const field = fields.subarray(8 * i, 8 * i + 8)
        checkFinite(field, 'total', aspect, one)
        if (isMonostatic(aspect)) symmetrise(field)
        movePhaseCentre(field, one, aspect, job.phaseCentre)
      })
      writeFrequency(job, store, f, solved, fields)
    }
    report(f + 1)
  }
  const solved = all.map((_, f) => readFrequency(job, store.rows, f)!)
  const reports = solved.map(reportFrom)
  const share = (of: (r: FullWaveReport) => number): number =>
    reports.reduce((sum, r) => sum + of(r), 0) / aspects.length
  const field = share(({ seconds: { mesh, fill, factor, solve } }) => mesh + fill + factor + solve)
  aspects.forEach((_, i) => {
    const row = new Float64Array(rowLength(job, 1))
    solved.forEach((values, f) => row.set(values.subarray(REPORT + 8 * i, REPORT + 8 * i + 8), 8 * f))
    const tail = row.length - REPORT_KEYS.length
    row[tail + REPORT_KEYS.indexOf('field')] = field
    row[tail + REPORT_KEYS.indexOf('total')] = field
    store.add(i, row)
  })
  return new Map()
}

function writeFrequency(
  job: SweepJob,
  store: Rows,
  f: number,
  r: FullWaveReport,
  fields: Float64Array,
): void {
  const { each, length, first } = recordsOf(job)
  const { mesh, fill, factor, solve } = r.seconds
  const { worst, median, longestEdge } = r.quality
  const solved = [r.frequencyHz, r.triangles, r.unknowns, r.residual, r.condition, r.powerError]
  const numbers = [...solved, worst, median, longestEdge]
  const values = Float64Array.from([...numbers, mesh, fill, factor, solve, ...fields])
  for (let i = 0; i < each; i++) store.add(first(f) + i, values.slice(i * length, (i + 1) * length))
}

/** Report and fields of a frequency; null where the store lacks any of its records. */
function readFrequency(job: SweepJob, rows: Rows['rows'], f: number): Float64Array | null {
  const { each, length, first } = recordsOf(job)
  const values = new Float64Array(8 * job.aspects.length + REPORT)
  for (let i = 0; i < each; i++) {
    const record = rows.get(first(f) + i)
    if (!record) return null
    values.set(record, i * length)
  }
  return values
}

function reportFrom(v: Float64Array): FullWaveReport {
  const [frequencyHz, triangles, unknowns, residual, condition, powerError] = v
  const [worst, median, longestEdge] = v.subarray(6)
  const quality = { worst, median, longestEdge }
  const [mesh, fill, factor, solve] = v.subarray(REPORT - 4, REPORT)
  const seconds = { mesh, fill, factor, solve }
  return { frequencyHz, triangles, quality, unknowns, residual, condition, powerError, seconds }
}

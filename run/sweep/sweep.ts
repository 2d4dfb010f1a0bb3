import { type Aspect, type Band, isMonostatic } from '../../scene/index.js'
import { type AspectField, symmetrise } from '../../rays/index.js'
import { extrapolateAspects, fieldNames, solveAspect } from './aspect-solver.js'
import {
  type AspectDetail,
  type AspectTimings,
  type Engines,
  isFullWave,
  waysOf,
  weightsOfWays,
} from './engines.js'
import { fullWaveSweep } from './full-wave-sweep.js'
import { eachInFlight, runningAhead, stoppable } from './run-ahead.js'
import {
  atStep,
  checkFinite,
  emptyReport,
  inSteps,
  movePhaseCentre,
  REPORT_KEYS,
  rowField,
  rowLength,
  type Rows,
  type SweepJob,
  type SweepProgress,
} from './rows.js'

export { symmetrise }

/**
 * Computes the rows missing from the store and stores each as soon as it is finished: a few aspects in flight under the
 * overlapped schedule, one after the other under the paper's. Rejects with the first failure or with the signal's reason;
 * rows finished by then are in the store.
 *
 * @returns timings of the aspects computed by this call, by aspect number; those of a group of extrapolated aspects under its first number
 */
export async function runSweep(
  engines: Engines,
  given: SweepJob,
  store: Rows,
  onProgress: (progress: SweepProgress) => void,
  signal?: AbortSignal,
): Promise<Map<number, AspectDetail>> {
  if (isFullWave(engines.facets)) return fullWaveSweep(engines.facets, given, store, onProgress, signal)
  const job = inSteps(engines, given)
  const details = new Map<number, AspectDetail>()
  let previous: Timings = []
  const sweep = stoppable(signal)
  const isLeft = (i: number): boolean => !store.rows.has(i)
  const ways = job.aspects.map((aspect) => waysOf(engines, aspect))
  const left = ways.filter((_, i) => isLeft(i)).flat()
  const { engines: run, inFlight } = runningAhead(engines, job, left, sweep.signal)
  const report = (finished: number[]): void =>
    onProgress({ done: store.rows.size, total: job.aspects.length, finished, what: 'aspects' })
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

/** Of an aspect's bands, those of the aspect before for the dynamic schedule. */
type Timings = (AspectTimings | null)[]

const emptyDetail = (): AspectDetail => ({
  partSeconds: [],
  edgesPerPart: [],
  edgeSecondsPerPart: [],
  spans: [],
})

/** Adds what another band or way of an aspect took. */
function addDetail(sum: AspectDetail, other: AspectDetail): void {
  sum.partSeconds.push(...other.partSeconds)
  sum.edgesPerPart.push(...other.edgesPerPart)
  sum.edgeSecondsPerPart.push(...other.edgeSecondsPerPart)
  sum.spans.push(...other.spans)
}

/** The row of an aspect. @param ways  the mean of these is its field (`waysOf`) */
async function aspectRow(
  engines: Engines,
  job: SweepJob,
  ways: Aspect[],
  previous: Timings,
  signal: AbortSignal,
): Promise<{ row: Float64Array; detail: AspectDetail; timings: Timings }> {
  const names = fieldNames(engines)
  const bands: AspectField[][] = []
  const sum = emptyReport()
  const detail = emptyDetail()
  const timings = previous.slice()
  for (const [b, band] of job.bands.entries()) {
    const each: AspectField[][] = []
    for (const aspect of ways) {
      const solved = await solveAspect(atStep(engines, band), aspect, band, timings[b] ?? null, signal)
      solved.fields.forEach((field, index) => checkFinite(field, names[index], aspect, band))
      each.push(solved.fields)
      for (const key of REPORT_KEYS) sum[key] += solved.report[key]
      timings[b] = solved.timings
      addDetail(detail, solved.detail)
    }
    const count = Math.max(...each.map((fields) => fields.length))
    // Bounces that one way lacks contribute nothing there.
    const [fields, back] = each.map((list) =>
      Array.from({ length: count }, (_, i) => list[i] ?? new Float64Array(8 * band.n)),
    )
    if (back)
      fields.forEach((field, index) => symmetrise(field, back[index], weightsOfWays(engines, ways[0])))
    for (const field of fields) finishRow(field, ways[0], band, job)
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
  const sum = emptyDetail()
  for (const band of job.bands) {
    const { fields, report, detail } = await extrapolateAspects(atStep(engines, band), aspects, band, signal)
    fields.forEach((field, m) => {
      checkFinite(field, 'total', aspects[m], band)
      finishRow(field, aspects[m], band, job)
      rowField(job, rows[m]).set(field, at)
    })
    at += 8 * band.n
    REPORT_KEYS.forEach((key, i) => (rows[0][rows[0].length - REPORT_KEYS.length + i] += report[key]))
    addDetail(sum, detail)
  }
  return { rows, detail: sum }
}

/** Raw amplitudes as a row holds them. */
function finishRow(field: Float64Array, aspect: Aspect, band: Band, { phaseCentre }: SweepJob): void {
  if (isMonostatic(aspect)) symmetrise(field)
  movePhaseCentre(field, band, aspect, phaseCentre)
}

import { setMaxListeners } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import type { EdgeEngine, EdgeJob, EdgeOptions, EdgeResult } from '../../cpu-diffraction/index.js'
import { type AspectField, symmetrise } from '../../rays/index.js'
import { type Aspect, type Band, isMonostatic } from '../../scene/index.js'
import { extrapolateAspects, fieldNames, solveAspect } from './aspect-solver.js'
import {
  type AheadEdges,
  type AspectDetail,
  type AspectTimings,
  type Engines,
  type FacetEngine,
  isFullWave,
  runsAhead,
  waysOf,
  weightsOfWays,
} from './engines.js'
import { fullWaveSweep } from './full-wave-sweep.js'
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

/** Runs at most `limit` tasks at a time; further ones wait in order until a running one ends. */
function atMost(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = limit
  const waiting: (() => void)[] = []
  return async (work) => {
    if (free > 0) free--
    else await new Promise<void>((begin) => waiting.push(begin))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}

/** A signal that fires with another one, or when `stop` is called. */
export function stoppable(other?: AbortSignal): { signal: AbortSignal; stop: (reason?: unknown) => void } {
  const own = new AbortController()
  const signal = other ? AbortSignal.any([other, own.signal]) : own.signal
  // Every task of every aspect listens.
  setMaxListeners(0, signal)
  return { signal, stop: (reason) => own.abort(reason) }
}

/**
 * Processes items, at most `limit` in flight. Rejects with the first failure when all started ones have settled; none is
 * started once the signal has fired.
 */
export async function eachInFlight<T>(
  items: Iterable<T>,
  limit: number,
  { signal, stop }: ReturnType<typeof stoppable>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const todo = items[Symbol.iterator]()
  // One start per iteration of the event loop: several would block it for their total time.
  let slot: Promise<void> = Promise.resolve()
  const lane = async (): Promise<void> => {
    for (let next = todo.next(); !next.done; next = todo.next()) {
      signal.throwIfAborted()
      slot = slot.then(() => setImmediate())
      await slot
      signal.throwIfAborted()
      await work(next.value)
    }
  }
  const lanes = Array.from({ length: limit }, lane)
  try {
    await Promise.all(lanes)
  } catch (error) {
    stop()
    await Promise.allSettled(lanes)
    throw error
  }
}

/** Most segments of an aspect, by the length of its edges, for one thread to compute it alone: a few seconds of work. */
const MOST_SEGMENTS = 1e7
/** Started aspects whose work all threads share. */
const SHARED_AHEAD = 4

/** Started aspects per aspect that keeps the facet engine's device busy: enough for it to continue while edges are late. */
const FACETS_AHEAD = 4

interface Started {
  job: EdgeJob
  result: Promise<EdgeResult>
}

/**
 * An edge engine that computes `jobs` before they are requested, whether or not the calling thread is blocked by the GPU meanwhile. Most
 * jobs are a task of one thread each, with two per thread queued so that no thread waits; the last ones are divided among all threads.
 * `field` returns the started result for a job of the same objects, with the same bytes as the engine's own, and computes any other job.
 *
 * @param signal  when it fires, no further job is started and queued ones are dropped; closing and an aborted call do the same
 */
export function withRunAhead(engine: AheadEdges, jobs: EdgeJob[], signal?: AbortSignal): EdgeEngine {
  const { signal: either, stop } = stoppable(signal)
  const { threads } = engine.describe()
  const todo = new Set(startOrder(jobs, threads))
  const small = jobs.length > 0 && isSmall(engine, jobs[0])
  const started: Started[] = []
  /** Jobs requested before they were started, with the callback of each request. */
  const wanted = new Map<EdgeJob, (result: Promise<EdgeResult>) => void>()
  const running = { whole: 0, shared: 0 }

  const start = (job: EdgeJob, how: 'whole' | 'shared'): void => {
    todo.delete(job)
    running[how]++
    const startTime = performance.now() / 1000
    const work = how === 'whole' ? engine.fieldOnOneThread(job, either) : engine.field(job, either)
    const result = work.then((r) => {
      const end = performance.now() / 1000
      const alone = how === 'whole'
      // A thread has two tasks queued: its own work ends with the result.
      return {
        ...r,
        span: { start: alone ? end - r.times.prepare - r.times.evaluate : startTime, end, alone },
      }
    })
    const ask = wanted.get(job)
    wanted.delete(job)
    if (ask) ask(result)
    else started.push({ job, result })
    const ended = (): void => {
      running[how]--
      startNext()
    }
    // The result may never be requested.
    result.then(ended, ended)
  }
  /** Starts the job unless as many as allowed are running; returns whether it did. */
  const tryStart = (job: EdgeJob): boolean => {
    const how = small && todo.size > threads ? 'whole' : 'shared'
    if (running[how] >= (how === 'whole' ? 2 * threads : SHARED_AHEAD)) return false
    start(job, how)
    return true
  }
  const startNext = (): void => {
    if (either.aborted) {
      for (const ask of wanted.values()) ask(Promise.reject(either.reason as Error))
      wanted.clear()
      return
    }
    for (const job of wanted.keys()) if (!tryStart(job)) return
    for (const job of todo) if (started.length >= 4 * threads || !tryStart(job)) return
  }
  either.addEventListener('abort', startNext, { once: true })
  startNext()

  return {
    describe: () => engine.describe(),
    segments: (job) => engine.segments(job),
    field(job, abort) {
      const isAsked = (other: EdgeJob): boolean =>
        other.aspect === job.aspect && other.band === job.band && other.options === job.options
      const at = started.findIndex((b) => isAsked(b.job))
      let result = at < 0 ? undefined : started.splice(at, 1)[0].result
      if (!result) {
        const waiting = firstOf(todo, isAsked)
        if (!waiting || wanted.has(waiting)) return engine.field(job, abort)
        result = new Promise((resolve) => wanted.set(waiting, resolve))
      }
      startNext()
      return unlessAborted(result, stop, abort)
    },
    async close() {
      stop()
      await engine.close()
    },
  }
}

/**
 * The engines of a sweep, and how many of its aspects are in flight. Where the facets have a GPU, edge diffraction runs ahead of
 * `aspects`, and more aspects are in flight than the GPU works on.
 */
function runningAhead(
  engines: Engines,
  { bands, groups }: Pick<SweepJob, 'bands' | 'groups'>,
  aspects: SweepJob['aspects'],
  signal: AbortSignal,
): { engines: Engines; inFlight: number } {
  const { facets, edges, schedule } = engines
  const { device, aspectsInFlight } = facets.describe()
  if (schedule !== 'overlapped') return { engines, inFlight: 1 }
  if (!edges || device !== 'gpu' || groups || !runsAhead(edges.engine))
    return { engines, inFlight: aspectsInFlight }
  const engine = withRunAhead(edges.engine, edgeJobs({ aspects, bands }, edges.options), signal)
  return {
    engines: { ...engines, facets: limited(facets, aspectsInFlight), edges: { ...edges, engine } },
    inFlight: FACETS_AHEAD * aspectsInFlight,
  }
}

/** The engine with at most so many aspects in flight; further ones are queued. */
function limited<E extends FacetEngine>(engine: E, aspects: number): E {
  const queued = atMost(aspects)
  const field = (job: never, signal?: AbortSignal) => queued(() => engine.field(job, signal))
  return { ...engine, describe: () => engine.describe(), field, close: () => engine.close() }
}

/** The edge jobs of a sweep, in the order in which it requests them. */
const edgeJobs = ({ aspects, bands }: Pick<SweepJob, 'aspects' | 'bands'>, options: EdgeOptions): EdgeJob[] =>
  aspects.flatMap((aspect) => bands.map((band) => ({ aspect, band, options })))

/** Whether one thread computes an aspect alone. */
const isSmall = (engine: EdgeEngine, job: EdgeJob): boolean => engine.segments(job) <= MOST_SEGMENTS

/** The jobs in the order in which they are started: of the two that a thread takes first, one is early and one later. */
function startOrder(jobs: EdgeJob[], threads: number): EdgeJob[] {
  if (jobs.length < 2 * threads) return jobs
  const first = jobs.slice(0, threads).flatMap((job, i) => [job, jobs[threads + i]])
  return [...first, ...jobs.slice(2 * threads)]
}

function firstOf<T>(set: Set<T>, fits: (one: T) => boolean): T | undefined {
  for (const one of set) if (fits(one)) return one
  return undefined
}

/** The result, or the signal's reason as soon as it fires; then `stop` fires too. */
async function unlessAborted(
  result: Promise<EdgeResult>,
  stop: (reason: unknown) => void,
  signal?: AbortSignal,
): Promise<EdgeResult> {
  if (!signal) return result
  let off = (): void => {}
  const aborted = new Promise<never>((_, reject) => {
    off = () => {
      stop(signal.reason)
      reject(signal.reason as Error)
    }
  })
  if (signal.aborted) off()
  signal.addEventListener('abort', off, { once: true })
  try {
    return await Promise.race([result, aborted])
  } finally {
    signal.removeEventListener('abort', off)
  }
}

import { createHash } from 'node:crypto'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EdgeResult, EdgeThreads } from '../cpu-diffraction/index.js'
import {
  type AspectDetail,
  type AspectReport,
  type Engines,
  type FacetEngine,
  fieldNames,
  rowField,
  rowFields,
  rowLength,
  rowReport,
  RowStore,
  runSweep,
  type Schedule,
  SCHEDULES,
  type SweepJob,
  type TimingReport,
  timingReport,
} from '../pipeline/index.js'
import type { Aspect, Band } from '../scene/index.js'

/** What is measured: the schedules, and each side alone. */
export type Variant = Schedule | 'sbr-alone' | 'edges-alone'

export interface MeasuredRun {
  variant: Variant
  timing: TimingReport
  /** Per aspect, in order. */
  reports: AspectReport[]
  details: ReadonlyMap<number, AspectDetail>
  /** SHA-256 of the fields of all aspects. */
  fieldsHash: string
  /** Delay of the event loop's timer [ms], including waits for a processor and garbage collection; and the loop's utilisation. */
  eventLoop: { maxMs: number; p99Ms: number; busy: number }
  /** Resident memory of the process with all its threads [bytes]. */
  rss: { start: number; end: number }
}

export interface CompareRequest {
  /** Times that each variant is run. */
  repeat: number
  /** Folder for the rows of the current run; removed after each. */
  folder: string
  /** Index of an aspect at which the workers repeat their work DISTURBANCE times. */
  disturb?: number
  onProgress?: (done: number, total: number) => void
  signal?: AbortSignal
}

/** Repetitions of the workers' tasks at the disturbed aspect. */
export const DISTURBANCE = 5
/** Interval of the event loop's timer [ms]. */
const SAMPLE_MS = 5

/**
 * Runs the sweep under every schedule, and each side of it alone, in one process on the same engines: after a warm-up,
 * `repeat` rounds that each start with another variant, so that a drift of the machine affects all equally.
 *
 * @returns the runs in the order they were made
 * @throws Error when the schedules' fields differ in any bit
 */
export async function compareSchedules(
  engines: Engines,
  job: SweepJob,
  { repeat, folder, disturb, onProgress, signal }: CompareRequest,
): Promise<MeasuredRun[]> {
  const disturbed =
    disturb === undefined || !engines.edges
      ? engines
      : {
          ...engines,
          edges: {
            ...engines.edges,
            engine: slowedAt(engines.edges.engine as EdgeThreads, job.aspects[disturb]),
          },
        }
  const variants: Variant[] = [...SCHEDULES, 'sbr-alone', ...(engines.edges ? ['edges-alone' as const] : [])]
  // As many aspects as are in flight at once, so that all device buffers are allocated.
  const middle = Math.floor(job.aspects.length / 2)
  const warmUp = {
    ...job,
    aspects: job.aspects.slice(middle, middle + engines.facets.describe().aspectsInFlight),
  }
  const { length } = job.aspects
  const total = variants.length * (warmUp.aspects.length + repeat * length)
  let before = 0
  const measure = async (variant: Variant, part: SweepJob): Promise<MeasuredRun> => {
    const advance = (done: number): void => onProgress?.(before + done, total)
    const run = await measureRun(variant, enginesOf(variant, disturbed), part, folder, advance, signal)
    before += part.aspects.length
    return run
  }
  for (const variant of variants) await measure(variant, warmUp)
  const runs: MeasuredRun[] = []
  for (let round = 0; round < repeat; round++)
    for (let i = 0; i < variants.length; i++)
      runs.push(await measure(variants[(round + i) % variants.length], job))
  checkFields(runs)
  return runs
}

/** Engines that run the sweep under a schedule, or one side of it alone. */
export function enginesOf(variant: Variant, engines: Engines): Engines {
  if (variant === 'sbr-alone') return { ...engines, edges: undefined, schedule: 'overlapped' }
  if (variant === 'edges-alone')
    return { ...engines, facets: idle(engines.facets), mechanisms: false, schedule: 'overlapped' }
  return { ...engines, schedule: variant }
}

/** Measures one sweep. Its rows are written to disk as those of `isar render`. */
export async function measureRun(
  variant: Variant,
  engines: Engines,
  job: SweepJob,
  folder: string,
  onProgress: (done: number) => void,
  signal?: AbortSignal,
): Promise<MeasuredRun> {
  const fields = fieldNames(engines).length
  const store = await RowStore.open(folder, variant, rowLength(job, fields), false)
  const delay = monitorEventLoopDelay({ resolution: SAMPLE_MS })
  const rssStart = process.memoryUsage.rss()
  try {
    delay.enable()
    const start = performance.now()
    const loop = performance.eventLoopUtilization()
    const details = await runSweep(engines, job, store, ({ done }) => onProgress(done), signal)
    const seconds = (performance.now() - start) / 1000
    const { utilization } = performance.eventLoopUtilization(loop)
    const rssEnd = process.memoryUsage.rss()
    // The timer has to fire once more to detect a block at the very end.
    await sleep(2 * SAMPLE_MS)
    delay.disable()
    const rows = job.aspects.map((_, i) => store.rows.get(i)!)
    const hash = createHash('sha256')
    // A row ends with the last bounce that contributes; its report, which holds times, follows.
    for (const row of rows) for (let f = 0; f < rowFields(job, row); f++) hash.update(rowField(job, row, f))
    // The histogram includes the timer's interval.
    const late = (ns: number): number => Math.max(0, ns / 1e6 - SAMPLE_MS)
    return {
      variant,
      timing: timingReport(engines, job.aspects, store.rows, details, seconds),
      reports: rows.map(rowReport),
      details,
      fieldsHash: hash.digest('hex'),
      eventLoop: { maxMs: late(delay.max), p99Ms: late(delay.percentile(99)), busy: utilization },
      rss: { start: rssStart, end: rssEnd },
    }
  } finally {
    delay.disable()
    store.discard()
  }
}

/** @throws Error unless all schedules gave the same bytes, and so did the repetitions of either side alone. */
export function checkFields(runs: Pick<MeasuredRun, 'variant' | 'fieldsHash'>[]): void {
  const first = new Map<string, Pick<MeasuredRun, 'variant' | 'fieldsHash'>>()
  for (const run of runs) {
    const kind = run.variant.endsWith('-alone') ? run.variant : 'schedules'
    const reference = first.get(kind) ?? run
    first.set(kind, reference)
    if (run.fieldsHash !== reference.fieldsHash)
      throw new Error(
        run.variant === reference.variant
          ? `two runs of ${run.variant} gave different fields: please report this target`
          : `the schedules ${reference.variant} and ${run.variant} gave different fields: please report this target`,
      )
  }
}

/** A facet engine that takes no time and returns zeros, to measure edge diffraction alone. */
const idle = (facets: FacetEngine): FacetEngine => ({
  describe: () => facets.describe(),
  field: ({ band }: { band: Band }) =>
    Promise.resolve({
      field: new Float64Array(8 * band.n),
      statistics: { tubes: 0, leaves: 0, contributions: 0 },
      partSeconds: [],
      times: { trace: 0, field: 0, reduction: 0, total: 0 },
    }),
  close: () => Promise.resolve(),
})

/** The engine with its tasks repeated DISTURBANCE times at `aspect`: same results in more time. */
export function slowedAt(engine: EdgeThreads, aspect: Aspect): EdgeThreads {
  const repeated = async <T>(at: Aspect, work: () => Promise<T>): Promise<T[]> => {
    const results: T[] = []
    for (let i = 0; i < (at === aspect ? DISTURBANCE : 1); i++) results.push(await work())
    return results
  }
  const inAll = <T extends { seconds: number }>(results: T[]): T => ({
    ...results[0],
    seconds: results.reduce((s, r) => s + r.seconds, 0),
  })
  const aspects = async (at: Aspect, work: () => Promise<EdgeResult>): Promise<EdgeResult> => {
    const results = await repeated(at, work)
    const sum = (pick: (times: EdgeResult['times']) => number): number =>
      results.reduce((s, r) => s + pick(r.times), 0)
    const times = {
      prepare: sum((t) => t.prepare),
      evaluate: sum((t) => t.evaluate),
      total: sum((t) => t.total),
    }
    return { ...results[0], times }
  }
  return {
    ...engine,
    prepareRange: async (job, range, signal) =>
      inAll(await repeated(job.aspect, () => engine.prepareRange(job, range, signal))),
    evaluate: async (prepared, first, end, signal, side) =>
      inAll(await repeated(prepared.job.aspect, () => engine.evaluate(prepared, first, end, signal, side))),
    field: (job, signal) => aspects(job.aspect, () => engine.field(job, signal)),
    fieldOnOneThread: (job, signal) => aspects(job.aspect, () => engine.fieldOnOneThread(job, signal)),
  }
}

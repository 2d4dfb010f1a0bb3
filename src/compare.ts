import { createHash } from 'node:crypto'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EdgeResult, EdgeThreads } from '../cpu-diffraction/index.js'
import { estimateRun, type RunEstimate } from '../run/estimate.js'
import { type Caller, type JobPlan, runWholeJob } from '../run/job.js'
import { openEngines, type OpenEngines } from '../run/solver.js'
import type { OpenedSweep } from '../run/sweep-job.js'
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
  type Span,
  type SweepJob,
  type TimingReport,
  timingReport,
} from '../run/sweep/index.js'
import type { Aspect, Band } from '../scene/index.js'
import type { StackedCounts, Timeline, TimelineBar } from '../views/figures/node.js'

const STEPS = {
  trace: '1 ray-tube tracing',
  prepare: '4 frequency-independent diffraction',
  field: '2, 3 electromagnetic computing',
  evaluate: '5 frequency-dependent diffraction',
} as const

/** Aspects that the slowest schedule's picture shows; the others show the same stretch of time. */
const SHOWN = 3

/**
 * Timelines of each schedule's median run, all over the same length of time.
 * @param first  index of the first aspect shown; default: in the middle of the run
 */
export function timelines(
  name: string,
  runs: readonly MeasuredRun[],
  aspects: Aspect[],
  first = Math.max(0, Math.floor((aspects.length - SHOWN) / 2)),
): Record<Schedule, Timeline> {
  const last = Math.min(aspects.length - 1, first + SHOWN - 1)
  const chosen = SCHEDULES.map((schedule) => {
    const run = medianRun(runs, schedule)
    return { schedule, run, ...stretch(run, first, last) }
  })
  const length = Math.max(...chosen.map((c) => c.to - c.from))
  const entries = chosen.map(({ schedule, run, from }) => [
    schedule,
    timelineOf(name, run, aspects, from, length),
  ])
  return Object.fromEntries(entries) as Record<Schedule, Timeline>
}

/** From the first start to the last end of the aspects' spans [s]. */
function stretch({ details }: MeasuredRun, first: number, last: number): { from: number; to: number } {
  const spans = Array.from({ length: last - first + 1 }, (_, i) => details.get(first + i)!.spans).flat()
  return { from: Math.min(...spans.map((s) => s.start)), to: Math.max(...spans.map((s) => s.end)) }
}

function timelineOf(
  name: string,
  run: MeasuredRun,
  aspects: Aspect[],
  from: number,
  length: number,
): Timeline {
  const { timing, variant, details, reports } = run
  const lanes = { sbr: timing.device.startsWith('gpu') ? 'GPU' : 'SBR', edges: 'CPU' }
  if (lanes.sbr === 'SBR') lanes.edges = 'edges'
  const overlapped = variant === 'overlapped'
  const phi = (i: number): string => `φ ${aspects[i].tx.phiDeg.toFixed(2).replace('-', '−')}°`
  const bars = aspects.flatMap((_, i) =>
    details.get(i)!.spans.map((span): TimelineBar => {
      const { start, end, lane, part } = span
      return {
        lane: lanes[lane],
        start,
        end,
        pieces: pieces(span, reports[i]),
        label: overlapped ? phi(i) : `${part + 1}`,
      }
    }),
  )
  const total = `${timing.total.toPrecision(3)} s for ${aspects.length} aspects`
  const note = overlapped
    ? 'a bar per aspect from request to result, its busy time drawn at the end'
    : 'numbers are sub-grids'
  return {
    title: `${name}, ${variant} schedule`,
    subtitle: `${total}  ·  ${note}`,
    lanes: [lanes.sbr, lanes.edges],
    steps: Object.values(STEPS),
    bars: bars.filter(({ start, end }) => end > from && start < from + length),
    marks: overlapped
      ? []
      : aspects
          .map((_, i) => ({
            at: Math.min(...details.get(i)!.spans.map((s) => s.start)),
            label: phi(i),
          }))
          .filter(({ at }) => at >= from && at < from + length),
    from,
    length,
  }
}

/** Steps of a span. Of a whole aspect only the busy times are known: they are drawn at the span's end. */
function pieces({ lane, what, start, end, alone }: Span, report: AspectReport): TimelineBar['pieces'] {
  if (what !== 'all') return [{ step: STEPS[what], start, end }]
  const [one, two] = lane === 'sbr' ? (['trace', 'field'] as const) : (['prepare', 'evaluate'] as const)
  // Reports divide a thread's time by the number of threads.
  const scale = alone ? (end - start) / (report[one] + report[two]) : 1
  const second = scale * report[two] + (lane === 'sbr' ? report.reduction : 0)
  const between = Math.max(start, end - second)
  return [
    { step: STEPS[one], start: Math.max(start, between - scale * report[one]), end: between },
    { step: STEPS[two], start: between, end },
  ]
}

/** Edges per sub-grid against aspect angle, static above dynamic. */
export function edgesFigure(name: string, runs: readonly MeasuredRun[], aspects: Aspect[]): StackedCounts {
  const panel = (schedule: 'static' | 'dynamic') => ({
    name: schedule,
    columns: medianRun(runs, schedule).timing.per_angle.map((a) => a.edges_per_sub_grid),
  })
  return {
    title: `${name}, edge segments given to each sub-grid`,
    subtitle: `θ = ${aspects[0].tx.thetaDeg}°`,
    xTitle: 'φ [deg]',
    yTitle: 'Edge segments',
    x: aspects.map((a) => a.tx.phiDeg),
    panels: [panel('static'), panel('dynamic')],
    partName: 'sub-grid',
  }
}

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

/** What is known of a comparison before its first run. */
export interface ComparePlan extends JobPlan {
  job: SweepJob
  engines: OpenEngines
  /** Of each run. */
  estimate: RunEstimate
}

/** Opens engines of a sweep and runs it under every schedule (`compareSchedules`). @throws as `runJob` */
export const compareRuns = (
  { target, job, settings }: Pick<OpenedSweep, 'target' | 'job' | 'settings'>,
  request: Pick<CompareRequest, 'repeat' | 'folder' | 'disturb'>,
  caller: Caller<undefined, void, ComparePlan>,
): Promise<{ runs: MeasuredRun[]; engines: OpenEngines }> =>
  runWholeJob(async () => {
    const { hooks } = caller
    const engines = await openEngines(target, settings)
    const estimate = estimateRun(engines.scene, target.target.box, job, engines, engines.sbrWorkers)
    const unused = request.disturb !== undefined && !engines.edges
    let runs: MeasuredRun[] = []
    return {
      key: null,
      shape: undefined,
      warnings: [
        ...target.warnings,
        ...engines.warnings,
        ...estimate.warnings,
        ...(unused ? ['--disturb changes nothing: no edge diffracts'] : []),
      ],
      plan: () => ({ job, engines, estimate, kept: () => null }),
      async solve() {
        const onProgress = (done: number, total: number): void => hooks.progress('solve', done, total)
        runs = await compareSchedules(engines, job, { ...request, onProgress, signal: hooks.signal })
      },
      finish: () => ({ runs, engines }),
      close: () => engines.close(),
    }
  }, caller)

interface CompareRequest {
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

/** Seconds of several runs of the same thing. */
interface Spread {
  median: number
  min: number
  max: number
  /** In the order they were run. */
  all: number[]
}

interface ScheduleSummary {
  total: Spread
  /** Of the serial schedule's median [%]. Serial waits after every step, so this is not what overlapping gains. */
  improvement_percent: number
  /** Of the time that both sides take alone, one after the other, each pipelined as in the overlapped schedule (`alone.sum`) [%]. */
  improvement_over_alone_percent: number
  /** The other figures are of the run with the median total. */
  steps: TimingReport['steps']
  gpu_busy: number
  cpu_busy: number
  wait: number
  /** Total over the busier side's busy time. */
  overlap: number
  /** Median total beyond that of the slower side alone [%]. */
  over_slower_side_percent: number
  /** Longest and 99th percentile over all runs. */
  event_loop_delay_ms: { max: number; p99: number }
  /** Before the first run and after the last [bytes]. */
  rss: { start: number; end: number }
}

export interface CompareSummary {
  schedules: Record<Schedule, ScheduleSummary>
  /** Each side alone, and the sum of their medians [s]. */
  alone: { sbr: Spread; edges?: Spread; sum: number }
  /** Mean load of an aspect: tubes of its aperture, and segments of edges that are lit and visible. */
  load: { tubes: number; edge_segments: number }
  fields_sha256: string
}

/** The run with the median total (the lower of two). */
function medianRun(runs: readonly MeasuredRun[], variant: Variant): MeasuredRun {
  const sorted = of(runs, variant).toSorted((a, b) => a.timing.total - b.timing.total)
  return sorted[Math.floor((sorted.length - 1) / 2)]
}

const of = (runs: readonly MeasuredRun[], variant: Variant): MeasuredRun[] =>
  runs.filter((r) => r.variant === variant)

export function spread(values: number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return {
    median: (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2,
    min: sorted[0],
    max: sorted[sorted.length - 1],
    all: values,
  }
}

/** Totals, improvements and overlap of all runs of a comparison. */
export function summarise(runs: readonly MeasuredRun[]): CompareSummary {
  const totals = (variant: Variant): Spread => spread(of(runs, variant).map((r) => r.timing.total))
  const sbr = totals('sbr-alone')
  const edges = of(runs, 'edges-alone').length > 0 ? totals('edges-alone') : undefined
  const slower = Math.max(sbr.median, edges?.median ?? 0)
  const sum = sbr.median + (edges?.median ?? 0)
  const serial = totals('serial').median
  const summary = (schedule: Schedule): ScheduleSummary => {
    const mine = of(runs, schedule)
    const total = totals(schedule)
    const { timing } = medianRun(runs, schedule)
    const { steps, gpu_busy, cpu_busy, wait } = timing
    return {
      total,
      improvement_percent: (100 * (serial - total.median)) / serial,
      improvement_over_alone_percent: (100 * (sum - total.median)) / sum,
      steps,
      gpu_busy,
      cpu_busy,
      wait,
      overlap: timing.total / Math.max(gpu_busy, cpu_busy),
      over_slower_side_percent: (100 * (total.median - slower)) / slower,
      event_loop_delay_ms: {
        max: Math.max(...mine.map((r) => r.eventLoop.maxMs)),
        p99: Math.max(...mine.map((r) => r.eventLoop.p99Ms)),
      },
      rss: { start: mine[0].rss.start, end: mine[mine.length - 1].rss.end },
    }
  }
  return {
    schedules: Object.fromEntries(SCHEDULES.map((s) => [s, summary(s)])) as CompareSummary['schedules'],
    alone: { sbr, edges, sum },
    load: loadOf(medianRun(runs, 'overlapped').reports),
    fields_sha256: medianRun(runs, 'serial').fieldsHash,
  }
}

function loadOf(reports: AspectReport[]): CompareSummary['load'] {
  const mean = (key: 'tubes' | 'segments'): number => reports.reduce((n, r) => n + r[key], 0) / reports.length
  return { tubes: mean('tubes'), edge_segments: mean('segments') }
}

/**
 * `timing.json` of a comparison: that of the default schedule's median run, with every schedule's total (median), the
 * improvements over serial and over both sides alone, the medians of these, and the other schedules' reports.
 */
export function compareTiming(runs: readonly MeasuredRun[], summary: CompareSummary) {
  const { alone } = summary
  const each = <T>(pick: (schedule: Schedule) => T): Record<Schedule, T> =>
    Object.fromEntries(SCHEDULES.map((s) => [s, pick(s)])) as Record<Schedule, T>
  return {
    ...medianRun(runs, 'overlapped').timing,
    totals: each((s) => summary.schedules[s].total.median),
    improvement_percent: each((s) => summary.schedules[s].improvement_percent),
    improvement_over_alone_percent: each((s) => summary.schedules[s].improvement_over_alone_percent),
    alone: { sbr: alone.sbr.median, edges: alone.edges?.median, sum: alone.sum },
    schedules: each((s) => medianRun(runs, s).timing),
  }
}

/** The comparison as text tables: tables 1 and 2 of paper 003 for this run, overlap, and the load of the host. */
export function formatComparison({ schedules, alone, load }: CompareSummary): string {
  const all = Object.entries(schedules)
  const steps = all.map(([name, { steps: s, total }]) => [
    name,
    ...[
      s.ray_tube_tracing,
      s.frequency_independent_diffraction,
      s.electromagnetic_computing,
      s.frequency_dependent_diffraction,
      s.reduction,
      total.median,
      alone.sbr.median,
    ].map(seconds),
  ])
  const percent = (x: number): string => `${x.toFixed(1)} %`
  const totals = all.map(([name, { total, improvement_percent, improvement_over_alone_percent }]) => [
    name,
    seconds(total.median),
    `${seconds(total.min)} to ${seconds(total.max)}`,
    ...(name === 'serial' ? ['', ''] : [improvement_percent, improvement_over_alone_percent].map(percent)),
  ])
  const serial = schedules.serial.total.median
  totals.push([
    'both alone',
    seconds(alone.sum),
    `${seconds(alone.sbr.min + (alone.edges?.min ?? 0))} to ${seconds(alone.sbr.max + (alone.edges?.max ?? 0))}`,
    percent((100 * (serial - alone.sum)) / serial),
    '',
  ])
  const overlap = all.map(([name, s]) => [
    name,
    seconds(s.gpu_busy),
    seconds(s.cpu_busy),
    seconds(s.wait),
    s.overlap.toFixed(3),
    `${s.over_slower_side_percent >= 0 ? '+' : ''}${s.over_slower_side_percent.toFixed(1)} %`,
  ])
  const mebi = (bytes: number): string => (bytes / 2 ** 20).toFixed(0)
  const host = all.map(([name, { event_loop_delay_ms: d, rss }]) => [
    name,
    d.max.toFixed(1),
    d.p99.toFixed(1),
    mebi(rss.start),
    mebi(rss.end),
  ])
  const edges = alone.edges ? `edge diffraction alone ${seconds(alone.edges.median)}` : 'no edge diffracts'
  return [
    `Load of an aspect, mean: ${millions(load.tubes)} ray tubes, ${thousands(load.edge_segments)} edge segments\n`,
    'Table 1: steps of the median run [s]: 1 ray-tube tracing, 2 electromagnetic computing, 3 reduction,',
    '4 frequency-independent and 5 frequency-dependent diffraction; busy times, those of threads divided by their number',
    textTable(['schedule', 'step 1', 'step 4', 'step 2', 'step 5', 'step 3', 'total', 'SBR alone'], steps),
    'Table 2: total time [s]; serial waits after every step; both alone: SBR, then edge diffraction, each pipelined',
    textTable(['schedule', 'median', 'min to max', 'improvement over serial', 'over both alone'], totals),
    `Overlap [s]; SBR alone ${seconds(alone.sbr.median)}, ${edges}`,
    textTable(
      ['schedule', 'SBR busy', 'edges busy', 'wait', 'total / busier side', 'against the slower side alone'],
      overlap,
    ),
    'Host: delay of the event loop [ms], resident memory [MiB]',
    textTable(['schedule', 'longest', '99 %', 'at the start', 'at the end'], host),
  ].join('\n')
}

const seconds = (s: number): string => (s >= 1000 ? s.toFixed(1) : s >= 10 ? s.toFixed(2) : s.toFixed(3))

/** Counts as the report prints them: 4.55 M, 14,000. */
export const millions = (n: number): string => `${(n / 1e6).toPrecision(3)} M`
export const thousands = (n: number): string => Math.round(n).toLocaleString('en-US')

/** Columns wide enough for their entries, the first to the left and the others to the right; ends in an empty line. */
export function textTable(head: string[], rows: string[][]): string {
  const widths = head.map((_, c) => Math.max(...[head, ...rows].map((row) => row[c].length)))
  const line = (row: string[]): string =>
    row
      .map((cell, c) => (c === 0 ? cell.padEnd(widths[c]) : cell.padStart(widths[c])))
      .join('  ')
      .trimEnd()
  return [line(head), widths.map((w) => '-'.repeat(w)).join('  '), ...rows.map(line), ''].join('\n')
}

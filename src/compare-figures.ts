import { type AspectReport, type Schedule, SCHEDULES, type Span } from '../run/sweep/index.js'
import type { Aspect } from '../scene/index.js'
import { type MeasuredRun, medianRun } from './compare.js'
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

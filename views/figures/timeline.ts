import { InputError } from '../../scene/index.js'
import {
  atX,
  atY,
  type Axes,
  coloursOf,
  frame,
  heading,
  LEFT as FRAME_LEFT,
  line,
  PAPER,
  px,
  rect,
  svg,
  text,
  tickLabels,
  ticks,
} from './axes.js'
import { PAGE } from './svg.js'

/** A stretch of one lane. The `pieces` are what it was busy with; the rest of it is waiting. Times in seconds. */
export interface TimelineBar {
  lane: string
  start: number
  end: number
  pieces: { step: string; start: number; end: number }[]
  /** Written into the bar where there is room. */
  label?: string
}

export interface Timeline {
  title: string
  subtitle?: string
  /** Names of the lanes, from the top. */
  lanes: string[]
  /** Names of the steps, in the order of the legend; each has a colour of its own. */
  steps: string[]
  bars: TimelineBar[]
  /** Moments to mark across all lanes. */
  marks?: { at: number; label: string }[]
  /** Left end and length of the time axis [s]; bars beyond it are cut. */
  from: number
  length: number
}

/** Distinguishable for colour-blind readers (after Okabe and Ito). */
const COLOURS = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#8a6d00', '#3a9bd9']
const WAITING = '#d5dae0'
const LEFT = 63
const RIGHT = 21
const TOP = 72
const ROW = 25
const BAR = 21
const LANE_GAP = 10
const LEGEND_LINE = 18
const INK = `stroke="${PAPER.ink}"`
const LEGEND_COLUMNS = 2
/** Narrowest label [px per character]. */
const CHARACTER = 6.5

/**
 * What each side of a run did over a stretch of time, as figure 4 of paper 003 (Gao et al., PIER 122, 2012): a lane per
 * side, time in ms to the right. Bars of a lane that overlap are drawn one below the other.
 * @throws InputError for an empty time axis or a step or lane that was not declared
 */
export function timelineSvg(timeline: Timeline): string {
  const { lanes, steps, from, length, marks = [] } = timeline
  if (!(length > 0 && Number.isFinite(length)))
    throw new InputError(`timeline '${timeline.title}': a time axis of ${length} s cannot be drawn`)
  const width = PAGE - LEFT - RIGHT
  const at = (t: number): number => LEFT + (width * Math.max(0, Math.min(length, t - from))) / length
  const seen = timeline.bars.filter((b) => b.end > from && b.start < from + length)
  const lanesDrawn: string[] = []
  const bars: string[] = []
  let y = TOP
  for (const lane of lanes) {
    const rows = stack(seen.filter((b) => b.lane === lane))
    const height = ROW * Math.max(1, rows.length)
    lanesDrawn.push(
      text(LEFT - 9, y + height / 2 + 4, lane, 'font-weight="600" text-anchor="end"'),
      rect(LEFT, y, width, height, 'fill="#f6f7f9"'),
    )
    rows.forEach((row, r) => {
      for (const bar of row) bars.push(...drawBar(bar, y + r * ROW + (ROW - BAR) / 2, at, steps))
    })
    y += height + LANE_GAP
  }
  const unknown = seen.find((b) => !lanes.includes(b.lane))
  if (unknown) throw new InputError(`timeline '${timeline.title}': no lane is called '${unknown.lane}'`)
  const bottom = y - LANE_GAP
  const shown = marks.filter((m) => m.at >= from && m.at <= from + length)
  const { grid, axis } = timeAxis(length, bottom, (t) => at(from + t))
  const waiting = seen.some(hasWaiting)
  const legendRows = Math.ceil((steps.length + (waiting ? 1 : 0)) / LEGEND_COLUMNS)
  return svg(PAGE, bottom + 60 + LEGEND_LINE * legendRows, PAPER, [
    ...heading(LEFT, timeline.title, timeline.subtitle ? [timeline.subtitle] : [], PAPER),
    ...lanesDrawn,
    ...grid,
    ...bars,
    ...shown.map((m) =>
      line(at(m.at), TOP - 8, at(m.at), bottom, `${INK} stroke-width="0.9" stroke-dasharray="3 2"`),
    ),
    ...markLabels(shown, at),
    ...axis,
    ...legend(steps, waiting, bottom + 63),
  ])
}

/** Labels of the marks: those with most room before the next mark first, then those that fit between them. */
function markLabels(marks: { at: number; label: string }[], at: (t: number) => number): string[] {
  const places = marks.toSorted((a, b) => a.at - b.at).map(({ at: time, label }) => ({ x: at(time), label }))
  const roomy = places
    .map((place, i) => ({ ...place, room: (places[i + 1]?.x ?? PAGE) - place.x }))
    .toSorted((a, b) => b.room - a.room)
  const drawn: { x: number; end: number }[] = []
  return roomy.flatMap(({ x, label }) => {
    const end = x + CHARACTER * label.length
    if (end >= PAGE || drawn.some((other) => x < other.end && other.x < end)) return []
    drawn.push({ x, end })
    return [text(x + 4, TOP - 4, label, `fill="${PAPER.faint}"`)]
  })
}

/** Rows of bars that do not overlap, as few as possible. */
export function stack<T extends { start: number; end: number }>(bars: T[]): T[][] {
  const rows: T[][] = []
  for (const bar of bars.toSorted((a, b) => a.start - b.start)) {
    const row = rows.find((r) => r[r.length - 1].end <= bar.start)
    if (row) row.push(bar)
    else rows.push([bar])
  }
  return rows
}

const hasWaiting = ({ start, end, pieces }: TimelineBar): boolean =>
  pieces.reduce((t, p) => t + p.end - p.start, 0) < 0.98 * (end - start)

function drawBar(bar: TimelineBar, y: number, at: (t: number) => number, steps: string[]): string[] {
  const height = BAR
  const x0 = at(bar.start)
  const x1 = at(bar.end)
  const parts = [rect(x0, y, x1 - x0, height, `fill="${WAITING}"`)]
  for (const piece of bar.pieces) {
    const step = steps.indexOf(piece.step)
    if (step < 0) throw new InputError(`timeline: no step is called '${piece.step}'`)
    const [p0, p1] = [at(piece.start), at(piece.end)]
    if (p1 > p0) parts.push(rect(p0, y, p1 - p0, height, `fill="${COLOURS[step % COLOURS.length]}"`))
  }
  parts.push(rect(x0, y, x1 - x0, height, 'fill="none" stroke="white" stroke-width="0.8"'))
  if (bar.label && x1 - x0 > CHARACTER * bar.label.length + 6)
    parts.push(
      text(
        (x0 + x1) / 2,
        y + height / 2 + 4,
        bar.label,
        `font-size="11" text-anchor="middle" stroke="white" stroke-width="2.5" stroke-opacity="0.75" paint-order="stroke"`,
      ),
    )
  return parts
}

function timeAxis(
  length: number,
  bottom: number,
  at: (t: number) => number,
): { grid: string[]; axis: string[] } {
  const values = ticks(0, 1000 * length, 10)
  const labels = tickLabels(values)
  const xs = values.map((v) => at(v / 1000))
  return {
    grid: xs.map((x) => line(x, TOP, x, bottom, `stroke="${PAPER.grid}"`)),
    axis: [
      line(at(0), bottom + 4, at(length), bottom + 4, INK),
      ...xs.flatMap((x, i) => [
        line(x, bottom + 4, x, bottom + 9, INK),
        text(x, bottom + 22, labels[i], 'text-anchor="middle"'),
      ]),
      text(at(length / 2), bottom + 40, 'Time [ms]', 'font-size="13" text-anchor="middle"'),
    ],
  }
}

/** Entries side by side, LEGEND_COLUMNS in a row. */
function legend(steps: string[], waiting: boolean, y: number): string[] {
  const entries = [
    ...steps.map((step, i) => [step, COLOURS[i % COLOURS.length]]),
    ...(waiting ? [['in flight', WAITING]] : []),
  ]
  return entries.flatMap(([name, colour], i) => {
    const x = LEFT + ((PAGE - LEFT) / LEGEND_COLUMNS) * (i % LEGEND_COLUMNS)
    const top = y + LEGEND_LINE * Math.floor(i / LEGEND_COLUMNS)
    return [rect(x, top - 9, 14, 11, `fill="${colour}"`), text(x + 20, top + 1, name)]
  })
}

export interface StackedCounts {
  title: string
  subtitle?: string
  xTitle: string
  yTitle: string
  /** Ascending, and about evenly spaced: positions of the columns. */
  x: number[]
  /** One below the other, on the same axes; `columns[i]` are the counts at x[i], from the bottom. */
  panels: { name: string; columns: number[][] }[]
  /** What the parts of a column are, e.g. 'sub-grid', for the legend. */
  partName: string
}

const COUNTS_RIGHT = 112
const COUNTS_TOP = 74
const PANEL = 165
/** Between panels, and below the last. */
const GAP = 58

/**
 * Counts stacked in columns, e.g. edges per sub-grid against aspect angle, as an SVG document.
 * @throws InputError for columns that do not fit the axis
 */
export function stackedCounts(figure: StackedCounts): string {
  const { x, panels, title, subtitle } = figure
  for (const { name, columns } of panels)
    if (x.length === 0 || columns.length !== x.length)
      throw new InputError(
        `figure '${title}', panel '${name}': ${columns.length} columns for ${x.length} positions`,
      )
  const width = PAGE - FRAME_LEFT - COUNTS_RIGHT
  const half = x.length > 1 ? (x[x.length - 1] - x[0]) / (x.length - 1) / 2 : 0.5
  const all = panels.flatMap((p) => p.columns)
  const most = Math.max(1, ...all.map((c) => c.reduce((s, n) => s + n, 0)))
  const partCount = Math.max(1, ...all.map((c) => c.length))
  const parts = panels.flatMap(({ name, columns }, p) => {
    const axes: Axes = {
      left: FRAME_LEFT,
      top: COUNTS_TOP + p * (PANEL + GAP),
      width,
      height: PANEL,
      x: [x[0] - half, x[x.length - 1] + half],
      y: [0, 1.03 * most],
    }
    return [
      ...areas(x, half, columns, partCount, axes),
      ...frame(axes, p === panels.length - 1 ? figure.xTitle : '', figure.yTitle, PAPER, { over: true }),
      text(FRAME_LEFT, axes.top - 8, name, 'font-weight="600"'),
    ]
  })
  return svg(PAGE, COUNTS_TOP + panels.length * (PANEL + GAP), PAPER, [
    ...heading(FRAME_LEFT, title, subtitle ? [subtitle] : [], PAPER),
    ...parts,
    ...countsLegend(FRAME_LEFT + width + 18, figure.partName, partCount),
  ])
}

/** One above the other, the parts of all columns. */
function areas(x: number[], half: number, columns: number[][], partCount: number, axes: Axes): string[] {
  const heights = columns.map((column) => {
    let sum = 0
    return Array.from({ length: partCount + 1 }, (_, k) => (sum += k > 0 ? (column[k - 1] ?? 0) : 0))
  })
  return Array.from({ length: partCount }, (_, k) => {
    const side = (level: number, i: number): string[] =>
      [x[i] - half, x[i] + half].map((v) => `${px(atX(axes, v))},${px(atY(axes, heights[i][level]))}`)
    const upper = x.flatMap((_, i) => side(k + 1, i))
    const lower = x.flatMap((_, i) => side(k, i))
    return `<polygon points="${[...upper, ...lower.toReversed()].join(' ')}" fill="${colourOf(k, partCount)}"/>`
  })
}

function colourOf(part: number, count: number): string {
  const i = 3 * Math.round(count > 1 ? (235 * part) / (count - 1) : 120)
  return `rgb(${coloursOf('viridis')
    .subarray(i, i + 3)
    .join()})`
}

/** From the top of the columns to their bottom; of many parts only some are named. */
function countsLegend(x: number, name: string, count: number): string[] {
  const every = Math.ceil(count / 16)
  return Array.from({ length: count }, (_, k) => k)
    .filter((k) => k % every === 0)
    .toReversed()
    .flatMap((k, i) => [
      rect(x, COUNTS_TOP + 17 * i, 12, 12, `fill="${colourOf(k, count)}"`),
      text(x + 18, COUNTS_TOP + 17 * i + 10, `${name} ${k + 1}`),
    ])
}

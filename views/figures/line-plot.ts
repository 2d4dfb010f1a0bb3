import { InputError } from '../../scene/index.js'
import { atX, atY, type Axes, frame, heading, LEFT, PAPER, px, rect, svg, text } from './axes.js'
import { coloursOf } from './colours.js'
import { lineFigure, type LineSpec, margins } from './line-figure.js'
import { fittedHeight, mapFigure, type MapSpec } from './map-figure.js'
import { PAGE, paintPng } from './svg.js'

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

const RIGHT = 112
const TOP = 74
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
  const width = PAGE - LEFT - RIGHT
  const half = x.length > 1 ? (x[x.length - 1] - x[0]) / (x.length - 1) / 2 : 0.5
  const all = panels.flatMap((p) => p.columns)
  const most = Math.max(1, ...all.map((c) => c.reduce((s, n) => s + n, 0)))
  const partCount = Math.max(1, ...all.map((c) => c.length))
  const parts = panels.flatMap(({ name, columns }, p) => {
    const axes: Axes = {
      left: LEFT,
      top: TOP + p * (PANEL + GAP),
      width,
      height: PANEL,
      x: [x[0] - half, x[x.length - 1] + half],
      y: [0, 1.03 * most],
    }
    return [
      ...areas(x, half, columns, partCount, axes),
      ...frame(axes, p === panels.length - 1 ? figure.xTitle : '', figure.yTitle, PAPER, { over: true }),
      text(LEFT, axes.top - 8, name, 'font-weight="600"'),
    ]
  })
  return svg(PAGE, TOP + panels.length * (PANEL + GAP), PAPER, [
    ...heading(LEFT, title, subtitle ? [subtitle] : [], PAPER),
    ...parts,
    ...legend(LEFT + width + 18, figure.partName, partCount),
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
function legend(x: number, name: string, count: number): string[] {
  const every = Math.ceil(count / 16)
  return Array.from({ length: count }, (_, k) => k)
    .filter((k) => k % every === 0)
    .toReversed()
    .flatMap((k, i) => [
      rect(x, TOP + 17 * i, 12, 12, `fill="${colourOf(k, count)}"`),
      text(x + 18, TOP + 17 * i + 10, `${name} ${k + 1}`),
    ])
}

export interface LineSeries {
  name: string
  x: ArrayLike<number>
  y: ArrayLike<number>
  /** Default line; points for measured or reference samples. */
  style?: 'line' | 'dashed' | 'points'
  /** Ends of the values' error bars, drawn as a band behind the curve. */
  bars?: { low: ArrayLike<number>; high: ArrayLike<number> }
  /** Numbers of its colour and dash, for curves that two things tell apart; both are the curve's own number where absent. */
  colour?: number
  dash?: number
}

export interface LinePlot {
  title: string
  subtitle?: string
  xTitle: string
  yTitle: string
  series: LineSeries[]
  /** x is an angle in degrees: ticks at multiples of 5, 10, 15, 30, 45 ... */
  angular?: boolean
  /** A stem for every sample instead of a line through them. */
  stems?: boolean
  /** Ends of the y axis; default: around the data, and no deeper than `depth` below the highest value. */
  yRange?: [number, number]
  /** Deepest value shown below the highest, e.g. dB; nulls below are cut off. Default 80. */
  depth?: number
  /** Size of the plotting area [px]; default 666 x 365. */
  width?: number
  height?: number
}

/** Radius of a sample's dot. */
const DOT = 2.2
/** Margins to the left and the right of the plotting area. */
const SIDES = 84
/**
 * Curves over a common axis, e.g. RCS [dBsm] against angle or frequency, with a legend where there is more than one.
 * @returns the figure as SVG document
 * @throws InputError for a series that is empty, of unequal lengths, or not finite.
 */
export function linePlot(plot: LinePlot): string {
  const { width = 666, height = 365 } = plot
  const x = xRange(plot)
  const [low, high] = plot.yRange ?? yRange(plot)
  const spec: LineSpec = {
    title: plot.title,
    subtitle: plot.subtitle ?? '',
    xTitle: plot.xTitle,
    yTitle: plot.yTitle,
    curves: plot.series.map(({ style, ...series }) => ({
      ...series,
      ...(style === 'points' ? { dots: DOT } : {}),
      ...(style && { dashed: style === 'dashed' }),
    })),
    x,
    low,
    high,
    angular: plot.angular,
    stems: plot.stems,
    legend: plot.series.length > 1,
  }
  const { top, bottom } = margins(spec, width)
  return lineFigure(spec, width + SIDES, height + top + bottom, PAPER).markup
}

/** Ends of the x axis over all series, after checking them. */
function xRange({ title, series }: LinePlot): [number, number] {
  if (series.length === 0) throw new InputError(`plot '${title}': no series to draw`)
  let low = Infinity
  let high = -Infinity
  for (const { name, x, y, bars } of series) {
    if (x.length === 0 || x.length !== y.length)
      throw new InputError(`plot '${title}', series '${name}': ${x.length} x values for ${y.length} y values`)
    for (let i = 0; i < x.length; i++) {
      if (!Number.isFinite(x[i]) || !Number.isFinite(y[i]))
        throw new InputError(
          `plot '${title}', series '${name}': point ${i} is (${x[i]}, ${y[i]}), not finite`,
        )
      if (bars && !(Number.isFinite(bars.low[i]) && Number.isFinite(bars.high[i])))
        throw new InputError(
          `plot '${title}', series '${name}': the error bar of point ${i} is ${bars.low[i]} to ${bars.high[i]}, not finite`,
        )
      low = Math.min(low, x[i])
      high = Math.max(high, x[i])
    }
  }
  return low < high ? [low, high] : [low - 1, high + 1]
}

/** Ends of the y axis: multiples of 5 (or of a rounder fraction of a small span) around what is shown. */
export function yRange({ series, depth = 80 }: Pick<LinePlot, 'series' | 'depth'>): [number, number] {
  let low = Infinity
  let high = -Infinity
  for (const { y } of series)
    for (let i = 0; i < y.length; i++) {
      low = Math.min(low, y[i])
      high = Math.max(high, y[i])
    }
  low = Math.max(low, high - depth)
  const span = high - low || 1
  const step = span > 10 ? 5 : 10 ** Math.floor(Math.log10(span)) / 2
  return [Math.floor((low - 0.02 * span) / step) * step, Math.ceil((high + 0.02 * span) / step) * step]
}

/** Highest figure [px]. */
const HIGHEST = 760

/** A map with one scale for both axes as an SVG document. */
export const mapPlot = (spec: MapSpec): string =>
  mapFigure(spec, PAGE, fittedHeight(spec, PAGE, HIGHEST), PAPER, paintPng).markup

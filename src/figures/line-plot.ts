import type { TopLevelSpec } from 'vega-lite'
import { InputError } from '../../scene/index.js'
import { FONT, svgToPng } from './svg.js'

export interface LineSeries {
  name: string
  x: ArrayLike<number>
  y: ArrayLike<number>
  /** Default line; points for measured or reference samples. */
  style?: 'line' | 'dashed' | 'points'
  /** Ends of the values' error bars, drawn as a band behind the curve. */
  bars?: { low: ArrayLike<number>; high: ArrayLike<number> }
}

export interface LinePlot {
  title: string
  subtitle?: string
  xTitle: string
  yTitle: string
  series: LineSeries[]
  /** x is an angle in degrees: ticks at multiples of 5, 10, 15, 30, 45 ... */
  angular?: boolean
  /** Ends of the y axis; default: around the data, and no deeper than `depth` below the highest value. */
  yRange?: [number, number]
  /** Deepest value shown below the highest, e.g. dB; nulls below are cut off. Default 80. */
  depth?: number
  /** Size of the plotting area [px]; default 820 x 440. */
  width?: number
  height?: number
}

/** Distinguishable for colour-blind readers (after Okabe and Ito). */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#8a6d00', '#3a9bd9', '#555555', '#6a3d9a', '#b2182b', '#66a61e', '#00b5b8', '#f0a202'] // prettier-ignore
/** Curves of no more points than this have them marked: a curve of one would not show at all. */
const FEW = 10
const ANGLE_STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 45, 60, 90]

/**
 * Curves over a common axis, e.g. RCS [dBsm] against angle or frequency, with a legend where there is more than one.
 * @returns the figure as SVG document and as PNG (1.1 times its size: about 1000 px wide).
 * @throws InputError for a series that is empty, of unequal lengths, or not finite.
 */
export async function linePlot(plot: LinePlot): Promise<{ svg: string; png: Uint8Array }> {
  const spec = lineSpec(plot)
  const [vega, { compile }] = await Promise.all([import('vega'), import('vega-lite')])
  const view = new vega.View(vega.parse(compile(spec).spec), { renderer: 'none' })
  const svg = await view.toSVG()
  view.finalize()
  return { svg, png: await svgToPng(svg, 1.1) }
}

function lineSpec(plot: LinePlot): TopLevelSpec {
  const [xLow, xHigh] = xRange(plot)
  const axisY = plot.yRange ?? yRange(plot)
  const layerOf = (points: boolean) => {
    const series = plot.series.filter((s) => (s.style === 'points') === points)
    const names = series.map((s) => s.name)
    const colour = {
      domain: names,
      range: series.map((s) => COLOURS[plot.series.indexOf(s) % COLOURS.length]),
    }
    const dash = { domain: names, range: series.map((s) => (s.style === 'dashed' ? [7, 5] : [1, 0])) }
    const legend =
      plot.series.length > 1
        ? {
            title: null,
            ...(points
              ? { symbolType: 'circle', symbolSize: 60, padding: 5.5 }
              : { symbolType: 'stroke', symbolSize: 500 }),
          }
        : null
    return {
      data: { values: rows(series, axisY) },
      mark: points
        ? { type: 'point', filled: true, size: 26, opacity: 0.9, clip: true }
        : {
            type: 'line',
            strokeWidth: 1.8,
            strokeJoin: 'round',
            clip: true,
            ...(series.every((s) => s.x.length <= FEW) ? { point: { filled: true, size: 40 } } : {}),
          },
      encoding: {
        x: {
          field: 'x',
          type: 'quantitative',
          title: plot.xTitle,
          scale: { domain: [xLow, xHigh], nice: false, zero: false },
          axis: plot.angular ? { values: angleTicks(xLow, xHigh) } : { tickCount: 10 },
        },
        y: {
          field: 'y',
          type: 'quantitative',
          title: plot.yTitle,
          scale: { domain: axisY, nice: false, zero: false },
          axis: { tickCount: 9 },
        },
        color: { field: 'series', type: 'nominal', scale: colour, legend },
        ...(points ? {} : { strokeDash: { field: 'series', type: 'nominal', scale: dash, legend } }),
        order: { field: 'i', type: 'quantitative' },
      },
    }
  }
  const withBars = plot.series.filter((s) => s.bars)
  const bands = {
    data: { values: withBars.flatMap((s) => barRows(s, axisY)) },
    mark: { type: 'area', opacity: 0.18, clip: true },
    encoding: {
      x: { field: 'x', type: 'quantitative' },
      y: { field: 'low', type: 'quantitative' },
      y2: { field: 'high' },
      color: {
        field: 'series',
        type: 'nominal',
        legend: null,
        scale: {
          domain: withBars.map((s) => s.name),
          range: withBars.map((s) => COLOURS[plot.series.indexOf(s) % COLOURS.length]),
        },
      },
    },
  }
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    width: plot.width ?? 820,
    height: plot.height ?? 440,
    padding: 16,
    background: 'white',
    title: { text: plot.title, ...(plot.subtitle ? { subtitle: subtitleLines(plot.subtitle) } : {}) },
    layer: [
      ...(withBars.length > 0 ? [bands] : []),
      // Points first: where they are dense they would hide the curves.
      ...[true, false].filter((p) => plot.series.some((s) => (s.style === 'points') === p)).map(layerOf),
    ],
    resolve: {
      scale: { color: 'independent', strokeDash: 'independent' },
      legend: { color: 'independent', strokeDash: 'independent' },
    },
    config: {
      font: FONT,
      view: { stroke: '#1b1f24', strokeWidth: 1 },
      title: {
        anchor: 'start',
        frame: 'group',
        fontSize: 19,
        fontWeight: 600,
        subtitleFontSize: 14,
        subtitleColor: '#5d6671',
        offset: 14,
      },
      axis: {
        labelFontSize: 14,
        titleFontSize: 15,
        titleFontWeight: 400,
        titlePadding: 10,
        gridColor: '#e3e6ea',
        domain: false,
        tickColor: '#1b1f24',
        labelColor: '#1b1f24',
        titleColor: '#1b1f24',
      },
      legend: {
        orient: 'bottom',
        direction: 'horizontal',
        labelFontSize: 14,
        labelLimit: 400,
        symbolStrokeWidth: 2.5,
        columnPadding: 24,
        offset: 10,
      },
    },
  } as TopLevelSpec
}

/**
 * Points of the series. Values off the axis are drawn just outside the frame, where they are clipped: a zero amplitude would
 * otherwise lie kilometres below the page, which resvg does not survive.
 */
function rows(
  series: LineSeries[],
  axisY: [number, number],
): { series: string; i: number; x: number; y: number }[] {
  return series.flatMap((s) => Array.from(s.x, (x, i) => ({ series: s.name, i, x, y: near(s.y[i], axisY) })))
}

/** Characters of a line of the subtitle: vega reckons text wider than it is and would widen the page beyond the frame. */
const SUBTITLE = 72

/** The subtitle's parts, set apart by ' · ', in as few lines as they fit. */
function subtitleLines(text: string): string[] {
  const lines: string[] = []
  for (const part of text.split(' · ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 3 + part.length <= SUBTITLE)
      lines[lines.length - 1] = `${last} · ${part}`
    else lines.push(part)
  }
  return lines
}

const barRows = (
  { name, x, bars }: LineSeries,
  axisY: [number, number],
): { series: string; x: number; low: number; high: number }[] =>
  Array.from(x, (at, i) => ({
    series: name,
    x: at,
    low: near(bars!.low[i], axisY),
    high: near(bars!.high[i], axisY),
  }))

function near(y: number, [low, high]: [number, number]): number {
  const beyond = 0.1 * (high - low)
  return Math.min(high + beyond, Math.max(low - beyond, y))
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

function angleTicks(low: number, high: number): number[] {
  const step = ANGLE_STEPS.find((s) => (high - low) / s <= 13) ?? 90
  const first = Math.ceil(low / step - 1e-9)
  const count = Math.floor(high / step + 1e-9) - first + 1
  return Array.from({ length: count }, (_, i) => Number(((first + i) * step).toPrecision(12)))
}

import { direction, InputError } from '../../scene/index.js'
import { type Colours, line, PAPER, px, text } from './axes.js'
import { type Curve, lineFigure, type LineSpec, margins } from './line-figure.js'
import { fittedHeight, mapFigure, type MapSpec, outlineOf, rings } from './map-figure.js'
import { PAGE, paintPng } from './svg.js'
import type { Outline } from '../../isar/index.js'
import { dynamicRange, type Grid, highest, imageDbsm, NOTHING, short } from '../../isar/levels.js'

export { targetOf } from './data.js'
export { outlineOf } from './map-figure.js'
export { ascending, dynamicRange, imageDbsm } from '../../isar/levels.js'
export {
  stackedCounts,
  type StackedCounts,
  timelineSvg,
  type Timeline,
  type TimelineBar,
} from './timeline.js'
export { encodeFigure, type FigureFormat, paintPng, svgToPdf, svgToPng } from './svg.js'

export interface LineSeries extends Omit<Curve, 'dots' | 'dashed'> {
  /** Default line; points for measured or reference samples. */
  style?: 'line' | 'dashed' | 'points'
}

export interface LinePlot extends Pick<LineSpec, 'title' | 'xTitle' | 'yTitle' | 'angular' | 'stems'> {
  subtitle?: string
  series: LineSeries[]
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
  const { series, subtitle = '', ...look } = plot
  const spec: LineSpec = {
    ...look,
    subtitle,
    curves: series.map(({ style, ...curve }) => ({
      ...curve,
      ...(style === 'points' ? { dots: DOT } : {}),
      ...(style && { dashed: style === 'dashed' }),
    })),
    x,
    low,
    high,
    legend: series.length > 1,
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

export interface ImageFigure {
  /** Complex image [range][cross-range], interleaved re, im; |pixel|^2 in m^2. */
  image: Float64Array
  /** Ranges of the rows and cross-ranges of the columns, uniform and ascending [m]. */
  rangeM: Float64Array
  crossRangeM: Float64Array
  title: string
  /** A second, smaller line. */
  subtitle?: string
  /** Levels shown below the highest [dB]; default `dynamicRange`. */
  dynamicRangeDb?: number
  /** Top of the colour scale [dBsm], to compare images; default the image's maximum. */
  maxDbsm?: number
  /** Centre aspect, for the compass that shows the target's +x; none without it. */
  aspect?: { thetaDeg: number; phiDeg: number }
  /** Of the ground plane: rows along y, columns along x. */
  ground?: boolean
  /** Default inferno. */
  colourMap?: Colours
  /** Of the target. */
  outline?: Outline
  /** Points to ring and number, the first ones largest [m]. */
  marks?: { rangeM: number; crossRangeM: number }[]
}

/**
 * ISAR image as an SVG document: range upwards away from the radar, cross-range to the right, one
 * scale in metres for both, colour bar in dBsm, and a compass with the projection of the target's +x.
 * @throws InputError for a dynamic range that is not positive, or axes that do not fit the image.
 */
export function imageSvg(figure: ImageFigure): string {
  const { image, rangeM, crossRangeM, aspect, outline, marks = [] } = figure
  const [rows, columns] = [rangeM.length, crossRangeM.length]
  if (rows < 2 || columns < 2 || image.length !== 2 * rows * columns)
    throw new InputError(`figure: ${image.length / 2} pixels do not fit axes of ${rows} x ${columns} points`)
  const dynamicRangeDb = figure.dynamicRangeDb ?? dynamicRange([image])
  if (!(dynamicRangeDb > 0 && Number.isFinite(dynamicRangeDb)))
    throw new InputError(`dynamic range ${dynamicRangeDb} dB must be positive`)
  const levels = imageDbsm(image)
  const maximum = levels.reduce((a, b) => Math.max(a, b), NOTHING)
  const high = figure.maxDbsm ?? (maximum > NOTHING ? maximum : 0)
  return mapPlot({
    levels: Float32Array.from(levels),
    x: crossRangeM,
    y: rangeM,
    title: figure.title,
    subtitle: figure.subtitle ?? '',
    xTitle: figure.ground ? 'x [m]' : 'Cross-range [m]',
    yTitle: figure.ground ? 'y [m]' : 'Range, away from the radar [m]',
    low: high - dynamicRangeDb,
    high,
    unit: 'dBsm',
    colours: figure.colourMap ?? 'inferno',
    square: true,
    smooth: true,
    span: true,
    overlay: (axes) => [
      ...(outline ? outlineOf(outline, axes) : []),
      ...rings(marks.map((m) => ({ x: m.crossRangeM, y: m.rangeM })), axes), // prettier-ignore
    ],
    ...(aspect && { aside: (x: number, y: number) => compass(x, y, aspect.thetaDeg, aspect.phiDeg) }),
  })
}

const RADIUS = 25

/** Where the target's +x lies in the picture: (x-hat . phi-hat, -x-hat . r-hat), drawn with its projected length. */
export function compass(x: number, y: number, thetaDeg: number, phiDeg: number): string[] {
  const { r, phiHat } = direction(thetaDeg, phiDeg)
  const [right, up] = [phiHat[0], -r[0]]
  const length = Math.hypot(right, up)
  const ink = PAPER.ink
  const dial = `<circle cx="${px(x)}" cy="${px(y)}" r="${RADIUS}" fill="#f3f5f7" stroke="#c3cad2"/>`
  if (length < 0.05)
    return [
      dial,
      `<circle cx="${px(x)}" cy="${px(y)}" r="3" fill="${ink}"/>`,
      text(x + 6, y - 5, '+x', 'font-size="11" font-weight="600"'),
    ]
  const [dx, dy] = [right / length, -up / length]
  const tip = (RADIUS - 3) * length
  const tail = -0.55 * tip
  const base = tip - Math.min(8, tip)
  const corner = (side: number): string => `${px(x + dx * base - dy * side)},${px(y + dy * base + dx * side)}`
  return [
    dial,
    line(x + dx * tail, y + dy * tail, x + dx * base, y + dy * base, `stroke="${ink}" stroke-width="1.8" stroke-linecap="round"`), // prettier-ignore
    `<polygon points="${px(x + dx * tip)},${px(y + dy * tip)} ${corner(4)} ${corner(-4)}" fill="${ink}"/>`,
    text(x + dx * (RADIUS + 11), y + dy * (RADIUS + 9) + 4, '+x', 'font-size="11" font-weight="600" text-anchor="middle"'), // prettier-ignore
  ]
}

export interface ImageTitle {
  /** What was imaged, e.g. the mesh's name. */
  name: string
  /** Channel, e.g. `vv` (transmit, receive). */
  channel: string
  thetaDeg: number
  phiDeg: number
  /** Lowest and highest frequency [Hz]. */
  f0: number
  f1: number
  apertureDeg: number
  rangeResolutionM: number
  crossRangeResolutionM: number
  window: string
}

/** Title and subtitle of an ISAR picture: target and channel; aspect, band, aperture, resolution and window. */
export function imageTitle(t: ImageTitle): { title: string; subtitle: string } {
  return {
    title: `${t.name}, ${t.channel.toUpperCase()}`,
    subtitle: [
      `θ = ${short(t.thetaDeg)}°, φ = ${short(t.phiDeg)}°`,
      `${short(t.f0 / 1e9)}–${short(t.f1 / 1e9)} GHz`,
      `aperture ${short(t.apertureDeg, 3)}°`,
      `resolution ${short(t.rangeResolutionM, 2)} × ${short(t.crossRangeResolutionM, 2)} m`,
      t.window === 'none' ? 'no window' : `${t.window} window`,
    ].join('  ·  '),
  }
}

/** Levels of a slow-time product over its axes [dBsm]. */
export interface DopplerFigure extends Grid, Pick<MapSpec, 'xTitle' | 'yTitle' | 'title' | 'subtitle'> {
  /** Levels shown below the highest [dB]. */
  dynamicRangeDb: number
  /** Top of the scale [dBsm], to compare pictures; default the highest level. */
  maxDbsm?: number
}

const HEIGHT = 480

/** A map of levels over two axes of different units as an SVG document. */
export function dopplerSvg(figure: DopplerFigure): string {
  const { dynamicRangeDb, maxDbsm, ...map } = figure
  const top = maxDbsm ?? highest(map.levels)
  // Nothing at all is dark, as in images.
  const high = top > NOTHING ? top : 0
  const spec = { ...map, low: high - dynamicRangeDb, high, unit: 'dBsm', colours: 'inferno', smooth: true, span: true } as const // prettier-ignore
  return mapFigure(spec, PAGE, HEIGHT, PAPER, paintPng).markup
}

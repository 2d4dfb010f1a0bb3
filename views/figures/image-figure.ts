import type { Outline } from '../../isar/index.js'
import { dynamicRange, highest, imageDbsm, NOTHING } from '../../isar/levels.js'
import { direction, InputError } from '../../scene/index.js'
import { line, PAPER, px, text } from './axes.js'
import type { Colours } from './colours.js'
import { rings } from './labels.js'
import { mapFigure, outlineOf } from './map-figure.js'
import { mapPlot } from './line-plot.js'
import { PAGE, paintPng } from './svg.js'

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

const short = (x: number, digits = 4): string => String(Number(x.toPrecision(digits))).replace('-', '−')

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

/** Levels of a slow-time product over its axes. */
export interface DopplerFigure {
  /** [y][x], dBsm. */
  levels: Float32Array
  /** Uniform and ascending. */
  x: Float64Array
  y: Float64Array
  xTitle: string
  yTitle: string
  title: string
  subtitle: string
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

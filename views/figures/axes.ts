import { interpolateInferno, interpolateRdBu, interpolateViridis } from 'd3-scale-chromatic'
import { NOTHING, shown } from '../../isar/levels.js'

/** The round step (1, 2 or 5 times a power of ten) that divides a span into at most about `count` parts. */
function tickStep(span: number, count: number): number {
  const raw = span / Math.max(1, count)
  const decade = 10 ** Math.floor(Math.log10(raw))
  return decade * ([1, 2, 5, 10].find((m) => m * decade >= raw * (1 - 1e-9)) ?? 10)
}

const ANGLE_STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 45, 60, 90]

/** The same for angles in degrees: parts of a right angle. */
const angleStep = (span: number, count: number): number => ANGLE_STEPS.find((s) => span / s <= count) ?? 90

/** Multiples of a step inside [low, high]. */
function multiples(step: number, low: number, high: number): number[] {
  const first = Math.ceil(low / step - 1e-9)
  const last = Math.floor(high / step + 1e-9)
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => (first + i) * step)
}

/** Round tick values inside [low, high], about `count` of them. */
export const ticks = (low: number, high: number, count: number): number[] =>
  multiples(tickStep(high - low, count), low, high)

/** Labels of ticks with as many decimals as their spacing needs, and a true minus sign. */
export function tickLabels(values: number[]): string[] {
  const step = values.length > 1 ? values[1] - values[0] : 1
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9))
  return values.map((v) => (Math.abs(v) < step * 1e-9 ? 0 : v).toFixed(decimals).replace('-', '−'))
}

/** The font of all figures. */
export const FONT = 'Inter'

export const escapeXml = (text: string): string =>
  text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]!)

/** Number as written into SVG attributes. */
export const px = (x: number): string => String(Math.round(x * 100) / 100)

export const text = (x: number, y: number, content: string, attributes = ''): string =>
  `<text x="${px(x)}" y="${px(y)}" ${attributes}>${escapeXml(content)}</text>`

/** Text that runs upwards, centred at a point. */
const upwards = (x: number, y: number, content: string): string =>
  `<g transform="translate(${px(x)},${px(y)}) rotate(-90)">${text(0, 0, content, 'font-size="13" text-anchor="middle"')}</g>`

export const line = (x1: number, y1: number, x2: number, y2: number, attributes: string): string =>
  `<line x1="${px(x1)}" y1="${px(y1)}" x2="${px(x2)}" y2="${px(y2)}" ${attributes}/>`

export const rect = (x: number, y: number, width: number, height: number, attributes: string): string =>
  `<rect x="${px(x)}" y="${px(y)}" width="${px(width)}" height="${px(height)}" ${attributes}/>`

/** A picture stretched over a rectangle. @param href  its address (data:) */
export const image = (x: number, y: number, width: number, height: number, href: string): string =>
  `<image x="${px(x)}" y="${px(y)}" width="${px(width)}" height="${px(height)}" preserveAspectRatio="none" href="${href}"/>`

/** Colours of a figure: of the page's theme, or on white paper for a file. */
export interface Palette {
  paper: string
  ink: string
  faint: string
  grid: string
  /** Of curves; as many as a figure has at the most. */
  series: string[]
}

export const PAPER: Palette = {
  paper: '#ffffff',
  ink: '#1b1f24',
  faint: '#5d6671',
  grid: '#e3e6ea',
  series: ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#8a6d00', '#3a9bd9', '#555555', '#6a3d9a', '#b2182b', '#66a61e', '#00b5b8', '#f0a202'], // prettier-ignore
}

export const NIGHT: Palette = {
  paper: '#171b20',
  ink: '#e6eaee',
  faint: '#a3adb8',
  grid: '#343c45',
  series: ['#56b4e9', '#f2994a', '#2fc79a', '#e79fc6', '#e0c341', '#9cd0f5', '#b8bfc7', '#b79ced', '#ff6f61', '#a6d854', '#4dd0e1', '#ffe9a8'], // prettier-ignore
}

/** A figure as markup, and how its pixels belong to its axes. */
export interface Figure {
  width: number
  height: number
  markup: string
  /** Axis values at a pixel, and the pixel of axis values; null where the figure has no such axes (polar). */
  axes: Axes | null
  /** Height below which the figure is cut off: its margins and the smallest frame. */
  leastHeight?: number
}

/** Shortest side of a frame. */
export const SHORTEST = 80

export interface Axes {
  left: number
  top: number
  width: number
  height: number
  x: [number, number]
  y: [number, number]
  /** x is logarithmic. */
  log?: boolean
}

export const atX = ({ left, width, x, log }: Axes, value: number): number =>
  left + width * (log ? Math.log(value / x[0]) / Math.log(x[1] / x[0]) : (value - x[0]) / (x[1] - x[0]))
export const atY = ({ top, height, y }: Axes, value: number): number =>
  top + (height * (y[1] - value)) / (y[1] - y[0])
export const xAt = ({ left, width, x, log }: Axes, at: number): number => {
  const part = (at - left) / width
  return log ? x[0] * (x[1] / x[0]) ** part : x[0] + part * (x[1] - x[0])
}
export const yAt = ({ top, height, y }: Axes, at: number): number =>
  y[1] - ((at - top) / height) * (y[1] - y[0])

export const svg = (width: number, height: number, palette: Palette, parts: string[]): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${px(width)}" height="${px(height)}" ` +
      `viewBox="0 0 ${px(width)} ${px(height)}" font-family="${FONT}, sans-serif" font-size="12" fill="${palette.ink}">`,
    rect(0, 0, width, height, `fill="${palette.paper}"`),
    ...parts,
    '</svg>',
  ].join('\n')

/** Height of a title's line [px]. */
const TITLE_LINE = 18
/** Width of a title's character [px], about. */
export const TITLE_CHARACTER = 8.2

/** A title in as many lines as this room needs, words whole. */
export function titleLines(title: string, room: number): string[] {
  const lines: string[] = []
  for (const word of title.split(' ')) {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word
    if (lines.length > 0 && TITLE_CHARACTER * longer.length > room) lines.push(word)
    else lines.splice(-1, 1, longer)
  }
  return lines
}

/** How much lower all else stands below a title of so many lines. */
export const titleRoom = (lines: readonly string[]): number => TITLE_LINE * (lines.length - 1)

export const heading = (
  x: number,
  title: string | readonly string[],
  subtitle: string[],
  palette: Palette,
): string[] => {
  const lines = typeof title === 'string' ? [title] : title
  return [
    ...(lines[0] === ''
      ? []
      : lines.map((line, i) => text(x, 20 + TITLE_LINE * i, line, 'font-size="15" font-weight="600"'))),
    ...subtitle.map((line, i) => text(x, 37 + titleRoom(lines) + 15 * i, line, `fill="${palette.faint}"`)),
  ]
}

/** Room to the left of a frame for the labels and the title of its vertical axis. */
export const LEFT = 64

/** The same with room for longer labels than "−0.05". @param height  of the frame, about */
export const leftOf = (y: [number, number], height: number): number => LEFT + longer(y, height)

const longer = (y: [number, number], height: number): number =>
  Math.max(
    0,
    ...tickLabels(ticks(...y, height / SPACING.y)).map((label) => Math.round(labelWidth(label)) - 32),
  )

/** About [px]: points are narrow. */
const labelWidth = (label: string): number => 7.2 * label.length - (label.includes('.') ? 3.7 : 0)

/** How a frame is ticked. */
interface FrameOptions {
  /** The grid is drawn in white over a picture. */
  over?: boolean
  /** x is an angle [degrees]. */
  angular?: boolean
  /** Both axes have the same unit and scale: one step for both. */
  square?: boolean
}

/** Ticks, grid and titles of a frame. */
export function frame(
  axes: Axes,
  xTitle: string,
  yTitle: string,
  palette: Palette,
  options: FrameOptions = {},
): string[] {
  const { left, top, width, height } = axes
  const bottom = top + height
  const grid = options.over ? 'stroke="white" stroke-opacity="0.16"' : `stroke="${palette.grid}"`
  const ink = `stroke="${palette.ink}"`
  const [xs, ys] = frameTicks(axes, options)
  const [xLabels, yLabels] = [namedDecades(axes) ? xs.map((v) => logLabel(v, axes)) : tickLabels(xs), tickLabels(ys)] // prettier-ignore
  return [
    ...xs.flatMap((v, i) => [
      line(atX(axes, v), top, atX(axes, v), bottom, grid),
      line(atX(axes, v), bottom, atX(axes, v), bottom + 5, ink),
      text(atX(axes, v), bottom + 18, xLabels[i], 'text-anchor="middle"'),
    ]),
    ...ys.flatMap((v, i) => [
      line(left, atY(axes, v), left + width, atY(axes, v), grid),
      line(left - 5, atY(axes, v), left, atY(axes, v), ink),
      text(left - 8, atY(axes, v) + 4, yLabels[i], 'text-anchor="end"'),
    ]),
    rect(left, top, width, height, `fill="none" ${ink}`),
    text(left + width / 2, bottom + 37, xTitle, 'font-size="13" text-anchor="middle"'),
    upwards(left - 46 - longer(axes.y, height), top + height / 2, fitting(yTitle, height + 2 * BESIDE)),
  ]
}

/** Room for a title beyond either end of its axis: the lines over the figure begin there. */
const BESIDE = 12

/** A title, or where it is too long what it says first and its unit: "Range [m]" of "Range, away from the radar [m]". */
const fitting = (title: string, room: number): string =>
  6.6 * title.length <= room ? title : title.replace(/,[^[]*/, ' ').trim()

/** Pixels from one tick to the next, about; of a narrow figure, which needs two to tell its scale; and upwards. */
const SPACING = { x: 75, narrow: 40, angle: 60, square: 36, y: 28 }
/** Width of a character with some room, about. */
const CHARACTER = 8

/** Multiples of powers of ten; of a wide span the powers alone are named. */
function logTicks([from, to]: [number, number]): number[] {
  const found: number[] = []
  for (let decade = Math.floor(Math.log10(from) + 1e-9); 10 ** decade <= to; decade++)
    for (let m = 1; m < 10; m++) {
      const v = m * 10 ** decade
      if (v >= from * (1 - 1e-9) && v <= to * (1 + 1e-9)) found.push(v)
    }
  return found
}

function logLabel(value: number, { x, width }: Axes): string {
  const decade = width / Math.log10(x[1] / x[0])
  const first = Math.round(value / 10 ** Math.floor(Math.log10(value) + 1e-9))
  const named = decade > 6 * SPACING.narrow ? [1, 2, 3, 5] : decade > 3 * SPACING.narrow ? [1, 2, 5] : [1]
  return named.includes(first) ? String(Number(value.toPrecision(6))) : ''
}

/** Whether an axis is logarithmic with two named ticks at the least, which tell its scale; of a short span plain ticks do. */
const namedDecades = (axes: Axes): boolean =>
  axes.log === true && logTicks(axes.x).filter((v) => logLabel(v, axes) !== '').length > 1

function frameTicks(axes: Axes, { angular, square }: FrameOptions): [number[], number[]] {
  const { width, height, x, y } = axes
  const [spanX, spanY] = [x[1] - x[0], y[1] - y[0]]
  if (namedDecades(axes)) return [logTicks(x), multiples(tickStep(spanY, height / SPACING.y), ...y)]
  if (square) {
    const stepOf = (spacing: number): number =>
      tickStep(Math.max(spanX, spanY), Math.max(width, height) / spacing)
    const close = stepOf(SPACING.square)
    const fits = tickLabels(multiples(close, ...x)).every(
      (t) => t.length * CHARACTER < (close * width) / spanX,
    )
    const step = fits ? close : stepOf(SPACING.x)
    return [multiples(step, ...x), multiples(step, ...y)]
  }
  const stepOf = (spacing: number): number => (angular ? angleStep : tickStep)(spanX, width / spacing)
  const few = multiples(stepOf(angular ? SPACING.angle : SPACING.x), ...x)
  return [
    few.length > 1 ? few : multiples(stepOf(SPACING.narrow), ...x),
    multiples(tickStep(spanY, height / SPACING.y), ...y),
  ]
}

export type Colours = 'inferno' | 'viridis' | 'grey' | 'difference'

/** Of pixels at which there is nothing at all, and of those that stand for a body. */
export const NO_DATA = '#dfe3e8'
export const SOLID = '#8d97a3'

const kept = new Map<Colours, Uint8Array>()

/** 256 colours, r g b each, from the lowest level to the highest. */
export function coloursOf(name: Colours): Uint8Array {
  const table = kept.get(name) ?? makeTable(name)
  kept.set(name, table)
  return table
}

function makeTable(name: Colours): Uint8Array {
  const table = new Uint8Array(3 * 256)
  for (let i = 0; i < 256; i++) table.set(colourAt(name, i / 255), 3 * i)
  return table
}

/** Red, green and blue at a part of the scale. */
function colourAt(name: Colours, part: number): number[] {
  if (name === 'grey') return [255 * part, 255 * part, 255 * part].map(Math.round)
  if (name === 'difference')
    return interpolateRdBu(1 - part)
      .match(/\d+/g)!
      .map(Number)
  return hex((name === 'viridis' ? interpolateViridis : interpolateInferno)(part))
}

/** Of '#rrggbb'. */
const hex = (colour: string): number[] => {
  const value = Number.parseInt(colour.slice(1), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

/** Index into a colour table of a level on a scale from low to high; levels outside take the end colours. */
export const colourIndex = (level: number, low: number, high: number): number =>
  Math.max(0, Math.min(255, Math.floor((256 * (level - low)) / (high - low))))

/**
 * Colours of levels, r g b a, row after row from the highest y down as pictures have it. Pixels that are NaN are `SOLID`.
 * @param gaps  whether pixels at `NOTHING` are `NO_DATA`; else they have the lowest colour
 */
export function raster(
  levels: Float32Array,
  columns: number,
  low: number,
  high: number,
  name: Colours,
  gaps = false,
): Uint8ClampedArray<ArrayBuffer> {
  const table = coloursOf(name)
  const [nothing, solid] = [hex(NO_DATA), hex(SOLID)]
  const rows = levels.length / columns
  const out = new Uint8ClampedArray(4 * levels.length)
  for (let r = 0; r < rows; r++)
    for (let c = 0; c < columns; c++) {
      const level = levels[r * columns + c]
      const to = 4 * ((rows - 1 - r) * columns + c)
      out[to + 3] = 255
      if (Number.isNaN(level)) out.set(solid, to)
      else if (gaps && level <= NOTHING) out.set(nothing, to)
      else {
        const from = 3 * colourIndex(level, low, high)
        out[to] = table[from]
        out[to + 1] = table[from + 1]
        out[to + 2] = table[from + 2]
      }
    }
  return out
}

/** Makes pixels, r g b a, row after row from the top, the address of a picture (data:). */
export type Painter = (pixels: Uint8ClampedArray<ArrayBuffer>, columns: number) => string

/** Colours of levels, and the unit of these. */
export interface Scale {
  low: number
  high: number
  unit: string
  colours: Colours
  /** The bar says how many dB it spans. */
  span?: boolean
}

/** Width of a colour bar, and room above it for the unit [px]. */
const BAR_WIDTH = 14
const BAR_HEAD = 18
/** Room below it for the span [px]. */
const BAR_FOOT = 16
/** Height of a line of the key. */
export const KEY_LINE = 18

/** The bar with its unit above and ticks to its right, as high as given. */
export function colourBar(
  x: number,
  top: number,
  height: number,
  { low, high, unit, colours, span }: Scale,
  palette: Palette,
  paint: Painter,
): string[] {
  const table = coloursOf(colours)
  const ramp = new Uint8ClampedArray(4 * 256)
  for (let i = 0; i < 256; i++) ramp.set([...table.subarray(3 * i, 3 * i + 3), 255], 4 * (255 - i))
  const from = top + BAR_HEAD
  const length = Math.max(40, height - BAR_HEAD - (span ? BAR_FOOT : 0))
  const values = ticks(low, high, length / 40)
  const labels = tickLabels(values)
  const ink = `stroke="${palette.ink}"`
  return [
    text(x, top + 9, unit),
    image(x, from, BAR_WIDTH, length, paint(ramp, 1)),
    rect(x, from, BAR_WIDTH, length, `fill="none" ${ink}`),
    ...(span ? [text(x, from + length + 14, `${shown(high - low, 0)} dB`, `fill="${palette.faint}"`)] : []),
    ...values.flatMap((v, i) => {
      const y = from + (length * (high - v)) / (high - low)
      return [line(x + BAR_WIDTH, y, x + BAR_WIDTH + 4, y, ink), text(x + BAR_WIDTH + 8, y + 4, labels[i])]
    }),
  ]
}

/** Swatches with their names, one below the other. */
export const colourKey = (
  x: number,
  top: number,
  entries: { colour: string; name: string }[],
  palette: Palette,
): string[] =>
  entries.flatMap(({ colour, name }, i) => [
    rect(x, top + KEY_LINE * i, BAR_WIDTH, 12, `fill="${colour}" stroke="${palette.ink}"`),
    text(x + BAR_WIDTH + 8, top + KEY_LINE * i + 10, name),
  ])

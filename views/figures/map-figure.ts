import type { Outline } from '../../isar/index.js'
import { type Grid, NOTHING } from '../../isar/levels.js'
import {
  atX,
  atY,
  type Axes,
  colourBar,
  colourKey,
  type Figure,
  frame,
  heading,
  image,
  KEY_LINE,
  LEFT,
  leftOf,
  NO_DATA,
  type Painter,
  type Palette,
  px,
  raster,
  rect,
  type Scale,
  SHORTEST,
  SOLID,
  svg,
  text,
  TITLE_CHARACTER,
  titleLines,
} from './axes.js'
import {
  type CentreData,
  type ImageGridData,
  type LabelChoice,
  type MapWindow,
  type Settings,
  titled,
  type View,
} from './data.js'
import { headRoom, subtitleLines } from './line-figure.js'

/** A picture of levels over two axes, both ascending. */
export interface MapSpec extends Grid, Scale {
  title: string
  subtitle: string
  xTitle: string
  yTitle: string
  /** One scale for both axes (metres against metres). */
  square?: boolean
  /** Samples of an image, drawn smoothly; those of a table stay the cells that they are. */
  smooth?: boolean
  /** x is an angle [degrees]. */
  angular?: boolean
  /** Part of the map on show; the whole where absent. */
  window?: MapWindow
  /** What pixels at `NOTHING`, drawn light grey, and those that are NaN, drawn dark grey, are called in the key. */
  nothing?: string
  solid?: string
  /** Drawn over the picture, in pixels of these axes. */
  overlay?: (axes: Axes) => string[]
  /** Drawn below the colour bar, in a square of `ASIDE` px about a point. */
  aside?: (x: number, y: number) => string[]
}

const BOTTOM = 48
/** Between frame and colour bar. */
const GAP = 16
/** Side of what is drawn below the colour bar. */
const ASIDE = 84
/** Shorter sides of a frame of one scale are drawn so long, with empty paper beside the picture: titles and colour bar need it. */
const LEAST = 200
/** Titles stand above a frame that is wider; above narrower ones at the left of the figure, where they have room. */
const MIDDLING = 360
/** Pictures are seen so many times larger: as many points are kept at least. */
const SEEN = 4 / 3

/** A picture of levels over two axes with a colour bar, as large as the room allows. */
export function mapFigure(
  spec: MapSpec,
  width: number,
  height: number,
  palette: Palette,
  paint: Painter,
): Figure {
  const axes = axesOf(spec, width, height)
  const { left, top, width: wide, height: high } = axes
  const { levels, columns, of } = drawn(spec, axes)
  const [from, to] = [atX(axes, of.x[0]), atX(axes, of.x[1])]
  const [up, down] = [atY(axes, of.y[1]), atY(axes, of.y[0])]
  const pixels = raster(levels, columns, spec.low, spec.high, spec.colours, spec.nothing !== undefined)
  const clip = `inside-${[left, top, wide, high].map(Math.round).join('-')}`
  const bar = left + wide + GAP
  const keys = keyOf(spec)
  const barHeight = high - KEY_LINE * keys.length - (spec.aside ? ASIDE : 0)
  const markup = svg(width, height, palette, [
    ...heading(
      headingAt(spec, wide > MIDDLING ? left : LEFT, width),
      titleOf(spec, width),
      linesOf(spec, width),
      palette,
    ),
    `<clipPath id="${clip}">${rect(left, top, wide, high, '')}</clipPath>`,
    `<g clip-path="url(#${clip})">`,
    ...(columns > 0 ? [image(from, up, to - from, down - up, paint(pixels, columns))] : []),
    ...(spec.overlay?.(axes) ?? []),
    '</g>',
    ...frame(axes, spec.xTitle, spec.yTitle, palette, { ...spec, over: true }),
    ...colourBar(bar, top, barHeight - (keys.length > 0 ? 10 : 0), spec, palette, paint),
    ...colourKey(bar, top + barHeight + 4, keys, palette),
    ...(spec.aside?.(bar + ASIDE / 2 - 4, top + high - ASIDE / 2) ?? []),
  ])
  return { width, height, markup, axes, leastHeight: topOf(spec, width) + SHORTEST + BOTTOM }
}

/** A map as a view. @param grid  what is read off at the cursor; the map's own levels where absent */
export const mapView = (spec: MapSpec, settings: Settings, axes: View['axes'], grid: Grid = spec): View => {
  const shown = titled({ ...spec, window: settings.window }, settings)
  return {
    grid,
    axes,
    unit: spec.unit,
    draw: (width, height, palette, paint) => mapFigure(shown, width, height, palette, paint),
  }
}

/** Width of a character of the subtitle, about; `subtitleLines` counts more. */
const CHARACTER = 5.9
/** The subtitle in as many lines as the width of the figure needs. */
const linesOf = ({ subtitle }: MapSpec, width: number): string[] =>
  subtitle === ''
    ? []
    : CHARACTER * subtitle.replace(/\s+/g, ' ').length <= width - 16
      ? [subtitle]
      : subtitleLines(subtitle, ((width - 16) * 7) / CHARACTER)
const titleOf = ({ title }: MapSpec, width: number): string[] => titleLines(title, width - 16)
const topOf = (spec: MapSpec, width: number): number => headRoom(titleOf(spec, width), linesOf(spec, width))

/** Where titles stand: as far left as they need. */
const headingAt = (spec: MapSpec, left: number, width: number): number => {
  const longest = Math.max(...linesOf(spec, width).map((line) => line.replace(/\s+/g, ' ').length))
  const title = TITLE_CHARACTER * Math.max(...titleOf(spec, width).map((line) => line.length))
  return Math.max(8, Math.min(left, width - 8 - Math.max(title, CHARACTER * longest)))
}

/** Height of a figure of one scale that is as large as this width allows, and no higher than `most`. */
export function fittedHeight(spec: MapSpec, width: number, most: number): number {
  const { x, y } = spec.window ?? wholeOf(spec)
  const high = ((width - LEFT - rightOf(spec)) * (y[1] - y[0])) / (x[1] - x[0])
  return Math.min(most, topOf(spec, width) + BOTTOM + Math.max(LEAST, high))
}

/** Room for the colour bar and what is below it to the right of the frame. */
const rightOf = ({ aside }: MapSpec): number => (aside ? GAP + ASIDE + 4 : 92)

/** The frame: all of the room, or as much of it as one scale for both axes leaves, in its middle. */
function axesOf(spec: MapSpec, width: number, height: number): Axes {
  const { x, y } = spec.window ?? wholeOf(spec)
  const top = topOf(spec, width)
  const margin = leftOf(y, height - top - BOTTOM)
  const room = {
    width: Math.max(SHORTEST, width - margin - rightOf(spec)),
    height: Math.max(SHORTEST, height - top - BOTTOM),
  }
  if (!spec.square) return { left: margin, top, ...room, x, y }
  const scale = Math.min(room.width / (x[1] - x[0]), room.height / (y[1] - y[0]))
  const side = (ends: [number, number], most: number): { size: number; ends: [number, number] } => {
    const size = scale * (ends[1] - ends[0])
    const more = Math.max(0, Math.min(LEAST, most) - size) / scale / 2
    return { size: size + 2 * more * scale, ends: more > 0 ? [ends[0] - more, ends[1] + more] : ends }
  }
  const [across, along] = [side(x, room.width), side(y, room.height)]
  return {
    left: margin + (room.width - across.size) / 2,
    top,
    width: across.size,
    height: along.size,
    x: across.ends,
    y: along.ends,
  }
}

/** The pixels of a picture, and the part of the map that they are of. */
function drawn(spec: MapSpec, axes: Axes): { levels: Float32Array; columns: number; of: MapWindow } {
  const of = wholeOf(spec)
  const [rows, columns] = [spec.y.length, spec.x.length]
  const width = atX(axes, of.x[1]) - atX(axes, of.x[0])
  const height = atY(axes, of.y[0]) - atY(axes, of.y[1])
  const kept = highestKept(spec, Math.ceil(SEEN * height), Math.ceil(SEEN * width))
  if (spec.smooth || kept.levels !== spec.levels) return { ...kept, of }
  if (spec.window) return cellsInside(spec, of, axes)
  return { ...repeated(spec, Math.ceil(width / columns), Math.ceil(height / rows)), of }
}

/** The cells at the points of a frame, however far it is zoomed in: no more pixels than are seen. */
function cellsInside({ levels, x, y }: Grid, whole: MapWindow, axes: Axes) {
  const along = (axis: 'x' | 'y', count: number, size: number) => {
    const [low, high] = whole[axis]
    const [from, to] = [Math.max(low, axes[axis][0]), Math.min(high, axes[axis][1])]
    const points = Math.max(0, Math.ceil((SEEN * size * (to - from)) / (axes[axis][1] - axes[axis][0])))
    const cells = Array.from({ length: points }, (_, i) => {
      const at = from + ((i + 0.5) / points) * (to - from)
      return Math.max(0, Math.min(count - 1, Math.floor(((at - low) / (high - low)) * count)))
    })
    return { cells, ends: [from, to] as [number, number] }
  }
  const [across, up] = [along('x', x.length, axes.width), along('y', y.length, axes.height)]
  const columns = up.cells.length > 0 ? across.cells.length : 0
  const out = new Float32Array(columns * up.cells.length)
  up.cells.forEach((row, r) => across.cells.forEach((cell, c) => (out[r * columns + c] = levels[row * x.length + cell]))) // prettier-ignore
  return { levels: out, columns, of: { x: across.ends, y: up.ends } }
}

/** Reduces rows and columns by whole factors to no fewer than are drawn: of those that share a point, the highest is kept. */
function highestKept(
  { levels, x, y }: Grid,
  drawnRows: number,
  drawnColumns: number,
): { levels: Float32Array; columns: number } {
  const byRows = Math.max(1, Math.floor(y.length / drawnRows))
  const byColumns = Math.max(1, Math.floor(x.length / drawnColumns))
  if (byRows * byColumns === 1) return { levels, columns: x.length }
  const [rows, columns] = [Math.floor(y.length / byRows), Math.floor(x.length / byColumns)]
  const kept = new Float32Array(rows * columns).fill(NOTHING)
  for (let i = 0; i < y.length; i++)
    for (let l = 0; l < x.length; l++) {
      const at = Math.floor((i * rows) / y.length) * columns + Math.floor((l * columns) / x.length)
      // A body stays one.
      if (!(levels[i * x.length + l] <= kept[at])) kept[at] = levels[i * x.length + l]
    }
  return { levels: kept, columns }
}

/** Every level as a block of pixels. */
function repeated(
  { levels, x, y }: Grid,
  wide: number,
  high: number,
): { levels: Float32Array; columns: number } {
  const columns = wide * x.length
  const out = new Float32Array(columns * high * y.length)
  for (let r = 0; r < high * y.length; r++)
    for (let c = 0; c < columns; c++)
      out[r * columns + c] = levels[Math.floor(r / high) * x.length + Math.floor(c / wide)]
  return { levels: out, columns }
}

/** What the key names, of what there is. */
const keyOf = ({ levels, nothing, solid }: MapSpec): { colour: string; name: string }[] => [
  ...(nothing !== undefined && levels.some((v) => v <= NOTHING) ? [{ colour: NO_DATA, name: nothing }] : []),
  ...(solid !== undefined && levels.some(Number.isNaN) ? [{ colour: SOLID, name: solid }] : []),
]

/** The whole of a map. */
export const wholeOf = ({ x, y }: Grid): MapWindow => ({ x: ends(x), y: ends(y) })

/** Ends of a uniform axis with half a pixel to either side. */
function ends(axis: Float64Array): [number, number] {
  const n = axis.length
  const half = n > 1 ? (axis[n - 1] - axis[0]) / (n - 1) / 2 : 0.5
  return [axis[0] - half, axis[n - 1] + half]
}

/** Thin and pale, so that the image shows through; edges fainter than the silhouette. */
const SILHOUETTE = 'stroke="#d6e4ea" stroke-width="0.9" stroke-opacity="0.6"'
const EDGES = 'stroke="#d6e4ea" stroke-width="0.7" stroke-opacity="0.35"'
/** About the silhouette, where it crosses bright pixels. */
const HALO = 'stroke="#10141a" stroke-width="2.2" stroke-opacity="0.3"'

/** A target's outline over its image, in pixels of these axes. */
export const outlineOf = ({ silhouette, edges }: Outline, axes: Axes): string[] =>
  [path(edges, EDGES, axes), path(silhouette, HALO, axes), path(silhouette, SILHOUETTE, axes)].filter(
    (line) => line !== '',
  )

/** Lines that share an end are drawn as one: half-transparent ends would lie over one another. */
function path(lines: Float64Array, style: string, axes: Axes): string {
  let d = ''
  let last = ''
  for (let i = 0; i < lines.length; i += 4) {
    const [from, to] = [0, 2].map((end) => `${px(atX(axes, lines[i + end]))} ${px(atY(axes, lines[i + end + 1]))}`) // prettier-ignore
    if (from === to) continue
    d += from === last ? `L${to}` : `M${from}L${to}`
    last = to
  }
  return d && `<path d="${d}" fill="none" stroke-linecap="round" ${style}/>`
}

/**
 * Outlines of mask and shadow and rings at the scattering centres, numbered from the strongest, as drawn over an image.
 * @param low  level below which centres are left out, as the image has it [dBsm]
 */
export function labelOverlay(
  { labels, rangeM, crossRangeM }: ImageGridData,
  choice: LabelChoice = { mask: true, centres: true },
  low: number,
): (axes: Axes) => string[] {
  const { mask, lit, centres } = labels ?? {}
  return (axes) => [
    ...(choice.mask && lit ? [outline((i) => lit[i] < HALF, SHADOW, rangeM, crossRangeM, axes)] : []),
    ...(choice.mask && mask ? outlines(mask, rangeM, crossRangeM, axes) : []),
    ...(choice.centres && centres ? rings(placesOf(centres.filter((c) => c.level > low)), axes) : []),
  ]
}

const placesOf = (centres: CentreData[]): { x: number; y: number }[] =>
  centres.map(({ crossRangeM, rangeM }) => ({ x: crossRangeM, y: rangeM }))

/** Ground that less than half of the aperture lights is in shadow. */
const HALF = 127.5
const SHADOW = 'stroke="#ffb454"'

/** Of what the target covers, and, dashed, of what is lit of it. */
const outlines = (mask: Uint8Array, y: Float64Array, x: Float64Array, axes: Axes): string[] =>
  [1, 2].map((least) =>
    outline(
      (i) => mask[i] >= least,
      `stroke="#3ad1ff"${least === 2 ? ' stroke-dasharray="2 3"' : ''}`,
      y,
      x,
      axes,
    ),
  )

/** The sides between pixels that belong and others. */
function outline(
  belongs: (pixel: number) => boolean,
  stroke: string,
  y: Float64Array,
  x: Float64Array,
  axes: Axes,
): string {
  const [rows, columns] = [y.length, x.length]
  const inside = (r: number, c: number): boolean =>
    r >= 0 && c >= 0 && r < rows && c < columns && belongs(r * columns + c)
  const [dx, dy] = [x[1] - x[0], y[1] - y[0]]
  const left = (c: number): string => px(atX(axes, x[0] + (c - 0.5) * dx))
  const foot = (r: number): string => px(atY(axes, y[0] + (r - 0.5) * dy))
  let path = ''
  for (let r = 0; r <= rows; r++)
    for (let c = 0; c <= columns; c++) {
      if (inside(r, c) !== inside(r, c - 1)) path += `M${left(c)} ${foot(r)}V${foot(r + 1)}`
      if (inside(r, c) !== inside(r - 1, c)) path += `M${left(c)} ${foot(r)}H${left(c + 1)}`
    }
  return `<path d="${path}" fill="none" ${stroke} stroke-width="1.2"/>`
}

/** Radius of a ring by its rank [px]; of the weaker ones numbers would only hide the image. */
const RING = { first: 8, last: 4, numbered: 15 }
const MARK = '#45e4ff'
/** About marks, for those on bright pixels. */
const RING_HALO = '#10141a'

/** Half of a number's size by its digits, and how far from a ring it may stand [px]. */
const NUMBER = { digit: 3.4, high: 5 }
const DISTANCES = [2, 9, 18]
/** Directions in which a number may stand from its ring, the preferred first [eighths of a circle, anticlockwise from the right]. */
const SIDES = [1, 0, 7, 2, 6, 3, 5, 4]

interface Rectangle {
  x: number
  y: number
  width: number
  height: number
}

const overlap = (a: Rectangle, b: Rectangle): boolean =>
  Math.abs(a.x - b.x) < a.width + b.width && Math.abs(a.y - b.y) < a.height + b.height

/** Open rings at points of a map, so that what they stand for shows; the first are the largest, and numbered from 1 where there is room. */
export function rings(points: { x: number; y: number }[], axes: Axes): string[] {
  const circles = points.map((point, i) => ({
    x: atX(axes, point.x),
    y: atY(axes, point.y),
    r: RING.first - ((RING.first - RING.last) * i) / Math.max(1, points.length - 1),
  }))
  const taken: Rectangle[] = circles.map(({ x, y, r }) => ({ x, y, width: r, height: r }))
  const frame: Rectangle = { x: axes.left + axes.width / 2, y: axes.top + axes.height / 2, width: axes.width / 2, height: axes.height / 2 } // prettier-ignore
  const numbers = circles.slice(0, RING.numbered).flatMap((circle, i) => {
    const place = numberPlace(circle, String(i + 1), taken, frame)
    if (!place) return []
    taken.push(place)
    const style = `font-size="10" font-weight="600" text-anchor="middle" fill="${MARK}" stroke="${RING_HALO}" stroke-width="2.4" paint-order="stroke"`
    return [text(place.x, place.y + 3.5, String(i + 1), style)]
  })
  const ring = ({ x, y, r }: (typeof circles)[number], stroke: string, width: number): string =>
    `<circle cx="${px(x)}" cy="${px(y)}" r="${px(r)}" fill="none" stroke="${stroke}" stroke-width="${width}"/>`
  return [...circles.map((circle) => ring(circle, RING_HALO, 3) + ring(circle, MARK, 1.4)), ...numbers]
}

/** The nearest place beside a ring at which its number covers no ring and no other number, inside the frame; null if there is none. */
function numberPlace(
  { x, y, r }: { x: number; y: number; r: number },
  digits: string,
  taken: Rectangle[],
  frame: Rectangle,
): Rectangle | null {
  const size = { width: NUMBER.digit * digits.length, height: NUMBER.high }
  for (const distance of DISTANCES)
    for (const side of SIDES) {
      const angle = (side * Math.PI) / 4
      const away = r + distance
      const place = {
        x: x + (away + size.width) * Math.cos(angle),
        y: y - (away + size.height) * Math.sin(angle),
        ...size,
      }
      const inside = Math.abs(place.x - frame.x) < frame.width - size.width && Math.abs(place.y - frame.y) < frame.height - size.height // prettier-ignore
      if (inside && !taken.some((other) => overlap(place, other))) return place
    }
  return null
}

/** A point with its name over a map of x and y. */
export function namedPoint([x, y]: readonly number[], name: string, axes: Axes): string[] {
  const [left, top] = [atX(axes, x), atY(axes, y)]
  return [
    `<circle cx="${px(left)}" cy="${px(top)}" r="4.5" fill="#d55e00" stroke="white" stroke-width="1.5"/>`,
    text(left + 8, top + 4, name, 'font-weight="600" paint-order="stroke" stroke="white" stroke-width="3"'),
  ]
}

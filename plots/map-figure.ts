import { tickLabels, ticks } from './ticks.js'
import { px } from './markup.js'
import { type Colours, coloursOf, type Painter, raster } from './colours.js'
import type { Grid } from './levels.js'
import { line, rect, text } from './draw.js'
import { angleTicks, atX, atY, type Axes, type Figure, frame, heading, type Palette, svg } from './axes.js'

export interface MapSpec extends Grid {
  title: string
  subtitle: string
  xTitle: string
  yTitle: string
  /** Ends of the colour scale. */
  low: number
  high: number
  unit: string
  colours: Colours
  /** One scale for both axes (metres against metres). */
  square?: boolean
  /** x is an angle [degrees]. */
  angular?: boolean
  /** Part of the map on show; the whole where absent. */
  window?: MapWindow
  /** Drawn over the picture, in pixels of these axes. */
  overlay?: (axes: Axes) => string[]
}

/** Ends of both axes. */
export interface MapWindow {
  x: [number, number]
  y: [number, number]
}

const LEFT = 64
const RIGHT = 92
const TOP = 48
const BOTTOM = 48

/** A picture of levels over two axes with a colour bar, as large as the room allows. */
export function mapFigure(
  spec: MapSpec,
  width: number,
  height: number,
  palette: Palette,
  paint: Painter,
): Figure {
  const whole = wholeOf(spec)
  const { x, y } = spec.window ?? whole
  const room = { width: Math.max(80, width - LEFT - RIGHT), height: Math.max(80, height - TOP - BOTTOM) }
  let plot = room
  if (spec.square) {
    const scale = Math.min(room.width / (x[1] - x[0]), room.height / (y[1] - y[0]))
    plot = { width: scale * (x[1] - x[0]), height: scale * (y[1] - y[0]) }
  }
  const left = LEFT + Math.max(0, (room.width - plot.width) / 2)
  const axes: Axes = { left, top: TOP, ...plot, x, y }
  // Samples of an image make a smooth picture; those of a table stay the cells that they are.
  const [wide, high] = spec.square
    ? [1, 1]
    : [Math.ceil(plot.width / spec.x.length), Math.ceil(plot.height / spec.y.length)]
  const columns = wide * spec.x.length
  const pixels = raster(repeated(spec, wide, high), columns, spec.low, spec.high, spec.colours)
  const picture = paint(pixels, columns)
  const inside: Axes = { ...axes, left: 0, top: 0 }
  const [from, to] = [atX(inside, whole.x[0]), atX(inside, whole.x[1])]
  const [up, down] = [atY(inside, whole.y[1]), atY(inside, whole.y[0])]
  const markup = svg(width, height, palette, [
    ...heading(LEFT, spec.title, [spec.subtitle], palette),
    // A drawing of its own cuts off what lies outside the window.
    `<svg x="${px(left)}" y="${TOP}" width="${px(plot.width)}" height="${px(plot.height)}">`,
    `<image x="${px(from)}" y="${px(up)}" width="${px(to - from)}" height="${px(down - up)}" ` +
      `preserveAspectRatio="none" href="${picture}"/>`,
    ...(spec.overlay?.(inside) ?? []),
    '</svg>',
    ...frame(axes, spec.xTitle, spec.yTitle, palette, {
      over: true,
      ...(spec.angular ? { xTicks: angleTicks(x[0], x[1], plot.width / 60) } : {}),
    }),
    ...colourBar(left + plot.width + 16, TOP, plot.height, spec, palette, paint),
  ])
  return { width, height, markup, axes }
}

/** Every level as a block of pixels. */
function repeated({ levels, x, y }: Grid, wide: number, high: number): Float32Array {
  if (wide * high === 1) return levels
  const columns = wide * x.length
  const out = new Float32Array(columns * high * y.length)
  for (let r = 0; r < high * y.length; r++)
    for (let c = 0; c < columns; c++)
      out[r * columns + c] = levels[Math.floor(r / high) * x.length + Math.floor(c / wide)]
  return out
}

/** The whole of a map. */
export const wholeOf = ({ x, y }: Grid): MapWindow => ({ x: ends(x), y: ends(y) })

/** Ends of a uniform axis with half a pixel to either side. */
function ends(axis: Float64Array): [number, number] {
  const n = axis.length
  const half = n > 1 ? (axis[n - 1] - axis[0]) / (n - 1) / 2 : 0.5
  return [axis[0] - half, axis[n - 1] + half]
}

function colourBar(
  x: number,
  top: number,
  height: number,
  spec: MapSpec,
  palette: Palette,
  paint: Painter,
): string[] {
  const { low, high, unit, colours } = spec
  const table = coloursOf(colours)
  const ramp = new Uint8ClampedArray(4 * 256)
  for (let i = 0; i < 256; i++) ramp.set([...table.subarray(3 * i, 3 * i + 3), 255], 4 * (255 - i))
  const from = top + 18
  const length = Math.max(40, height - 18)
  const values = ticks(low, high, length / 45)
  const labels = tickLabels(values)
  return [
    text(x, top + 9, unit),
    `<image x="${px(x)}" y="${px(from)}" width="14" height="${px(length)}" preserveAspectRatio="none" href="${paint(ramp, 1)}"/>`,
    rect(x, from, 14, length, `fill="none" stroke="${palette.ink}"`),
    ...values.flatMap((v, i) => {
      const y = from + (length * (high - v)) / (high - low)
      return [line(x + 14, y, x + 18, y, `stroke="${palette.ink}"`), text(x + 22, y + 4, labels[i])]
    }),
  ]
}

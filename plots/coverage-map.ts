import { colourIndex, colourTable } from './colour-map.js'
import { heading, INK, line, PAGE, page, rect, text } from './draw.js'
import { embedded, px, svgToPng } from './svg.js'
import { tickLabels, ticks } from './ticks.js'

export interface MapFigure {
  title: string
  subtitle?: string
  /** Levels [dB] on the grid, rows of x one after the other. */
  levels: Float64Array
  /** Evenly spaced coordinates of columns and rows [m], two or more each. */
  x: Float64Array
  y: Float64Array
  /** Level that stands for nothing at all, drawn light grey. */
  nothing: number
  /** 1 for points inside buildings, drawn dark grey. */
  inside: Uint8Array
  unit: string
  /** Levels shown below the highest [dB]. */
  depth: number
  /** Outlines of bodies: x0 y0 x1 y1 [m]. */
  boxes: [number, number, number, number][]
  marker: { x: number; y: number; name: string }
}

const LEFT = 84
const RIGHT = 120
const TOP = 76
const BOTTOM = 66
const MAX_HEIGHT = 900
const NO_DATA = '#dfe3e8'
const BUILDING = [0x8d, 0x97, 0xa3]

/** A map of levels over x (to the right) and y (upwards), one scale in metres for both, with a colour bar. */
export function mapSvg(figure: MapFigure): string {
  const { levels, x, y, nothing, inside, unit, depth, boxes, marker } = figure
  const [columns, rows] = [x.length, y.length]
  const [stepX, stepY] = [Math.abs(x[1] - x[0]), Math.abs(y[1] - y[0])]
  const [x0, x1] = [Math.min(x[0], x[columns - 1]) - stepX / 2, Math.max(x[0], x[columns - 1]) + stepX / 2]
  const [y0, y1] = [Math.min(y[0], y[rows - 1]) - stepY / 2, Math.max(y[0], y[rows - 1]) + stepY / 2]
  const scale = Math.min((PAGE - LEFT - RIGHT) / (x1 - x0), MAX_HEIGHT / (y1 - y0))
  const [width, height] = [(x1 - x0) * scale, (y1 - y0) * scale]
  const atX = (metres: number): number => LEFT + (metres - x0) * scale
  const atY = (metres: number): number => TOP + (y1 - metres) * scale
  const high = Math.ceil(levels.reduce((a, b) => Math.max(a, b), nothing) / 5) * 5
  const low = Math.max(
    high - depth,
    Math.floor(levels.reduce((a, b) => (b > nothing ? Math.min(a, b) : a), high) / 5) * 5,
  )
  const table = colourTable('viridis')
  const data = new Uint8Array(4 * rows * columns)
  for (let r = 0; r < rows; r++)
    for (let c = 0; c < columns; c++) {
      const level = levels[r * columns + c]
      const row = y[0] < y[1] ? rows - 1 - r : r
      const to = 4 * (row * columns + (x[0] < x[1] ? c : columns - 1 - c))
      const index = 3 * colourIndex(level, low, high)
      const colour = inside[r * columns + c] ? BUILDING : table.subarray(index, index + 3)
      data.set(level > nothing || inside[r * columns + c] ? [...colour, 255] : [0, 0, 0, 0], to)
    }
  const picture = embedded({ width: columns, height: rows, data, channels: 4 }, 6)
  const parts = [
    rect(LEFT, TOP, width, height, `fill="${NO_DATA}"`),
    `<image x="${LEFT}" y="${TOP}" width="${px(width)}" height="${px(height)}" preserveAspectRatio="none" ` +
      `image-rendering="optimizeSpeed" href="data:image/png;base64,${picture}"/>`,
  ]
  for (const [a, b, c, d] of boxes) {
    const [u0, u1] = [Math.max(x0, a), Math.min(x1, c)]
    const [v0, v1] = [Math.max(y0, b), Math.min(y1, d)]
    if (u0 < u1 && v0 < v1)
      parts.push(rect(atX(u0), atY(v1), (u1 - u0) * scale, (v1 - v0) * scale, `fill="none" stroke="${INK}"`))
  }
  if (marker.x > x0 && marker.x < x1 && marker.y > y0 && marker.y < y1)
    parts.push(
      `<circle cx="${px(atX(marker.x))}" cy="${px(atY(marker.y))}" r="6" fill="#d55e00" stroke="white" stroke-width="2"/>`,
      text(
        atX(marker.x) + 10,
        atY(marker.y) + 5,
        marker.name,
        'font-size="15" font-weight="600" paint-order="stroke" stroke="white" stroke-width="4"',
      ),
    )
  const count = Math.max(width, height) / 80
  const spacing = ticks(0, Math.max(x1 - x0, y1 - y0), count)[1] ?? 1
  const marks = (from: number, to: number): number[] =>
    ticks(from, to, (to - from) / spacing).filter((t) => t >= from && t <= to)
  const [xs, ys] = [marks(x0, x1), marks(y0, y1)]
  const [xLabels, yLabels] = [tickLabels(xs), tickLabels(ys)]
  xs.forEach((t, i) =>
    parts.push(
      line(atX(t), TOP + height, atX(t), TOP + height + 6),
      text(atX(t), TOP + height + 23, xLabels[i], 'text-anchor="middle"'),
    ),
  )
  ys.forEach((t, i) =>
    parts.push(
      line(LEFT - 6, atY(t), LEFT, atY(t)),
      text(LEFT - 10, atY(t) + 5, yLabels[i], 'text-anchor="end"'),
    ),
  )
  parts.push(
    rect(LEFT, TOP, width, height, `fill="none" stroke="${INK}"`),
    text(LEFT + width / 2, TOP + height + 50, 'x [m]', 'font-size="15" text-anchor="middle"'),
    `<g transform="translate(24,${px(TOP + height / 2)}) rotate(-90)">${text(0, 0, 'y [m]', 'font-size="15" text-anchor="middle"')}</g>`,
    ...colourBar(LEFT + width + 26, TOP, Math.max(160, height), low, high, table, unit),
    ...key(LEFT + width + 26, TOP + Math.max(160, height) + 22, [
      ...(levels.some((level, i) => level <= nothing && !inside[i])
        ? [{ colour: NO_DATA, name: 'no path' }]
        : []),
      ...(inside.includes(1) ? [{ colour: `rgb(${BUILDING.join()})`, name: 'building' }] : []),
    ]),
  )
  return page(PAGE, TOP + Math.max(160, height) + BOTTOM, [
    ...heading(LEFT, figure.title, figure.subtitle),
    ...parts,
  ])
}

export const mapPng = (figure: MapFigure): Promise<Uint8Array> => svgToPng(mapSvg(figure))

/** Swatches with their names, one below the other. */
const key = (x: number, y: number, entries: { colour: string; name: string }[]): string[] =>
  entries.flatMap(({ colour, name }, i) => [
    rect(x, y + 20 * i, 20, 14, `fill="${colour}" stroke="${INK}"`),
    text(x + 29, y + 20 * i + 12, name),
  ])

function colourBar(
  x: number,
  top: number,
  height: number,
  low: number,
  high: number,
  table: Uint8Array,
  unit: string,
): string[] {
  const width = 20
  const ramp = new Uint8Array(3 * 256)
  for (let i = 0; i < 256; i++) ramp.set(table.subarray(3 * i, 3 * i + 3), 3 * (255 - i))
  const png = embedded({ width: 1, height: 256, data: ramp, channels: 3 }, 6)
  const values = ticks(low, high, height / 55)
  const labels = tickLabels(values)
  const from = top + 22
  const length = height - 22
  return [
    text(x, top + 12, unit, 'font-size="15"'),
    `<image x="${px(x)}" y="${px(from)}" width="${width}" height="${px(length)}" preserveAspectRatio="none" href="data:image/png;base64,${png}"/>`,
    rect(x, from, width, length, `fill="none" stroke="${INK}"`),
    ...values.flatMap((v, i) => {
      const at = from + (length * (high - v)) / (high - low)
      return [line(x + width, at, x + width + 5, at), text(x + width + 9, at + 5, labels[i])]
    }),
  ]
}

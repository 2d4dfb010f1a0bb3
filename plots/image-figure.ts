import { direction, InputError } from '../scene/index.js'
import { colourIndex, colourTable, type ColourMap } from './colour-map.js'
import { PAGE } from './draw.js'
import { imageDbsm, ZERO_DBSM } from './image-levels.js'
import { embedded, escapeXml, FONT, px, svgToPng } from './svg.js'
import { tickLabels, ticks } from './ticks.js'

export interface ImageFigure {
  /** Complex image [range][cross-range], interleaved re, im; |pixel|^2 in m^2. */
  image: Float64Array
  /** Ranges of the rows and cross-ranges of the columns, uniform and ascending [m]. */
  rangeM: Float64Array
  crossRangeM: Float64Array
  title: string
  /** A second, smaller line. */
  subtitle?: string
  /** Levels shown below the highest [dB]; default 50. */
  dynamicRangeDb?: number
  /** Top of the colour scale [dBsm], to compare images; default the image's maximum. */
  maxDbsm?: number
  /** Centre aspect, for the compass that shows the target's +x; none without it. */
  aspect?: { thetaDeg: number; phiDeg: number }
  /** Default inferno. */
  colourMap?: ColourMap
  /** Points to ring and number, the first ones largest [m]. */
  marks?: { rangeM: number; crossRangeM: number }[]
}

/** Room around the plot [px]; the right margin holds colour bar and compass. */
const LEFT = 92
const RIGHT = 150
const TOP = 84
const BOTTOM = 72
/** Largest and smallest side of the plot [px]. */
const MAX_WIDTH = PAGE - LEFT - RIGHT
const MAX_HEIGHT = 880
const MIN_SIDE = 260
const INK = '#1b1f24'
const FAINT = '#5d6671'
/** Where the frame is wider than the image. */
const NO_DATA = '#dfe3e8'

/**
 * ISAR image as a picture (PNG, 1000 px wide): range upwards away from the radar, cross-range to the right, one
 * scale in metres for both, colour bar in dBsm, and a compass with the projection of the target's +x.
 * @throws InputError for a dynamic range that is not positive, or axes that do not fit the image.
 */
export async function imagePng(figure: ImageFigure): Promise<Uint8Array> {
  return svgToPng(imageSvg(figure))
}

/** The same as an SVG document (the pixels embedded as PNG). */
export function imageSvg(figure: ImageFigure): string {
  const { image, rangeM, crossRangeM, dynamicRangeDb = 50, aspect, colourMap = 'inferno' } = figure
  const rows = rangeM.length
  const cols = crossRangeM.length
  if (rows < 2 || cols < 2 || image.length !== 2 * rows * cols)
    throw new InputError(`figure: ${image.length / 2} pixels do not fit axes of ${rows} x ${cols} points`)
  if (!(dynamicRangeDb > 0 && Number.isFinite(dynamicRangeDb)))
    throw new InputError(`dynamic range ${dynamicRangeDb} dB must be positive`)
  const levels = imageDbsm(image)
  const maximum = levels.reduce((a, b) => Math.max(a, b), ZERO_DBSM)
  const high = figure.maxDbsm ?? (maximum > ZERO_DBSM ? maximum : 0)
  const low = high - dynamicRangeDb
  const table = colourTable(colourMap)

  const stepY = (rangeM[rows - 1] - rangeM[0]) / (rows - 1)
  const stepX = (crossRangeM[cols - 1] - crossRangeM[0]) / (cols - 1)
  const scale = Math.min(MAX_WIDTH / (cols * stepX), MAX_HEIGHT / (rows * stepY)) // px per metre, both axes
  const width = Math.max(MIN_SIDE, cols * stepX * scale)
  const height = Math.max(MIN_SIDE, rows * stepY * scale)
  const left = LEFT + (MAX_WIDTH - width) / 2
  const titleX = width > 500 ? left : LEFT // a narrow plot stands far from the page's left side
  const middleX = (crossRangeM[0] + crossRangeM[cols - 1]) / 2
  const middleY = (rangeM[0] + rangeM[rows - 1]) / 2
  const atX = (metres: number): number => left + width / 2 + (metres - middleX) * scale
  const atY = (metres: number): number => TOP + height / 2 - (metres - middleY) * scale
  const frame: Frame = { left, width, height, scale, middleX, middleY, atX, atY }

  // never fewer picture points than pixels: of those that share one, the highest is kept
  const raster = colourRaster(
    peaksKept(levels, rows, cols, Math.ceil(rows * stepY * scale), Math.ceil(cols * stepX * scale)),
    low,
    high,
    table,
  )
  const page = TOP + height + BOTTOM
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${PAGE}" height="${px(page)}" ` +
      `viewBox="0 0 ${PAGE} ${px(page)}" font-family="${FONT}, sans-serif" font-size="16" fill="${INK}">`,
    text(titleX, 36, figure.title, `font-size="22" font-weight="600"`),
    figure.subtitle ? text(titleX, 63, figure.subtitle, `font-size="15.5" fill="${FAINT}"`) : '',
    `<rect x="${px(left)}" y="${TOP}" width="${px(width)}" height="${px(height)}" fill="${NO_DATA}"/>`,
    `<image x="${px(atX(middleX) - (cols * stepX * scale) / 2)}" y="${px(atY(middleY) - (rows * stepY * scale) / 2)}" ` +
      `width="${px(cols * stepX * scale)}" height="${px(rows * stepY * scale)}" preserveAspectRatio="none" ` +
      `xlink:href="data:image/png;base64,${embedded(raster, 0)}"/>`,
    axes(frame),
    rings(frame, figure.marks ?? []),
    colourBar(left + width + 26, height, low, high, table),
    aspect ? compass(left + width + 72, TOP + height - 44, aspect.thetaDeg, aspect.phiDeg) : '',
    '</svg>',
  ].join('\n')
}

interface Frame {
  left: number
  width: number
  height: number
  scale: number
  middleX: number
  middleY: number
  atX: (metres: number) => number
  atY: (metres: number) => number
}

interface Levels {
  levels: Float64Array
  rows: number
  cols: number
}

/** Reduces rows and columns by whole factors to no fewer than the points drawn, keeping the highest level of each block. */
function peaksKept(
  levels: Float64Array,
  rows: number,
  cols: number,
  drawnRows: number,
  drawnCols: number,
): Levels {
  const byRows = Math.max(1, Math.floor(rows / drawnRows))
  const byCols = Math.max(1, Math.floor(cols / drawnCols))
  if (byRows * byCols === 1) return { levels, rows, cols }
  const out = { rows: Math.floor(rows / byRows), cols: Math.floor(cols / byCols) }
  const kept = new Float64Array(out.rows * out.cols).fill(ZERO_DBSM)
  for (let i = 0; i < rows; i++)
    for (let l = 0; l < cols; l++) {
      const at = Math.floor((i * out.rows) / rows) * out.cols + Math.floor((l * out.cols) / cols)
      if (levels[i * cols + l] > kept[at]) kept[at] = levels[i * cols + l]
    }
  return { levels: kept, ...out }
}

/** Colours of the levels, largest range first (the top of the picture). */
function colourRaster({ levels, rows, cols }: Levels, low: number, high: number, table: Uint8Array) {
  const data = new Uint8Array(3 * rows * cols)
  for (let i = 0; i < rows; i++)
    for (let l = 0, to = 3 * (rows - 1 - i) * cols; l < cols; l++, to += 3) {
      const index = 3 * colourIndex(levels[i * cols + l], low, high)
      data[to] = table[index]
      data[to + 1] = table[index + 1]
      data[to + 2] = table[index + 2]
    }
  return { width: cols, height: rows, data, channels: 3 as const }
}

const text = (x: number, y: number, content: string, attributes = ''): string =>
  `<text x="${px(x)}" y="${px(y)}" ${attributes}>${escapeXml(content)}</text>`

const line = (x1: number, y1: number, x2: number, y2: number, attributes = `stroke="${INK}"`): string =>
  `<line x1="${px(x1)}" y1="${px(y1)}" x2="${px(x2)}" y2="${px(y2)}" ${attributes}/>`

/** Rings of a mark by its rank [px], and the ranks that are numbered. */
const RING = { first: 11, last: 5, numbered: 15 }
const MARK = '#45e4ff'
/** About marks, for those on bright pixels. */
const HALO = '#10141a'

/** Open rings, so that what they stand for shows; the first are numbered from 1. */
function rings({ atX, atY }: Frame, marks: { rangeM: number; crossRangeM: number }[]): string {
  return marks
    .map(({ rangeM, crossRangeM }, i) => {
      const [x, y] = [atX(crossRangeM), atY(rangeM)]
      const r = RING.first - ((RING.first - RING.last) * i) / Math.max(1, marks.length - 1)
      const circle = (stroke: string, width: number): string =>
        `<circle cx="${px(x)}" cy="${px(y)}" r="${px(r)}" fill="none" stroke="${stroke}" stroke-width="${width}"/>`
      const ring = circle(HALO, 4) + circle(MARK, 1.8)
      if (i >= RING.numbered) return ring
      const number = (attributes: string): string =>
        text(x + r + 2, y - r + 4, String(i + 1), `font-size="13" font-weight="600" ${attributes}`)
      return ring + number(`fill="${HALO}" stroke="${HALO}" stroke-width="3"`) + number(`fill="${MARK}"`)
    })
    .join('\n')
}

function axes({ left, width, height, scale, middleX, middleY, atX, atY }: Frame): string {
  const bottom = TOP + height
  const parts: string[] = []
  // the same spacing on both axes, from the larger of them
  const count = Math.max(width, height) / 60
  const span = Math.max(width, height) / scale
  const step = spacing(span, count)
  const grid = 'stroke="white" stroke-opacity="0.16"'
  const xs = multiples(step, middleX - width / 2 / scale, middleX + width / 2 / scale)
  const ys = multiples(step, middleY - height / 2 / scale, middleY + height / 2 / scale)
  const xLabels = tickLabels(xs)
  const yLabels = tickLabels(ys)
  xs.forEach((x, i) => {
    parts.push(line(atX(x), TOP, atX(x), bottom, grid), line(atX(x), bottom, atX(x), bottom + 6))
    parts.push(text(atX(x), bottom + 24, xLabels[i], 'text-anchor="middle"'))
  })
  ys.forEach((y, i) => {
    parts.push(line(left, atY(y), left + width, atY(y), grid), line(left - 6, atY(y), left, atY(y)))
    parts.push(text(left - 11, atY(y) + 5.5, yLabels[i], 'text-anchor="end"'))
  })
  const middle = px(TOP + height / 2)
  parts.push(
    `<rect x="${px(left)}" y="${TOP}" width="${px(width)}" height="${px(height)}" fill="none" stroke="${INK}" stroke-width="1.2"/>`,
    text(left + width / 2, bottom + 54, 'Cross-range [m]', 'font-size="17" text-anchor="middle"'),
    `<g transform="translate(${px(left - 62)},${middle}) rotate(-90)">` +
      `${text(0, 0, 'Range, away from the radar [m]', 'font-size="17" text-anchor="middle"')}</g>`,
  )
  return parts.join('\n')
}

const spacing = (span: number, count: number): number => {
  const values = ticks(0, span, count)
  return values.length > 1 ? values[1] - values[0] : span
}

const multiples = (step: number, low: number, high: number): number[] => {
  const first = Math.ceil(low / step - 1e-9)
  return Array.from(
    { length: Math.max(0, Math.floor(high / step + 1e-9) - first + 1) },
    (_, i) => (first + i) * step,
  )
}

function colourBar(x: number, plotHeight: number, low: number, high: number, table: Uint8Array): string {
  const width = 22
  const top = TOP + 26
  const height = Math.max(110, plotHeight - 26 - 120)
  const ramp = new Uint8Array(3 * 256)
  for (let i = 0; i < 256; i++) ramp.set(table.subarray(3 * i, 3 * i + 3), 3 * (255 - i))
  const values = ticks(low, high, height / 55)
  const labels = tickLabels(values)
  return [
    text(x, TOP + 12, 'dBsm', 'font-size="16"'),
    `<image x="${px(x)}" y="${px(top)}" width="${width}" height="${px(height)}" preserveAspectRatio="none" xlink:href="data:image/png;base64,${embedded({ width: 1, height: 256, data: ramp, channels: 3 }, 0)}"/>`,
    `<rect x="${px(x)}" y="${px(top)}" width="${width}" height="${px(height)}" fill="none" stroke="${INK}"/>`,
    ...values.flatMap((v, i) => {
      const y = top + (height * (high - v)) / (high - low)
      return [line(x + width, y, x + width + 5, y), text(x + width + 10, y + 5.5, labels[i])]
    }),
  ].join('\n')
}

/** Where the target's +x lies in the picture: (x-hat . phi-hat, -x-hat . r-hat), drawn with its projected length. */
function compass(x: number, y: number, thetaDeg: number, phiDeg: number): string {
  const { r, phiHat } = direction(thetaDeg, phiDeg)
  const right = phiHat[0]
  const up = -r[0]
  const length = Math.hypot(right, up)
  const radius = 34
  const parts = [`<circle cx="${px(x)}" cy="${px(y)}" r="${radius}" fill="#f3f5f7" stroke="#c3cad2"/>`]
  if (length < 0.05) {
    parts.push(`<circle cx="${px(x)}" cy="${px(y)}" r="4" fill="${INK}"/>`)
    parts.push(text(x + 8, y - 7, '+x', 'font-size="14" font-weight="600"'))
    return parts.join('\n')
  }
  const dx = right / length
  const dy = -up / length
  const tip = (radius - 4) * length
  const tail = -0.55 * tip
  const head = Math.min(10, tip)
  const base = tip - head
  const corner = (side: number): string => `${px(x + dx * base - dy * side)},${px(y + dy * base + dx * side)}`
  parts.push(
    line(
      x + dx * tail,
      y + dy * tail,
      x + dx * base,
      y + dy * base,
      `stroke="${INK}" stroke-width="2.4" stroke-linecap="round"`,
    ),
    `<polygon points="${px(x + dx * tip)},${px(y + dy * tip)} ${corner(5)} ${corner(-5)}" fill="${INK}"/>`,
    text(
      x + dx * (radius + 15),
      y + dy * (radius + 12) + 5,
      '+x',
      'font-size="14" font-weight="600" text-anchor="middle"',
    ),
  )
  return parts.join('\n')
}

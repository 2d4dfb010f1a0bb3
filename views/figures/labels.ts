import { atX, atY, type Axes, px, text } from './axes.js'
import type { CentreData, ImageGridData } from './data.js'

/** Which labels of an image are drawn. */
export interface LabelChoice {
  /** Of the target, and of its shadow. */
  mask: boolean
  centres: boolean
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
const HALO = '#10141a'

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
    const style = `font-size="10" font-weight="600" text-anchor="middle" fill="${MARK}" stroke="${HALO}" stroke-width="2.4" paint-order="stroke"`
    return [text(place.x, place.y + 3.5, String(i + 1), style)]
  })
  const ring = ({ x, y, r }: (typeof circles)[number], stroke: string, width: number): string =>
    `<circle cx="${px(x)}" cy="${px(y)}" r="${px(r)}" fill="none" stroke="${stroke}" stroke-width="${width}"/>`
  return [...circles.map((circle) => ring(circle, HALO, 3) + ring(circle, MARK, 1.4)), ...numbers]
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

import { px } from './markup.js'
import { atX, atY, type Axes } from './axes.js'
import type { CentreData, ImageGridData } from './data.js'

/** Which labels of an image are drawn. */
export interface LabelChoice {
  mask: boolean
  centres: boolean
}

/** Centres with their numbers: of the weaker ones these would only hide the image. */
const NUMBERED = 10

/**
 * Outline of the mask and rings at the scattering centres, numbered from the strongest, as drawn over an image.
 * @param low  level below which centres are left out, as the image has it [dBsm]
 */
export function labelOverlay(
  { labels, rangeM, crossRangeM }: ImageGridData,
  choice: LabelChoice = { mask: true, centres: true },
  low: number,
): (axes: Axes) => string[] {
  const { mask, centres } = labels ?? {}
  return (axes) => [
    ...(choice.mask && mask ? outlines(mask, rangeM, crossRangeM, axes) : []),
    ...(choice.centres && centres ? centres.flatMap((c, i) => (c.level > low ? ring(c, i, axes) : [])) : []),
  ]
}

/** Of what the target covers, and, dashed, of what is lit of it. */
const outlines = (mask: Uint8Array, y: Float64Array, x: Float64Array, axes: Axes): string[] =>
  [1, 2].map(
    (least) =>
      `<path d="${outline(mask, least, y, x, axes)}" fill="none" stroke="#3ad1ff" stroke-width="1.2"` +
      `${least === 2 ? ' stroke-dasharray="2 3"' : ''}/>`,
  )

/** The sides between pixels of at least `least` and others. */
function outline(mask: Uint8Array, least: number, y: Float64Array, x: Float64Array, axes: Axes): string {
  const [rows, columns] = [y.length, x.length]
  const inside = (r: number, c: number): boolean =>
    r >= 0 && c >= 0 && r < rows && c < columns && mask[r * columns + c] >= least
  const [dx, dy] = [x[1] - x[0], y[1] - y[0]]
  const left = (c: number): string => px(atX(axes, x[0] + (c - 0.5) * dx))
  const foot = (r: number): string => px(atY(axes, y[0] + (r - 0.5) * dy))
  let path = ''
  for (let r = 0; r <= rows; r++)
    for (let c = 0; c <= columns; c++) {
      if (inside(r, c) !== inside(r, c - 1)) path += `M${left(c)} ${foot(r)}V${foot(r + 1)}`
      if (inside(r, c) !== inside(r - 1, c)) path += `M${left(c)} ${foot(r)}H${left(c + 1)}`
    }
  return path
}

function ring({ rangeM, crossRangeM }: CentreData, i: number, axes: Axes): string[] {
  const [x, y] = [atX(axes, crossRangeM), atY(axes, rangeM)]
  const number = `<text x="${px(x + 6)}" y="${px(y - 5)}" fill="white" stroke="black" stroke-width="2" paint-order="stroke" font-size="11">${i + 1}</text>`
  return [
    `<circle cx="${px(x)}" cy="${px(y)}" r="4.5" fill="none" stroke="white" stroke-width="1.4"/>`,
    ...(i < NUMBERED ? [number] : []),
  ]
}

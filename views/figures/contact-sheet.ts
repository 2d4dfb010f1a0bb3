import type { SheetRow } from '../../dataset/index.js'
import { heading, image, PAPER, svg, text } from './axes.js'
import { paintPng, svgToPng } from './svg.js'

/** Width of an image in the sheet, and room about it [px]. */
const CELL = 69
const GAP = 5
const LEFT = 15
const TOP = 60
/** Below each image, for its aspect. */
const CAPTION = 14
/** Above each row, for its class. */
const LABEL = 20

const degrees = (angle: number): string => `${String(Number(angle.toFixed(1))).replace('-', '−')}°`

const greyImage = (levels: Uint8Array, [, width]: [number, number]): string =>
  paintPng(
    Uint8ClampedArray.from({ length: 4 * levels.length }, (_, i) => levels[i >> 2]),
    width,
  )

const aspectOf = ({ azimuthDeg, elevationDeg }: SheetRow['images'][number]): string =>
  `${degrees(azimuthDeg)}, ${degrees(elevationDeg)}`

/** Images beside each other in a preview, and their longest side [px]. */
const ACROSS = 4
const LARGE = 220

/** One image of each class, larger than in the contact sheet, with the class above it and azimuth and elevation of the radar below. */
export function drawPreviewSheet(
  title: string,
  subtitle: string,
  classes: SheetRow[],
  size: [number, number],
): Promise<Uint8Array> {
  // A class may have lost all its images to the borders of splits.
  const rows = classes.filter(({ images }) => images.length > 0)
  const across = Math.min(ACROSS, rows.length)
  const [high, wide] = size.map((n) => Math.round((LARGE * n) / Math.max(...size)))
  const column = Math.max(wide, 110) + 4 * GAP
  const rowHeight = LABEL + high + CAPTION + 2 * GAP
  // A sentence a line: a preview may be narrow.
  const lines = subtitle.split(/(?<=\.) /)
  const top = TOP + 18 * (lines.length - 1)
  const parts = heading(LEFT, title, lines, PAPER)
  rows.forEach(({ label, images: [one] }, i) => {
    const [x, y] = [LEFT + (i % across) * column, top + Math.floor(i / across) * rowHeight]
    parts.push(
      text(x, y + 12, label, 'font-weight="600"'),
      image(x, y + LABEL, wide, high, greyImage(one.levels, size)),
      text(x, y + LABEL + high + 12, aspectOf(one), `font-size="11" fill="${PAPER.faint}"`),
    )
  })
  const width = 2 * LEFT + across * column
  const height = top + Math.ceil(rows.length / across) * rowHeight + 8
  return svgToPng(svg(Math.max(width, 620), height, PAPER, parts))
}

/** The contact sheet as a picture: a row of images for each class, with azimuth and elevation of the radar. */
export async function drawSheet(
  title: string,
  subtitle: string,
  rows: SheetRow[],
  size: [number, number],
): Promise<Uint8Array> {
  const across = Math.max(...rows.map((r) => r.images.length))
  const high = Math.round((CELL * size[0]) / size[1])
  const rowHeight = LABEL + high + CAPTION + GAP
  const width = 2 * LEFT + across * (CELL + GAP) - GAP
  const parts = heading(LEFT, title, [subtitle], PAPER)
  rows.forEach(({ label, images }, r) => {
    const y = TOP + r * rowHeight
    parts.push(text(LEFT, y + 12, label, 'font-weight="600"'))
    images.forEach((one, c) => {
      const x = LEFT + c * (CELL + GAP)
      parts.push(
        image(x, y + LABEL, CELL, high, greyImage(one.levels, size)),
        text(
          x + CELL / 2,
          y + LABEL + high + 10,
          aspectOf(one),
          `font-size="9" text-anchor="middle" fill="${PAPER.faint}"`,
        ),
      )
    })
  })
  const page = svg(Math.max(width, 390), TOP + rows.length * rowHeight + 8, PAPER, parts)
  return svgToPng(page)
}

import { encode } from 'fast-png'
import type { SheetRow } from './index.js'
import { heading, PAPER, svg } from '../plots/axes.js'
import { image, text } from '../plots/markup.js'
import { svgToPng, ZOOM } from '../plots/node.js'

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
    images.forEach(({ azimuthDeg, elevationDeg, levels }, c) => {
      const x = LEFT + c * (CELL + GAP)
      const png = encode({ width: size[1], height: size[0], data: levels, channels: 1 })
      parts.push(
        image(x, y + LABEL, CELL, high, `data:image/png;base64,${Buffer.from(png).toString('base64')}`),
        text(
          x + CELL / 2,
          y + LABEL + high + 10,
          `${degrees(azimuthDeg)}, ${degrees(elevationDeg)}`,
          `font-size="9" text-anchor="middle" fill="${PAPER.faint}"`,
        ),
      )
    })
  })
  const page = svg(Math.max(width, 390), TOP + rows.length * rowHeight + 8, PAPER, parts)
  return svgToPng(page, ZOOM)
}

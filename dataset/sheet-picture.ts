import { encode } from 'fast-png'
import type { SheetRow } from './index.js'
import { svgToPng } from '../plots/node.js'
import { FAINT, heading, page, text } from '../plots/draw.js'

/** Width of an image in the sheet, and room about it [px]. */
const CELL = 92
const GAP = 6
const LEFT = 20
const TOP = 84
/** Below each image, for its azimuth. */
const CAPTION = 18
/** Above each row, for its class. */
const LABEL = 26

/** The contact sheet as a picture: a row of images for each class, with their azimuths. */
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
  const parts = heading(LEFT, title, subtitle)
  rows.forEach(({ label, images }, r) => {
    const y = TOP + r * rowHeight
    parts.push(text(LEFT, y + 16, label, 'font-size="15" font-weight="600"'))
    images.forEach(({ azimuthDeg, levels }, c) => {
      const x = LEFT + c * (CELL + GAP)
      const png = encode({ width: size[1], height: size[0], data: levels, channels: 1 })
      parts.push(
        `<image x="${x}" y="${y + LABEL}" width="${CELL}" height="${high}" preserveAspectRatio="none" href="data:image/png;base64,${Buffer.from(png).toString('base64')}"/>`,
        text(
          x + CELL / 2,
          y + LABEL + high + 13,
          `${Number(azimuthDeg.toFixed(1))}°`,
          `font-size="11" text-anchor="middle" fill="${FAINT}"`,
        ),
      )
    })
  })
  return svgToPng(page(Math.max(width, 520), TOP + rows.length * rowHeight + 10, parts))
}

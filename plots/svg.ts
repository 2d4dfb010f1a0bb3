import { createRequire } from 'node:module'
import { encode } from 'fast-png'
import type { Painter } from './colours.js'
import { FONT } from './markup.js'
import { opaquePng } from './png.js'

/** Width of a figure [px], and how many times larger its PNG is: 1000 px wide, with text of 16 px. */
export const PAGE = 750
export const ZOOM = 4 / 3

/** Fonts that come with the package; nothing is taken from the system, so a figure looks the same everywhere. */
const FONT_FILES = ['400Regular/Inter_400Regular.ttf', '600SemiBold/Inter_600SemiBold.ttf']

/** Paints PNG pictures; of level 0 where they are drawn at once and compression would be in vain. */
export const paintPng =
  (level: 0 | 6): Painter =>
  (pixels, width) => {
    const data = new Uint8Array((3 * pixels.length) / 4)
    for (let from = 0, to = 0; from < pixels.length; from += 4, to += 3) {
      data[to] = pixels[from]
      data[to + 1] = pixels[from + 1]
      data[to + 2] = pixels[from + 2]
    }
    const png = encode({ width, height: data.length / 3 / width, data, channels: 3 }, { zlib: { level } })
    return `data:image/png;base64,${Buffer.from(png).toString('base64')}`
  }

/** Draws an SVG document, on a white page, as a PNG of `zoom` times its size. */
export async function svgToPng(svg: string, zoom = 1): Promise<Uint8Array> {
  const { renderAsync } = await import('@resvg/resvg-js')
  const { resolve } = createRequire(import.meta.url)
  const rendered = await renderAsync(svg, {
    background: 'white',
    fitTo: { mode: 'zoom', value: zoom },
    font: {
      loadSystemFonts: false,
      fontFiles: FONT_FILES.map((file) => resolve(`@expo-google-fonts/inter/${file}`)),
      defaultFontFamily: FONT,
    },
  })
  // Not by `asPng`, which compresses half as well.
  return opaquePng(rendered.pixels, rendered.width)
}

/** A figure as SVG document and as PNG. */
export const bothOf = async (svg: string): Promise<{ svg: string; png: Uint8Array }> => ({
  svg,
  png: await svgToPng(svg, ZOOM),
})

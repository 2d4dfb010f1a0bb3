import { createRequire } from 'node:module'
import { encode, type ImageData } from 'fast-png'
import { escapeXml, FONT, px } from './markup.js'

export { escapeXml, FONT, px }

/** Fonts that come with the package; nothing is taken from the system, so a figure looks the same everywhere. */
const FONT_FILES = ['400Regular/Inter_400Regular.ttf', '600SemiBold/Inter_600SemiBold.ttf']

/** Base64 of a PNG to be embedded in a document; of level 0 where that is drawn at once and compression would be in vain. */
export const embedded = (raster: ImageData, level: 0 | 6): string =>
  Buffer.from(encode(raster, { zlib: { level } })).toString('base64')

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
  return rendered.asPng()
}

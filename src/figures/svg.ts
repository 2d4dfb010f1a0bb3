import { createRequire } from 'node:module'

/** Fonts that come with the package; nothing is taken from the system, so a figure looks the same everywhere. */
export const FONT = 'Inter'
const FONT_FILES = ['400Regular/Inter_400Regular.ttf', '600SemiBold/Inter_600SemiBold.ttf']

export const escapeXml = (text: string): string =>
  text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]!)

/** Number as written into SVG attributes. */
export const px = (x: number): string => String(Math.round(x * 100) / 100)

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

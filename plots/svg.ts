import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Font } from 'fontkit'
import { encode } from 'fast-png'
import type { Painter } from './colours.js'
import { FONT } from './markup.js'
import { outlineText } from './outline-text.js'
import { opaquePng } from './png.js'

/** Width of a figure [px], and how many times larger its PNG is: 1000 px wide, with text of 16 px. */
export const PAGE = 750
export const ZOOM = 4 / 3

/** Fonts that come with the package; nothing is taken from the system, so a figure looks the same everywhere. */
const FONT_FILES = ['400Regular/Inter_400Regular.ttf', '600SemiBold/Inter_600SemiBold.ttf']
const fontFiles = (): string[] => {
  const { resolve } = createRequire(import.meta.url)
  return FONT_FILES.map((file) => resolve(`@expo-google-fonts/inter/${file}`))
}

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
  const rendered = await renderAsync(svg, {
    background: 'white',
    fitTo: { mode: 'zoom', value: zoom },
    font: {
      loadSystemFonts: false,
      fontFiles: fontFiles(),
      defaultFontFamily: FONT,
    },
  })
  // Not by `asPng`, which compresses half as well.
  return opaquePng(rendered.pixels, rendered.width)
}

/** A figure as SVG document, its text as outlines, and as PNG. */
export const bothOf = async (svg: string): Promise<{ svg: string; png: Uint8Array }> => ({
  svg: await outlined(svg),
  png: await svgToPng(svg, ZOOM),
})

/** The same figure with its text as outlines: it looks the same where the font is not installed. */
export async function outlined(svg: string): Promise<string> {
  const { create } = await import('fontkit')
  const [regular, bold] = fontFiles().map((file) => create(readFileSync(file)) as Font)
  return outlineText(svg, { regular, bold })
}

/** CSS pixels to the inch, and points of PDF. */
const [PX, PT] = [96, 72]

/** Figures as vector graphics on the pages of a PDF document, in their own size at 96 px to the inch, with their letters embedded. */
export async function svgToPdf(svgs: readonly string[], title: string): Promise<Uint8Array> {
  const [{ default: PDFDocument }, { default: addSvg }] = await Promise.all([import('pdfkit'), import('svg-to-pdfkit')]) // prettier-ignore
  // The same bytes of the same figures.
  const doc = new PDFDocument({ autoFirstPage: false, info: { Title: title, CreationDate: new Date(0) } })
  const chunks: Uint8Array[] = []
  const whole = new Promise<Uint8Array>((done, fail) => {
    doc.on('data', (chunk: Uint8Array) => chunks.push(chunk))
    doc.on('end', () => done(Buffer.concat(chunks)))
    doc.on('error', fail)
  })
  const [regular, bold] = fontFiles()
  doc.registerFont('regular', regular)
  doc.registerFont('bold', bold)
  for (const svg of svgs) {
    const [, width, height] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg)!
    doc.addPage({ size: [(Number(width) * PT) / PX, (Number(height) * PT) / PX], margin: 0 })
    addSvg(doc, svg, 0, 0, {
      width: (Number(width) * PT) / PX,
      height: (Number(height) * PT) / PX,
      fontCallback: (_family: string, isBold: boolean) => (isBold ? 'bold' : 'regular'),
    })
  }
  doc.end()
  return whole
}

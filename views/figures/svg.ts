import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { crc32, deflate, deflateSync } from 'node:zlib'
import type { Font } from 'fontkit'
import { FONT, type Painter } from './axes.js'
import { outlineText } from './outline-text.js'

type Pixels = Uint8Array | Uint8ClampedArray

/** Bytes of a pixel. */
const RGB = 3
/** Numbers of the filters (W3C PNG, 9.2). */
const SUB = 1
const UP = 2
const PAETH = 4

/**
 * A PNG of opaque pixels [4 bytes each: red, green, blue, not kept], each row by the filter that leaves the smallest sum of absolute
 * differences (W3C PNG, 12.7). Compression runs on a thread of Node's.
 */
export const opaquePng = async (pixels: Pixels, width: number): Promise<Uint8Array> =>
  pngOf(pixels, width, await promisify(deflate)(filtered(pixels, width)))

function pngOf(pixels: Pixels, width: number, data: Buffer): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(pixels.length / 4 / width, 4)
  // Depth, RGB, and the only methods there are.
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const whole = Buffer.alloc(12 + data.length)
  whole.writeUInt32BE(data.length, 0)
  whole.write(type, 4, 'latin1')
  whole.set(data, 8)
  whole.writeUInt32BE(crc32(whole.subarray(4, 8 + data.length)), 8 + data.length)
  return whole
}

/** Rows of RGB, each after the number of its filter. */
function filtered(pixels: Pixels, width: number): Uint8Array {
  const height = pixels.length / 4 / width
  const size = RGB * width
  const rows = new Uint8Array(height * (1 + size))
  // With a pixel of zeros before the first one.
  let row = new Uint8Array(RGB + size)
  let above = new Uint8Array(RGB + size)
  const sub = new Uint8Array(size)
  const up = new Uint8Array(size)
  const paeth = new Uint8Array(size)
  for (let y = 0; y < height; y++) {
    takeRow(pixels, 4 * y * width, row)
    const filter = filterRow(row, above, sub, up, paeth)
    rows[y * (1 + size)] = filter
    rows.set(filter === SUB ? sub : filter === UP ? up : paeth, y * (1 + size) + 1)
    const next = above
    above = row
    row = next
  }
  return rows
}

function takeRow(pixels: Pixels, start: number, row: Uint8Array): void {
  for (let from = start, to = RGB; to < row.length; from += 4, to += RGB) {
    row[to] = pixels[from]
    row[to + 1] = pixels[from + 1]
    row[to + 2] = pixels[from + 2]
  }
}

/** Filters a row three ways. @returns the number of the best */
function filterRow(
  row: Uint8Array,
  above: Uint8Array,
  sub: Uint8Array,
  up: Uint8Array,
  paeth: Uint8Array,
): number {
  let ofSub = 0
  let ofUp = 0
  let ofPaeth = 0
  for (let i = 0; i < sub.length; i++) {
    const value = row[RGB + i]
    const left = row[i]
    const over = above[RGB + i]
    const corner = above[i]
    const fromLeft = Math.abs(over - corner)
    const fromOver = Math.abs(left - corner)
    const fromCorner = Math.abs(left + over - 2 * corner)
    const nearest =
      fromLeft <= fromOver && fromLeft <= fromCorner ? left : fromOver <= fromCorner ? over : corner
    sub[i] = value - left
    up[i] = value - over
    paeth[i] = value - nearest
    // Differences modulo 256, from -128 to 127.
    ofSub += Math.abs(((value - left) << 24) >> 24)
    ofUp += Math.abs(((value - over) << 24) >> 24)
    ofPaeth += Math.abs(((value - nearest) << 24) >> 24)
  }
  return ofPaeth <= ofUp && ofPaeth <= ofSub ? PAETH : ofUp <= ofSub ? UP : SUB
}

/** Width of a figure [px], and how many times larger its PNG is: 1000 px wide, with text of 16 px. */
export const PAGE = 750
export const ZOOM = 4 / 3

/** Fonts that come with the package; nothing is taken from the system, so a figure looks the same everywhere. */
const FONT_FILES = ['400Regular/Inter_400Regular.ttf', '600SemiBold/Inter_600SemiBold.ttf']
const fontFiles = (): string[] => {
  const { resolve } = createRequire(import.meta.url)
  return FONT_FILES.map((file) => resolve(`@expo-google-fonts/inter/${file}`))
}

/** Paints pixels of figures: fast, as most are drawn at once. */
export const paintPng: Painter = (pixels, width) =>
  `data:image/png;base64,${pngOf(pixels, width, deflateSync(filtered(pixels, width), { level: 1 })).toString('base64')}`

/** Draws an SVG document, on a white page, as a PNG of `zoom` times its size, 1000 px wide by default. */
export async function svgToPng(svg: string, zoom = ZOOM): Promise<Uint8Array> {
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

/** The same figure with its text as outlines: it looks the same where the font is not installed. */
export async function outlined(svg: string): Promise<string> {
  const { create } = await import('fontkit')
  const [regular, bold] = fontFiles().map((file) => create(readFileSync(file)) as Font)
  return outlineText(svg, { regular, bold })
}

/** Text on a halo, drawn once more without it: svg-to-pdfkit does not know `paint-order` and strokes over the letters. */
const overHalos = (svg: string): string =>
  svg.replaceAll(
    /<text[^>]* paint-order="stroke"[^>]*>[^<]*<\/text>/g,
    (halo) => halo + halo.replaceAll(/ (?:stroke|stroke-width|stroke-opacity|paint-order)="[^"]*"/g, ''),
  )

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
    const [, width, height] = / width="([\d.]+)" height="([\d.]+)"/.exec(svg)!
    doc.addPage({ size: [(Number(width) * PT) / PX, (Number(height) * PT) / PX], margin: 0 })
    addSvg(doc, overHalos(svg), 0, 0, {
      width: (Number(width) * PT) / PX,
      height: (Number(height) * PT) / PX,
      fontCallback: (_family: string, isBold: boolean) => (isBold ? 'bold' : 'regular'),
    })
  }
  doc.end()
  return whole
}

/** What figures are written as, by the endings of their files: SVG with text as outlines, PNG 1000 px wide, PDF. */
export type FigureFormat = 'svg' | 'png' | 'pdf'

/** A figure, drawn as SVG, in the format of its file. @param zoom  of PNG */
export const encodeFigure = (
  svg: string,
  format: FigureFormat,
  title: string,
  zoom?: number,
): Promise<string | Uint8Array> =>
  format === 'svg' ? outlined(svg) : format === 'png' ? svgToPng(svg, zoom) : svgToPdf([svg], title)

import { escapeXml, FONT, px } from './markup.js'

export const INK = '#1b1f24'
export const FAINT = '#5d6671'
export const GRID = '#e3e6ea'
/** Width of a page [px]. */
export const PAGE = 1000

export const text = (x: number, y: number, content: string, attributes = ''): string =>
  `<text x="${px(x)}" y="${px(y)}" ${attributes}>${escapeXml(content)}</text>`

export const line = (
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  attributes = `stroke="${INK}"`,
): string => `<line x1="${px(x1)}" y1="${px(y1)}" x2="${px(x2)}" y2="${px(y2)}" ${attributes}/>`

export const rect = (x: number, y: number, width: number, height: number, attributes: string): string =>
  `<rect x="${px(x)}" y="${px(y)}" width="${px(width)}" height="${px(height)}" ${attributes}/>`

/** A white page with the figures' font. */
export const page = (width: number, height: number, parts: string[]): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${px(height)}" viewBox="0 0 ${width} ${px(height)}" ` +
      `font-family="${FONT}, sans-serif" font-size="14" fill="${INK}">`,
    rect(0, 0, width, height, 'fill="white"'),
    ...parts,
    '</svg>',
  ].join('\n')

export const heading = (x: number, title: string, subtitle?: string): string[] => [
  text(x, 34, title, 'font-size="19" font-weight="600"'),
  ...(subtitle ? [text(x, 57, subtitle, `fill="${FAINT}"`)] : []),
]

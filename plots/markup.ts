/** The font of all figures. */
export const FONT = 'Inter'

export const escapeXml = (text: string): string =>
  text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]!)

/** Number as written into SVG attributes. */
export const px = (x: number): string => String(Math.round(x * 100) / 100)

export const text = (x: number, y: number, content: string, attributes = ''): string =>
  `<text x="${px(x)}" y="${px(y)}" ${attributes}>${escapeXml(content)}</text>`

/** Text that runs upwards, centred at a point. */
export const upwards = (x: number, y: number, content: string): string =>
  `<g transform="translate(${px(x)},${px(y)}) rotate(-90)">${text(0, 0, content, 'font-size="13" text-anchor="middle"')}</g>`

export const line = (x1: number, y1: number, x2: number, y2: number, attributes: string): string =>
  `<line x1="${px(x1)}" y1="${px(y1)}" x2="${px(x2)}" y2="${px(y2)}" ${attributes}/>`

export const rect = (x: number, y: number, width: number, height: number, attributes: string): string =>
  `<rect x="${px(x)}" y="${px(y)}" width="${px(width)}" height="${px(height)}" ${attributes}/>`

/** A picture stretched over a rectangle. @param href  its address (data:) */
export const image = (x: number, y: number, width: number, height: number, href: string): string =>
  `<image x="${px(x)}" y="${px(y)}" width="${px(width)}" height="${px(height)}" preserveAspectRatio="none" href="${href}"/>`

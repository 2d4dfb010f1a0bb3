/** The font of all figures. */
export const FONT = 'Inter'

export const escapeXml = (text: string): string =>
  text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]!)

/** Number as written into SVG attributes. */
export const px = (x: number): string => String(Math.round(x * 100) / 100)

// A file of its own: declarations of the library do not need the types of fonts.
import type { Font } from 'fontkit'

const PLAIN: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' }

/**
 * An SVG document of ours with its text as outlines, named for those who do not see them: fonts in SVG files are used by browsers alone.
 * @param fonts  that it is set in
 */
export function outlineText(svg: string, { regular, bold }: { regular: Font; bold: Font }): string {
  return svg.replaceAll(/<text ([^>]*)>([^<]*)<\/text>/g, (_, attributes: string, escaped: string) => {
    const of = Object.fromEntries([...attributes.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, k, v]) => [k, v]))
    const { x, y, 'font-size': size = '12', 'font-weight': weight, 'text-anchor': anchor, ...rest } = of
    const font = weight === undefined ? regular : bold
    const content = escaped.replaceAll(/&(\w+);/g, (whole, name: string) => PLAIN[name] ?? whole)
    const { glyphs, positions, advanceWidth } = font.layout(content.replaceAll(/\s+/g, ' ').trim())
    const scale = Number(size) / font.unitsPerEm
    const part = { middle: 0.5, end: 1 }[anchor as string] ?? 0
    let pen = Number(x) - part * advanceWidth * scale
    const outline = glyphs.map((glyph, i) => {
      const { xAdvance, xOffset, yOffset } = positions[i]
      const d = glyph.path
        .scale(scale, -scale)
        .translate(pen + xOffset * scale, Number(y) - yOffset * scale)
        .toSVG()
      pen += xAdvance * scale
      return d
    })
    const style = Object.entries(rest).map(([k, v]) => ` ${k}="${v}"`)
    return `<g role="img"${style.join('')}><title>${escaped}</title><path d="${outline.join('')}"/></g>`
  })
}

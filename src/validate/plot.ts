import { linePlot, svgToPng } from '../figures/index.js'
import { escapeXml, FONT } from '../figures/svg.js'
import type { Definition } from './definition.js'
import { indexedPng } from './indexed-png.js'
import type { Outcome, Panel } from './result.js'

/** Zoom of the PNG: two panels across fill a page of documentation. */
const ZOOM = 0.8
/** dB shown below the highest value. */
const DEPTH = 60
const HEAD = 40

/** The figure of a case: its panels, two to a row. Null where it has none. */
export async function caseFigure(
  d: Definition,
  { panels }: Outcome,
): Promise<{ svg: string; png: Uint8Array } | null> {
  if (panels.length === 0) return null
  const parts = []
  for (const panel of panels) {
    const svg = await panelSvg(panel)
    const [, width, height] = /^<svg[^>]*?width="([\d.]+)"[^>]*?height="([\d.]+)"/.exec(svg)!.map(Number)
    parts.push({ svg, width, height })
  }
  const width = Math.max(...parts.map((p) => p.width))
  const height = Math.max(...parts.map((p) => p.height))
  const columns = Math.min(2, parts.length)
  const [w, h] = [columns * width, HEAD + Math.ceil(parts.length / columns) * height]
  const place = (i: number): string => `${(i % columns) * width},${HEAD + Math.floor(i / columns) * height}`
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}">`,
    `<rect width="${w}" height="${h}" fill="white"/>`,
    `<text x="20" y="30" font-family="${FONT}" font-size="20" font-weight="600">${escapeXml(d.title)}</text>`,
    ...parts.map((part, i) => `<g transform="translate(${place(i)})">${part.svg}</g>`),
    '</svg>',
  ].join('')
  return { svg, png: indexedPng(await svgToPng(svg, ZOOM)) }
}

async function panelSvg({ title, xTitle, yTitle, angular, series }: Panel): Promise<string> {
  const values = series.flatMap((s) => Array.from(s.y))
  const small = values.every((y) => Math.abs(y) < 10)
  const { svg } = await linePlot({
    title,
    xTitle,
    yTitle: yTitle ?? 'RCS [dBsm]',
    angular,
    depth: small ? undefined : DEPTH,
    width: 540,
    height: 320,
    series,
  })
  return svg
}

import { decode, encode } from 'fast-png'
import { escapeXml, FONT } from '../../views/figures/axes.js'
import { linePlot, type LineSeries, svgToPng, yRange } from '../../views/figures/node.js'
import type { Definition } from './definition.js'
import type { Outcome, Panel } from './result.js'

const MAX_COLOURS = 256

/**
 * The picture with its 256 most frequent colours, every other replaced by the nearest of them: a third of the size for
 * line drawings, whose rare colours are those of smoothed corners.
 */
export function indexedPng(png: Uint8Array): Uint8Array {
  const { width, height, data, channels } = decode(png)
  const key = (i: number): number =>
    (data[channels * i] << 16) | (data[channels * i + 1] << 8) | data[channels * i + 2]
  const counts = new Map<number, number>()
  for (let i = 0; i < width * height; i++) counts.set(key(i), (counts.get(key(i)) ?? 0) + 1)
  const kept = [...counts].sort((a, b) => b[1] - a[1]).slice(0, MAX_COLOURS)
  const palette = kept.map(([k]) => [k >> 16, (k >> 8) & 255, k & 255])
  const index = new Map(kept.map(([k], i) => [k, i]))
  const indices = new Uint8Array(width * height)
  for (let i = 0; i < indices.length; i++) {
    const k = key(i)
    let found = index.get(k)
    if (found === undefined) {
      found = nearest(palette, [k >> 16, (k >> 8) & 255, k & 255])
      index.set(k, found)
    }
    indices[i] = found
  }
  return encode({ width, height, data: indices, depth: 8, channels: 1, palette })
}

function nearest(palette: number[][], colour: number[]): number {
  let best = 0
  let least = Infinity
  palette.forEach((p, i) => {
    const distance = p.reduce((sum, x, c) => sum + (x - colour[c]) ** 2, 0)
    if (distance < least) [best, least] = [i, distance]
  })
  return best
}

/** Zoom of the PNG: two panels across fill a page of documentation. */
const ZOOM = 0.95
/** dB shown below the highest value: the least of these that shows so large a part of the values. */
const DEPTHS = [60, 80, 100]
const SHOWN = 0.8
const HEAD = 40

/** The figure of a case: its panels, two to a row, as SVG document. Null where it has none. */
export function caseFigure(d: Definition, { panels }: Outcome): string | null {
  if (panels.length === 0) return null
  const parts = []
  const levels = commonRange(panels)
  for (const panel of panels) {
    const svg = panelSvg(panel, levels)
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
  return svg
}

/** The same as PNG, with few colours. */
export const casePng = async (svg: string): Promise<Uint8Array> => indexedPng(await svgToPng(svg, ZOOM))

const isDifference = ({ series }: Panel): boolean =>
  series.every((s) => Array.from(s.y).every((y) => Math.abs(y) < 10))

/** Ends of the axis that the panels share, so that channels can be compared; each its own where one shows differences. */
function commonRange(panels: Panel[]): [number, number] | undefined {
  if (panels.some(isDifference)) return undefined
  const series = panels.flatMap((p) => p.series)
  const values = series.flatMap((s) => Array.from(s.y))
  const top = values.reduce((a, b) => Math.max(a, b))
  const shows = (depth: number): boolean =>
    values.filter((y) => y > top - depth).length >= SHOWN * values.length
  return yRange({ series, depth: DEPTHS.find(shows) ?? DEPTHS[DEPTHS.length - 1] })
}

function panelSvg(
  { title, xTitle, yTitle, angular, series }: Panel,
  levels: [number, number] | undefined,
): string {
  return linePlot({
    title,
    xTitle,
    yTitle: yTitle ?? 'RCS [dBsm]',
    angular,
    yRange: levels,
    width: 450,
    height: 267,
    series: series.map(inOrder),
  })
}

/** The curve with its points by x: references may have a row that stands apart from the others. */
function inOrder(series: LineSeries): LineSeries {
  const order = Array.from(series.x, (_, i) => i).sort((a, b) => series.x[a] - series.x[b])
  return { ...series, x: order.map((i) => series.x[i]), y: order.map((i) => series.y[i]) }
}

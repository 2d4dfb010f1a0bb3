import { InputError } from '../scene/index.js'
import { colourTable } from './colour-map.js'
import { heading, INK, line, page, PAGE, rect, text } from './draw.js'
import { px, svgToPng } from './svg.js'
import { tickLabels, ticks } from './ticks.js'

export interface StackedCounts {
  title: string
  subtitle?: string
  xTitle: string
  yTitle: string
  /** Ascending, and about evenly spaced: positions of the columns. */
  x: number[]
  /** One below the other, on the same axes; `columns[i]` are the counts at x[i], from the bottom. */
  panels: { name: string; columns: number[][] }[]
  /** What the parts of a column are, e.g. 'sub-grid', for the legend. */
  partName: string
}

const LEFT = 92
const RIGHT = 150
const TOP = 100
const PANEL = 220
const GAP = 44

/**
 * Counts stacked in columns, e.g. edges per sub-grid against aspect angle.
 * @throws InputError for columns that do not fit the axis
 */
export function stackedCountsSvg(figure: StackedCounts): string {
  const { x, panels } = figure
  for (const { name, columns } of panels)
    if (x.length === 0 || columns.length !== x.length)
      throw new InputError(
        `figure '${figure.title}', panel '${name}': ${columns.length} columns for ${x.length} positions`,
      )
  const width = PAGE - LEFT - RIGHT
  const half = x.length > 1 ? (x[x.length - 1] - x[0]) / (x.length - 1) / 2 : 0.5
  const [low, high] = [x[0] - half, x[x.length - 1] + half]
  const atX = (v: number): number => LEFT + (width * (v - low)) / (high - low)
  const all = panels.flatMap((p) => p.columns)
  const most = Math.max(1, ...all.map((c) => c.reduce((s, n) => s + n, 0)))
  const partCount = Math.max(1, ...all.map((c) => c.length))
  const colours = colourTable('viridis')
  const colour = (part: number): string => {
    const i = 3 * Math.round(partCount > 1 ? (235 * part) / (partCount - 1) : 120)
    return `rgb(${colours[i]},${colours[i + 1]},${colours[i + 2]})`
  }
  const parts = panels.flatMap(({ name, columns }, p) => {
    const top = TOP + p * (PANEL + GAP)
    const atY = (v: number): number => top + PANEL - (PANEL * v) / (1.03 * most)
    const heights = columns.map((column) => {
      let sum = 0
      return Array.from({ length: partCount + 1 }, (_, k) => (sum += k > 0 ? (column[k - 1] ?? 0) : 0))
    })
    const areas = Array.from({ length: partCount }, (_, k) => {
      const side = (level: number, i: number): string[] =>
        [x[i] - half, x[i] + half].map((v) => `${px(atX(v))},${px(atY(heights[i][level]))}`)
      const upper = x.flatMap((_, i) => side(k + 1, i))
      const lower = x.flatMap((_, i) => side(k, i))
      return `<polygon points="${[...upper, ...lower.toReversed()].join(' ')}" fill="${colour(k)}"/>`
    })
    const values = ticks(0, 1.03 * most, 5)
    const labels = tickLabels(values)
    return [
      ...areas,
      rect(LEFT, top, width, PANEL, `fill="none" stroke="${INK}"`),
      text(LEFT, top - 8, name, 'font-size="15" font-weight="600"'),
      ...values.flatMap((v, i) => [
        line(LEFT - 6, atY(v), LEFT, atY(v)),
        text(LEFT - 11, atY(v) + 5, labels[i], 'text-anchor="end"'),
      ]),
      `<g transform="translate(24,${px(top + PANEL / 2)}) rotate(-90)">${text(0, 0, figure.yTitle, 'font-size="15" text-anchor="middle"')}</g>`,
    ]
  })
  const bottom = TOP + panels.length * (PANEL + GAP) - GAP
  const xs = ticks(low, high, 10)
  const xLabels = tickLabels(xs)
  // From the top of the columns to their bottom; of many parts only some have their number written.
  const every = Math.ceil(partCount / 16)
  const legend = Array.from({ length: partCount }, (_, k) => k)
    .filter((k) => k % every === 0)
    .toReversed()
    .flatMap((k, i) => [
      rect(LEFT + width + 24, TOP + 22 * i, 16, 16, `fill="${colour(k)}"`),
      text(LEFT + width + 48, TOP + 22 * i + 13, `${figure.partName} ${k + 1}`),
    ])
  return page(PAGE, bottom + 72, [
    ...heading(LEFT, figure.title, figure.subtitle),
    ...parts,
    ...xs.flatMap((v, i) => [
      line(atX(v), bottom, atX(v), bottom + 6),
      text(atX(v), bottom + 24, xLabels[i], 'text-anchor="middle"'),
    ]),
    text(LEFT + width / 2, bottom + 52, figure.xTitle, 'font-size="15" text-anchor="middle"'),
    ...legend,
  ])
}

/** The same as SVG document and as PNG. */
export async function stackedCounts(figure: StackedCounts): Promise<{ svg: string; png: Uint8Array }> {
  const svg = stackedCountsSvg(figure)
  return { svg, png: await svgToPng(svg) }
}

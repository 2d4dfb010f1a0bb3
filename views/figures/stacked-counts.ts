import { InputError } from '../../scene/index.js'
import { atX, atY, type Axes, frame, heading, LEFT, PAPER, px, rect, svg, text } from './axes.js'
import { coloursOf } from './colours.js'
import { PAGE } from './svg.js'

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

const RIGHT = 112
const TOP = 74
const PANEL = 165
/** Between panels, and below the last. */
const GAP = 58

/**
 * Counts stacked in columns, e.g. edges per sub-grid against aspect angle, as an SVG document.
 * @throws InputError for columns that do not fit the axis
 */
export function stackedCounts(figure: StackedCounts): string {
  const { x, panels, title, subtitle } = figure
  for (const { name, columns } of panels)
    if (x.length === 0 || columns.length !== x.length)
      throw new InputError(
        `figure '${title}', panel '${name}': ${columns.length} columns for ${x.length} positions`,
      )
  const width = PAGE - LEFT - RIGHT
  const half = x.length > 1 ? (x[x.length - 1] - x[0]) / (x.length - 1) / 2 : 0.5
  const all = panels.flatMap((p) => p.columns)
  const most = Math.max(1, ...all.map((c) => c.reduce((s, n) => s + n, 0)))
  const partCount = Math.max(1, ...all.map((c) => c.length))
  const parts = panels.flatMap(({ name, columns }, p) => {
    const axes: Axes = {
      left: LEFT,
      top: TOP + p * (PANEL + GAP),
      width,
      height: PANEL,
      x: [x[0] - half, x[x.length - 1] + half],
      y: [0, 1.03 * most],
    }
    return [
      ...areas(x, half, columns, partCount, axes),
      ...frame(axes, p === panels.length - 1 ? figure.xTitle : '', figure.yTitle, PAPER, { over: true }),
      text(LEFT, axes.top - 8, name, 'font-weight="600"'),
    ]
  })
  return svg(PAGE, TOP + panels.length * (PANEL + GAP), PAPER, [
    ...heading(LEFT, title, subtitle ? [subtitle] : [], PAPER),
    ...parts,
    ...legend(LEFT + width + 18, figure.partName, partCount),
  ])
}

/** One above the other, the parts of all columns. */
function areas(x: number[], half: number, columns: number[][], partCount: number, axes: Axes): string[] {
  const heights = columns.map((column) => {
    let sum = 0
    return Array.from({ length: partCount + 1 }, (_, k) => (sum += k > 0 ? (column[k - 1] ?? 0) : 0))
  })
  return Array.from({ length: partCount }, (_, k) => {
    const side = (level: number, i: number): string[] =>
      [x[i] - half, x[i] + half].map((v) => `${px(atX(axes, v))},${px(atY(axes, heights[i][level]))}`)
    const upper = x.flatMap((_, i) => side(k + 1, i))
    const lower = x.flatMap((_, i) => side(k, i))
    return `<polygon points="${[...upper, ...lower.toReversed()].join(' ')}" fill="${colourOf(k, partCount)}"/>`
  })
}

function colourOf(part: number, count: number): string {
  const i = 3 * Math.round(count > 1 ? (235 * part) / (count - 1) : 120)
  return `rgb(${coloursOf('viridis')
    .subarray(i, i + 3)
    .join()})`
}

/** From the top of the columns to their bottom; of many parts only some are named. */
function legend(x: number, name: string, count: number): string[] {
  const every = Math.ceil(count / 16)
  return Array.from({ length: count }, (_, k) => k)
    .filter((k) => k % every === 0)
    .toReversed()
    .flatMap((k, i) => [
      rect(x, TOP + 17 * i, 12, 12, `fill="${colourOf(k, count)}"`),
      text(x + 18, TOP + 17 * i + 10, `${name} ${k + 1}`),
    ])
}

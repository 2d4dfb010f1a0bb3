import { line, rect, text } from './draw.js'
import { FONT, px } from './markup.js'
import { tickLabels, ticks } from './ticks.js'

/** Colours of a figure: of the page's theme, or on white paper for a file. */
export interface Palette {
  paper: string
  ink: string
  faint: string
  grid: string
  /** Of curves; as many as a figure has at the most. */
  series: string[]
}

export const PAPER: Palette = {
  paper: '#ffffff',
  ink: '#1b1f24',
  faint: '#5d6671',
  grid: '#e3e6ea',
  series: ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#8a6d00', '#3a9bd9', '#555555', '#6a3d9a', '#b2182b', '#66a61e', '#00b5b8', '#f0a202'], // prettier-ignore
}

export const NIGHT: Palette = {
  paper: '#171b20',
  ink: '#e6eaee',
  faint: '#a3adb8',
  grid: '#343c45',
  series: ['#56b4e9', '#f2994a', '#2fc79a', '#e79fc6', '#e0c341', '#9cd0f5', '#b8bfc7', '#b79ced', '#ff6f61', '#a6d854', '#4dd0e1', '#ffe9a8'], // prettier-ignore
}

/** A figure as markup, and how its pixels belong to its axes. */
export interface Figure {
  width: number
  height: number
  markup: string
  /** Axis values at a pixel, and the pixel of axis values; null where the figure has no such axes (polar). */
  axes: Axes | null
}

export interface Axes {
  left: number
  top: number
  width: number
  height: number
  x: [number, number]
  y: [number, number]
}

export const atX = ({ left, width, x }: Axes, value: number): number =>
  left + (width * (value - x[0])) / (x[1] - x[0])
export const atY = ({ top, height, y }: Axes, value: number): number =>
  top + (height * (y[1] - value)) / (y[1] - y[0])
export const xAt = ({ left, width, x }: Axes, at: number): number =>
  x[0] + ((at - left) / width) * (x[1] - x[0])
export const yAt = ({ top, height, y }: Axes, at: number): number =>
  y[1] - ((at - top) / height) * (y[1] - y[0])

export const svg = (width: number, height: number, palette: Palette, parts: string[]): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${px(width)}" height="${px(height)}" ` +
      `viewBox="0 0 ${px(width)} ${px(height)}" font-family="${FONT}, sans-serif" font-size="12" fill="${palette.ink}">`,
    rect(0, 0, width, height, `fill="${palette.paper}"`),
    ...parts,
    '</svg>',
  ].join('\n')

export const heading = (x: number, title: string, subtitle: string[], palette: Palette): string[] => [
  text(x, 20, title, 'font-size="14" font-weight="600"'),
  ...subtitle.map((line, i) => text(x, 37 + 15 * i, line, `fill="${palette.faint}"`)),
]

/** Ticks, grid and titles of a frame. @param over  draw the grid in white over a picture */
export function frame(
  axes: Axes,
  xTitle: string,
  yTitle: string,
  palette: Palette,
  { over = false, xTicks }: { over?: boolean; xTicks?: number[] } = {},
): string[] {
  const { left, top, width, height } = axes
  const bottom = top + height
  const grid = over ? 'stroke="white" stroke-opacity="0.16"' : `stroke="${palette.grid}"`
  const ink = `stroke="${palette.ink}"`
  const few = ticks(axes.x[0], axes.x[1], width / 75)
  // A narrow figure needs two to tell its scale.
  const xs = xTicks ?? (few.length > 1 ? few : ticks(axes.x[0], axes.x[1], width / 40))
  const ys = ticks(axes.y[0], axes.y[1], height / 28)
  const xLabels = tickLabels(xs)
  const yLabels = tickLabels(ys)
  return [
    ...xs.flatMap((v, i) => [
      line(atX(axes, v), top, atX(axes, v), bottom, grid),
      line(atX(axes, v), bottom, atX(axes, v), bottom + 5, ink),
      text(atX(axes, v), bottom + 18, xLabels[i], 'text-anchor="middle"'),
    ]),
    ...ys.flatMap((v, i) => [
      line(left, atY(axes, v), left + width, atY(axes, v), grid),
      line(left - 5, atY(axes, v), left, atY(axes, v), ink),
      text(left - 8, atY(axes, v) + 4, yLabels[i], 'text-anchor="end"'),
    ]),
    rect(left, top, width, height, `fill="none" ${ink}`),
    text(left + width / 2, bottom + 37, xTitle, 'font-size="13" text-anchor="middle"'),
    `<g transform="translate(${px(left - 46)},${px(top + height / 2)}) rotate(-90)">` +
      `${text(0, 0, yTitle, 'font-size="13" text-anchor="middle"')}</g>`,
  ]
}

const ANGLE_STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 45, 60, 90]

/** Round angles inside [low, high], about `count` of them. */
export function angleTicks(low: number, high: number, count: number): number[] {
  const step = ANGLE_STEPS.find((s) => (high - low) / s <= count) ?? 90
  const first = Math.ceil(low / step - 1e-9)
  const last = Math.floor(high / step + 1e-9)
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step)
}

import type { Palette } from './axes.js'
import { type Colours, coloursOf, type Painter } from './colours.js'
import { shown } from './levels.js'
import { image, line, rect, text } from './markup.js'
import { tickLabels, ticks } from './ticks.js'

/** Colours of levels, and the unit of these. */
export interface Scale {
  low: number
  high: number
  unit: string
  colours: Colours
  /** The bar says how many dB it spans. */
  span?: boolean
}

/** Width of the bar, and room above it for the unit [px]. */
const WIDTH = 14
const HEAD = 18
/** Room below it for the span [px]. */
const FOOT = 16
/** Height of a line of the key. */
export const KEY_LINE = 18

/** The bar with its unit above and ticks to its right, as high as given. */
export function colourBar(
  x: number,
  top: number,
  height: number,
  { low, high, unit, colours, span }: Scale,
  palette: Palette,
  paint: Painter,
): string[] {
  const table = coloursOf(colours)
  const ramp = new Uint8ClampedArray(4 * 256)
  for (let i = 0; i < 256; i++) ramp.set([...table.subarray(3 * i, 3 * i + 3), 255], 4 * (255 - i))
  const from = top + HEAD
  const length = Math.max(40, height - HEAD - (span ? FOOT : 0))
  const values = ticks(low, high, length / 40)
  const labels = tickLabels(values)
  const ink = `stroke="${palette.ink}"`
  return [
    text(x, top + 9, unit),
    image(x, from, WIDTH, length, paint(ramp, 1)),
    rect(x, from, WIDTH, length, `fill="none" ${ink}`),
    ...(span ? [text(x, from + length + 14, `${shown(high - low, 0)} dB`, `fill="${palette.faint}"`)] : []),
    ...values.flatMap((v, i) => {
      const y = from + (length * (high - v)) / (high - low)
      return [line(x + WIDTH, y, x + WIDTH + 4, y, ink), text(x + WIDTH + 8, y + 4, labels[i])]
    }),
  ]
}

/** Swatches with their names, one below the other. */
export const colourKey = (
  x: number,
  top: number,
  entries: { colour: string; name: string }[],
  palette: Palette,
): string[] =>
  entries.flatMap(({ colour, name }, i) => [
    rect(x, top + KEY_LINE * i, WIDTH, 12, `fill="${colour}" stroke="${palette.ink}"`),
    text(x + WIDTH + 8, top + KEY_LINE * i + 10, name),
  ])

import { interpolateInferno, interpolateRdBu, interpolateViridis } from 'd3-scale-chromatic'
import { NOTHING, shown } from '../../isar/levels.js'
import { image, line, type Palette, rect, text, tickLabels, ticks } from './axes.js'

export type Colours = 'inferno' | 'viridis' | 'grey' | 'difference'

/** Of pixels at which there is nothing at all, and of those that stand for a body. */
export const NO_DATA = '#dfe3e8'
export const SOLID = '#8d97a3'

const kept = new Map<Colours, Uint8Array>()

/** 256 colours, r g b each, from the lowest level to the highest. */
export function coloursOf(name: Colours): Uint8Array {
  const table = kept.get(name) ?? makeTable(name)
  kept.set(name, table)
  return table
}

function makeTable(name: Colours): Uint8Array {
  const table = new Uint8Array(3 * 256)
  for (let i = 0; i < 256; i++) table.set(colourAt(name, i / 255), 3 * i)
  return table
}

/** Red, green and blue at a part of the scale. */
function colourAt(name: Colours, part: number): number[] {
  if (name === 'grey') return [255 * part, 255 * part, 255 * part].map(Math.round)
  if (name === 'difference')
    return interpolateRdBu(1 - part)
      .match(/\d+/g)!
      .map(Number)
  return hex((name === 'viridis' ? interpolateViridis : interpolateInferno)(part))
}

/** Of '#rrggbb'. */
const hex = (colour: string): number[] => {
  const value = Number.parseInt(colour.slice(1), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

/** Index into a colour table of a level on a scale from low to high; levels outside take the end colours. */
export const colourIndex = (level: number, low: number, high: number): number =>
  Math.max(0, Math.min(255, Math.floor((256 * (level - low)) / (high - low))))

/**
 * Colours of levels, r g b a, row after row from the highest y down as pictures have it. Pixels that are NaN are `SOLID`.
 * @param gaps  whether pixels at `NOTHING` are `NO_DATA`; else they have the lowest colour
 */
export function raster(
  levels: Float32Array,
  columns: number,
  low: number,
  high: number,
  name: Colours,
  gaps = false,
): Uint8ClampedArray<ArrayBuffer> {
  const table = coloursOf(name)
  const [nothing, solid] = [hex(NO_DATA), hex(SOLID)]
  const rows = levels.length / columns
  const out = new Uint8ClampedArray(4 * levels.length)
  for (let r = 0; r < rows; r++)
    for (let c = 0; c < columns; c++) {
      const level = levels[r * columns + c]
      const to = 4 * ((rows - 1 - r) * columns + c)
      out[to + 3] = 255
      if (Number.isNaN(level)) out.set(solid, to)
      else if (gaps && level <= NOTHING) out.set(nothing, to)
      else {
        const from = 3 * colourIndex(level, low, high)
        out[to] = table[from]
        out[to + 1] = table[from + 1]
        out[to + 2] = table[from + 2]
      }
    }
  return out
}

/** Makes pixels, r g b a, row after row from the top, the address of a picture (data:). */
export type Painter = (pixels: Uint8ClampedArray<ArrayBuffer>, columns: number) => string

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

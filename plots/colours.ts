import { interpolateInferno, interpolateRdBu, interpolateViridis } from 'd3-scale-chromatic'
import { NOTHING } from './levels.js'

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

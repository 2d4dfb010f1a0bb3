import { interpolateRdBu } from 'd3-scale-chromatic'
import { colourIndex, colourTable } from './colour-map.js'

export type Colours = 'inferno' | 'viridis' | 'grey' | 'difference'

const kept = new Map<Colours, Uint8Array>()

/** 256 colours, r g b each, from the lowest level to the highest. */
export function coloursOf(name: Colours): Uint8Array {
  const table = kept.get(name) ?? makeTable(name)
  kept.set(name, table)
  return table
}

function makeTable(name: Colours): Uint8Array {
  if (name === 'inferno' || name === 'viridis') return colourTable(name)
  const table = new Uint8Array(3 * 256)
  for (let i = 0; i < 256; i++)
    table.set(
      name === 'grey'
        ? [i, i, i]
        : interpolateRdBu(1 - i / 255)
            .match(/\d+/g)!
            .map(Number),
      3 * i,
    )
  return table
}

/** Colours of levels, r g b a, row after row from the highest y down as pictures have it. */
export function raster(
  levels: Float32Array,
  columns: number,
  low: number,
  high: number,
  name: Colours,
): Uint8ClampedArray<ArrayBuffer> {
  const table = coloursOf(name)
  const rows = levels.length / columns
  const out = new Uint8ClampedArray(4 * levels.length)
  for (let r = 0; r < rows; r++)
    for (let c = 0; c < columns; c++) {
      const from = 3 * colourIndex(levels[r * columns + c], low, high)
      const to = 4 * ((rows - 1 - r) * columns + c)
      out[to] = table[from]
      out[to + 1] = table[from + 1]
      out[to + 2] = table[from + 2]
      out[to + 3] = 255
    }
  return out
}

/** Makes pixels, r g b a, row after row from the top, the address of a picture (data:). */
export type Painter = (pixels: Uint8ClampedArray<ArrayBuffer>, columns: number) => string

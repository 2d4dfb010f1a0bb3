import { interpolateInferno, interpolateViridis } from 'd3-scale-chromatic'

export type ColourMap = 'inferno' | 'viridis'

/** 256 colours of a map from its lowest to its highest value, r g b each. */
export function colourTable(map: ColourMap): Uint8Array {
  const interpolate = map === 'viridis' ? interpolateViridis : interpolateInferno
  const table = new Uint8Array(3 * 256)
  for (let i = 0; i < 256; i++) {
    const value = Number.parseInt(interpolate(i / 255).slice(1), 16) // '#rrggbb'
    table.set([value >> 16, (value >> 8) & 255, value & 255], 3 * i)
  }
  return table
}

/** Index into a colour table of a level on a scale from low to high; levels outside take the end colours. */
export const colourIndex = (level: number, low: number, high: number): number =>
  Math.max(0, Math.min(255, Math.floor((256 * (level - low)) / (high - low))))

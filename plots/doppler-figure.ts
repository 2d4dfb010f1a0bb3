import { PAPER } from './axes.js'
import { highest, NOTHING } from './levels.js'
import { mapFigure } from './map-figure.js'
import { PAGE, paintPng, svgToPng, ZOOM } from './svg.js'

/** Levels of a slow-time product over its axes. */
export interface DopplerFigure {
  /** [y][x], dBsm. */
  levels: Float32Array
  /** Uniform and ascending. */
  x: Float64Array
  y: Float64Array
  xTitle: string
  yTitle: string
  title: string
  subtitle: string
  /** Levels shown below the highest [dB]. */
  dynamicRangeDb: number
  /** Top of the scale [dBsm], to compare pictures; default the highest level. */
  maxDbsm?: number
}

const HEIGHT = 480

/** A map of levels over two axes of different units as a picture (PNG, 1000 px wide). */
export async function dopplerPng(figure: DopplerFigure): Promise<Uint8Array> {
  const { dynamicRangeDb, maxDbsm, ...map } = figure
  const top = maxDbsm ?? highest(map.levels)
  // Nothing at all is dark, as in images.
  const high = top > NOTHING ? top : 0
  const spec = { ...map, low: high - dynamicRangeDb, high, unit: 'dBsm', colours: 'inferno', smooth: true, span: true } as const // prettier-ignore
  return svgToPng(mapFigure(spec, PAGE, HEIGHT, PAPER, paintPng(0)).markup, ZOOM)
}

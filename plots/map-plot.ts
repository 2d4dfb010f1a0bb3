import { PAPER } from './axes.js'
import { fittedHeight, mapFigure, type MapSpec } from './map-figure.js'
import { bothOf, PAGE, paintPng } from './svg.js'

/** Highest figure [px]. */
const HIGHEST = 760

/** A map with one scale for both axes as an SVG document. @param level  of compression of its pixels */
export const mapSvg = (spec: MapSpec, level: 0 | 6): string =>
  mapFigure(spec, PAGE, fittedHeight(spec, PAGE, HIGHEST), PAPER, paintPng(level)).markup

/** The same as SVG document and as PNG (1000 px wide). */
export const mapPlot = (spec: MapSpec): Promise<{ svg: string; png: Uint8Array }> => bothOf(mapSvg(spec, 6))

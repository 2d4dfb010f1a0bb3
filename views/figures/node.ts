export {
  compass,
  type DopplerFigure,
  dopplerSvg,
  type ImageFigure,
  imageSvg,
  imageTitle,
  type ImageTitle,
} from './image-figure.js'
export { targetOf } from './data.js'
export { outlineOf } from './map-figure.js'
export { ascending, dynamicRange, imageDbsm } from '../../isar/levels.js'
export {
  linePlot,
  type LinePlot,
  type LineSeries,
  mapPlot,
  yRange,
  stackedCounts,
  type StackedCounts,
} from './line-plot.js'
export { timelineSvg, type Timeline, type TimelineBar } from './timeline.js'
export { encodeFigure, type FigureFormat, paintPng, svgToPdf, svgToPng } from './svg.js'

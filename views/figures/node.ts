export {
  compass,
  type DopplerFigure,
  dopplerPng,
  type ImageFigure,
  imagePng,
  imageSvg,
  imageTitle,
  type ImageTitle,
} from './image-figure.js'
export { targetOf } from './data.js'
export { outlineOf } from './map-figure.js'
export { ascending, dynamicRange, imageDbsm } from '../../isar/levels.js'
export { linePlot, type LinePlot, type LineSeries, mapPlot, yRange } from './line-plot.js'
export { stackedCounts, stackedCountsSvg, type StackedCounts } from './stacked-counts.js'
export { timelineFigure, timelineSvg, type Timeline, type TimelineBar } from './timeline.js'
export { outlined, paintPng, svgToPdf, svgToPng, ZOOM } from './svg.js'

export { imagePng, imageSvg, imageDbsm, type ImageFigure } from './image-figure.js'
export { imageTitle, type ImageTitle } from './image-title.js'
export { linePlot, type LinePlot, type LineSeries } from './line-plot.js'
export { svgToPng } from './svg.js'

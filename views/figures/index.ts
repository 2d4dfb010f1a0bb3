export { type Axes, atX, atY, type Figure, NIGHT, type Palette, PAPER, xAt, yAt } from './axes.js'
export { colourIndex, type Colours, coloursOf, type Painter, raster, type Scale } from './axes.js'
export { gainsOf, isLine, placeOfReceiver, receiverAt } from './views.js'
export {
  chosenOf,
  drawKind,
  isCurves,
  PLOT_KINDS,
  plotKinds,
  type PlotKind,
  type PlotRequest,
} from './draw-kind.js'
export type {
  CentreData,
  CoverageData,
  HistoryData,
  ImageGridData,
  ImageLabels,
  LayerData,
  MotionData,
  PathData,
  PathsData,
  PlotData,
} from './data.js'
export {
  type BarSummary,
  barSummary,
  barText,
  dynamicRange,
  type Grid,
  highest,
  levelsOf,
  nearest,
  NOTHING,
  type Peak,
  peaks,
  shown,
} from '../../isar/levels.js'
export { type Curve, lineFigure, polarFigure } from './line-figure.js'
export { wholeOf } from './map-figure.js'
export {
  besideOf,
  closest,
  depthOf,
  ghz,
  layersOf,
  type MapWindow,
  overTime,
  setOf,
  type Settings,
  sliderOf,
  type TabName,
  tabsOf,
  transmitterName,
  type View,
} from './data.js'
export { firstWindow, mapAt, windowTo, imageGrid, viewOf } from './views.js'

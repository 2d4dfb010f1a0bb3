/** One of several matrices over the same axes: a channel, or a mechanism's part of it. */
export interface LayerData {
  /** As in the file, e.g. `vv` or `vv_b1`. */
  name: string
  title: string
  /** Complex, interleaved re, im. */
  data: Float64Array
}

/** ISAR images of one run. */
export interface ImageGridData {
  /** Centre aspect. */
  thetaDeg: number
  phiDeg: number
  /** Uniform, ascending. */
  rangeM: Float64Array
  crossRangeM: Float64Array
  rangeResolutionM: number
  crossRangeResolutionM: number
  window: string
  polarFormat: boolean
  dynamicRangeDb: number
  phaseCentre: [number, number, number]
  /** [range][cross-range]; |pixel|^2 in m^2. */
  layers: LayerData[]
}

/** Amplitudes over frequency and aspect. */
export interface HistoryData {
  freqHz: Float64Array
  /** Of every aspect; of the receiver, seen from one transmitter, in a bistatic table. */
  thetaDeg: Float64Array
  phiDeg: Float64Array
  bistatic: boolean
  /** Amplitudes F [m], [frequency][aspect]. */
  layers: LayerData[]
}

/** Transfers from one transmitter to receivers. */
export interface CoverageData {
  freqHz: Float64Array
  /** 3 coordinates of every receiver [m]. */
  positionM: Float64Array
  /** Named sets of receivers that follow one another. */
  sets: { name: string; first: number; count: number }[]
  /** Transfers h, [frequency][receiver]; |h|^2 is the path gain. */
  layers: LayerData[]
}

/** What is drawn of a result. */
export interface PlotData {
  name: string
  /** Folder or file, without the path to it. */
  place: string
  image?: ImageGridData
  history?: HistoryData
  coverage?: CoverageData
}

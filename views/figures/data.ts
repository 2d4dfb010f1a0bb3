import type { Outline } from '../../isar/index.js'
import type { Vec3 } from '../../scene/index.js'

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
  /** Centre aspect; NaN where nothing tells it. */
  thetaDeg: number
  phiDeg: number
  /** Its plane where cross-range is not along phi-hat: unit vectors to the radar, along cross-range and across both. */
  plane?: { towardsRadar: Vec3; crossRange: Vec3; normal: Vec3 }
  /** In the ground plane: `crossRangeM` is x and `rangeM` is y. */
  ground?: true
  /** Unit of levels where amplitudes are not calibrated; default dBsm. */
  unit?: string
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
  /** Of the target; not of images of a dataset. */
  outline?: Outline
  /** Labels of an image of a dataset. */
  labels?: ImageLabels
}

export interface ImageLabels {
  /** [range][cross-range]: 0 background, 1 where the target projects to, 2 where its lit surface does. */
  mask?: Uint8Array
  /** [range][cross-range]: part of the aperture that lights the ground, 0 to 255. */
  lit?: Uint8Array
  /** Scattering centres, the strongest first. */
  centres?: CentreData[]
}

export interface CentreData {
  rangeM: number
  crossRangeM: number
  /** [dBsm] */
  level: number
  /** A point of the facet or edge [m], and the number of either; null where none is known. */
  pointM: [number, number, number] | null
  id: number | null
  /** What makes most of it; empty where nobody knows. */
  mechanism: string
}

/** Amplitudes over frequency and aspect. */
export interface HistoryData {
  freqHz: Float64Array
  /** Of every aspect; in a bistatic table of the receiver, seen from one transmitter, or with `turnedDeg` of the transmitter. */
  thetaDeg: Float64Array
  phiDeg: Float64Array
  bistatic: boolean
  /** Direction of the one transmitter of a bistatic table, theta and phi. */
  transmitterDeg?: [number, number]
  /** How far the receiver is turned from each transmitter, in theta and phi. */
  turnedDeg?: [number, number]
  /** Amplitudes F [m], [frequency][aspect]. */
  layers: LayerData[]
  /** Error bars of layers by name, +- [m], [frequency][aspect], where they were estimated. */
  bars?: { name: string; data: Float64Array }[]
}

/** Transfers from one transmitter to receivers. */
export interface CoverageData {
  freqHz: Float64Array
  /** 3 coordinates of every receiver [m]. */
  positionM: Float64Array
  /** Named sets of receivers that follow one another. */
  sets: { name: string; first: number; count: number }[]
  /** Where it is known [m]. */
  transmitterM?: [number, number, number]
  /** Numbers of receivers inside buildings. */
  inside: number[]
  /** Transfers h, [frequency][receiver]; |h|^2 is the path gain. */
  layers: LayerData[]
}

/** Maps of a moving target over slow time. */
export interface MotionData {
  /** Middles of the spectrogram's columns, uniform and ascending [s]. */
  timeS: Float64Array
  /** Uniform and ascending, positive of what approaches [Hz]. */
  dopplerHz: Float64Array
  /** Axes of the range-Doppler maps, and the middles of their intervals [s]; absent of one frequency. */
  maps?: { timeS: Float64Array; rangeM: Float64Array; dopplerHz: Float64Array }
  layers: MotionLayer[]
  /** Time of a turn of the slowest part that turns [s]; absent where none does. */
  turnS?: number
}

export interface MotionLayer {
  /** Channel, as in the file. */
  name: string
  title: string
  /** [Doppler][time], dBsm. */
  spectrogram: Float32Array
  /** [map][range][Doppler], dBsm. */
  maps?: Float32Array
}

/** Paths from the transmitter to one receiver. */
export interface PathsData {
  receiver: number
  positionM: [number, number, number]
  /** Of the file, where only the strongest are listed here. */
  count: number
  /** The strongest in any channel first. */
  list: PathData[]
}

export interface PathData {
  kind: 'direct' | 'reflected' | 'diffracted'
  lengthM: number
  delayS: number
  /** Points of reflection or diffraction [m], from the transmitter on. */
  pointsM: [number, number, number][]
  /** Path gain |h|^2 by channel at the first frequency [dB]. */
  gainDb: Record<string, number>
}

/** What is drawn of a result. */
export interface PlotData {
  name: string
  /** Materials of the target but for conductors. */
  materials?: string[]
  /** Folder or file, without the path to it. */
  place: string
  image?: ImageGridData
  history?: HistoryData
  /** Of a table of several transmitters all of them; `history` is one. */
  histories?: HistoryData[]
  coverage?: CoverageData
  motion?: MotionData
  /** Of the receiver that was chosen. */
  paths?: PathsData
}

/** The target, and what of it is no conductor. */
export const targetOf = ({ name, materials = [] }: Pick<PlotData, 'name' | 'materials'>): string =>
  [name, ...(materials.length > 0 ? [`with ${materials.join(', ')}`] : [])].join(' ')

import type { CoverageData, HistoryData, ImageGridData, LayerData } from '../plots/index.js'

/** What the server tells the page of the results opened: data beside them are arrays, fetched one by one. */
export interface Manifest {
  version: string
  /** One result, or two to compare. */
  results: ResultView[]
}

/** A little-endian array in C order at `result/<path>`; complex ones are `f8` with a last axis of two. */
export interface ArrayRef {
  path: string
  type: 'f8' | 'f4' | 'u4' | 'u1'
  shape: number[]
}

/** What a type of arrays is sent as. */
type Sent<T> = {
  [K in keyof T]: T[K] extends Float64Array ? ArrayRef : T[K] extends LayerData[] ? Sent<LayerData>[] : T[K]
}

export type ImageView = Sent<ImageGridData>
export type HistoryView = Sent<HistoryData>
export type CoverageView = Sent<CoverageData>

export interface ResultView {
  name: string
  /** Folder or file, without the path to it. */
  place: string
  /** What to know of the run, label and value. */
  facts: [string, string][]
  image?: ImageView
  history?: HistoryView
  coverage?: CoverageView
  target?: TargetView
  /** Why there is no target, for the reader. */
  targetNote?: string
  /** Aspects whose rays are traced when asked for (`RaysView`), the centre one first. */
  looks?: { path: string; phiDeg: number }[]
}

export interface TargetView {
  /** Vertices [m]. */
  positions: ArrayRef
  triangles: ArrayRef
  /** Ends of edges that diffract [m], [edge][2][3], and their interior wedge angles [degrees]. */
  edges: ArrayRef
  edgeAngleDeg: ArrayRef
  /** Edges of interior angles below this diffract [degrees]. */
  maxWedgeAngleDeg: number
}

/** Arrays of a `PathList` (cpu-sbr) of one aspect, and the smooth surface of each facet. */
export interface RaysView {
  /** Azimuth of the aspect [degrees]. */
  phiDeg: number
  hitStart: ArrayRef
  hits: ArrayRef
  facets: ArrayRef
  path: ArrayRef
  bounce: ArrayRef
  place: ArrayRef
  amplitude: ArrayRef
  current: ArrayRef
  surface: ArrayRef
  raysPerWavelength: number
  freqHz: number
}

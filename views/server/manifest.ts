import type { Ground } from '../../scene/ground/index.js'
import type { Material } from '../../scene/materials/index.js'
import type { CentreData, CoverageData, HistoryData, ImageGridData, MotionData } from '../figures/index.js'
import type { MovingPart } from './run-meta.js'
import type { RaysData } from './trace-aspect.js'

/** What the server sends to the page about the opened results; arrays are fetched one by one. */
export interface Manifest {
  version: string
  /** One result, or two to compare. */
  results: ResultView[]
  /** A dataset instead of results. */
  dataset?: DatasetView
}

/** A little-endian array in C order at `result/<path>`; complex ones are `f8` with a last axis of two. */
export interface ArrayRef {
  path: string
  type: 'f8' | 'f4' | 'u4' | 'u1'
  shape: number[]
}

/** A description whose arrays are fetched separately. */
type Sent<T> = T extends Float64Array | Float32Array | Uint32Array | Uint8Array
  ? ArrayRef
  : { [K in keyof T]: Sent<T[K]> }

export type ImageView = Sent<Omit<ImageGridData, 'labels'>>
export type HistoryView = Omit<Sent<HistoryData>, 'transmitterDeg' | 'turnedDeg'> &
  Pick<HistoryData, 'transmitterDeg' | 'turnedDeg'>
type CoverageView = Sent<CoverageData>
export type MotionView = Sent<MotionData>
export type RaysView = Sent<RaysData>

/** The target of a result of isar doppler. */
export interface MovingView {
  /** Vertices in the files' pose [m]. */
  positions: ArrayRef
  triangles: ArrayRef
  /** Of each facet 0 (the body), or 1 and on: what turns, by its place in `parts`. */
  facetPart: ArrayRef
  /** Of each column of the spectrogram [3][4]: takes (x, y, z, 1) of the body to the world [m]. */
  pose: ArrayRef
  parts: MovingPart[]
  /** Direction of the radar [degrees], and the middle of its band [Hz]. */
  thetaDeg: number
  phiDeg: number
  freqHz: number
}

export interface ResultView {
  name: string
  /** Folder or file, without the path to it. */
  place: string
  /** Facts about the run, label and value. */
  facts: [string, string][]
  image?: ImageView
  history?: HistoryView
  /** Of a table of several transmitters; `history` is the first. */
  histories?: HistoryView[]
  coverage?: CoverageView
  motion?: MotionView
  moving?: MovingView
  target?: TargetView
  /** Why there is no target, for the reader. */
  targetNote?: string
  /** Walls and transmitter of a propagation result. */
  scene?: SceneView
  /** Why there is no scene, or no paths, for the reader. */
  sceneNote?: string
  /** Of a result of full wave: path of its mesh for currents (`CurrentsView`), made on request. */
  currents?: string
  /** Aspects whose rays are traced on request (`RaysView`), the centre one first. */
  aspects?: { path: string; phiDeg: number }[]
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
  /** Whether all of it conducts. */
  conducts: boolean
  /** z of the ground under it [m]; absent in free space. */
  groundM?: number
  /** That ground, where the result keeps it. */
  ground?: Ground
  /** Materials of facets by their numbers in `materials`, where they are known. */
  facetMaterial?: ArrayRef
  materials?: Material[]
  /** Groups of facets of the mesh's file, where it has several. */
  facetGroup?: ArrayRef
  groupNames?: string[]
}

/** The mesh that carries the currents of a result's highest frequency. */
export interface CurrentsView {
  freqHz: number
  /** Vertices [m]. */
  positions: ArrayRef
  triangles: ArrayRef
  /** Of each triangle, 0 to 1: twice the radius of its inscribed over that of its circumscribed circle. */
  quality: ArrayRef
}

export interface SceneView {
  /** Vertices of the walls [m]. */
  positions: ArrayRef
  triangles: ArrayRef
  /** [m] */
  transmitterM: [number, number, number]
  /** Numbers of the receivers whose paths are listed: `PathsData` (../figures) as JSON at `<pathsAt><number>.json`. */
  listed: ArrayRef
  pathsAt: string
}

/** A dataset's images, of which only this list is read until an image is requested. */
export interface DatasetView {
  name: string
  place: string
  facts: [string, string][]
  classes: string[]
  targets: string[]
  /** One empty name where the set is not split. */
  splits: string[]
  /** Rows and columns of an image. */
  size: [number, number]
  /** Of each image: number, class, target and split (numbers of the lists above), azimuth and elevation [degrees], peak [dBsm]. */
  chip: ArrayRef
  label: ArrayRef
  target: ArrayRef
  split: ArrayRef
  azimuthDeg: ArrayRef
  elevationDeg: ArrayRef
  peakDbsm: ArrayRef
  /**
   * At `<at><i>.json` the `ChipView` of image i of the list; at `<at><i>/grey` its grey levels, u1 [row][column], 40 dB down from the
   * brightest pixel, the largest range first.
   */
  at: string
}

/** One image of a dataset. */
export interface ChipView {
  image: ImageView
  mask?: ArrayRef
  lit?: ArrayRef
  centres?: CentreData[]
  facts: [string, string][]
}

export type Numbers = Float64Array | Float32Array | Uint32Array | Uint8Array

/** Arrays that the page may fetch, by path; no other file of the machine is read for it. */
export class ArrayStore {
  private readonly arrays = new Map<string, Uint8Array>()

  /** Stores an array under a path. */
  add(path: string, data: Numbers, shape: number[]): ArrayRef {
    this.arrays.set(path, new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
    const type =
      data instanceof Float64Array
        ? 'f8'
        : data instanceof Float32Array
          ? 'f4'
          : data instanceof Uint32Array
            ? 'u4'
            : 'u1'
    return { path, type, shape }
  }

  get(path: string): Uint8Array | undefined {
    return this.arrays.get(path)
  }
}

import type { Ground } from '../../scene/ground/index.js'
import type { Material } from '../../scene/materials/index.js'
import { direction, type Vec3 } from '../../scene/index.js'
import type { PlotData } from '../figures/index.js'
import type { MovingPart } from './result-file.js'
import type { EdgeScene } from '../../cpu-diffraction/geometry/edge-scene.js'
import { type EdgeList, listEdges } from '../../cpu-diffraction/engine/edge-parts.js'
import type { Truncation } from '../../cpu-diffraction/currents/strip.js'
import { listPaths, type PathList } from '../../cpu-sbr/path-list.js'
import { optionsOfStep, type RayScene, type SbrOptions } from '../../rays/index.js'

/** What the server sends to the page about the opened results, here with its arrays in place: `Sent` of it goes as JSON. */
export interface Opened {
  version: string
  /** One result, or two to compare. */
  results: ServedResult[]
  /** A dataset instead of results. */
  dataset?: DatasetData
}
export type Manifest = Sent<Opened>

export interface ServedResult extends PlotData {
  /** Facts about the run, label and value. */
  facts: [string, string][]
  moving?: MovingData
  target?: TargetData & Made
  /** Why there is no target, for the reader. */
  targetNote?: string
  /** Walls and transmitter of a propagation result. */
  scene?: SceneData
  /** Why there is no scene, or no paths, for the reader. */
  sceneNote?: string
  /** Of a result of full wave: path of its mesh for currents (`CurrentsData`), made on request. */
  currents?: string
  /** Aspects whose rays are traced on request (`RaysData`), the centre one first. */
  aspects?: { path: string; phiDeg: number }[]
}

export interface TargetData {
  /** Vertices [m]. */
  positions: Float64Array
  triangles: Uint32Array
  /** Ends of edges that diffract [m], [edge][2][3]. */
  edges: Float64Array
  /** z of the ground under it [m]; absent in free space. */
  groundM?: number
  /** Number of each facet's material, where they are known. */
  facetMaterial?: Uint8Array
  /** Number of each facet's group, and the names of the groups, of a mesh of several. */
  facetGroup?: Uint32Array
  groupNames?: string[]
}

/** What a target is computed of. */
interface Made {
  /** Edges of interior angles below this diffract [degrees]. */
  maxWedgeAngleDeg: number
  /** Whether all of it conducts. */
  conducts: boolean
  /** The ground under it, where the result keeps it. */
  ground?: Ground
  /** Materials by the numbers of `facetMaterial`, where they are known. */
  materials?: Material[]
}

/** The target of a result of isar doppler. */
export interface MovingData {
  /** Vertices in the files' pose [m]. */
  positions: Float64Array
  triangles: Uint32Array
  /** Of each facet 0 (the body), or 1 and on: what turns, by its place in `parts`. */
  facetPart: Uint8Array
  /** Of each column of the spectrogram [3][4]: takes (x, y, z, 1) of the body to the world [m]. */
  pose: Float64Array
  parts: MovingPart[]
  /** Direction of the radar [degrees], and the middle of its band [Hz]. */
  thetaDeg: number
  phiDeg: number
  freqHz: number
}

/** The mesh that carries the currents of a result's highest frequency. */
export interface CurrentsData {
  freqHz: number
  /** Vertices [m]. */
  positions: Float64Array
  triangles: Uint32Array
  /** Of each triangle, 0 to 1: twice the radius of its inscribed over that of its circumscribed circle. */
  quality: Float64Array
}

export interface SceneData {
  /** Vertices of the walls [m]. */
  positions: Float64Array
  triangles: Uint32Array
  /** [m] */
  transmitterM: Vec3
  /** Numbers of the receivers whose paths are listed: `PathsData` (../figures) as JSON at `<pathsAt><number>.json`. */
  listed: Uint32Array
  pathsAt: string
}

/** A dataset's images, of which only this list is read until an image is requested. */
export interface DatasetData {
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
  chip: Uint32Array
  label: Uint32Array
  target: Uint32Array
  split: Uint32Array
  azimuthDeg: Float64Array
  elevationDeg: Float64Array
  peakDbsm: Float64Array
  /**
   * At `<at><i>.json` image i of the list (`ServedResult`); at `<at><i>/grey` its grey levels, u1 [row][column], 40 dB down from the
   * brightest pixel, the largest range first.
   */
  at: string
}

export type Numbers = Float64Array | Float32Array | Uint32Array | Uint8Array

/** A little-endian array in C order at `result/<path>`; complex ones are `f8` with a last axis of two. */
export interface ArrayRef {
  path: string
  type: 'f8' | 'f4' | 'u4' | 'u1'
}

/** A description with references in place of its arrays, which are fetched one by one. */
export type Sent<T> = T extends Numbers ? ArrayRef : { [K in keyof T]: Sent<T[K]> }

/** Arrays that the page may fetch, by path; no other file of the machine is read for it. */
export class ArrayStore {
  private readonly arrays = new Map<string, Uint8Array>()

  /** Stores the arrays of a description, under paths made of its keys. @returns what is sent of it */
  send<T>(of: T, path: string): Sent<T> {
    const sent = (value: unknown, at: string): unknown =>
      ArrayBuffer.isView(value)
        ? this.add(at, value as Numbers)
        : Array.isArray(value)
          ? value.map((item, i) => sent(item, `${at}/${i}`))
          : value !== null && typeof value === 'object'
            ? Object.fromEntries(
                Object.entries(value).map(([key, item]) => [key, sent(item, `${at}/${key}`)]),
              )
            : value
    return sent(of, path) as Sent<T>
  }

  get(path: string): Uint8Array | undefined {
    return this.arrays.get(path)
  }

  private add(path: string, data: Numbers): ArrayRef {
    this.arrays.set(path, new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
    const type =
      data instanceof Float64Array
        ? 'f8'
        : data instanceof Float32Array
          ? 'f4'
          : data instanceof Uint32Array
            ? 'u4'
            : 'u1'
    return { path, type }
  }
}

/** Most ray tubes of one aspect traced for the page: a second or two of work. */
const MOST_TUBES = 100_000
/** Most edge segments, likewise. */
const MOST_SEGMENTS = 50_000
/** Spacing of traced aspects over the aperture [degrees], and their largest number. */
const ASPECT_STEP_DEG = 4
const MOST_ASPECTS = 9

/** Rays and edges of one aspect (its azimuth in degrees), and the smooth surface of each facet; no edges where they were off. */
export interface RaysData extends PathList {
  phiDeg: number
  surface: Uint32Array
  edges: Omit<EdgeList, 'height'>
}

const NO_EDGES: EdgeList = {
  edge: new Uint32Array(),
  place: new Float64Array(),
  height: new Float64Array(),
  amplitude: new Float32Array(),
}

/** Azimuths over an aperture at which the rays behind hot spots are traced, the centre one first [degrees]. */
export function traceAngles(centreDeg: number, spanDeg: number): number[] {
  const half = Math.min((MOST_ASPECTS - 1) / 2, Math.floor(Math.ceil(spanDeg / ASPECT_STEP_DEG) / 2))
  const step = spanDeg / (2 * half + 1)
  const angles = Array.from({ length: 2 * half + 1 }, (_, i) => centreDeg + (i - half) * step)
  return angles.sort((a, b) => Math.abs(a - centreDeg) - Math.abs(b - centreDeg))
}

/** Rays and edges of one monostatic aspect at one frequency, in double precision. @param edges  null: none are listed */
export function traceAspect(
  scene: RayScene,
  edges: EdgeScene | null,
  [thetaDeg, phiDeg]: [number, number],
  freqHz: number,
  { raysPerWavelength, maxBounces, subdivisions, formulation }: SbrOptions,
  truncation: Truncation,
): { list: PathList; edges: EdgeList } {
  const tx = direction(thetaDeg, phiDeg)
  const options = optionsOfStep(
    { raysPerWavelength, maxBounces, subdivisions, formulation },
    { f0: freqHz, df: 0, n: 1 },
  )
  return {
    list: listPaths(scene, { tx, rx: tx }, freqHz, options, MOST_TUBES),
    edges: edges ? listEdges(edges, scene, { tx, rx: tx }, freqHz, truncation, MOST_SEGMENTS) : NO_EDGES,
  }
}

import type { EdgeScene } from '../../cpu-diffraction/geometry/edge-scene.js'
import { type EdgeList, listEdges } from '../../cpu-diffraction/engine/edge-parts.js'
import type { Truncation } from '../../cpu-diffraction/currents/strip.js'
import { listPaths, type PathList } from '../../cpu-sbr/path-list.js'
import { optionsOfStep, type RayScene, type SbrOptions } from '../../rays/index.js'
import { direction } from '../../scene/index.js'

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

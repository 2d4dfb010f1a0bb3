export interface TargetData {
  positions: Float64Array
  triangles: Uint32Array
  edges: Float64Array
  edgeAngleDeg: Float64Array
  /** z of the ground under it [m]. */
  groundM?: number
  /** Number of each facet's material, where they are known. */
  facetMaterial?: Uint8Array
}

/** Rays of one aspect, see `PathList` in cpu-sbr. */
export interface RaysData {
  phiDeg: number
  hitStart: Uint32Array
  hits: Float32Array
  facets: Uint32Array
  path: Uint32Array
  bounce: Uint8Array
  place: Float64Array
  amplitude: Float32Array
  current: Float32Array
  surface: Uint32Array
  raysPerWavelength: number
  freqHz: number
  edges: EdgesData
}

/** Edges of the same aspect, see `EdgeList` in cpu-diffraction. */
interface EdgesData {
  edge: Uint32Array
  place: Float64Array
  amplitude: Float32Array
}

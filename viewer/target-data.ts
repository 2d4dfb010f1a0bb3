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

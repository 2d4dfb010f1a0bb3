export interface TargetData {
  positions: Float64Array
  triangles: Uint32Array
  edges: Float64Array
  edgeAngleDeg: Float64Array
  /** z of the ground under it [m]. */
  groundM?: number
  /** Number of each facet's material, where they are known. */
  facetMaterial?: Uint8Array
  /** Number of each facet's group, and the names of the groups, of a mesh of several. */
  facetGroup?: Uint32Array
  groupNames?: string[]
}

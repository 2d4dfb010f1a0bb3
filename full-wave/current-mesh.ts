/** Triangles that carry surface currents: a target's surface meshed again for one wavelength. */
export interface CurrentMesh {
  /** x, y, z of each vertex [m]; vertices are shared by the triangles that meet at them. */
  positions: Float64Array
  /** Three vertices a triangle, counter-clockwise seen from the side of the facet's normal. */
  triangles: Uint32Array
  /** The facet of the target that each triangle comes from (its group and material). */
  facets: Uint32Array
}

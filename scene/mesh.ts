/** A triangle mesh as read from a file or made by a generator. Facets are oriented counter-clockwise seen from outside. */
export interface Mesh {
  /** 3V coordinates, x y z of each vertex [m] (in file units until scaled). */
  positions: Float64Array
  /** 3T vertex numbers, three per facet. */
  triangles: Uint32Array
  /** Group (object, material) number of each facet, T long; absent where the file has none. */
  facetGroup?: Uint32Array
  /** Names of the groups, in the order of their numbers. */
  groupNames?: string[]
}

export const facetCount = (mesh: Mesh): number => mesh.triangles.length / 3

/** Axis-aligned bounding box, [x y z] of both corners [m]. */
export interface Box {
  min: [number, number, number]
  max: [number, number, number]
}

/** Bounding box of the vertices that facets use; infinite bounds (min > max) for a mesh without facets. */
export function boundingBox(mesh: Mesh): Box {
  const box: Box = { min: [Infinity, Infinity, Infinity], max: [-Infinity, -Infinity, -Infinity] }
  for (const v of mesh.triangles)
    for (let a = 0; a < 3; a++) {
      const x = mesh.positions[3 * v + a]
      if (x < box.min[a]) box.min[a] = x
      if (x > box.max[a]) box.max[a] = x
    }
  return box
}

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
export function boundingBox({ positions: p, triangles }: Mesh): Box {
  let minX = Infinity
  let minY = Infinity
  let minZ = Infinity
  let maxX = -Infinity
  let maxY = -Infinity
  let maxZ = -Infinity
  for (let i = 0; i < triangles.length; i++) {
    const v = 3 * triangles[i]
    const x = p[v]
    const y = p[v + 1]
    const z = p[v + 2]
    if (x < minX) minX = x
    if (y < minY) minY = y
    if (z < minZ) minZ = z
    if (x > maxX) maxX = x
    if (y > maxY) maxY = y
    if (z > maxZ) maxZ = z
  }
  return { min: [minX, minY, minZ], max: [maxX, maxY, maxZ] }
}

/** Length of a box's diagonal [m]. */
export const diagonalOf = ({ min, max }: Box): number =>
  Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2])

import type { Ground } from './ground/ground.js'
import type { Material } from './materials/material.js'

/** A triangle mesh as read from a file or made by a generator. Facets are oriented counter-clockwise seen from outside. */
export interface Mesh {
  /** 3V coordinates, x y z of each vertex [m] (in file units until scaled). */
  positions: Float64Array
  /** 3T vertex numbers, three per facet. */
  triangles: Uint32Array
  /** Group (object, material) number of each facet, T long; absent where the file has none. */
  facetGroup?: Uint32Array
  /** Names of the groups, by number. */
  groupNames?: string[]
  /** Material of each group, by number (of all facets where there are no groups); absent: everything conducts. */
  groupMaterials?: Material[]
  /** The ground under it; absent in free space. Of a target: its mirror image is part of the mesh. */
  ground?: Ground
  /** Rounding error of coordinates in the file's number format [m] (in file units until scaled); absent for double precision. */
  rounding?: number
  /** What the file has besides and is not read, e.g. "beams (12)"; absent where all is. */
  leftOut?: string
}

/** The remark on what a file has besides the mesh, where it has anything. */
export const leftOutRemarks = ({ leftOut }: Mesh): string[] =>
  leftOut ? [`not read from the file: ${leftOut}`] : []

/** Relative rounding error of single precision. */
export const SINGLE_ROUNDING = 2 ** -24

/** Rounding error of coordinates stored in single precision, in their unit. */
export function singleRounding(positions: ArrayLike<number>): number {
  let largest = 0
  for (let i = 0; i < positions.length; i++) {
    const size = Math.abs(positions[i])
    if (size > largest) largest = size
  }
  return SINGLE_ROUNDING * largest
}

export const facetCount = (mesh: Mesh): number => mesh.triangles.length / 3

/** Axis-aligned bounding box, [x y z] of both corners [m]. */
export interface Box {
  min: [number, number, number]
  max: [number, number, number]
}

/** Bounding box of the vertices used by facets; infinite bounds (min > max) for a mesh without facets. */
export function boundingBox({ positions: p, triangles }: Mesh): Box {
  const box: Box = { min: [Infinity, Infinity, Infinity], max: [-Infinity, -Infinity, -Infinity] }
  const { min, max } = box
  for (let i = 0; i < triangles.length; i++) {
    const v = 3 * triangles[i]
    const x = p[v]
    const y = p[v + 1]
    const z = p[v + 2]
    if (x < min[0]) min[0] = x
    if (y < min[1]) min[1] = y
    if (z < min[2]) min[2] = z
    if (x > max[0]) max[0] = x
    if (y > max[1]) max[1] = y
    if (z > max[2]) max[2] = z
  }
  return box
}

/** Length of a box's diagonal [m]. */
export const diagonalOf = ({ min, max }: Box): number =>
  Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2])

import type { Target } from '../scene/index.js'
import type { CurrentMeshOptions } from './mesh-for-currents.js'

/** RWG functions a square of the size, away from edges: measured on spheres and wide plates. */
const PER_SQUARE = 3.5
/** Edges bent by more than this are graded [degrees]; see `findFeatures`. */
const SINGULAR_DEG = 40

/**
 * About how many RWG functions `meshForCurrents` gives at a wavelength [m], without meshing: by area, and by the length of borders,
 * junctions and sharp edges. Within some 20 %; small curved parts can add more.
 */
export function estimateUnknowns(
  { area, edges, positions: p }: Target,
  { elementsPerWavelength = 8, firstRow = 1 / 64, growth = 1.5 }: CurrentMeshOptions = {},
): (wavelength: number) => number {
  const size = 1 / elementsPerWavelength
  const rows = Math.max(0, Math.log(size / firstRow) / Math.log(growth))
  // Rows up to the plain size, less those that the same strip had of that size; three functions for two triangles.
  const width = (size - firstRow) / (growth - 1)
  const perLength = firstRow < size ? 3 * (rows / size - width / (size * size)) : 0
  const { vertices, valence, interiorAngle } = edges
  let length = 0
  for (let e = 0; e < valence.length; e++) {
    if (valence[e] === 2 && Math.abs(180 - interiorAngle[e]) < SINGULAR_DEG) continue
    const [a, b] = [3 * vertices[2 * e], 3 * vertices[2 * e + 1]]
    // A junction of n facets has about n wedges.
    const sides = valence[e] === 2 ? 2 : 1
    length += sides * Math.hypot(p[a] - p[b], p[a + 1] - p[b + 1], p[a + 2] - p[b + 2])
  }
  return (wavelength) =>
    Math.ceil((PER_SQUARE * area) / (wavelength * size) ** 2 + (perLength * length) / wavelength)
}

import { InputError, type Target } from '../scene/index.js'
import type { CurrentMesh } from './current-mesh.js'
import { findFeatures } from './remesh/features.js'
import { inputSurface } from './remesh/input-surface.js'
import { mergeCoplanar } from './remesh/merge-coplanar.js'
import { remesh } from './remesh/remesh.js'
import { SizeField } from './remesh/size-field.js'
import { SurfaceMesh } from './remesh/surface-mesh.js'

/** Visits of triangles and segments that meshing may take a triangle; meshes of files took 50 to 1,500. */
const WORK = 2000

/** How fine a mesh for currents is. Lengths in wavelengths. */
export interface CurrentMeshOptions {
  /** Edges of triangles a wavelength, on plane surfaces away from edges; default 8. */
  elementsPerWavelength?: number
  /** Height of the first row of triangles at open borders, junctions and sharp edges; default 1/64. As much as 1: no grading. */
  firstRow?: number
  /** How much higher each next row is; default 1.5. */
  growth?: number
  /** How far the triangles may be off curved surfaces; default 1/800. */
  chordTolerance?: number
  /** Most triangles; default 200,000. Bounds the time too: `WORK` visits a triangle of these or of the target. */
  mostTriangles?: number
}

/**
 * A target's surface meshed again for the currents of one wavelength: triangles near λ/8 in size on all of it, in thin rows along
 * open borders, junctions and sharp edges, where currents are singular. Plane faces stay in their planes, borders, junctions,
 * sharp edges and borders of groups and materials where they are; vertices lie on the target's surface. Place, numbering and
 * the order of its facets do not matter.
 *
 * @param wavelength  [m]
 * @throws InputError for a target that needs more than `mostTriangles` or more work than they allow.
 */
export function meshForCurrents(
  target: Target,
  wavelength: number,
  options: CurrentMeshOptions = {},
): CurrentMesh {
  const { elementsPerWavelength = 8, firstRow = 1 / 64, growth = 1.5 } = options
  const { chordTolerance: chord = 1 / 800, mostTriangles = 200_000 } = options
  if (!(wavelength > 0 && wavelength < Infinity))
    throw new InputError(`the wavelength of the mesh for currents is ${wavelength}; give a length in metres`)
  const size = 1 / elementsPerWavelength
  // A lower bound, so that a target of far too many is refused at once.
  if (target.area / wavelength ** 2 / (size * size) > mostTriangles)
    throw new InputError(
      `the target has ${Math.round(target.area / wavelength ** 2)} square wavelengths of surface, too many for ${mostTriangles} triangles; lower the frequency or use --method sbr`,
    )
  const tolerance = Math.max(target.tolerance / wavelength, 1e-7)
  const mostWork = WORK * Math.max(mostTriangles, target.triangles.length / 3)
  const surface = mergeCoplanar(inputSurface(target, wavelength), tolerance, mostWork)
  const features = findFeatures(surface, size, chord, tolerance)
  const field = new SizeField({ size, firstRow, growth, chord }, surface, features)
  const mesh = new SurfaceMesh(surface, features, field, chord, 1.5 * size, mostWork)
  remesh(mesh, mostTriangles)

  const number = new Int32Array(mesh.kind.length).fill(-1)
  const positions: number[] = []
  const triangles = new Uint32Array(3 * mesh.triangleCount)
  const facets = new Uint32Array(mesh.triangleCount)
  let to = 0
  for (let t = 0; t < mesh.patch.length; t++) {
    if (mesh.t[3 * t] < 0) continue
    for (let i = 0; i < 3; i++) {
      const v = mesh.t[3 * t + i]
      if (number[v] < 0) {
        number[v] = positions.length / 3
        for (let c = 0; c < 3; c++) positions.push(surface.centre[c] + wavelength * mesh.p[3 * v + c])
      }
      triangles[3 * to + i] = number[v]
    }
    facets[to++] = surface.facetOf[mesh.facet[t]]
  }
  return { positions: Float64Array.from(positions), triangles, facets }
}

import { createHash } from 'node:crypto'
import { InputError, scaleMesh } from '../scene/index.js'
import { loadTarget, type LoadedTarget, prepareRecipe } from './loaded-target.js'
import type { RunSettings } from './run-plan.js'

/** A triangle mesh in memory. */
export interface MeshArrays {
  /** For titles and records; default `mesh`. */
  name?: string
  /** 3V coordinates, x y z of each vertex [m, or in `units`]. */
  positions: Float64Array
  /** 3T vertex numbers: three per facet, counter-clockwise seen from outside. */
  indices: Uint32Array
}

/** A target: the path of an .stl, .obj, .ply, .glb or .gltf file, or a mesh in memory. Neither is changed. */
export type MeshSource = string | MeshArrays

/**
 * Prepares the target: welded, cleaned, with its edges and the BVH that rays are cast in.
 * @throws InputError for a file that cannot be read or a mesh that is unusable
 */
export async function openMesh(
  source: MeshSource,
  { units, smoothAngleDeg, cache }: Pick<RunSettings, 'units' | 'smoothAngleDeg' | 'cache'>,
): Promise<LoadedTarget> {
  if (typeof source !== 'string') {
    const { name = 'mesh', positions, indices } = checkArrays(source)
    const mesh = scaleMesh({ positions, triangles: indices }, units)
    const hash = createHash('sha256').update(positions).update(indices).digest('hex')
    return prepareRecipe(name, hash, { mesh, smoothAngleDeg }, cache)
  }
  return loadTarget(source, units, smoothAngleDeg, cache)
}

function checkArrays(source: MeshArrays): MeshArrays {
  const given: Partial<MeshArrays> | null = typeof source === 'object' ? source : null
  if (!(given?.positions instanceof Float64Array) || !(given.indices instanceof Uint32Array))
    throw new InputError(
      'mesh: give the path of a file, or { positions: Float64Array, indices: Uint32Array } in metres',
    )
  if (given.positions.length % 3 !== 0 || given.indices.length % 3 !== 0)
    throw new InputError(
      `mesh: ${given.positions.length} coordinates and ${given.indices.length} indices; both must be multiples of three`,
    )
  return source
}

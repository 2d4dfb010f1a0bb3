import { createHash } from 'node:crypto'
import { withMaterials } from '../formats/index.js'
import { GpuError, warmKernels } from '../gpu/index.js'
import { InputError, scaleMesh } from '../scene/index.js'
import { loadTarget, type LoadedTarget, prepareRecipe } from './loaded-target.js'
import type { RunSettings } from './run-plan.js'
import { type EarlyGpu, prepareBeside } from './target-thread.js'

/** A triangle mesh in memory. */
export interface MeshArrays {
  /** For titles and records; default `mesh`. */
  name?: string
  /** 3V coordinates, x y z of each vertex [m, or in `units`]. */
  positions: Float64Array
  /** 3T vertex numbers: three per facet, counter-clockwise seen from outside. */
  indices: Uint32Array
  /** Group of each facet, a number of `groupNames`; for materials. */
  groups?: Uint32Array
  groupNames?: string[]
}

/** A target: the path of a mesh file (`MESH_ENDINGS`), or a mesh in memory. Neither is changed. */
export type MeshSource = string | MeshArrays

/**
 * The target made ready: welded, cleaned, with its edges and the BVH that rays are cast in. Where a command has started a thread for it
 * (`startTargetThread`), that thread prepares it while this one opens the GPU and compiles kernels.
 * @param frequencies   of the run's bands, about
 * @param extrapolates  whether rays will serve several aspects each
 * @throws InputError for a file that cannot be read or a mesh that is unusable
 */
export async function openMesh(
  source: MeshSource,
  settings: RunSettings,
  frequencies: number,
  extrapolates = false,
): Promise<LoadedTarget> {
  const { units, smoothAngleDeg, cache, device, cluster, material, materials } = settings
  const { ground, groundHeight, groundRoughness } = settings
  const choice = { material, materials, ground, groundHeight, groundRoughness }
  if (typeof source !== 'string') {
    const { name = 'mesh', positions, indices, groups, groupNames } = checkArrays(source)
    const grouped = groups && { facetGroup: groups, groupNames }
    const mesh = await withMaterials(scaleMesh({ positions, triangles: indices, ...grouped }, units), choice)
    const hash = createHash('sha256').update(positions).update(indices).digest('hex')
    return prepareRecipe(name, hash, { mesh, smoothAngleDeg }, cache)
  }
  const edges = settings.diffraction !== 'none' && settings.curvedDeg === undefined
  const maxWedgeAngleDeg = edges ? settings.maxWedgeAngleDeg : undefined
  const request = { path: source, units, smoothAngleDeg, cache, choice, maxWedgeAngleDeg }
  const beside = device === 'cpu' || cluster ? null : prepareBeside(request, device === 'auto')
  if (!beside) return loadTarget(source, units, smoothAngleDeg, cache, choice)
  if (settings.method === 'sbr') warm(beside.gpu, settings, frequencies, extrapolates).catch(() => {})
  return beside.loaded
}

/** Compiles kernels while the mesh is not ready yet. */
async function warm(gpu: EarlyGpu, settings: RunSettings, frequencies: number, extrapolates: boolean) {
  const { sbr, material, materials } = settings
  const hasMaterials = materials !== undefined || (material?.length ?? 0) > 0
  const context = await gpu
  if (context && !(context instanceof GpuError))
    await warmKernels(context.device, sbr, frequencies, extrapolates, hasMaterials)
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
  const { groups, groupNames } = source
  if ((groups || groupNames) && (groups?.length !== source.indices.length / 3 || !groupNames?.length))
    throw new InputError('mesh: give groups, one number per facet, and groupNames together')
  if (groups?.some((g) => g >= groupNames!.length))
    throw new InputError(`mesh: a number in groups is beyond the ${groupNames!.length} of groupNames`)
  return source
}

import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { edgeEnds, type EdgeScene } from '../cpu-diffraction/index.js'
import { type NpyArray, readNpz, removeTemporaries, withMaterials, writeNpz } from '../formats/index.js'
import { GpuError, warmKernels } from '../gpu/index.js'
import { type Ground, withoutImage } from '../scene/ground/index.js'
import { InputError, type Mesh, scaleMesh, type Target } from '../scene/index.js'
import type { Material } from '../scene/materials/index.js'
import { type LoadedTarget, loadTarget, prepareRecipe } from './loaded-target.js'
import { type ResultLocation, writeResult } from './results.js'
import type { RunSettings } from './job.js'
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

/** Targets of more facets are not stored with their results: the file would be larger than all the others. */
const MOST_FACETS_KEPT = 2_000_000

/**
 * Writes target.npz beside a result, which `isar view` shows; where it is not wanted, or has too many facets, removes that of an earlier
 * run there. @param bytes  of the file @param facets  their number; 0: not wanted
 */
export async function keepTarget(
  place: ResultLocation,
  facets: number,
  bytes: () => Uint8Array,
): Promise<void> {
  const file = place.file('target.npz')
  removeTemporaries([file])
  if (facets > 0 && facets <= MOST_FACETS_KEPT) await writeResult(place, 'target.npz', bytes())
  else rmSync(file, { force: true })
}

/** What `isar view` needs of a target, as a result folder keeps it in target.npz. E edges that diffract. */
interface KeptTarget {
  /** As solved: welded, cleaned and, where requested, with curved patches [m]. */
  mesh: Mesh
  /** 6E coordinates: both ends of each edge [m]; none where diffraction was off. */
  edgesM: Float64Array
  /** E interior wedge angles [degrees]. */
  edgeAngleDeg: Float64Array
  /** The ground under it, of which the mesh has no image. */
  ground?: Ground
  /** Number of each facet's group, and the names of the groups of the mesh's file. */
  groups?: { facetGroup: Uint32Array; names: string[] }
}

/**
 * target.npz, without the mirror image that a ground adds: `positions_m` [V x 3], `triangles` [T x 3], `edges_m` [E x 2 x 3], `edge_angle_deg` [E], `rounding_m` [1], which
 * is missing where `Mesh.rounding` is, where not all conducts `facet_material` [T] and what its numbers mean, `materials_json`, of a mesh of
 * several groups `facet_group` [T] and their names, `groups_json`; over a ground `ground_json`.
 */
export function targetNpz(target: Target, all: EdgeScene | null): Uint8Array {
  const { materials, ground } = target
  const { positions, triangles, rounding, facetMaterial, facetGroup, groupNames = [] } = withoutImage(target)
  const { edgesM, edgeAngleDeg } = all
    ? edgeEnds(all, ground?.height)
    : { edgesM: new Float64Array(), edgeAngleDeg: new Float64Array() }
  return writeNpz({
    positions_m: { data: positions, shape: [positions.length / 3, 3], dtype: '<f8' },
    triangles: { data: Int32Array.from(triangles), shape: [triangles.length / 3, 3], dtype: '<i4' },
    edges_m: { data: edgesM, shape: [edgeAngleDeg.length, 2, 3], dtype: '<f8' },
    edge_angle_deg: { data: edgeAngleDeg, shape: [edgeAngleDeg.length], dtype: '<f8' },
    ...(rounding !== undefined && {
      rounding_m: { data: Float64Array.of(rounding), shape: [1], dtype: '<f8' as const },
    }),
    ...(facetMaterial && {
      facet_material: { data: Uint8Array.from(facetMaterial), shape: [facetMaterial.length], dtype: '|u1' },
      materials_json: bytesOf(JSON.stringify(materials)),
    }),
    ...(facetGroup &&
      groupNames.length > 1 && {
        facet_group: { data: Int32Array.from(facetGroup), shape: [facetGroup.length], dtype: '<i4' as const },
        groups_json: bytesOf(JSON.stringify(groupNames)),
      }),
    ...(ground && { ground_json: bytesOf(JSON.stringify(ground)) }),
  })
}

/** Reads a file of `targetNpz`. @throws InputError for anything else */
export function readTargetNpz(bytes: Uint8Array): KeptTarget {
  const arrays = readNpz(bytes)
  const positions = numbers(arrays, 'positions_m')
  const triangles = arrays.triangles?.data
  if (!(triangles instanceof Int32Array))
    throw new InputError('target.npz: no "triangles" of 32-bit integers; render the target again')
  if (triangles.some((v) => v < 0 || 3 * v >= positions.length))
    throw new InputError('target.npz: a triangle refers to a missing vertex; render the target again')
  return {
    mesh: {
      positions,
      triangles: Uint32Array.from(triangles),
      ...(arrays.rounding_m && { rounding: numbers(arrays, 'rounding_m')[0] }),
      ...(arrays.facet_material && readMaterials(arrays, triangles.length / 3)),
    },
    edgesM: numbers(arrays, 'edges_m'),
    edgeAngleDeg: numbers(arrays, 'edge_angle_deg'),
    ...(arrays.ground_json && { ground: readGround(arrays.ground_json) }),
    ...(arrays.groups_json && { groups: readGroups(arrays, triangles.length / 3) }),
  }
}

function bytesOf(text: string): NpyArray {
  const data = new TextEncoder().encode(text)
  return { data, shape: [data.length], dtype: '|u1' }
}

/** The materials of a target's facets as groups of its mesh. */
function readMaterials(arrays: Record<string, NpyArray>, facets: number): Partial<Mesh> {
  const { facet_material: of, materials_json: text } = arrays
  try {
    const groupMaterials = JSON.parse(new TextDecoder().decode(text.data as Uint8Array)) as Material[]
    const facetGroup = Uint32Array.from(of.data)
    if (facetGroup.length === facets && facetGroup.every((m) => m < groupMaterials.length))
      return { facetGroup, groupMaterials, groupNames: groupMaterials.map(({ name }) => name) }
  } catch {
    // Reported below.
  }
  throw new InputError('target.npz: its materials are damaged; render the target again')
}

function readGroups(
  { facet_group: of, groups_json: text }: Record<string, NpyArray>,
  facets: number,
): NonNullable<KeptTarget['groups']> {
  try {
    const names: unknown = JSON.parse(new TextDecoder().decode(text.data as Uint8Array))
    const facetGroup = Uint32Array.from(of.data)
    if (Array.isArray(names) && facetGroup.length === facets && facetGroup.every((g) => g < names.length))
      return { facetGroup, names: names.map(String) }
  } catch {
    // Reported below.
  }
  throw new InputError('target.npz: its groups are damaged; render the target again')
}

function readGround({ data }: NpyArray): Ground {
  try {
    const { material, height, roughness } = JSON.parse(new TextDecoder().decode(data as Uint8Array)) as Ground
    if (typeof material.name === 'string' && Number.isFinite(height) && Number.isFinite(roughness))
      return { material, height, roughness }
  } catch {
    // Reported below.
  }
  throw new InputError('target.npz: its ground is damaged; render the target again')
}

function numbers(arrays: Record<string, NpyArray>, name: string): Float64Array {
  const data = arrays[name]?.data
  if (data instanceof Float64Array) return data
  throw new InputError(`target.npz: no "${name}" of doubles; render the target again`)
}

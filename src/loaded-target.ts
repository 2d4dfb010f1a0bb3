import { basename, extname } from 'node:path'
import { FilesHash, type MaterialChoice, readMesh, withMaterials } from '../formats/index.js'
import {
  type Band,
  type CurveOptions,
  describeReport,
  type Mesh,
  prepareTarget,
  scaleMesh,
  type Target,
  type Unit,
  type Vec3,
} from '../scene/index.js'
import { middleWavelength } from '../scene/frequency-steps.js'
import { buildRayScene, type RayScene } from '../rays/index.js'
import { overGround } from '../scene/ground/index.js'
import { type LoadedBvh, loadBvh } from './bvh-cache.js'

/** A prepared target: its mesh, edges, BVH and origin. */
export interface LoadedTarget {
  /** File name without folder and ending. */
  name: string
  target: Target
  scene: RayScene
  /** Time of its BVH [s], and the file it was read from (null: it was built); absent where the scene was made elsewhere. */
  bvh?: Omit<LoadedBvh, 'bvh'>
  /** SHA-256 of the file, or of the hashes of all files that it is read from (`FilesHash`). */
  hash: string
  /** One line each on what is odd about the mesh. */
  warnings: string[]
  /** Inputs of the preparation [m]: every machine gets the same target from them, to the last bit. */
  recipe: TargetRecipe
}

export interface Lattice {
  /** Point that ray tubes are anchored to [m]; else the mesh's centroid. */
  anchor: Vec3
  /** See `RayScene.size` [m], of the largest of the meshes. */
  size: number
}

export interface TargetRecipe {
  mesh: Mesh
  smoothAngleDeg: number
  curved?: CurveOptions
  /** What ray tubes go by, where meshes with parts in common are to sample these alike, so that their fields compare. */
  lattice?: Lattice
}

/**
 * Prepares a target as `loadTarget` and `curveForBands` do. @throws InputError for an unusable mesh
 * @param cache  folder of cached BVHs; null: no cache
 */
export function prepareRecipe(
  name: string,
  hash: string,
  recipe: TargetRecipe,
  cache: string | null = null,
): LoadedTarget {
  const { mesh, smoothAngleDeg, curved, lattice } = recipe
  const own = prepareTarget(mesh, { smoothAngleDeg })
  const clean = mesh.ground ? overGround(own, smoothAngleDeg) : own
  const target = curved ? withCurvedPatches(clean, smoothAngleDeg, curved) : clean
  const warnings = [...describeReport(clean.report), ...roundingWarnings(clean)]
  return { name, ...castScene(target, cache, lattice), hash, warnings, recipe }
}

/** Coordinates rounded by more than this part of the box diagonal change the mesh: edges open, planar faces become uneven. */
const ROUNDED = 1e-6

/** Warns where a mesh is so far from its file's origin that single precision does not represent it. */
function roundingWarnings({ rounding = 0, diagonal }: Target): string[] {
  if (rounding <= ROUNDED * diagonal) return []
  return [
    `the file rounds coordinates so far from its origin by up to ${rounding.toPrecision(1)} m (single precision): move the mesh to its origin, or give it in double precision (.obj, or .ply of doubles)`,
  ]
}

/** The target with the scene that rays are cast in, and the time of its BVH. */
function castScene(
  own: Target,
  cache: string | null,
  lattice?: Lattice,
): Pick<LoadedTarget, 'target' | 'scene' | 'bvh'> {
  let loaded: LoadedBvh | undefined
  const target = lattice ? { ...own, centroid: lattice.anchor } : own
  const scene = buildRayScene(target, (facets) => (loaded = loadBvh(facets, cache)).bvh)
  const { seconds, file } = loaded!
  return { target, scene: lattice ? { ...scene, size: lattice.size } : scene, bvh: { seconds, file } }
}

/** The prepared target with curved patches. Its mesh is clean already, so its report stays valid. */
const withCurvedPatches = (target: Target, smoothAngleDeg: number, curved: CurveOptions): Target => ({
  ...prepareTarget(target, { smoothAngleDeg, curved }),
  report: target.report,
})

/** Name of a file's target: the file's name without folder and ending. */
export const targetName = (path: string): string => basename(path, extname(path))

/**
 * Reads and prepares a mesh. @throws InputError for anything wrong with the file.
 * @param cache   folder of cached BVHs of large meshes; null: no cache
 * @param choice  materials; all facets conduct where absent
 */
export async function loadTarget(
  path: string,
  units: Unit,
  smoothAngleDeg: number,
  cache: string | null = null,
  choice: MaterialChoice = {},
): Promise<LoadedTarget> {
  const files = new FilesHash()
  const mesh = await withMaterials(scaleMesh(await readMesh(path, files), units), choice)
  return prepareRecipe(targetName(path), files.sha256, { mesh, smoothAngleDeg }, cache)
}

/** Largest distance of a subdivided edge from the curved surface, as a part of the wavelength in the middle of the highest step (`bandsOfSteps`): 1 over this. */
const SAG_PARTS = 128

/**
 * The target with curved patches fitted to its smooth regions (docs/curved.md) where `curvedDeg` is set, finely enough for the bands.
 * @param onNote  see `RunEvents`
 * @throws InputError from `curveMesh`
 */
export function curveForBands(
  loaded: LoadedTarget,
  { curvedDeg, smoothAngleDeg, cache }: { curvedDeg?: number; smoothAngleDeg: number; cache: string | null },
  bands: Band[],
  onNote?: (what: string, message: string) => void,
): LoadedTarget {
  if (curvedDeg === undefined) return loaded
  const sagitta = Math.min(...bands.map((band) => middleWavelength(band, loaded.scene.size))) / SAG_PARTS
  const curved: CurveOptions = { angleDeg: curvedDeg, sagitta }
  const cast = castScene(
    withCurvedPatches(loaded.target, smoothAngleDeg, curved),
    cache,
    loaded.recipe.lattice,
  )
  onNote?.(
    'curved',
    `${loaded.scene.count} facets refined into ${cast.scene.count} on curved patches, to ${Number((1e3 * sagitta).toPrecision(2))} mm (about 1/${SAG_PARTS} of a wavelength)`,
  )
  return { ...loaded, ...cast, recipe: { ...loaded.recipe, smoothAngleDeg, curved } }
}

import { basename, extname } from 'node:path'
import { FilesHash, type MaterialChoice, readMesh, withMaterials } from '../formats/index.js'
import {
  type Band,
  describeReport,
  leftOutRemarks,
  type Mesh,
  prepareTarget,
  scaleMesh,
  type Target,
  type Unit,
  type Vec3,
  wavelength,
} from '../scene/index.js'
import { bandsOfSteps, middleWavelength } from '../scene/band.js'
import { buildRayScene, type RayScene } from '../rays/index.js'
import { overGround } from '../scene/ground/index.js'
import { type LoadedBvh, loadBvh } from '../formats/bvh-cache.js'

/** What rays are cast in. */
interface CastTarget {
  target: Target
  scene: RayScene
  /** Time of its BVH [s], and the file it was read from (null: it was built); absent where the scene was made elsewhere. */
  bvh?: Omit<LoadedBvh, 'bvh'>
}

/** A prepared target: its mesh, edges, BVH and origin. */
export interface LoadedTarget extends CastTarget {
  /** File name without folder and ending. */
  name: string
  /** With curved patches: the meshes of the steps of the run's bands (`bandsOfSteps`), of falling sagitta [m]. The last is the target itself. */
  steps?: (CastTarget & { sagitta: number })[]
  /** With curved patches: the target as it was given, the same for all frequencies. */
  uncurved?: Target
  /** SHA-256 of the file, or of the hashes of all files that it is read from (`FilesHash`). */
  hash: string
  /** One line each on what is odd about the mesh. */
  warnings: string[]
  /** Inputs of the preparation [m]: every machine gets the same target from them, to the last bit. */
  recipe: TargetRecipe
}

/** What places ray tubes in space, and tells how large a target is. */
interface Lattice {
  /** Point that ray tubes are anchored to [m]; else the mesh's centroid. */
  anchor: Vec3
  /** See `RayScene.extent` and `size` [m], both of the largest of the meshes. */
  size: number
}

interface TargetRecipe {
  mesh: Mesh
  smoothAngleDeg: number
  /** See `CurveOptions`; one mesh of each sagitta [m], which fall. */
  curved?: { angleDeg: number; sagittas: number[] }
  /** What ray tubes and edges go by, where meshes with parts in common are to sample these alike, so that their fields compare. */
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
  const warnings = [...leftOutRemarks(mesh), ...describeReport(clean.report), ...roundingWarnings(clean)]
  const loaded = { name, ...cast(clean, cache, lattice), hash, warnings, recipe }
  return curved ? withCurvedPatches(loaded, cache) : loaded
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
function cast(own: Target, cache: string | null, lattice?: Lattice): CastTarget {
  let loaded: LoadedBvh | undefined
  const target = lattice ? { ...own, centroid: lattice.anchor } : own
  const scene = buildRayScene(target, (facets) => (loaded = loadBvh(facets, cache)).bvh)
  const { seconds, file } = loaded!
  if (lattice) scene.extent = scene.size = lattice.size
  return { target, scene, bvh: { seconds, file } }
}

/** The prepared target with the curved patches of its recipe. Its mesh is clean already, so its report stays valid. */
function withCurvedPatches(loaded: LoadedTarget, cache: string | null): LoadedTarget {
  const { target: given, scene, recipe } = loaded
  const { smoothAngleDeg, lattice } = recipe
  const { angleDeg, sagittas } = recipe.curved!
  const steps = sagittas.map((sagitta) => {
    const made = prepareTarget(given, { smoothAngleDeg, curved: { angleDeg, sagitta } })
    const fine = cast({ ...made, report: given.report }, cache, lattice)
    // Waves go by the size of the target as given: no mesh is to depend on the others.
    return { ...fine, scene: { ...fine.scene, extent: scene.extent, size: scene.size }, sagitta }
  })
  const { target, scene: finest, bvh } = steps[steps.length - 1]
  return { ...loaded, target, scene: finest, bvh, steps, uncurved: given }
}

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

/** Largest distance of a subdivided edge from the curved surface, as a part of the wavelength in the middle of a step (`bandsOfSteps`): 1 over this. */
const SAG_PARTS = 128

/** Facets of a file's surfaces that are farther from these than a wavelength over this are reported. */
const COARSE = 32

/** Sagitta of the mesh for a band of one step [m]. */
const sagittaOf = (band: Band): number => middleWavelength(band) / SAG_PARTS

/** Number of the coarsest of these meshes that is fine enough for a band, or of the finest. */
export function stepOfBand(steps: NonNullable<LoadedTarget['steps']>, band: Band): number {
  const found = steps.findIndex(({ sagitta }) => sagitta <= sagittaOf(band))
  return found < 0 ? steps.length - 1 : found
}

/**
 * The target with curved patches fitted to its smooth regions (docs/curved.md) where `curvedDeg` is set, as finely as each step of the
 * bands needs: a datum does not depend on the run's other frequencies. Otherwise `onNote` is told where facets of a file's surfaces are coarse.
 * @param onNote  see `RunEvents`
 * @throws InputError from `curveMesh`
 */
export function curveForBands(
  loaded: LoadedTarget,
  { curvedDeg, smoothAngleDeg, cache }: { curvedDeg?: number; smoothAngleDeg: number; cache: string | null },
  bands: Band[],
  onNote?: (what: string, message: string) => void,
): LoadedTarget {
  const { count } = loaded.scene
  if (curvedDeg === undefined) {
    const { sagitta = 0 } = loaded.recipe.mesh
    const highest = Math.max(...bands.map(({ f0, df, n }) => f0 + df * (n - 1)))
    const parts = wavelength(highest) / sagitta
    if (parts < COARSE)
      onNote?.(
        'facets',
        `up to ${Number((1e3 * sagitta).toPrecision(2))} mm from the file’s surfaces, 1/${parts.toPrecision(2)} of a wavelength: --curved cuts them further, by the wavelength`,
      )
    return loaded
  }
  const all = bands.flatMap(bandsOfSteps).map(sagittaOf)
  const sagittas = [...new Set(all)].sort((a, b) => b - a)
  const recipe = { ...loaded.recipe, smoothAngleDeg, curved: { angleDeg: curvedDeg, sagittas } }
  const curved = withCurvedPatches({ ...loaded, recipe }, cache)
  const list = (of: (step: NonNullable<LoadedTarget['steps']>[number]) => number): string =>
    curved.steps!.map(of).join(', ')
  onNote?.(
    'curved',
    `${count} facets refined into ${list(({ scene }) => scene.count)} on curved patches, to ${list(({ sagitta }) => Number((1e3 * sagitta).toPrecision(2)))} mm (about 1/${SAG_PARTS} of a wavelength)`,
  )
  return curved
}

import { basename, extname } from 'node:path'
import { FilesHash, readMesh } from '../formats/index.js'
import {
  type Band,
  type CurveOptions,
  describeReport,
  highestFrequency,
  type Mesh,
  prepareTarget,
  scaleMesh,
  type Target,
  type Unit,
  wavelength,
} from '../scene/index.js'
import { buildRayScene, type RayScene } from '../rays/index.js'
import { type Hierarchy, loadHierarchy } from './bvh-cache.js'

/** A target made ready: its mesh, edges, hierarchy and origin. */
export interface LoadedTarget {
  /** File name without folder and ending. */
  name: string
  target: Target
  scene: RayScene
  /** What its hierarchy took [s], and the file it was read from (null: it was built); absent where others made the scene. */
  hierarchy?: Omit<Hierarchy, 'bvh'>
  /** SHA-256 of the file, or of the hashes of all files that it is read from (`FilesHash`). */
  hash: string
  /** One line each on what is odd about the mesh. */
  warnings: string[]
  /** What it was prepared from [m]: a machine that does the same has the same target, to the last bit. */
  recipe: TargetRecipe
}

export interface TargetRecipe {
  mesh: Mesh
  smoothAngleDeg: number
  curved?: CurveOptions
}

/**
 * Prepares a target as `loadTarget` and `bendForBands` do. @throws InputError for an unusable mesh
 * @param cache  folder of hierarchies; null where none are kept
 */
export function prepareRecipe(
  name: string,
  hash: string,
  recipe: TargetRecipe,
  cache: string | null = null,
): LoadedTarget {
  const { mesh, smoothAngleDeg, curved } = recipe
  const clean = prepareTarget(mesh, { smoothAngleDeg })
  const target = curved ? bent(clean, smoothAngleDeg, curved) : clean
  const warnings = [...describeReport(clean.report), ...roundingWarnings(clean)]
  return { name, target, ...castScene(target, cache), hash, warnings, recipe }
}

/** Coordinates rounded by more than this part of the box diagonal make a mesh that is not what it was: edges open, faces bend. */
const ROUNDED = 1e-6

/** Says so where a mesh stands so far from its file's origin that single precision does not hold it. */
function roundingWarnings({ rounding = 0, diagonal }: Target): string[] {
  if (rounding <= ROUNDED * diagonal) return []
  return [
    `the file rounds coordinates so far from its origin by up to ${rounding.toPrecision(1)} m (single precision): move the mesh to its origin, or give it in double precision (.obj, or .ply of doubles)`,
  ]
}

/** What rays need of a target, and what its hierarchy took. */
function castScene(target: Target, cache: string | null): Pick<LoadedTarget, 'scene' | 'hierarchy'> {
  let hierarchy: Hierarchy | undefined
  const scene = buildRayScene(target, (facets) => (hierarchy = loadHierarchy(facets, cache)).bvh)
  const { seconds, file } = hierarchy!
  return { scene, hierarchy: { seconds, file } }
}

/** A prepared target is a clean mesh: it stays as it is but for the bending, and so does what was said of it. */
const bent = (target: Target, smoothAngleDeg: number, curved: CurveOptions): Target => ({
  ...prepareTarget(target, { smoothAngleDeg, curved }),
  report: target.report,
})

/** What the target of a file is called: the file's name without folder and ending. */
export const targetName = (path: string): string => basename(path, extname(path))

/**
 * Reads a mesh and makes it ready. @throws InputError for anything wrong with the file.
 * @param cache  folder of the hierarchies of large meshes; null where none are kept
 */
export async function loadTarget(
  path: string,
  units: Unit,
  smoothAngleDeg: number,
  cache: string | null = null,
): Promise<LoadedTarget> {
  const files = new FilesHash()
  const mesh = scaleMesh(await readMesh(path, files), units)
  return prepareRecipe(targetName(path), files.sha256, { mesh, smoothAngleDeg }, cache)
}

/** Edges of a bent mesh leave the curved surface by less than this part of the wavelength. */
const SAG_PARTS = 128

/**
 * The target with its smooth regions bent as docs/curved.md has it where `curvedDeg` asks for it, finely enough for the bands.
 * @param onNote  see `RunEvents`
 * @throws InputError from `curveMesh`
 */
export function bendForBands(
  loaded: LoadedTarget,
  { curvedDeg, smoothAngleDeg, cache }: { curvedDeg?: number; smoothAngleDeg: number; cache: string | null },
  bands: Band[],
  onNote?: (what: string, message: string) => void,
): LoadedTarget {
  if (curvedDeg === undefined) return loaded
  const sagitta = wavelength(Math.max(...bands.map(highestFrequency))) / SAG_PARTS
  const curved: CurveOptions = { angleDeg: curvedDeg, sagitta }
  const target = bent(loaded.target, smoothAngleDeg, curved)
  const cast = castScene(target, cache)
  onNote?.(
    'curved',
    `${loaded.scene.count} facets bent into ${cast.scene.count}, to ${Number((1e3 * sagitta).toPrecision(2))} mm (1/${SAG_PARTS} of a wavelength)`,
  )
  return { ...loaded, target, ...cast, recipe: { ...loaded.recipe, smoothAngleDeg, curved } }
}

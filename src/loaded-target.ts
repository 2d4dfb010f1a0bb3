import { basename, extname } from 'node:path'
import { FilesHash, readMesh } from '../formats/index.js'
import {
  buildRayScene,
  type CurveOptions,
  describeReport,
  type Mesh,
  prepareTarget,
  type RayScene,
  scaleMesh,
  type Target,
  type Unit,
} from '../scene/index.js'
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
 * Prepares a target as `loadTarget` and `bendTarget` do. @throws InputError for an unusable mesh
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
  return { name, target, ...castScene(target, cache), hash, warnings: describeReport(clean.report), recipe }
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

/**
 * The target with its smooth regions bent as docs/curved.md has it. @throws InputError from `curveMesh`
 * @param cache  folder of hierarchies; null where none are kept
 */
export function bendTarget(
  loaded: LoadedTarget,
  smoothAngleDeg: number,
  curved: CurveOptions,
  cache: string | null = null,
): LoadedTarget {
  const target = bent(loaded.target, smoothAngleDeg, curved)
  const recipe = { ...loaded.recipe, smoothAngleDeg, curved }
  return { ...loaded, target, ...castScene(target, cache), recipe }
}

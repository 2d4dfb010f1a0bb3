import { type Aperture, DOUBLE_TOLERANCE, enlargedCorners, type RayScene, tubeCount } from '../rays/index.js'
import { type Aspect } from '../scene/index.js'
import { FacetOutlines } from './facet-outlines.js'
import { PathTree } from './path-tree.js'
import { PathTrees } from './path-trees.js'
import type { SlotCorners } from './prism.js'

/** Facets of a target up to which they are listed. */
const MOST_FACETS = 2 ** 18
/** Apertures kept: those of the aspects on the way. */
const KEPT = 3

/** What the rays of an aperture share, whichever part of it they are of. It never changes what they meet. */
export interface AspectTables {
  /** Paths met so far, aimed at the aspect. */
  tree: PathTree
  /** Absent where rays search the BVH instead. */
  outlines?: FacetOutlines
}

/** What a thread keeps of a scene. */
interface Kept {
  apertures: { key: number[]; tables: Partial<AspectTables> }[]
  trees?: PathTrees
  corners?: SlotCorners
}

const kept = new WeakMap<Float64Array, Kept>()

/** The tables of an aspect, made when first asked for on this thread; their tree is aimed at it until those of another are asked for. */
export function aspectTables(scene: RayScene, aperture: Aperture, { rx }: Aspect): AspectTables {
  const search = scene.ropes ? 1 : scene.unlisted ? 2 : 0
  const all = kept.get(scene.planes) ?? { apertures: [] }
  kept.set(scene.planes, all)
  const { apertures } = all
  const key = [...aperture.d, ...aperture.u, ...aperture.base, aperture.h, ...rx.r, search]
  const at = apertures.findIndex((k) => k.key.every((x, i) => x === key[i]))
  const found = at < 0 ? { key, tables: makeTables(all, scene, aperture, rx.r) } : apertures.splice(at, 1)[0]
  apertures.unshift(found)
  apertures.length = Math.min(apertures.length, KEPT)
  const { outlines, tree = treesOf(all, scene).aimed(aperture.d, rx.r) } = found.tables
  return { outlines, tree }
}

function makeTables(
  all: Kept,
  scene: RayScene,
  aperture: Aperture,
  s: ArrayLike<number>,
): Partial<AspectTables> {
  // Lists are for many rays each.
  const listed = !scene.ropes && !scene.unlisted && scene.count <= Math.min(MOST_FACETS, tubeCount(aperture))
  return listed
    ? { outlines: new FacetOutlines(scene, aperture, cornersOf(all, scene)) }
    : { tree: new PathTree(scene, { d: aperture.d, s, spread: 0 }, null) }
}

const treesOf = (all: Kept, scene: RayScene): PathTrees =>
  (all.trees ??= new PathTrees(scene, cornersOf(all, scene)))

function cornersOf(all: Kept, scene: RayScene): SlotCorners {
  if (!all.corners) {
    const slotOf = new Uint32Array(scene.count)
    scene.order.forEach((t, slot) => (slotOf[t] = slot))
    all.corners = { corners: enlargedCorners(scene, DOUBLE_TOLERANCE), slotOf }
  }
  return all.corners
}

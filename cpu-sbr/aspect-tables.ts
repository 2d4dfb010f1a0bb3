import {
  type Aperture,
  type Aspect,
  DOUBLE_TOLERANCE,
  enlargedCorners,
  type RayScene,
  tubeCount,
} from '../scene/index.js'
import { FacetOutlines } from './facet-outlines.js'
import { PathTree } from './path-tree.js'
import { PrismQuery } from './prism.js'

/** Facets of a target up to which they are listed. */
const MOST_FACETS = 2 ** 18
/** Apertures kept: those of the aspects on the way. */
const KEPT = 3

/** Corners of the facets enlarged as `RayScene.planes` has them, 9 numbers per leaf slot [m], and the slot of each facet. */
export interface SlotCorners {
  corners: Float64Array
  slotOf: Uint32Array
}

/** What the rays of an aperture share, whichever part of it they are of. It never changes what they meet. */
export interface AspectTables {
  /** Paths met so far. */
  tree: PathTree
  /** Absent where rays search the hierarchy instead. */
  outlines?: FacetOutlines
}

interface Kept {
  key: number[]
  tables: AspectTables
}

const cornersOf = new WeakMap<Float64Array, SlotCorners>()
const kept = new WeakMap<Float64Array, Kept[]>()

/** The tables of an aspect, made when first asked for on this thread. */
export function aspectTables(scene: RayScene, aperture: Aperture, { rx }: Aspect): AspectTables {
  const search = scene.ropes ? 1 : scene.unlisted ? 2 : 0
  const key = [...aperture.d, ...aperture.u, ...aperture.base, aperture.h, ...rx.r, search]
  const all = kept.get(scene.planes) ?? []
  kept.set(scene.planes, all)
  const at = all.findIndex((k) => k.key.every((x, i) => x === key[i]))
  const found = at < 0 ? { key, tables: makeTables(scene, aperture, rx.r) } : all.splice(at, 1)[0]
  all.unshift(found)
  all.length = Math.min(all.length, KEPT)
  return found.tables
}

function makeTables(scene: RayScene, aperture: Aperture, s: ArrayLike<number>): AspectTables {
  // Lists are for many rays each.
  const listed = !scene.ropes && !scene.unlisted && scene.count <= Math.min(MOST_FACETS, tubeCount(aperture))
  if (!listed) return { tree: new PathTree(scene, aperture.d, s, null) }
  const slots = slotCorners(scene)
  return {
    tree: new PathTree(scene, aperture.d, s, new PrismQuery(scene, slots)),
    outlines: new FacetOutlines(scene, aperture, slots),
  }
}

function slotCorners(scene: RayScene): SlotCorners {
  let found = cornersOf.get(scene.planes)
  if (!found) {
    const slotOf = new Uint32Array(scene.count)
    scene.order.forEach((t, slot) => (slotOf[t] = slot))
    found = { corners: enlargedCorners(scene, DOUBLE_TOLERANCE), slotOf }
    cornersOf.set(scene.planes, found)
  }
  return found
}

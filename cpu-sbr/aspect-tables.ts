import { type Aperture, DOUBLE_TOLERANCE, enlargedCorners, type RayScene, tubeCount } from '../rays/index.js'
import type { Aspect } from '../scene/index.js'
import { FacetOutlines } from './facet-lists.js'
import { type Cone, PathTree } from './path-tree.js'
import { PrismQuery, type SlotCorners } from './prism.js'

/** Trees kept: neighbouring aspects in flight may lie in two cones. */
const TREES_KEPT = 2
/** Largest step between aspects that share a tree, as a length on the unit sphere: lists for wider cones are too long to gain. */
const LARGEST_STEP = 0.005
/** A cone reaches this many steps to each side. */
const STEPS = 4
/** Aspects of a cone lie this part of its reach within it. */
const WITHIN = 0.999
/** Tangent of an angle over the length between its ends on the unit sphere, at most, for such as occur here. */
const TANGENT = 1.001

interface KeptTree {
  cone: Cone
  /** Largest length between a direction and the cone's. */
  reach: number
  tree: PathTree
}

type Directions = Pick<Cone, 'd' | 's'>

/**
 * The trees of paths of a sweep. The first aspect has one of its own; where aspects go on in small steps, several in a row share a
 * tree, and with it what was searched for (decision 004).
 */
class PathTrees {
  private readonly kept: KeptTree[] = []
  private last: Directions | null = null

  constructor(
    private readonly scene: RayScene,
    private readonly corners: SlotCorners,
  ) {}

  /** A tree aimed at incidence d and receiver s, unit. */
  aimed(d: ArrayLike<number>, s: ArrayLike<number>): PathTree {
    const at = this.kept.findIndex(({ cone, reach }) => apart(cone, { d, s }) <= reach)
    const found = at < 0 ? this.make({ d, s }) : this.kept.splice(at, 1)[0]
    this.kept.unshift(found)
    this.kept.length = Math.min(this.kept.length, TREES_KEPT)
    found.tree.aim(d, s)
    this.last = { d, s }
    return found.tree
  }

  private make(to: Directions): KeptTree {
    const { scene, last } = this
    const step = last ? apart(last, to) : 0
    const reach = step > 0 && step <= LARGEST_STEP ? STEPS * step : 0
    const ahead = (WITHIN * reach) / step
    const onwards = (from: ArrayLike<number>, x: ArrayLike<number>): Float64Array =>
      unit(Float64Array.from(x, (_, c) => x[c] + ahead * (x[c] - from[c])))
    const cone =
      last && reach > 0
        ? { d: onwards(last.d, to.d), s: onwards(last.s, to.s), spread: TANGENT * reach }
        : { ...to, spread: 0 }
    return { cone, reach, tree: new PathTree(scene, cone, new PrismQuery(scene, this.corners)) }
  }
}

/** Length on the unit sphere between two incidences or two receivers, whichever are farther apart. */
const apart = (a: Directions, b: Directions): number => Math.max(distance(a.d, b.d), distance(a.s, b.s))

const distance = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])

function unit(x: Float64Array): Float64Array {
  const length = Math.hypot(x[0], x[1], x[2])
  return x.map((value) => value / length)
}

/** Facets of a target up to which they are listed. */
const MOST_FACETS = 2 ** 18
/** Apertures kept: those of the aspects in flight. */
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

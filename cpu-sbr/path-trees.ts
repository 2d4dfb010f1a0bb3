import type { RayScene } from '../rays/index.js'
import { type Cone, PathTree } from './path-tree.js'
import { PrismQuery, type SlotCorners } from './prism.js'

/** Trees kept: neighbouring aspects in flight may lie in two cones. */
const KEPT = 2
/** Largest step between aspects that share a tree, as a length on the unit sphere: lists for wider cones are too long to gain. */
const LARGEST_STEP = 0.005
/** A cone reaches this many steps to each side. */
const STEPS = 4
/** Aspects of a cone lie this part of its reach within it. */
const WITHIN = 0.999
/** Tangent of an angle over the length between its ends on the unit sphere, at most, for such as occur here. */
const TANGENT = 1.001

interface Kept {
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
export class PathTrees {
  private readonly kept: Kept[] = []
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
    this.kept.length = Math.min(this.kept.length, KEPT)
    found.tree.aim(d, s)
    this.last = { d, s }
    return found.tree
  }

  private make(to: Directions): Kept {
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

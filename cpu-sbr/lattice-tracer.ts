import {
  type Aperture,
  comparedBounces,
  cutsOf,
  DOUBLE_TOLERANCE,
  enlargedCorners,
  noStatistics,
  type RayScene,
  type SbrOptions,
  TILE,
  tubeCount,
} from '../rays/index.js'
import type { Aspect } from '../scene/index.js'
import { type Cell, Contributor } from './contribution.js'
import { FacetOutlines } from './facet-lists.js'
import type { Contributions } from './field-sum.js'
import { type Cone, PathTracer, PathTree } from './path-tree.js'
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
interface AspectTables {
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

/** Follows rays of an aperture and keeps the last one. */
export interface TubeRay {
  /** Hits. */
  readonly count: number
  /** Identify surfaces and facets' normals of the hits in their order, as far as tubes are compared; surfaces 0 for a ray that met nothing. */
  readonly surfaceKey: number
  readonly normalsKey: number
  /** Whether it would meet the target once more, or the part of its power that does: the bounce limit cut it off. */
  readonly cutOff: boolean | number
  /** Whether it has more bounces than tubes are compared by. */
  readonly goesOn: boolean
  /** Facets met. */
  readonly facets: Int32Array
  /**
   * Follows the incident ray from (ox, oy, oz) over at most `most` bounces, the job's limit where absent; `first`: the facet that it meets
   * first, -1 for none, where known.
   */
  trace(ox: number, oy: number, oz: number, first?: number, most?: number): void
  /** Finds which hits radiate to a receiver in direction s. */
  findVisible(s: ArrayLike<number>): void
}

/** Collects what tubes radiate. */
export interface TubeContributor<Ray> extends Contributions {
  /** Contributions held. */
  readonly count: number
  clear(): void
  /** Adds those of a tube by its central ray, see `Contributor.add`. Returns whether any hit radiates. */
  addTube(cell: Cell, ray: Ray, cornerFacets: Int32Array | null): boolean
}

/** What follows the central and the corner rays of tubes, and collects what these radiate. */
export interface Tracers<Ray extends TubeRay, Tubes extends TubeContributor<Ray>> {
  contributor: Tubes
  centre: Ray
  corner: Ray
}

/** What corner and central rays of one tile have met, at the points of its finest lattice, so that none is traced twice. */
class RayCache {
  readonly surfaceKeys: Uint32Array
  readonly normalsKeys: Uint32Array
  /** First facet met; nothing where the path is empty. */
  readonly firstFacets: Int32Array
  /** Number of the tile at whose visit the point was last written. */
  private readonly stamps: Uint32Array
  private stamp = 0
  private i0 = 0
  private j0 = 0
  private readonly side: number
  private readonly fine: number

  /** @param tile  cells along a side of a tile; @param depth  levels of refinement below them */
  constructor(
    private readonly tile: number,
    depth: number,
  ) {
    this.fine = 2 ** depth
    this.side = tile * this.fine + 1
    const points = this.side * this.side
    this.surfaceKeys = new Uint32Array(points)
    this.normalsKeys = new Uint32Array(points)
    this.firstFacets = new Int32Array(points)
    this.stamps = new Uint32Array(points)
  }

  /** Goes to tile (i, j) and forgets the last one. */
  enter(i: number, j: number): void {
    this.i0 = i * this.tile * this.fine
    this.j0 = j * this.tile * this.fine
    this.stamp++
  }

  /** Index of point (i, j) of the lattice of cells of side `scale`, which lies in this tile. */
  at(i: number, j: number, scale: number): number {
    const step = scale * this.fine
    return (j * step - this.j0) * this.side + i * step - this.i0
  }

  /** Whether the ray of index `at` has been kept. */
  hasAt(at: number): boolean {
    return this.stamps[at] === this.stamp
  }

  /** Keeps the last path of `tracer` as that of the ray of index `at`. */
  keepAt(at: number, tracer: TubeRay): void {
    this.stamps[at] = this.stamp
    this.surfaceKeys[at] = tracer.surfaceKey
    this.normalsKeys[at] = tracer.normalsKey
    this.firstFacets[at] = tracer.facets[0]
  }
}

/** On perfect conductors. */
export function conductorTracers(
  scene: RayScene,
  aperture: Aperture,
  aspect: Aspect,
  options: SbrOptions,
): Tracers<PathTracer, Contributor> {
  const { tree } = aspectTables(scene, aperture, aspect)
  const tracer = (): PathTracer =>
    new PathTracer(scene, tree, aperture.d, options.maxBounces, comparedBounces(options))
  const contributor = new Contributor(scene, aspect, options, aperture.d, aperture.u, aperture.v)
  return { contributor, centre: tracer(), corner: tracer() }
}

/** Rays and radiating tubes on the lattice of an aperture, at any level: what the tracers of tubes share. Side of a cell: 2^-level h. */
export abstract class LatticeTracer<Ray extends TubeRay, Tubes extends TubeContributor<Ray>> {
  readonly contributor: Tubes
  readonly statistics = noStatistics()
  protected readonly tables: AspectTables
  protected readonly centre: Ray
  private readonly corner: Ray
  protected readonly cell: Cell = { ox: NaN, oy: NaN, oz: NaN, side: NaN }
  /** Times a tube is cut into 2 x 2. */
  protected readonly depth: number
  /** Bounces by which tubes are compared. */
  protected readonly compared: number
  /** Rays of the current tile. */
  protected readonly cache: RayCache
  /** First facets of a cell's corner rays, see `compareCorners`. */
  protected readonly cornerFacets = new Int32Array(4)
  /** Outcome of `compareCorners`. */
  protected sameNormals = false

  constructor(
    scene: RayScene,
    protected readonly aperture: Aperture,
    protected readonly aspect: Aspect,
    protected readonly options: SbrOptions,
    { contributor, centre, corner }: Tracers<Ray, Tubes>,
  ) {
    this.contributor = contributor
    this.tables = aspectTables(scene, aperture, aspect)
    this.centre = centre
    this.corner = corner
    this.compared = comparedBounces(options)
    this.depth = cutsOf(options)
    this.cache = new RayCache(TILE, this.depth)
  }

  /** Sets `cell` about point (i, j) of the lattice at a level, given as scale = 2^-level. */
  protected setCell(i: number, j: number, scale: number): void {
    const { base, u, v, h, offset } = this.aperture
    const a = (i * scale + offset[0]) * h
    const b = (j * scale + offset[1]) * h
    this.cell.ox = base[0] + a * u[0] + b * v[0]
    this.cell.oy = base[1] + a * u[1] + b * v[1]
    this.cell.oz = base[2] + a * u[2] + b * v[2]
    this.cell.side = scale * h
  }

  /** Traces the corner ray (i, j). */
  private castCorner(i: number, j: number, scale: number): void {
    this.setCell(i, j, scale)
    this.statistics.rays++
    this.corner.trace(
      this.cell.ox,
      this.cell.oy,
      this.cell.oz,
      this.firstAtCorner(i, j, scale),
      this.compared,
    )
  }

  /** The facet that the corner ray (i, j), at which `cell` stands, meets first, -1 for none; nothing where it is not known. */
  protected firstAtCorner(_i: number, _j: number, _scale: number): number | undefined {
    return undefined
  }

  /** Traces the central ray of cell (i, j) and leaves `cell` at it. `most`: see `TubeRay.trace`. */
  protected castCentre(i: number, j: number, scale: number, first?: number, most?: number): void {
    this.setCell(i + 0.5, j + 0.5, scale)
    const { ox, oy, oz } = this.cell
    this.statistics.rays++
    this.centre.trace(ox, oy, oz, first, most)
  }

  /**
   * Whether the corner rays of a cell meet the surfaces of its central ray; then `sameNormals` says whether also facets of its normals, and
   * `cornerFacets` holds those met first, counter-clockwise: ++ -+ -- +-.
   */
  protected compareCorners(i: number, j: number, scale: number): boolean {
    const { centre, corner, cache, cornerFacets } = this
    this.sameNormals = true
    for (let c = 0; c < 4; c++) {
      const x = c === 0 || c === 3 ? i + 1 : i
      const y = c < 2 ? j + 1 : j
      const at = cache.at(x, y, scale)
      if (!cache.hasAt(at)) {
        this.castCorner(x, y, scale)
        cache.keepAt(at, corner)
      }
      if (cache.surfaceKeys[at] !== centre.surfaceKey) return false
      if (cache.normalsKeys[at] !== centre.normalsKey) this.sameNormals = false
      cornerFacets[c] = cache.firstFacets[at]
    }
    return true
  }

  /** Adds what cell (i, j), of the last central ray, radiates where it is seen; see `TubeContributor` for `corners`. */
  protected addTube(i: number, j: number, scale: number, corners: Int32Array | null): void {
    const { centre } = this
    this.setCell(i + 0.5, j + 0.5, scale)
    const before = this.contributor.count
    if (this.contributor.addTube(this.cell, centre, corners)) {
      this.statistics.leaves++
      this.statistics.lit += scale * scale
      if (centre.cutOff) this.statistics.cutOff += Number(centre.cutOff) * scale * scale
    }
    this.statistics.contributions += this.contributor.count - before
  }
}

import { DOUBLE_OFFSET, HASH_START, hashStep, normalKey, RayCaster, type RayScene } from '../rays/index.js'
import { FacetLists, longer } from './facet-lists.js'
import type { PrismQuery } from './prism.js'
import { layout } from './records.js'

/** Searches of the BVH before a list is made in their place; it costs as much as some of them, and serves longer where it is for a cone. */
const searchedFirst = (spread: number): number => (spread > 0 ? 16 : 40)

const UNLISTED = -1
/** Too many facets to list. */
const OPEN = -2

/** What may stand between a facet and a distant receiver in any direction within a cone; for one of them at a time (`aim`). */
class SightLists {
  private readonly start: Int32Array
  private readonly end: Int32Array
  private readonly searches: Uint8Array
  /** Generation in which a list was aimed. */
  private readonly generations: Uint32Array
  private generation = 1
  private readonly lists: FacetLists | null
  private readonly caster: RayCaster
  private readonly searchedFirst: number
  private readonly spread: number = NaN

  /**
   * @param middle  of the directions, unit; @param spread  tangent of the largest angle with it
   * @param prism  what lists are made with; null: the BVH is searched every time
   */
  constructor(
    scene: RayScene,
    private readonly middle: ArrayLike<number>,
    spread: number,
    private readonly prism: PrismQuery | null,
    private s: Float64Array,
  ) {
    this.caster = new RayCaster(scene)
    this.spread = spread
    this.searchedFirst = searchedFirst(spread)
    this.lists = prism && new FacetLists(scene, prism.corners)
    this.start = new Int32Array(scene.count).fill(prism ? UNLISTED : OPEN)
    this.end = new Int32Array(scene.count)
    this.searches = new Uint8Array(scene.count)
    this.generations = new Uint32Array(scene.count)
  }

  aim(s: Float64Array): void {
    this.s = s
    this.generation++
  }

  /** Whether the receiver is seen from a hit on facet f, hits[at ... at + 2], lifted to the side that faces it. */
  sees(f: number, hits: Float64Array, at: number): boolean {
    const { lists, s } = this
    if (this.start[f] === UNLISTED && this.searches[f]++ >= this.searchedFirst) this.list(f)
    const start = this.start[f]
    if (start < 0 || !lists)
      return !this.caster.occluded(hits[at], hits[at + 1], hits[at + 2], s[0], s[1], s[2], f)
    if (this.generations[f] !== this.generation) {
      lists.aim(start, this.end[f], s, 0)
      this.generations[f] = this.generation
    }
    return !lists.blocks(start, this.end[f], hits, at, s, 0)
  }

  private list(f: number): void {
    const { lists, prism, middle, spread } = this
    this.start[f] = OPEN
    if (!lists || !prism?.search(f, middle[0], middle[1], middle[2], spread)) return
    this.start[f] = lists.add(prism.slots, prism.count)
    this.end[f] = lists.length
  }
}

/** Paths kept by default: some 30 MB with their lists. */
const MOST_PATHS = 2 ** 17

/** What rays along a path share at its last hit. */
const PATH = layout({
  onward: ['vec3', 'direction after it'],
  normal: ['vec3', 'unit normal on the side met'],
  offset: ['f64', 'of the plane: n.r = offset [m]'],
  cosine: ['f64', 'n.d of the incidence, negative'],
})

/** Directions of incidence and of the receiver, and others about them. */
export interface Cone {
  /** Unit. */
  d: ArrayLike<number>
  s: ArrayLike<number>
  /** Tangent of the largest angle between either and one that the tree is aimed at. */
  spread: number
}

/**
 * The specular paths of an incidence as a tree. Rays that have met the same facets so far are parallel, so that what they can
 * meet next stands in one prism (`PrismQuery`): it is searched for once, and the rays that follow test that list alone. Their
 * arithmetic is the search's (`RayCaster`), and so are the facets that they meet, to the last ray (docs/ray-engine.md, "On the CPU").
 *
 * Mirrors keep angles: where all incidences lie in a narrow cone, so do the directions after the same facets. The lists are searched for once for
 * the cone; paths and lists get the numbers of the current incidence, set by `aim`, when they are first used with it.
 */
export class PathTree {
  /** Last facet of a path. */
  facet = new Int32Array(1024)
  /** Identify the sequences of surfaces and of the facets' normals. */
  surfaceKey = new Uint32Array(1024)
  normalsKey = new Uint32Array(1024)
  /** A record `PATH` per path. */
  numbers = new Float64Array(1024 * PATH.size)
  /** Counts the incidences that the tree has been aimed at; what was computed before belongs to another one. */
  generation = 1
  private parent = new Int32Array(1024)
  /** Path of the rays that go straight on through the last facet, see `through`; -1: none yet. */
  private straight = new Int32Array(1024)
  /** 1: the path is such a one. */
  private passes = new Uint8Array(1024)
  private searches = new Uint8Array(1024)
  /** Generations of a path's numbers and of its list's. */
  private generations = new Uint32Array(1024)
  private listGenerations = new Uint32Array(1024)
  /** Where the list of what may come next begins and ends. */
  private listStart = new Int32Array(1024)
  private listEnd = new Int32Array(1024)
  private used = 0
  /** Their entries' `next` is the path that goes on there (-1: none yet). */
  private readonly lists: FacetLists | null

  /** Path of a single facet; -1: none yet. */
  private readonly roots: Int32Array
  /** Paths that go on from such as have no list, open addressing by parent and facet; -1: empty. */
  private table = new Int32Array(4096).fill(-1)
  private hashed = 0

  private d: Float64Array
  private s: Float64Array
  private readonly sight: SightLists
  private readonly caster: RayCaster
  /** Searches of the BVH after a path before what can come next is listed. */
  private readonly searchedFirst: number
  /** `Cone.d`, `Cone.spread`; then the direction of the cone's axis after a path. */
  private readonly middle: Float64Array
  private readonly spread: number = NaN
  private readonly axis = new Float64Array(3)

  /**
   * @param cone  directions that the tree may be aimed at; it starts with the middle ones
   * @param prism  what lists are made with; null: every ray searches the BVH
   * @param most  paths kept; beyond these all are forgotten, and the tree grows again
   */
  constructor(
    private readonly scene: RayScene,
    cone: Cone,
    private readonly prism: PrismQuery | null,
    private readonly most = MOST_PATHS,
  ) {
    this.d = Float64Array.from(cone.d)
    this.middle = this.d
    this.spread = cone.spread
    this.s = Float64Array.from(cone.s)
    this.caster = new RayCaster(scene)
    this.lists = prism && new FacetLists(scene, prism.corners)
    this.sight = new SightLists(scene, cone.s, cone.spread, prism, this.s)
    this.roots = new Int32Array(scene.count).fill(-1)
    this.searchedFirst = searchedFirst(cone.spread)
  }

  /** Goes on with another incidence d and receiver s of the cone, unit. */
  aim(d: ArrayLike<number>, s: ArrayLike<number>): void {
    if (this.d.every((x, c) => x === d[c]) && this.s.every((x, c) => x === s[c])) return
    this.d = Float64Array.from(d)
    this.s = Float64Array.from(s)
    this.generation++
    this.sight.aim(this.s)
  }

  /** Path of the rays that meet facet f first. Those asked for before may be forgotten by it. */
  root(f: number): number {
    const path = this.roots[f]
    if (path >= 0) return this.generations[path] === this.generation ? path : this.renumber(path)
    if (this.used >= this.most) this.forget()
    return (this.roots[f] = this.grow(-1, f))
  }

  /**
   * Path of a ray that goes on from a hit that ends `path`, hits[at ... at + 2], lifted off its facet, by the facet that it meets
   * next; -1: none. (Coordinates stay in their array: as arguments each would be an object of its own.)
   */
  follow(path: number, hits: Float64Array, at: number): number {
    const { numbers, lists } = this
    const to = PATH.size * path + PATH.onward
    if (lists && this.isListed(path)) {
      const found = lists.nearest(this.listStart[path], this.listEnd[path], hits, at, numbers, to)
      if (found < 0) return -1
      const known = lists.next[found]
      if (known >= 0) return this.generations[known] === this.generation ? known : this.renumber(known)
      return (lists.next[found] = this.grow(path, this.scene.order[lists.slots[found]]))
    }
    const [dx, dy, dz] = [numbers[to], numbers[to + 1], numbers[to + 2]]
    if (!this.caster.nearest(hits[at], hits[at + 1], hits[at + 2], dx, dy, dz, this.facet[path])) return -1
    const f = this.caster.facet
    const entry = this.entryOf(path, f)
    const known = this.table[entry]
    if (known >= 0) return this.generations[known] === this.generation ? known : this.renumber(known)
    const child = this.grow(path, f)
    this.table[entry] = child
    if (4 * ++this.hashed > 3 * this.table.length) this.rehash()
    return child
  }

  /** The path of rays that go straight on through the facet that ends `path`, in the place of being mirrored there. */
  through(path: number): number {
    const known = this.straight[path]
    if (known >= 0) return this.generations[known] === this.generation ? known : this.renumber(known)
    const grown = this.grow(this.parent[path], this.facet[path], 1)
    return (this.straight[path] = grown)
  }

  /** Whether a ray as for `follow` meets anything. */
  goesOn(path: number, hits: Float64Array, at: number): boolean {
    const { numbers, lists } = this
    const to = PATH.size * path + PATH.onward
    if (lists && this.isListed(path))
      return lists.blocks(this.listStart[path], this.listEnd[path], hits, at, numbers, to)
    const [dx, dy, dz] = [numbers[to], numbers[to + 1], numbers[to + 2]]
    return this.caster.occluded(hits[at], hits[at + 1], hits[at + 2], dx, dy, dz, this.facet[path])
  }

  /** Whether the receiver is seen from a hit on facet f, hits[at ... at + 2], lifted to the side that faces it. */
  sees(f: number, hits: Float64Array, at: number): boolean {
    return this.sight.sees(f, hits, at)
  }

  /** Whether what may come after a path is listed; then the list is aimed. One search of the BVH more where it is not. */
  private isListed(path: number): boolean {
    if (this.listStart[path] === UNLISTED && this.searches[path]++ >= this.searchedFirst) this.list(path)
    if (this.listStart[path] < 0) return false
    if (this.listGenerations[path] === this.generation) return true
    this.lists!.aim(this.listStart[path], this.listEnd[path], this.numbers, PATH.size * path + PATH.onward)
    this.listGenerations[path] = this.generation
    return true
  }

  private list(path: number): void {
    const { prism, lists, axis, spread } = this
    this.listStart[path] = OPEN
    if (!prism || !lists) return
    this.followAxis(path)
    if (!prism.search(this.facet[path], axis[0], axis[1], axis[2], spread)) return
    const start = lists.add(prism.slots, prism.count)
    for (let i = start; i < lists.length; i++)
      lists.next[i] = this.table[this.entryOf(path, this.scene.order[lists.slots[i]])]
    this.listStart[path] = start
    this.listEnd[path] = lists.length
    this.listGenerations[path] = 0
  }

  /** Follows the cone's axis along a path. */
  private followAxis(path: number): void {
    const { axis, middle } = this
    const { normals } = this.scene
    if (this.parent[path] >= 0) this.followAxis(this.parent[path])
    else for (let c = 0; c < 3; c++) axis[c] = middle[c]
    if (this.passes[path]) return
    const n = 4 * this.facet[path]
    const twice = 2 * (normals[n] * axis[0] + normals[n + 1] * axis[1] + normals[n + 2] * axis[2])
    for (let c = 0; c < 3; c++) axis[c] -= twice * normals[n + c]
  }

  /** Adds the path that goes on from another (-1: from the radar) to facet f. */
  private grow(parent: number, f: number, passes = 0): number {
    const path = this.used++
    if (path === this.facet.length) {
      this.facet = longer(this.facet, 2 * path)
      this.surfaceKey = longer(this.surfaceKey, 2 * path)
      this.normalsKey = longer(this.normalsKey, 2 * path)
      this.numbers = longer(this.numbers, 2 * path * PATH.size)
      this.parent = longer(this.parent, 2 * path)
      this.straight = longer(this.straight, 2 * path)
      this.passes = longer(this.passes, 2 * path)
      this.searches = longer(this.searches, 2 * path)
      this.generations = longer(this.generations, 2 * path)
      this.listGenerations = longer(this.listGenerations, 2 * path)
      this.listStart = longer(this.listStart, 2 * path)
      this.listEnd = longer(this.listEnd, 2 * path)
    }
    const { surface } = this.scene
    this.facet[path] = f
    this.parent[path] = parent
    this.straight[path] = -1
    this.passes[path] = passes
    this.surfaceKey[path] = hashStep(parent < 0 ? HASH_START : this.surfaceKey[parent], surface[f])
    this.normalsKey[path] = hashStep(
      parent < 0 ? HASH_START : this.normalsKey[parent],
      normalKey(this.scene.normals, 4 * f),
    )
    this.searches[path] = 0
    this.listStart[path] = UNLISTED
    return this.renumber(path)
  }

  /** Computes a path's numbers for the current incidence, from its parent's. */
  private renumber(path: number): number {
    const { normals } = this.scene
    const { numbers, d } = this
    const parent = this.parent[path]
    const from = PATH.size * parent + PATH.onward
    const dx = parent < 0 ? d[0] : numbers[from]
    const dy = parent < 0 ? d[1] : numbers[from + 1]
    const dz = parent < 0 ? d[2] : numbers[from + 2]
    const f = this.facet[path]
    let nx = normals[4 * f]
    let ny = normals[4 * f + 1]
    let nz = normals[4 * f + 2]
    let nd = nx * dx + ny * dy + nz * dz
    const side = nd > 0 ? -1 : 1
    nx *= side
    ny *= side
    nz *= side
    nd *= side
    const at = PATH.size * path
    const twice = this.passes[path] ? 0 : 2 * nd
    numbers[at + PATH.onward] = dx - twice * nx
    numbers[at + PATH.onward + 1] = dy - twice * ny
    numbers[at + PATH.onward + 2] = dz - twice * nz
    numbers[at + PATH.normal] = nx
    numbers[at + PATH.normal + 1] = ny
    numbers[at + PATH.normal + 2] = nz
    numbers[at + PATH.offset] = side * normals[4 * f + 3]
    numbers[at + PATH.cosine] = nd
    this.generations[path] = this.generation
    return path
  }

  /** Entry of the table for the path from `parent` to facet f, whether it is there or not. */
  private entryOf(parent: number, f: number): number {
    const { table, facet } = this
    const mask = table.length - 1
    for (let at = hashStep(hashStep(HASH_START, parent), f) & mask; ; at = (at + 1) & mask) {
      const path = table[at]
      if (path < 0 || (this.parent[path] === parent && facet[path] === f)) return at
    }
  }

  private rehash(): void {
    const old = this.table
    this.table = new Int32Array(2 * old.length).fill(-1)
    for (const path of old)
      if (path >= 0) this.table[this.entryOf(this.parent[path], this.facet[path])] = path
  }

  private forget(): void {
    this.used = this.hashed = 0
    if (this.lists) this.lists.length = 0
    this.roots.fill(-1)
    this.table.fill(-1)
  }
}

/** Mixed into the key of a path of more bounces than are compared. */
const TRUNCATED = 0x9e3779b9

/** Traces the rays of one incidence by specular reflection and keeps the last path: the facets met and what identifies the path. */
export class PathTracer {
  /** Facets met, in order. */
  readonly facets: Int32Array
  /** Paths of the tree up to each of them; good until the next ray. */
  readonly paths: Int32Array
  /** Bounces of the last path. */
  count = 0
  /** Identifies the sequence of surfaces, as far as tubes are compared, and whether it goes on; 0 for a ray that met nothing. */
  surfaceKey = NaN
  /** Identifies the sequence of the facets' normals, as far. */
  normalsKey = NaN
  /** Whether the ray would meet the target once more: the limit cut it off. */
  cutOff = false
  /** Whether the path has more bounces than are compared. */
  goesOn = false
  /** 1 for each hit that the receiver sees (the first always is), else 0. Set by `findVisible`. */
  readonly visible: Uint8Array
  /** Hits, lifted off their facets, x y z each. */
  readonly hits: Float64Array
  /** Unit normals on the side that was met. */
  private readonly sides: Float64Array
  private readonly caster: RayCaster
  private readonly lift: number
  private readonly generation: number

  /**
   * @param tree  paths of the incidence, which it is aimed at until the last ray is traced
   * @param d  direction of incidence, unit
   * @param compared  bounces that the keys identify, at most `maxBounces`
   */
  constructor(
    scene: RayScene,
    private readonly tree: PathTree,
    private readonly d: ArrayLike<number>,
    private readonly maxBounces: number,
    private readonly compared = maxBounces,
  ) {
    this.facets = new Int32Array(maxBounces)
    this.visible = new Uint8Array(maxBounces)
    this.paths = new Int32Array(maxBounces)
    this.hits = new Float64Array(3 * maxBounces)
    this.sides = new Float64Array(3 * maxBounces)
    this.caster = new RayCaster(scene)
    this.lift = DOUBLE_OFFSET * scene.diagonal
    this.generation = tree.generation
  }

  /**
   * Follows the incident ray from (ox, oy, oz) over at most `most` bounces; `first`: the facet that it meets first, -1 for none, where
   * known.
   */
  trace(ox: number, oy: number, oz: number, first?: number, most = this.maxBounces): void {
    const { size, onward, normal, offset, cosine } = PATH
    const { tree, facets, paths, hits, sides, compared, lift } = this
    if (tree.generation !== this.generation)
      throw new Error('the tree of paths has been aimed at another incidence')
    let dx = this.d[0]
    let dy = this.d[1]
    let dz = this.d[2]
    this.cutOff = false
    this.goesOn = false
    if (first === undefined) first = this.caster.nearest(ox, oy, oz, dx, dy, dz, -1) ? this.caster.facet : -1
    if (first < 0) {
      this.count = 0
      this.surfaceKey = 0
      this.normalsKey = HASH_START
      return
    }
    let path = tree.root(first)
    let keyed = path
    for (let count = 0; ;) {
      const { numbers } = tree
      const from = size * path
      const nx = numbers[from + normal]
      const ny = numbers[from + normal + 1]
      const nz = numbers[from + normal + 2]
      const t = (numbers[from + offset] - nx * ox - ny * oy - nz * oz) / numbers[from + cosine]
      ox += t * dx + lift * nx
      oy += t * dy + lift * ny
      oz += t * dz + lift * nz
      facets[count] = tree.facet[path]
      paths[count] = path
      const at = 3 * count++
      hits[at] = ox
      hits[at + 1] = oy
      hits[at + 2] = oz
      sides[at] = nx
      sides[at + 1] = ny
      sides[at + 2] = nz
      if (count <= compared) keyed = path
      if (count === most) {
        this.cutOff = tree.goesOn(path, hits, at)
        this.goesOn ||= this.cutOff
        this.count = count
        break
      }
      dx = numbers[from + onward]
      dy = numbers[from + onward + 1]
      dz = numbers[from + onward + 2]
      const next = tree.follow(path, hits, at)
      if (next < 0) {
        this.count = count
        break
      }
      this.goesOn ||= count === compared
      path = next
    }
    const key = tree.surfaceKey[keyed]
    this.surfaceKey = (this.goesOn ? hashStep(key, TRUNCATED) : key) || 1
    this.normalsKey = tree.normalsKey[keyed]
  }

  /**
   * Finds which hits of the last path see the receiver in direction s, the tree's: the first does, later ones where no facet stands
   * in the way (docs/theory.md, "5. Current": physical optics currents behind an obstacle do not radiate to it).
   */
  findVisible(s: ArrayLike<number>): void {
    const { tree, facets, hits, sides, visible } = this
    visible[0] = 1
    for (let m = 1; m < this.count; m++) {
      const at = 3 * m
      const faces = sides[at] * s[0] + sides[at + 1] * s[1] + sides[at + 2] * s[2] > 0
      visible[m] = faces && tree.sees(facets[m], hits, at) ? 1 : 0
    }
  }
}

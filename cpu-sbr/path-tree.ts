import { HASH_START, hashStep, RayCaster, type RayScene } from '../rays/index.js'
import { FacetLists, longer } from './facet-lists.js'
import type { PrismQuery } from './prism.js'
import { searchedFirst, SightLists } from './sight-lists.js'

/** Paths kept by default: some 30 MB with their lists. */
const MOST_PATHS = 2 ** 17
const UNLISTED = -1
/** Too many facets to list. */
const OPEN = -2
/** Numbers of a path: direction after its last hit; normal there on the side met, its plane's constant, cosine of incidence. */
export const PATH_SIZE = 8

/** Directions of incidence and of the receiver, and others about them. */
export interface Cone {
  /** Unit. */
  d: ArrayLike<number>
  s: ArrayLike<number>
  /** Tangent of the largest angle that either is turned by. */
  spread: number
}

/**
 * The specular paths of an incidence as a tree. Rays that have met the same facets so far are parallel, so that what they can
 * meet next stands in one prism (`PrismQuery`): it is searched for once, and the rays that follow test that list alone. Their
 * arithmetic is the search's (`RayCaster`), and so are the facets that they meet, to the last ray (docs/ray-engine.md, "On the CPU").
 *
 * Mirrors keep angles: where all incidences lie in a narrow cone, so do the directions after the same facets. The lists are searched for once for
 * the cone; paths and lists get the numbers of the incidence at hand, set by `aim`, when they are first used with it.
 */
export class PathTree {
  /** Last facet of a path. */
  facet = new Int32Array(1024)
  /** Identify the sequences of surfaces and of facets. */
  surfaceKey = new Uint32Array(1024)
  facetKey = new Uint32Array(1024)
  /** PATH_SIZE numbers per path. */
  numbers = new Float64Array(1024 * PATH_SIZE)
  /** Times that the tree has been aimed; what was computed before belongs to another incidence. */
  turn = 1
  private parent = new Int32Array(1024)
  private searches = new Uint8Array(1024)
  /** Turns at which a path's numbers and its list's were computed. */
  private turns = new Uint32Array(1024)
  private listTurns = new Uint32Array(1024)
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
  /** Searches of the hierarchy after a path before what can come next is listed. */
  private readonly searchedFirst: number
  /** Direction of the cone's axis after a path. */
  private readonly axis = new Float64Array(3)

  /**
   * @param cone  directions that the tree may be aimed at; it starts with the middle ones
   * @param prism  what lists are made with; null: every ray searches the hierarchy
   * @param most  paths kept; beyond these all are forgotten, and the tree grows anew
   */
  constructor(
    private readonly scene: RayScene,
    private readonly cone: Cone,
    private readonly prism: PrismQuery | null,
    private readonly most = MOST_PATHS,
  ) {
    this.d = Float64Array.from(cone.d)
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
    this.turn++
    this.sight.aim(this.s)
  }

  /** Path of the rays that meet facet f first. Those asked for before may be forgotten by it. */
  root(f: number): number {
    const path = this.roots[f]
    if (path >= 0) return this.turns[path] === this.turn ? path : this.renumber(path)
    if (this.used >= this.most) this.forget()
    return (this.roots[f] = this.grow(-1, f))
  }

  /**
   * Path of a ray that goes on from a hit that ends `path`, hits[at ... at + 2], lifted off its facet, by the facet that it meets
   * next; -1: none. (Coordinates stay in their array: as arguments each would be an object of its own.)
   */
  follow(path: number, hits: Float64Array, at: number): number {
    const { numbers, lists } = this
    const to = PATH_SIZE * path
    if (lists && this.isListed(path)) {
      const found = lists.nearest(this.listStart[path], this.listEnd[path], hits, at, numbers, to)
      if (found < 0) return -1
      const known = lists.next[found]
      if (known >= 0) return this.turns[known] === this.turn ? known : this.renumber(known)
      return (lists.next[found] = this.grow(path, this.scene.order[lists.slots[found]]))
    }
    const [dx, dy, dz] = [numbers[to], numbers[to + 1], numbers[to + 2]]
    if (!this.caster.nearest(hits[at], hits[at + 1], hits[at + 2], dx, dy, dz, this.facet[path])) return -1
    const f = this.caster.facet
    const place = this.place(path, f)
    const known = this.table[place]
    if (known >= 0) return this.turns[known] === this.turn ? known : this.renumber(known)
    const child = this.grow(path, f)
    this.table[place] = child
    if (4 * ++this.hashed > 3 * this.table.length) this.rehash()
    return child
  }

  /** Whether a ray as for `follow` meets anything. */
  goesOn(path: number, hits: Float64Array, at: number): boolean {
    const { numbers, lists } = this
    const to = PATH_SIZE * path
    if (lists && this.isListed(path))
      return lists.blocks(this.listStart[path], this.listEnd[path], hits, at, numbers, to)
    const [dx, dy, dz] = [numbers[to], numbers[to + 1], numbers[to + 2]]
    return this.caster.occluded(hits[at], hits[at + 1], hits[at + 2], dx, dy, dz, this.facet[path])
  }

  /** Whether the receiver is seen from a hit on facet f, hits[at ... at + 2], lifted to the side that faces it. */
  sees(f: number, hits: Float64Array, at: number): boolean {
    return this.sight.sees(f, hits, at)
  }

  /** The leaf slots of all facets that may come after a path, maybe among others; null where they are not listed. */
  slotsAfter(path: number): { slots: Int32Array; start: number; end: number } | null {
    if (!this.lists || !this.isListed(path)) return null
    return { slots: this.lists.slots, start: this.listStart[path], end: this.listEnd[path] }
  }

  /** Whether what may come after a path is listed; then the list is aimed. One search of the hierarchy more where it is not. */
  private isListed(path: number): boolean {
    if (this.listStart[path] === UNLISTED && this.searches[path]++ >= this.searchedFirst) this.list(path)
    if (this.listStart[path] < 0) return false
    if (this.listTurns[path] === this.turn) return true
    this.lists!.aim(this.listStart[path], this.listEnd[path], this.numbers, PATH_SIZE * path)
    this.listTurns[path] = this.turn
    return true
  }

  private list(path: number): void {
    const { prism, lists, axis, cone } = this
    this.listStart[path] = OPEN
    if (!prism || !lists) return
    this.turnAxis(path)
    if (!prism.search(this.facet[path], axis[0], axis[1], axis[2], cone.spread)) return
    const start = lists.add(prism.slots, prism.count)
    for (let i = start; i < lists.length; i++)
      lists.next[i] = this.table[this.place(path, this.scene.order[lists.slots[i]])]
    this.listStart[path] = start
    this.listEnd[path] = lists.length
    this.listTurns[path] = 0
  }

  /** Follows the cone's axis along a path. */
  private turnAxis(path: number): void {
    const { axis, cone } = this
    const { normals } = this.scene
    if (this.parent[path] >= 0) this.turnAxis(this.parent[path])
    else for (let c = 0; c < 3; c++) axis[c] = cone.d[c]
    const n = 4 * this.facet[path]
    const twice = 2 * (normals[n] * axis[0] + normals[n + 1] * axis[1] + normals[n + 2] * axis[2])
    for (let c = 0; c < 3; c++) axis[c] -= twice * normals[n + c]
  }

  /** Adds the path that goes on from another (-1: from the radar) to facet f. */
  private grow(parent: number, f: number): number {
    const path = this.used++
    if (path === this.facet.length) {
      this.facet = longer(this.facet, 2 * path)
      this.surfaceKey = longer(this.surfaceKey, 2 * path)
      this.facetKey = longer(this.facetKey, 2 * path)
      this.numbers = longer(this.numbers, 2 * path * PATH_SIZE)
      this.parent = longer(this.parent, 2 * path)
      this.searches = longer(this.searches, 2 * path)
      this.turns = longer(this.turns, 2 * path)
      this.listTurns = longer(this.listTurns, 2 * path)
      this.listStart = longer(this.listStart, 2 * path)
      this.listEnd = longer(this.listEnd, 2 * path)
    }
    const { surface } = this.scene
    this.facet[path] = f
    this.parent[path] = parent
    this.surfaceKey[path] = hashStep(parent < 0 ? HASH_START : this.surfaceKey[parent], surface[f])
    this.facetKey[path] = hashStep(parent < 0 ? HASH_START : this.facetKey[parent], f)
    this.searches[path] = 0
    this.listStart[path] = UNLISTED
    return this.renumber(path)
  }

  /** Computes a path's numbers for the incidence at hand, from its parent's. */
  private renumber(path: number): number {
    const { normals } = this.scene
    const { numbers, d } = this
    const parent = this.parent[path]
    const from = PATH_SIZE * parent
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
    const at = PATH_SIZE * path
    numbers[at] = dx - 2 * nd * nx
    numbers[at + 1] = dy - 2 * nd * ny
    numbers[at + 2] = dz - 2 * nd * nz
    numbers[at + 3] = nx
    numbers[at + 4] = ny
    numbers[at + 5] = nz
    numbers[at + 6] = side * normals[4 * f + 3]
    numbers[at + 7] = nd
    this.turns[path] = this.turn
    return path
  }

  /** Where the path from `parent` to facet f stands in the table, or is to be put. */
  private place(parent: number, f: number): number {
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
    for (const path of old) if (path >= 0) this.table[this.place(this.parent[path], this.facet[path])] = path
  }

  private forget(): void {
    this.used = this.hashed = 0
    if (this.lists) this.lists.length = 0
    this.roots.fill(-1)
    this.table.fill(-1)
  }
}

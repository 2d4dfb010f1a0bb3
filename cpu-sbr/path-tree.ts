import { HASH_START, hashStep, insideFacet, RayCaster, type RayScene } from '../scene/index.js'
import { PrismQuery } from './prism.js'

/** Searches of the hierarchy after a path before what can come next is listed; a list costs as much as some of them. */
const SEARCHED_FIRST = 40
/** Paths kept by default: some 30 MB with their lists. */
const MOST_PATHS = 2 ** 17
const UNLISTED = -1
/** Too many facets to list. */
const OPEN = -2
/** Numbers of a path: direction after its last hit; normal there on the side met, its plane's constant, cosine of incidence. */
export const PATH_SIZE = 8

/**
 * The specular paths of one incidence as a tree. Rays that have met the same facets so far are parallel, so that what they can
 * meet next stands in one prism (`PrismQuery`): it is searched for once, and the rays that follow test that list alone. Their
 * arithmetic is the search's (`RayCaster`), and so are the facets that they meet, to the last ray (docs/ray-engine.md, "On the processor").
 */
export class PathTree {
  /** Last facet of a path. */
  facet = new Int32Array(1024)
  /** Identify the sequences of surfaces and of facets. */
  surfaceKey = new Uint32Array(1024)
  facetKey = new Uint32Array(1024)
  /** PATH_SIZE numbers per path. */
  numbers = new Float64Array(1024 * PATH_SIZE)
  private parent = new Int32Array(1024)
  private searches = new Uint8Array(1024)
  /** Where the list of what may come next begins and ends in `slots`, for `lists`. */
  listStart = new Int32Array(1024)
  listEnd = new Int32Array(1024)
  private used = 0

  /** Lists: leaf slot, cosine of its facet with the rays, where it begins along them, and the path that goes on there (-1: none yet). */
  slots = new Int32Array(4096)
  private cosines = new Float64Array(4096)
  private depths = new Float64Array(4096)
  private next = new Int32Array(4096)
  private listed = 0

  /** Path of a single facet; -1: none yet. */
  private readonly roots: Int32Array
  /** Paths that go on from such as have no list, open addressing by parent and facet; -1: empty. */
  private table = new Int32Array(4096).fill(-1)
  private hashed = 0

  /** Lists of what may stand between a facet and the receiver. */
  private readonly sightStart: Int32Array
  private readonly sightEnd: Int32Array
  private readonly sightSearches: Uint8Array
  private sightSlots = new Int32Array(4096)
  private sightCosines = new Float64Array(4096)
  private sighted = 0

  private readonly s: Float64Array
  private readonly caster: RayCaster

  /**
   * @param d  incidence, unit
   * @param s  direction of the receiver, unit
   * @param prism  what lists are made with; null: every ray searches the hierarchy
   * @param most  paths kept; beyond these all are forgotten, and the tree grows anew
   */
  constructor(
    private readonly scene: RayScene,
    private readonly d: ArrayLike<number>,
    s: ArrayLike<number>,
    private readonly prism: PrismQuery | null,
    private readonly most = MOST_PATHS,
  ) {
    this.s = Float64Array.from(s)
    this.caster = new RayCaster(scene)
    this.roots = new Int32Array(scene.count).fill(-1)
    this.sightStart = new Int32Array(scene.count).fill(prism ? UNLISTED : OPEN)
    this.sightEnd = new Int32Array(scene.count)
    this.sightSearches = new Uint8Array(scene.count)
  }

  /** Path of the rays that meet facet f first. Those asked for before may be forgotten by it. */
  root(f: number): number {
    const path = this.roots[f]
    if (path >= 0) return path
    if (this.used >= this.most) this.forget()
    const { d } = this
    return (this.roots[f] = this.grow(-1, f, d[0], d[1], d[2]))
  }

  /**
   * Path of a ray that goes on from a hit that ends `path`, hits[at ... at + 2], lifted off its facet, by the facet that it meets
   * next; -1: none. (Coordinates stay in their array: as arguments each would be an object of its own.)
   */
  follow(path: number, hits: Float64Array, at: number): number {
    const { numbers } = this
    const ox = hits[at]
    const oy = hits[at + 1]
    const oz = hits[at + 2]
    const dx = numbers[PATH_SIZE * path]
    const dy = numbers[PATH_SIZE * path + 1]
    const dz = numbers[PATH_SIZE * path + 2]
    if (this.listStart[path] === UNLISTED) this.consider(path, dx, dy, dz)
    if (this.listStart[path] >= 0) {
      const { planes, order } = this.scene
      const { slots, cosines, depths } = this
      const end = this.listEnd[path]
      const depth = ox * dx + oy * dy + oz * dz
      let best = Infinity
      let found = -1
      for (let i = this.listStart[path]; i < end && depths[i] <= depth + best; i++) {
        const p = 12 * slots[i]
        const t = (planes[p + 3] - planes[p] * ox - planes[p + 1] * oy - planes[p + 2] * oz) / cosines[i]
        if (!(t > 0 && t <= best)) continue
        const x = ox + t * dx
        const y = oy + t * dy
        const z = oz + t * dz
        if (!insideFacet(planes, p, x, y, z)) continue
        if (t === best && order[slots[i]] > order[slots[found]]) continue
        best = t
        found = i
      }
      if (found < 0) return -1
      const known = this.next[found]
      if (known >= 0) return known
      return (this.next[found] = this.grow(path, order[slots[found]], dx, dy, dz))
    }
    if (!this.caster.nearest(ox, oy, oz, dx, dy, dz, this.facet[path])) return -1
    const f = this.caster.facet
    const place = this.place(path, f)
    if (this.table[place] >= 0) return this.table[place]
    const child = this.grow(path, f, dx, dy, dz)
    this.table[place] = child
    if (4 * ++this.hashed > 3 * this.table.length) this.rehash()
    return child
  }

  /** Whether what may come after a path is listed. */
  lists(path: number): boolean {
    if (this.listStart[path] === UNLISTED) {
      const { numbers } = this
      const at = PATH_SIZE * path
      this.consider(path, numbers[at], numbers[at + 1], numbers[at + 2])
    }
    return this.listStart[path] >= 0
  }

  /** Whether a ray as for `follow` meets anything. */
  goesOn(path: number, hits: Float64Array, at: number): boolean {
    const { numbers } = this
    const dx = numbers[PATH_SIZE * path]
    const dy = numbers[PATH_SIZE * path + 1]
    const dz = numbers[PATH_SIZE * path + 2]
    if (this.listStart[path] === UNLISTED) this.consider(path, dx, dy, dz)
    if (this.listStart[path] < 0)
      return this.caster.occluded(hits[at], hits[at + 1], hits[at + 2], dx, dy, dz, this.facet[path])
    const { slots, cosines } = this
    return this.blocked(
      slots,
      cosines,
      this.listStart[path],
      this.listEnd[path],
      hits,
      at,
      numbers,
      PATH_SIZE * path,
    )
  }

  /** Whether the receiver is seen from a hit on facet f, hits[at ... at + 2], lifted to the side that faces it. */
  sees(f: number, hits: Float64Array, at: number): boolean {
    const { prism, sightSearches, s } = this
    if (prism && this.sightStart[f] === UNLISTED && sightSearches[f]++ >= SEARCHED_FIRST) {
      if (prism.search(f, s[0], s[1], s[2])) {
        const start = this.sighted
        const end = (this.sighted += prism.count)
        if (end > this.sightSlots.length) {
          this.sightSlots = longer(this.sightSlots, 2 * end)
          this.sightCosines = longer(this.sightCosines, 2 * end)
        }
        for (let i = 0; i < prism.count; i++) {
          this.sightSlots[start + i] = prism.slots[i]
          this.sightCosines[start + i] = prism.cosines[i]
        }
        this.sightStart[f] = start
        this.sightEnd[f] = end
      } else this.sightStart[f] = OPEN
    }
    const start = this.sightStart[f]
    if (start < 0) return !this.caster.occluded(hits[at], hits[at + 1], hits[at + 2], s[0], s[1], s[2], f)
    return !this.blocked(this.sightSlots, this.sightCosines, start, this.sightEnd[f], hits, at, s, 0)
  }

  /** Whether anything listed stands in the way from o[at ... at + 2] along d[to ... to + 2]. */
  private blocked(
    slots: Int32Array,
    cosines: Float64Array,
    start: number,
    end: number,
    o: Float64Array,
    at: number,
    d: Float64Array,
    to: number,
  ): boolean {
    const { planes } = this.scene
    const ox = o[at]
    const oy = o[at + 1]
    const oz = o[at + 2]
    const dx = d[to]
    const dy = d[to + 1]
    const dz = d[to + 2]
    for (let i = start; i < end; i++) {
      const p = 12 * slots[i]
      const t = (planes[p + 3] - planes[p] * ox - planes[p + 1] * oy - planes[p + 2] * oz) / cosines[i]
      if (!(t > 0)) continue
      const x = ox + t * dx
      const y = oy + t * dy
      const z = oz + t * dz
      const u = planes[p + 4] * x + planes[p + 5] * y + planes[p + 6] * z + planes[p + 7]
      if (u < 0) continue
      const v = planes[p + 8] * x + planes[p + 9] * y + planes[p + 10] * z + planes[p + 11]
      if (v >= 0 && u + v <= 1) return true
    }
    return false
  }

  /** Lists what may come after a path, once it has been searched for often enough. */
  private consider(path: number, dx: number, dy: number, dz: number): void {
    const { prism } = this
    if (!prism || this.searches[path]++ < SEARCHED_FIRST) return
    if (!prism.search(this.facet[path], dx, dy, dz)) {
      this.listStart[path] = OPEN
      return
    }
    const start = this.listed
    const end = (this.listed += prism.count)
    if (end > this.slots.length) {
      this.slots = longer(this.slots, 2 * end)
      this.cosines = longer(this.cosines, 2 * end)
      this.depths = longer(this.depths, 2 * end)
      this.next = longer(this.next, 2 * end)
    }
    for (let i = 0; i < prism.count; i++) {
      this.slots[start + i] = prism.slots[i]
      this.cosines[start + i] = prism.cosines[i]
      this.depths[start + i] = prism.depths[i]
      this.next[start + i] = this.table[this.place(path, this.scene.order[prism.slots[i]])]
    }
    this.listStart[path] = start
    this.listEnd[path] = end
  }

  /** Adds the path that goes on from another (-1: from the radar), along unit (dx, dy, dz), to facet f. */
  private grow(parent: number, f: number, dx: number, dy: number, dz: number): number {
    const path = this.used++
    if (path === this.facet.length) {
      this.facet = longer(this.facet, 2 * path)
      this.surfaceKey = longer(this.surfaceKey, 2 * path)
      this.facetKey = longer(this.facetKey, 2 * path)
      this.numbers = longer(this.numbers, 2 * path * PATH_SIZE)
      this.parent = longer(this.parent, 2 * path)
      this.searches = longer(this.searches, 2 * path)
      this.listStart = longer(this.listStart, 2 * path)
      this.listEnd = longer(this.listEnd, 2 * path)
    }
    const { normals, surface } = this.scene
    let nx = normals[4 * f]
    let ny = normals[4 * f + 1]
    let nz = normals[4 * f + 2]
    let nd = nx * dx + ny * dy + nz * dz
    const side = nd > 0 ? -1 : 1
    nx *= side
    ny *= side
    nz *= side
    nd *= side
    const { numbers } = this
    const at = PATH_SIZE * path
    numbers[at] = dx - 2 * nd * nx
    numbers[at + 1] = dy - 2 * nd * ny
    numbers[at + 2] = dz - 2 * nd * nz
    numbers[at + 3] = nx
    numbers[at + 4] = ny
    numbers[at + 5] = nz
    numbers[at + 6] = side * normals[4 * f + 3]
    numbers[at + 7] = nd
    this.facet[path] = f
    this.parent[path] = parent
    this.surfaceKey[path] = hashStep(parent < 0 ? HASH_START : this.surfaceKey[parent], surface[f])
    this.facetKey[path] = hashStep(parent < 0 ? HASH_START : this.facetKey[parent], f)
    this.searches[path] = 0
    this.listStart[path] = UNLISTED
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
    this.used = this.listed = this.hashed = 0
    this.roots.fill(-1)
    this.table.fill(-1)
  }
}

function longer<T extends Int32Array | Uint32Array | Uint8Array | Float64Array>(array: T, length: number): T {
  const copy = new (array.constructor as new (length: number) => T)(length)
  copy.set(array)
  return copy
}

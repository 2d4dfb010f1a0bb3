import { RayCaster, type RayScene } from '../rays/index.js'
import { FacetLists } from './facet-lists.js'
import type { PrismQuery } from './prism.js'

/** Searches of the BVH before a list is made in their place; it costs as much as some of them, and serves longer where it is for a cone. */
export const searchedFirst = (spread: number): number => (spread > 0 ? 16 : 40)

const UNLISTED = -1
/** Too many facets to list. */
const OPEN = -2

/** What may stand between a facet and a distant receiver in any direction within a cone; for one of them at a time (`aim`). */
export class SightLists {
  private readonly start: Int32Array
  private readonly end: Int32Array
  private readonly searches: Uint8Array
  /** Generation in which a list was aimed. */
  private readonly generations: Uint32Array
  private generation = 1
  private readonly lists: FacetLists | null
  private readonly caster: RayCaster
  private readonly searchedFirst: number
  private readonly spread: number = 0.5

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

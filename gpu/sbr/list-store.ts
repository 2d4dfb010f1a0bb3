import type { SbrJob } from '../../scene/index.js'
import {
  batchTiles,
  createLists,
  destroyLists,
  listCapacities,
  type ListRoom,
  type Lists,
  moreRoom,
  roomFor,
  USUAL_ROOM,
} from './lists.js'

/** Tiles of a batch where memory allows: 2048 x 2048 tubes, the default sub-grid; of adaptive tubes, most of which lie in tiles without a ray, more. */
const BATCH_TILES = 16384
const ADAPTIVE_TILES = 2 ** 18
const DEFAULT_LIST_MEMORY = 1.75 * 2 ** 30

/** What an aspect is given: lists, the room they were made with, and tiles of a batch at the most. */
export interface TakenLists {
  lists: Lists
  room: ListRoom
  tiles: number
}

/** The lists that the aspects of an engine share, and what is known of how long they have to be. */
export class ListStore {
  private lists: Lists | null = null
  private bounces = 0
  private room = USUAL_ROOM
  private batchLimit = BATCH_TILES
  private adaptiveLimit = ADAPTIVE_TILES

  /**
   * @param facets  of the target
   * @param listed  of which the candidates of reflected rays are listed: all or none
   * @param memory  bytes that all lists may take
   */
  constructor(
    private readonly device: GPUDevice,
    private readonly facets: number,
    private readonly listed: number,
    private readonly memory = DEFAULT_LIST_MEMORY,
  ) {}

  /** Lists for an aspect of so many tiles; those that others still use live until these are done. */
  take(job: SbrJob, tiles: number): TakenLists {
    const { device, facets, listed, memory, room } = this
    const { options, band } = job
    const look = job.look !== undefined
    const limit = options.adaptive ? this.adaptiveLimit : this.batchLimit
    const binding = device.limits.maxStorageBufferBindingSize
    const wanted = Math.min(limit, tiles)
    const most = batchTiles(wanted, facets, listed, options, band.n, look, room, binding, memory)
    const needed = listCapacities(most, facets, listed, options, band.n, look, room)
    const have = this.lists?.capacities
    const enough = have && (Object.keys(needed) as (keyof typeof needed)[]).every((k) => have[k] >= needed[k])
    if (!enough || this.bounces !== options.maxBounces) {
      if (this.lists) destroyLists(this.lists)
      this.lists = createLists(device, needed, options.maxBounces)
      this.bounces = options.maxBounces
    }
    return { lists: this.lists!, room, tiles: most }
  }

  /**
   * Sets longer lists for the aspects to come where those of a finished one were full, and smaller batches where they cannot grow.
   * @param batches  counters of its batches
   */
  learn({ options }: SbrJob, batches: Uint32Array[], { lists, room, tiles }: TakenLists): void {
    const needed = roomFor(batches, lists.capacities, room)
    // Aspects that were on the way meanwhile may have asked for more.
    if (needed.room !== room) this.room = moreRoom(this.room, needed.room)
    if (!needed.smaller) return
    const smaller = Math.max(1, Math.floor(tiles / 2))
    if (options.adaptive) this.adaptiveLimit = Math.min(smaller, this.adaptiveLimit)
    else this.batchLimit = Math.min(smaller, this.batchLimit)
  }
}

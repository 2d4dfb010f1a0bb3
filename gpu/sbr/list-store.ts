import type { SbrJob } from '../../rays/index.js'
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

/** Tiles of a batch where memory allows: 2048 x 2048 tubes, the default sub-grid. */
const BATCH_TILES = 16384
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
  /** Words of the longest path. */
  private longest = 0
  private room = USUAL_ROOM
  private batchLimit = BATCH_TILES

  /**
   * @param listed  facets of which the candidates of reflected rays are listed: all or none
   * @param memory  bytes that all lists may take
   */
  constructor(
    private readonly device: GPUDevice,
    private readonly listed: number,
    private readonly memory = DEFAULT_LIST_MEMORY,
  ) {}

  /**
   * Lists for an aspect of so many tiles; those that others still use live until these are done.
   * @param pathWords  of a target with sheets: words of a path at the most
   */
  take(job: SbrJob, tiles: number, materialNodes = 0, pathWords = 0): TakenLists {
    const { device, listed, memory, room } = this
    const { band } = job
    const options = { ...job.options, longestPath: pathWords || job.options.maxBounces }
    const extrapolates = job.extrapolation !== undefined
    const binding = device.limits.maxStorageBufferBindingSize
    const wanted = Math.min(this.batchLimit, tiles)
    const most = batchTiles(
      wanted,
      listed,
      options,
      band.n,
      extrapolates,
      room,
      binding,
      memory,
      materialNodes,
    )
    const needed = listCapacities(most, listed, options, band.n, extrapolates, room, materialNodes)
    const have = this.lists?.capacities
    const enough = have && (Object.keys(needed) as (keyof typeof needed)[]).every((k) => have[k] >= needed[k])
    if (!enough || this.longest !== options.longestPath) {
      if (this.lists) destroyLists(this.lists)
      this.lists = createLists(device, needed, options.longestPath)
      this.longest = options.longestPath
    }
    return { lists: this.lists!, room, tiles: most }
  }

  /**
   * Sets longer lists for the aspects to come where those of a finished one were full, and smaller batches where they cannot grow.
   * @param batches  counters of its batches
   */
  learn(batches: Uint32Array[], { lists, room, tiles }: TakenLists): void {
    const needed = roomFor(batches, lists.capacities, room)
    // Aspects that were in flight meanwhile may have asked for more.
    if (needed.room !== room) this.room = moreRoom(this.room, needed.room)
    if (!needed.smaller) return
    this.batchLimit = Math.min(Math.max(1, Math.floor(tiles / 2)), this.batchLimit)
  }
}

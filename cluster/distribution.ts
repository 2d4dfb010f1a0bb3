import type { Aperture, TileRange } from '../rays/index.js'
import {
  adjustPartition,
  type AdjustOptions,
  leafTiles,
  type Partition,
  uniformPartition,
} from './partition.js'

/**
 * How aspects are assigned to workers: `pull`, whole to the next free worker; `cyclic`, whole by round robin; `aperture`, each
 * divided among all workers by the dynamic partition of its aperture; `uniform`, likewise by the uniform partition; `auto`,
 * pull, with aperture for the remainder of the aspects divided by the number of workers.
 */
export const DISTRIBUTIONS = ['auto', 'pull', 'cyclic', 'aperture', 'uniform'] as const
export type Distribution = (typeof DISTRIBUTIONS)[number]

/** Whole to a worker, or to any worker where null; or divided among all. */
export type Assignment = { worker: number | null } | 'shared'

/** Assignment of aspect number `ordinal` of `total`. */
export function assignmentOf(
  distribution: Distribution,
  ordinal: number,
  total: number,
  workers: number,
): Assignment {
  switch (distribution) {
    case 'aperture':
    case 'uniform':
      return 'shared'
    case 'cyclic':
      return { worker: ordinal % workers }
    case 'pull':
      return { worker: null }
    case 'auto':
      return workers > 1 && ordinal >= total - (total % workers) ? 'shared' : { worker: null }
  }
}

/** Parts of an aspect's aperture, one per worker; null where a worker gets none. */
export interface Shares {
  workers: readonly string[]
  tiles: (TileRange | null)[]
  partition: Partition
}

/**
 * The partition of a sweep's aperture from aspect to aspect. Where several aspects are in flight, each follows the latest
 * finished one. When the set of workers changes, it starts again from a uniform partition.
 */
export class SharedAperture {
  private workers = ''
  private partition: Partition | null = null

  /** @param adjust  null: uniform at every aspect */
  constructor(private readonly adjust: AdjustOptions | null) {}

  share(aperture: Aperture, workers: readonly string[]): Shares {
    const key = workers.join()
    if (!this.partition || key !== this.workers)
      this.partition = uniformPartition(workers.length, aperture.tilesI / aperture.tilesJ)
    this.workers = key
    return { workers, tiles: leafTiles(this.partition, aperture), partition: this.partition }
  }

  /** Adjusts the partition to the times [s] of an aspect's parts, in the order of its workers. */
  learn({ workers, partition }: Shares, seconds: readonly number[]): void {
    if (this.adjust && workers.join() === this.workers)
      this.partition = adjustPartition(partition, seconds, this.adjust)
  }
}

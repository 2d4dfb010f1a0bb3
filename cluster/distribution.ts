import type { Aperture, TileRange } from '../rays/index.js'
import {
  adjustPartition,
  type AdjustOptions,
  leafTiles,
  type Partition,
  uniformPartition,
} from './partition.js'

/**
 * How aspects are given to workers: `pull`, whole to whoever is free; `cyclic`, whole in turn; `aperture`, each shared out
 * among all workers by the dynamic partition of its aperture; `uniform`, likewise by the uniform one; `auto`, pull, and
 * aperture for the aspects left over when every worker has had as many as the others.
 */
export const DISTRIBUTIONS = ['auto', 'pull', 'cyclic', 'aperture', 'uniform'] as const
export type Distribution = (typeof DISTRIBUTIONS)[number]

/** Whole to a worker, or to anyone where null; or shared out. */
export type Place = { worker: number | null } | 'shared'

/** The place of aspect number `ordinal` of `total`, with so many workers. */
export function placeOf(distribution: Distribution, ordinal: number, total: number, workers: number): Place {
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

/** Parts of an angle's aperture, one per worker; null where a worker gets none. */
export interface Shares {
  workers: readonly string[]
  tiles: (TileRange | null)[]
  partition: Partition
}

/**
 * The partition of a sweep's aperture from angle to angle. Where several angles are under way at once each follows the
 * latest one that is finished. Other workers than before begin with a uniform partition.
 */
export class SharedAperture {
  private workers = ''
  private partition: Partition | null = null

  /** @param adjust  null: uniform at every angle */
  constructor(private readonly adjust: AdjustOptions | null) {}

  share(aperture: Aperture, workers: readonly string[]): Shares {
    const key = workers.join()
    if (!this.partition || key !== this.workers)
      this.partition = uniformPartition(workers.length, aperture.tilesI / aperture.tilesJ)
    this.workers = key
    return { workers, tiles: leafTiles(this.partition, aperture), partition: this.partition }
  }

  /** Takes in the times [s] of an angle's parts, in the order of its workers. */
  learn({ workers, partition }: Shares, seconds: readonly number[]): void {
    if (this.adjust && workers.join() === this.workers)
      this.partition = adjustPartition(partition, seconds, this.adjust)
  }
}

import { setMaxListeners } from 'node:events'
import { Piscina } from 'piscina'
import { type FaultOptions, PoolWatch, retirePool, watchLoading } from '../../scene/index.js'
import type { ChipTask } from './chip.js'
import { type TimedChips, timedChips } from './worker.js'

/** Forms images on `workers` threads, or inline on the calling thread (0), with the same results. */
export class ChipPool {
  private readonly pool: Piscina<ChipTask, TimedChips> | null
  private readonly watch: PoolWatch<ChipTask, TimedChips> | null

  /** @param faults  who is told of threads that fail, and when one hangs */
  constructor(workers: number, faults: FaultOptions) {
    const pool =
      workers > 0
        ? watchLoading(
            new Piscina<ChipTask, TimedChips>({
              filename: new URL('./worker.js', import.meta.url).href,
              // All from the start: threads that come and go with the work would be ended before they have settled.
              minThreads: workers,
              maxThreads: workers,
            }),
          )
        : null
    this.pool = pool
    this.watch =
      pool &&
      new PoolWatch<ChipTask, TimedChips>((task, signal) => pool.run(task, { signal }), {
        what: 'images',
        threads: workers,
        ...faults,
      })
  }

  /** Rejects with the signal's reason, or with what failed twice. */
  async form(task: ChipTask, signal?: AbortSignal): Promise<TimedChips> {
    if (!this.watch) return timedChips(task)
    // Every image on the way listens to the one signal.
    if (signal) setMaxListeners(0, signal)
    return this.watch.run(task, signal)
  }

  /** Waits for what is under way, and ends the threads. */
  async close(): Promise<void> {
    await this.watch?.idle()
    await retirePool(this.pool)
  }
}

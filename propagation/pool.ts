import { setMaxListeners } from 'node:events'
import { Piscina } from 'piscina'
import { retirePool, watchLoading } from '../scene/index.js'
import { type DiffractionResult, type DiffractionTask, runDiffractionTask } from './diffraction.js'
import type { PropagationSetup } from './setup.js'
import { type PropagationTask, type PropagationTaskResult, runPropagationTask } from './task.js'

/** Runs tasks on `workers` threads, or inline on the calling thread (0), with the same results. */
export class PropagationPool {
  private readonly pool: Piscina | null

  constructor(
    private readonly setup: PropagationSetup,
    workers: number,
  ) {
    this.pool =
      workers > 0
        ? watchLoading(
            new Piscina({
              filename: new URL('./worker.js', import.meta.url).href,
              workerData: setup,
              minThreads: workers,
              maxThreads: workers,
            }),
          )
        : null
  }

  async trace(task: PropagationTask, signal?: AbortSignal): Promise<PropagationTaskResult> {
    if (!this.pool) return runPropagationTask(this.setup, task)
    return (await this.pool.run(task, options(signal))) as PropagationTaskResult
  }

  async diffract(task: DiffractionTask, signal?: AbortSignal): Promise<DiffractionResult> {
    if (!this.pool) return runDiffractionTask(this.setup, task)
    return (await this.pool.run(task, { ...options(signal), name: 'diffract' })) as DiffractionResult
  }

  async close(): Promise<void> {
    await retirePool(this.pool)
  }
}

function options(signal?: AbortSignal): { signal?: AbortSignal } {
  // Every task on the way listens to the one signal.
  if (signal) setMaxListeners(0, signal)
  return signal ? { signal } : {}
}

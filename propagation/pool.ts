import { setMaxListeners } from 'node:events'
import { Piscina } from 'piscina'
import { type FaultOptions, PoolWatch, retirePool, watchLoading } from '../scene/index.js'
import { type DiffractionResult, type DiffractionTask, runDiffractionTask } from './diffraction.js'
import type { PropagationSetup } from './setup.js'
import { type PropagationTask, type PropagationTaskResult, runPropagationTask } from './task.js'

/** A task and, where it is not the threads' main one, what it is called. */
interface Job {
  task: PropagationTask | DiffractionTask
  name?: 'diffract'
}

/** Runs tasks on `workers` threads, or inline on the calling thread (0), with the same results. */
export class PropagationPool {
  private readonly pool: Piscina | null
  private readonly watch: PoolWatch<Job, unknown> | null

  /** @param faults  who is told of threads that fail, and when one hangs */
  constructor(
    private readonly setup: PropagationSetup,
    workers: number,
    faults: FaultOptions,
  ) {
    const pool =
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
    this.pool = pool
    this.watch =
      pool &&
      new PoolWatch(({ task, name }, signal) => pool.run(task, name ? { signal, name } : { signal }), {
        what: 'propagation',
        threads: workers,
        ...faults,
      })
  }

  async trace(task: PropagationTask, signal?: AbortSignal): Promise<PropagationTaskResult> {
    if (!this.watch) return runPropagationTask(this.setup, task)
    return (await this.watch.run({ task }, listenable(signal))) as PropagationTaskResult
  }

  async diffract(task: DiffractionTask, signal?: AbortSignal): Promise<DiffractionResult> {
    if (!this.watch) return runDiffractionTask(this.setup, task)
    return (await this.watch.run({ task, name: 'diffract' }, listenable(signal))) as DiffractionResult
  }

  async close(): Promise<void> {
    await this.watch?.idle()
    await retirePool(this.pool)
  }
}

/** Every task on the way listens to the one signal. */
function listenable(signal?: AbortSignal): AbortSignal | undefined {
  if (signal) setMaxListeners(0, signal)
  return signal
}

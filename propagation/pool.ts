import { type FaultOptions, WorkerPool } from '../parallel/worker-pool.js'
import { type DiffractionResult, type DiffractionTask, runDiffractionTask } from './diffraction.js'
import type { PropagationSetup } from './setup.js'
import { type PropagationTask, type PropagationTaskResult, runPropagationTask } from './task.js'

/** Rays of a batch of the launch to trace, or edges to diffract at. */
export type PropagationWork = PropagationTask | DiffractionTask

export const runWork = (
  setup: PropagationSetup,
  task: PropagationWork,
): PropagationTaskResult | DiffractionResult =>
  'batch' in task ? runPropagationTask(setup, task) : runDiffractionTask(setup, task)

/** Runs tasks on `workers` threads, or inline on the calling thread (0), with the same results. */
export class PropagationPool {
  private readonly pool: WorkerPool<PropagationWork, PropagationTaskResult | DiffractionResult>

  /** @param faults  who is told of threads that fail, and when one hangs */
  constructor(setup: PropagationSetup, workers: number, faults: FaultOptions) {
    this.pool = new WorkerPool({
      what: 'propagation',
      workers,
      module: new URL('./worker.js', import.meta.url),
      data: setup,
      inline: (task) => runWork(setup, task),
      ...faults,
    })
  }

  trace(task: PropagationTask, signal?: AbortSignal): Promise<PropagationTaskResult> {
    return this.pool.run(task, signal) as Promise<PropagationTaskResult>
  }

  diffract(task: DiffractionTask, signal?: AbortSignal): Promise<DiffractionResult> {
    return this.pool.run(task, signal) as Promise<DiffractionResult>
  }

  close(): Promise<void> {
    return this.pool.close()
  }
}

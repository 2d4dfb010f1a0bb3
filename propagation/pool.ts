import { type FaultOptions, WorkerPool } from '../parallel/worker-pool.js'
import type { PropagationSetup } from './setup.js'
import type { TaskResult } from './sums.js'
import { type PropagationTask, runTask } from './task.js'

/**
 * Runs tasks on `workers` threads, or inline on the calling thread (0), with the same results.
 * @param faults  who is told of threads that fail, and when one hangs
 */
export const propagationPool = (
  setup: PropagationSetup,
  workers: number,
  faults: FaultOptions,
): WorkerPool<PropagationTask, TaskResult> =>
  new WorkerPool({
    what: 'propagation',
    workers,
    module: new URL('./worker.js', import.meta.url),
    data: setup,
    inline: (task) => runTask(setup, task),
    ...faults,
  })

import { type FaultOptions, WorkerPool } from '../parallel/worker-pool.js'
import { launchBatches } from './paths/geodesic.js'
import type { PropagationSetup } from './setup.js'
import { newState, type PropagationState, type PropagationSums, type TaskResult, Total } from './sums.js'
import { diffractionTasks, listedSlots, type PropagationTask, propagationTasks } from './task.js'

/**
 * Runs tasks on `workers` threads, or inline on the calling thread (0), with the same results.
 * @param faults  reports threads that fail, and says when one hangs
 */
export const propagationPool = (
  setup: PropagationSetup,
  workers: number,
  faults: FaultOptions,
): WorkerPool<PropagationTask, TaskResult, PropagationSetup> =>
  new WorkerPool({
    what: 'propagation',
    workers,
    data: setup,
    tasks: propagationTasks,
    ...faults,
  })

/** Rays of a task: some tens of milliseconds of work. */
const TASK_RAYS = 8192

export interface PropagationRun {
  /** Subdivision n of the icosahedron: 10 n^2 + 2 rays. */
  subdivision: number
  /** Receivers, by number, whose paths are listed. */
  listed?: Iterable<number>
  /** Rays of a batch, about; never changes a byte. */
  batchRays?: number
  /** The run so far: the CPU leaves out the tasks done, and adds to it. The GPU begins again. */
  state?: PropagationState
}

/** Sums of every receiver, the paths listed, and what the run took [s]. */
export type PropagationResult = PropagationSums & { seconds: number }

/** Computes the propagation of one scene. */
export interface PropagationEngine {
  kind: 'cpu' | 'gpu'
  description: string
  /** Launches the rays and sums their paths. `progress` reports batches; rejects when the signal fires. */
  run(
    run: PropagationRun,
    progress?: (done: number, total: number) => void,
    signal?: AbortSignal,
  ): Promise<PropagationResult>
  /** Releases threads and device; nothing else may be called then. */
  close(): Promise<void>
}

/**
 * The double-precision engine on `workers` threads (0: inline, on the calling thread). The result does not depend on threads
 * or batches, nor a receiver's on the others, to the last bit.
 * @param faults  reports threads that fail, and says when one hangs
 */
export function createCpuPropagation(
  setup: PropagationSetup,
  workers: number,
  faults: FaultOptions = {},
): PropagationEngine {
  const pool = propagationPool(setup, workers, faults)
  return {
    kind: 'cpu',
    description: `cpu, double precision, ${workers || 'no'} worker thread${workers === 1 ? '' : 's'}`,
    async run({ subdivision, listed, batchRays = TASK_RAYS, state = newState(setup) }, progress, signal) {
      const start = performance.now()
      const marks = listed && listedSlots(setup, listed)
      const tasks = [
        ...launchBatches(subdivision, batchRays).map((batch) => ({ batch, ...(marks && { listed: marks }) })),
        ...diffractionTasks(setup, marks),
      ]
      const total = new Total(setup, state)
      await Promise.all(
        tasks.map(async (task, number) => {
          if (state.done.has(number)) return
          total.add(number, await pool.run(task, signal))
          signal?.throwIfAborted()
          progress?.(state.done.size, tasks.length)
        }),
      )
      return { ...total.finish(), seconds: (performance.now() - start) / 1000 }
    },
    close: () => pool.close(),
  }
}

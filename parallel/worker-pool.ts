import { setMaxListeners } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { Piscina } from 'piscina'
import { type Tasks, THREAD, type ThreadData } from './thread.js'
import { type FaultOptions, type Place, PoolWatch, retirePool, watchLoading } from './pool-watch.js'

export type { FaultOptions }

export interface WorkerPoolOptions<Task, Result, Data = undefined> extends FaultOptions {
  /** What the tasks are, for messages and for the threads' module (`src/thread.ts`). */
  what: string
  /** As `PoolWatchOptions.retry`. */
  retry?: boolean
  /** Threads; 0: tasks run on the calling thread, one by one. */
  workers: number
  /** The threads' module that are not of the product: its default export runs a task, its `workerData` is `ThreadData`. */
  module?: URL
  /** What every thread is given; arrays in shared memory are mapped, not copied. */
  data: Data
  /** What the threads' module finds by `what`, for the calling thread. */
  tasks: Tasks<Data, Task, Result>
  /** Tasks sent to a thread at once, so that it continues while the calling thread is blocked; the others are queued and can be dropped. Default 1. */
  tasksPerThread?: number
  /** Threads that are given tasks in the first seconds of work. Default all. */
  firstThreads?: number
}

type Balancer = NonNullable<NonNullable<ConstructorParameters<typeof Piscina>[0]>['loadBalancer']>

/** How long `firstThreads` work alone [ms] (decision 009). */
const FIRST_MS = 1500

/**
 * Runs tasks on worker threads or on the calling thread, with the same results. A task whose thread dies or hangs is run once more where it
 * may be (`PoolWatch`).
 */
export class WorkerPool<Task, Result, Data = undefined> {
  /** Threads that share the work: 1 where tasks run on the calling thread. */
  readonly threads: number
  /** E.g. `14 worker threads`, for descriptions of engines. */
  readonly description: string
  private readonly pool: Piscina<Task, Result> | null
  private readonly watch: PoolWatch<Task, Result>

  constructor(options: WorkerPoolOptions<Task, Result, Data>) {
    const {
      what,
      workers,
      module = THREAD,
      data,
      tasks,
      tasksPerThread = 1,
      firstThreads = workers,
    } = options
    this.threads = Math.max(1, workers)
    this.description = `${workers || 'no'} worker thread${workers === 1 ? '' : 's'}`
    const pool =
      workers > 0
        ? watchLoading(
            new Piscina<Task, Result>({
              filename: module.href,
              workerData: { what, data } satisfies ThreadData,
              // All from the start: threads that come and go with the work would be ended before they have settled.
              minThreads: workers,
              maxThreads: workers,
              concurrentTasksPerWorker: tasksPerThread,
              loadBalancer: balancer(tasksPerThread, firstThreads),
            }),
          )
        : null
    this.pool = pool
    let inline: ReturnType<typeof tasks> | undefined
    const start = async (task: Task, signal: AbortSignal): Promise<Result> => {
      if (pool) return pool.run(task, { signal })
      // Lets an abort or other events be handled between two tasks.
      await setImmediate()
      signal.throwIfAborted()
      inline ??= tasks(data)
      return inline(task)
    }
    this.watch = new PoolWatch(start, { ...options, threads: tasksPerThread * this.threads })
  }

  /** Rejects with the signal's reason, with InputError at once, with anything else where the task failed twice. */
  run(task: Task, signal?: AbortSignal, place?: Place): Promise<Result> {
    // Every running task listens to the one signal of its run.
    if (signal) setMaxListeners(0, signal)
    return this.watch.run(task, signal, place)
  }

  /** Waits for running tasks, some seconds at most, and ends the threads; nothing else may be called then. */
  async close(): Promise<void> {
    await this.watch.idle()
    await retirePool(this.pool)
  }
}

/** Piscina's own gives a thread no second task while its first can be aborted, as all here can. */
function balancer(tasksPerThread: number, firstThreads: number): Balancer {
  let began: number | undefined
  return (_task, workers) => {
    const now = performance.now()
    began ??= now
    const count = now - began < FIRST_MS ? firstThreads : workers.length
    let least: (typeof workers)[number] | null = null
    for (const worker of workers.slice(0, count))
      if (worker.currentUsage < (least?.currentUsage ?? tasksPerThread)) least = worker
    return least
  }
}

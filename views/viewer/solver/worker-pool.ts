import { type Place, PoolWatch } from '../../../parallel/pool-watch.js'
import type { ThreadData } from '../../../parallel/thread.js'
import type { WorkerPoolOptions } from '../../../parallel/worker-pool.js'
import { InputError } from '../../../scene/index.js'
import { setImmediate } from './node.js'

/** To a thread: its kind and scenes first, then tasks. */
export type ThreadRequest = ThreadData | { id: number; task: unknown }
/** The result of a task, or why there is none. */
export type ThreadAnswer = { id: number; result: unknown } | { id: number; message: string; isInput: boolean }

interface Waiting {
  task: unknown
  /** Of its run. */
  signal?: AbortSignal
  done: (result: never) => void
  fail: (error: Error) => void
}

/** Time for tasks of a stopped run to end by themselves, before their thread is ended: to start one takes as long [ms]. */
const PATIENCE_MS = 200

/** One web worker (thread.ts) and the tasks that it was sent. */
class Thread {
  readonly waiting = new Map<number, Waiting>()
  private worker: Worker
  private next = 0

  constructor(
    private readonly what: string,
    private readonly data: unknown,
  ) {
    this.worker = this.open()
  }

  run<Result>(task: unknown, signal?: AbortSignal): Promise<Result> {
    const id = this.next++
    const replaceLater = (): void =>
      void setTimeout(() => {
        if (this.waiting.has(id)) this.replace()
      }, PATIENCE_MS)
    signal?.addEventListener('abort', replaceLater, { once: true })
    const result = new Promise<Result>((done, fail) => this.waiting.set(id, { task, signal, done, fail }))
    this.send({ id, task })
    return result.finally(() => signal?.removeEventListener('abort', replaceLater))
  }

  close(): void {
    this.worker.terminate()
    this.waiting.clear()
  }

  private open(): Worker {
    const worker = new Worker(new URL('thread.ts', import.meta.url), { type: 'module' })
    worker.addEventListener('message', ({ data: answer }: MessageEvent<ThreadAnswer>) => {
      const task = this.waiting.get(answer.id)
      this.waiting.delete(answer.id)
      if ('result' in answer) task?.done(answer.result as never)
      else task?.fail(new (answer.isInput ? InputError : Error)(answer.message))
    })
    worker.addEventListener('error', (event) => {
      event.preventDefault()
      const error = new Error(event.message || 'a thread could not be loaded; reload the page')
      for (const { fail } of this.waiting.values()) fail(error)
      this.waiting.clear()
    })
    // Arrays in shared memory are mapped; where the page has none they are copied.
    worker.postMessage({ what: this.what, data: this.data } satisfies ThreadRequest, [])
    return worker
  }

  /** Ends the worker with the tasks of stopped runs, and gives a new one those of others. */
  private replace(): void {
    this.worker.terminate()
    this.worker = this.open()
    for (const [id, { task, signal, fail }] of this.waiting)
      if (signal?.aborted) {
        this.waiting.delete(id)
        fail(signal.reason as Error)
      } else this.send({ id, task })
  }

  private send(request: ThreadRequest): void {
    this.worker.postMessage(request, [])
  }
}

/** The pool of parallel/worker-pool.ts on web workers: the engines get it instead (vite.config.ts). Without workers its tasks run on the calling thread. */
export class WorkerPool<Task, Result, Data = undefined> {
  readonly threads: number
  readonly description: string
  private readonly pool: Thread[]
  private readonly watch: PoolWatch<{ task: Task; signal?: AbortSignal }, Result>

  constructor(options: WorkerPoolOptions<Task, Result, Data>) {
    const { what, data, workers, tasks, tasksPerThread = 1 } = options
    this.threads = Math.max(1, workers)
    this.description = `${workers || 'no'} web worker${workers === 1 ? '' : 's'}`
    this.pool = Array.from({ length: workers }, () => new Thread(what, data))
    let inline: ReturnType<typeof tasks> | undefined
    const start = async ({ task, signal }: { task: Task; signal?: AbortSignal }): Promise<Result> => {
      if (workers > 0)
        return this.pool.reduce((a, b) => (b.waiting.size < a.waiting.size ? b : a)).run(task, signal)
      // Lets a stop be handled between two tasks.
      await setImmediate()
      signal?.throwIfAborted()
      inline ??= tasks(data)
      return inline(task)
    }
    this.watch = new PoolWatch(start, { ...options, threads: tasksPerThread * this.threads })
  }

  run(task: Task, signal?: AbortSignal, place?: Place): Promise<Result> {
    return this.watch.run({ task, signal }, signal, place)
  }

  /** Ends the threads at once; nothing else may be called then. */
  close(): Promise<void> {
    for (const thread of this.pool) thread.close()
    return Promise.resolve()
  }
}

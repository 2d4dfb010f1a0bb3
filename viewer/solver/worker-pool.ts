import { type Place, PoolWatch } from '../../parallel/pool-watch.js'
import type { WorkerPoolOptions } from '../../parallel/worker-pool.js'
import { InputError } from '../../scene/index.js'

/** To a thread: its kind and scenes first, then tasks. */
export type ThreadRequest = { what: string; data: unknown } | { id: number; task: unknown }
/** The result of a task, or why there is none. */
export type ThreadAnswer = { id: number; result: unknown } | { id: number; message: string; isInput: boolean }

interface Waiting {
  done: (result: never) => void
  fail: (error: Error) => void
}

/** One web worker (site/thread.ts) and the tasks that it was sent. */
class Thread {
  readonly waiting = new Map<number, Waiting>()
  private readonly worker = new Worker(new URL('thread.ts', import.meta.url), { type: 'module' })
  private next = 0

  constructor(what: string, data: unknown) {
    this.worker.addEventListener('message', ({ data: answer }: MessageEvent<ThreadAnswer>) => {
      const task = this.waiting.get(answer.id)
      this.waiting.delete(answer.id)
      if ('result' in answer) task?.done(answer.result as never)
      else task?.fail(new (answer.isInput ? InputError : Error)(answer.message))
    })
    this.worker.addEventListener('error', (event) => {
      event.preventDefault()
      const error = new Error(event.message || 'a thread could not be loaded; reload the page')
      for (const { fail } of this.waiting.values()) fail(error)
      this.waiting.clear()
    })
    this.send({ what, data })
  }

  run<Result>(task: unknown): Promise<Result> {
    const id = this.next++
    return new Promise((done, fail) => {
      this.waiting.set(id, { done, fail })
      this.send({ id, task })
    })
  }

  close(): void {
    this.worker.terminate()
  }

  /** Arrays in shared memory are mapped; where the page has none they are copied. */
  private send(request: ThreadRequest): void {
    this.worker.postMessage(request, [])
  }
}

/** The pool of parallel/worker-pool.ts on web workers: the engines get it instead (../vite.config.ts). Its tasks never run inline. */
export class WorkerPool<Task, Result> {
  readonly threads: number
  readonly description: string
  private readonly pool: Thread[]
  private readonly watch: PoolWatch<Task, Result>

  constructor(options: WorkerPoolOptions<Task, Result>) {
    const { what, data, tasksPerThread = 1 } = options
    this.threads = Math.max(1, options.workers)
    this.description = `${this.threads} web worker${this.threads === 1 ? '' : 's'}`
    this.pool = Array.from({ length: this.threads }, () => new Thread(what, data))
    const start = (task: Task): Promise<Result> =>
      this.pool.reduce((a, b) => (b.waiting.size < a.waiting.size ? b : a)).run(task)
    this.watch = new PoolWatch(start, { ...options, threads: tasksPerThread * this.threads })
  }

  run(task: Task, signal?: AbortSignal, place?: Place): Promise<Result> {
    return this.watch.run(task, signal, place)
  }

  /** Ends the threads at once; nothing else may be called then. */
  close(): Promise<void> {
    for (const thread of this.pool) thread.close()
    return Promise.resolve()
  }
}

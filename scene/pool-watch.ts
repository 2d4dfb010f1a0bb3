import { InputError } from './errors.js'

/** Minutes without any task finishing after which the threads are taken to hang: a task is seconds of work at the most. */
const SILENCE_SECONDS = 600
/** Silence is counted in ticks, so that a process that was stopped as a whole does not take its own pause for a hang. */
const TICKS = 5

export interface PoolWatchOptions {
  /** What the tasks are, for messages. */
  what: string
  /** Told of tasks that failed and are tried again. */
  onFault?: (message: string) => void
  /** Seconds without any task finishing after which those under way are given up. */
  silence?: number
}

/**
 * Runs the tasks of a thread pool so that neither a thread that dies nor one that hangs costs the run: a task that fails
 * is tried once more, and where no task at all finishes for long those under way are given up (the pool ends their threads)
 * and tried once more. Tasks must be pure: the second try gives the bytes of the first.
 */
export class PoolWatch<Task, Result> {
  private readonly waiting = new Set<AbortController>()
  private timer: ReturnType<typeof setInterval> | null = null
  private silentTicks = 0
  /** Why tasks were given up last: told once for all of them. */
  private silent: Error | null = null

  /** @param start  hands a task to the pool, which ends the task's thread when the signal fires */
  constructor(
    private readonly start: (task: Task, signal: AbortSignal) => Promise<Result>,
    private readonly options: PoolWatchOptions,
  ) {}

  /** Rejects with the signal's reason, with InputError at once, with anything else at the second failure. */
  async run(task: Task, signal?: AbortSignal): Promise<Result> {
    try {
      return await this.attempt(task, signal)
    } catch (error) {
      if (signal?.aborted || error instanceof InputError) throw error
      const { what, onFault } = this.options
      if (error !== this.silent)
        onFault?.(`${what}: a worker failed (${(error as Error).message}); trying its part again`)
      return this.attempt(task, signal)
    }
  }

  private async attempt(task: Task, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted()
    const own = new AbortController()
    // AbortSignal.any would keep every task's signal for as long as the run's lives.
    const follow = (): void => own.abort(signal!.reason)
    signal?.addEventListener('abort', follow, { once: true })
    this.waiting.add(own)
    this.timer ??= setInterval(() => this.tick(), (1000 * this.silence) / TICKS)
    try {
      const result = await this.start(task, own.signal)
      this.silentTicks = 0
      return result
    } catch (error) {
      throw own.signal.aborted ? own.signal.reason : error
    } finally {
      signal?.removeEventListener('abort', follow)
      this.waiting.delete(own)
      if (this.waiting.size === 0) this.stop()
    }
  }

  private get silence(): number {
    return this.options.silence ?? SILENCE_SECONDS
  }

  private tick(): void {
    if (++this.silentTicks <= TICKS) return
    this.silentTicks = 0
    const { what, onFault } = this.options
    this.silent = new Error(`${what}: the worker threads gave no result for ${this.silence} s`)
    onFault?.(`${this.silent.message}; ending them and trying their parts again`)
    for (const task of this.waiting) task.abort(this.silent)
  }

  private stop(): void {
    if (this.timer) clearInterval(this.timer)
    this.timer = null
    this.silentTicks = 0
  }
}

/** Time that V8 needs to finish compiling what the last tasks made worth it, and the longest wait for threads to load [ms]. */
const SETTLING = 50
const LOADING = 5000

/** What a pool of worker threads says of itself. */
interface Pool {
  readonly threads: { once: (event: string, listener: () => void) => unknown }[]
  destroy: () => Promise<void>
}

const loading = new WeakMap<Pool, Promise<unknown>>()

/** To be called as soon as a pool is made: from now on it is known when its threads have loaded their modules (their first message). */
export function watchLoading<P extends Pool>(pool: P): P {
  const loaded = pool.threads.map(
    (thread) =>
      new Promise<void>((done) => {
        thread.once('message', done)
        thread.once('exit', done)
      }),
  )
  loading.set(pool, Promise.all(loaded))
  return pool
}

/**
 * Ends a pool's idle threads. Not at once: Node 20 aborts the process where a thread is terminated while it still loads its
 * modules (`ModuleWrap::InstantiateSync`) or V8 compiles for it in the background (`NodePlatform::ForIsolate`).
 */
export async function retirePool(pool: Pool | null | undefined): Promise<void> {
  if (!pool) return
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise((resolve) => (timer = setTimeout(resolve, LOADING)))
  await Promise.race([loading.get(pool), late])
  clearTimeout(timer)
  await new Promise((resolve) => setTimeout(resolve, SETTLING))
  await pool.destroy()
}

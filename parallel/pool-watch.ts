import { InputError } from '../scene/index.js'

/** Time without any task finishing after which the threads count as hung [s]: a task is some seconds of work at most. */
const SILENCE_SECONDS = 600
/** Silence is counted in ticks, so that a suspended process does not mistake its own pause for a hang. */
const TICKS = 5
/** Longest wait for threads to load, to finish or to end [ms]. */
const PATIENCE = 5000

export interface PoolWatchOptions {
  /** What the tasks are, for messages. */
  what: string
  /** Whether a task that fails is tried once more; default true. Tasks that change their data in place cannot be. */
  retry?: boolean
  /** Called for tasks that failed and are tried again. */
  onFault?: (message: string) => void
  /** Most tasks that run at the same time; no limit where absent. */
  threads?: number
  /** Seconds without any task finishing after which those running are given up. */
  silence?: number
}

/** Where a task stands among those of its batch, 0 to 1: a thread takes those nearest its own place, from the first batch that has any left. */
export interface Place {
  batch: object
  at: number
}

/** Options of the watch that a pool's caller sets. */
export type FaultOptions = Omit<PoolWatchOptions, 'what' | 'threads' | 'retry'>

/**
 * Runs the tasks of a thread pool so that a run survives threads that die or hang: a task that fails is tried once more,
 * and where no task finishes for `silence` seconds those running are given up (the pool ends their threads) and tried
 * once more, unless `retry` is false. Such tasks must be pure: the second try gives the bytes of the first.
 *
 * Cancelling a run ends no thread, which Node 20 would not always survive (`retirePool`): queued tasks are dropped, running ones
 * end by themselves (`idle`).
 */
export class PoolWatch<Task, Result> {
  private readonly running = new Map<AbortController, Promise<unknown>>()
  /** Tasks that wait for a thread, in order: what begins each in a free slot, and where it stands. */
  private readonly queue = new Map<(slot: number) => void, Place | undefined>()
  /** Slots of running tasks that are free. With one task a thread a slot is a thread: the one that has just ended its task takes the next. */
  private readonly free: number[]
  private timer: ReturnType<typeof setInterval> | null = null
  private silentTicks = 0
  /** Why tasks were given up last: reported once for all of them. */
  private silent: Error | null = null

  /** @param start  hands a task to the pool, which ends the task's thread when the signal fires */
  constructor(
    private readonly start: (task: Task, signal: AbortSignal) => Promise<Result>,
    private readonly options: PoolWatchOptions,
  ) {
    this.free = Array.from({ length: options.threads ?? 0 }, (_, i) => i).reverse()
  }

  /** Rejects with the signal's reason, with InputError at once, with anything else at the second failure. */
  async run(task: Task, signal?: AbortSignal, place?: Place): Promise<Result> {
    try {
      return await this.attempt(task, signal, place)
    } catch (error) {
      const { what, onFault, retry = true } = this.options
      if (signal?.aborted || error instanceof InputError || !retry) throw error
      if (error !== this.silent)
        onFault?.(`${what}: a worker failed (${(error as Error).message}); trying its part again`)
      return this.attempt(task, signal, place)
    }
  }

  /** Resolves when no task is running, those of cancelled runs included; after some seconds in any case. */
  async idle(): Promise<void> {
    await within(PATIENCE, [...this.running.values()])
  }

  private async attempt(task: Task, signal?: AbortSignal, place?: Place): Promise<Result> {
    signal?.throwIfAborted()
    // AbortSignal.any would keep every task's signal for as long as the run's lives.
    let cancelled = (): void => {}
    let begin: (slot: number) => void = () => {}
    const off = new Promise<never>((_, reject) => {
      cancelled = () => {
        this.queue.delete(begin)
        reject(signal!.reason as Error)
      }
    })
    signal?.addEventListener('abort', cancelled, { once: true })
    try {
      let slot = this.free.pop()
      if (slot === undefined && this.options.threads !== undefined) {
        const given = new Promise<number>((done) => (begin = done))
        this.queue.set(begin, place)
        slot = await Promise.race([given, off])
      }
      return await Promise.race([this.begin(task, slot), off])
    } finally {
      signal?.removeEventListener('abort', cancelled)
    }
  }

  private begin(task: Task, slot?: number): Promise<Result> {
    const own = new AbortController()
    this.timer ??= setInterval(() => this.tick(), (1000 * this.silence) / TICKS)
    const work = this.start(task, own.signal).then(
      (result) => {
        this.silentTicks = 0
        this.end(own, slot)
        return result
      },
      (error) => {
        this.end(own, slot)
        throw own.signal.aborted ? own.signal.reason : error
      },
    )
    // The result of a cancelled run has no reader.
    const settled = work.catch(() => {})
    this.running.set(own, settled)
    return work
  }

  private end(own: AbortController, slot?: number): void {
    this.running.delete(own)
    const next = slot === undefined ? undefined : this.nextFor(slot)
    if (next) {
      this.queue.delete(next)
      next(slot!)
      return
    }
    if (slot !== undefined) this.free.push(slot)
    if (this.running.size === 0) this.stop()
  }

  /** What begins the task that a free slot takes next. */
  private nextFor(slot: number): ((slot: number) => void) | undefined {
    const own = slot / Math.max(1, this.options.threads! - 1)
    const [first] = this.queue
    if (!first?.[1]) return first?.[0]
    const { batch } = first[1]
    let nearest = first
    let least = Infinity
    for (const entry of this.queue) {
      const place = entry[1]
      const distance = place?.batch === batch ? Math.abs(place.at - own) : Infinity
      if (distance < least) [nearest, least] = [entry, distance]
    }
    return nearest[0]
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
    for (const task of this.running.keys()) task.abort(this.silent)
  }

  private stop(): void {
    if (this.timer) clearInterval(this.timer)
    this.timer = null
    this.silentTicks = 0
  }
}

/** Time that V8 needs to finish compiling what the last tasks made worth it [ms]. */
const SETTLING = 50

/** A thread as its pool hands it out. */
interface Thread {
  once: (event: string, listener: () => void) => unknown
}

/** The part of a pool of worker threads that is used here. */
interface Pool {
  readonly threads: Thread[]
  on: (event: 'workerDestroy' | 'error', listener: () => void) => unknown
  destroy: () => Promise<void>
}

/** Of each thread that a pool ever had: when it has loaded, and when it has ended. */
type ThreadWatch = Map<Thread, { loaded: Promise<void>; ended: Promise<void> }>

const watched = new WeakMap<Pool, ThreadWatch>()

/**
 * To be called as soon as a pool is made: records when its threads, and those that replace ended threads, have loaded their
 * modules (their first message) and when they have ended. Answers to tasks that were given up are ignored; other failures
 * reject their tasks.
 */
export function watchLoading<P extends Pool>(pool: P): P {
  const threads: ThreadWatch = new Map()
  const watchNew = (): void => {
    for (const thread of pool.threads)
      if (!threads.has(thread)) {
        const ended = new Promise<void>((done) => thread.once('exit', done))
        const spoken = new Promise<void>((done) => thread.once('message', done))
        threads.set(thread, { loaded: Promise.race([spoken, ended]), ended })
      }
  }
  watchNew()
  // The pool starts the new thread right after the event of the old one.
  pool.on('workerDestroy', () => queueMicrotask(watchNew))
  pool.on('error', () => {})
  watched.set(pool, threads)
  return pool
}

/**
 * Ends a pool's idle threads and waits until they and all before them are gone. Not at once: Node 20 aborts the process where a
 * thread is terminated while it still loads its modules (`ModuleWrap::InstantiateSync`) or V8 compiles for it in the
 * background (`NodePlatform::ForIsolate`).
 */
export async function retirePool(pool: Pool | null | undefined): Promise<void> {
  if (!pool) return
  const threads = [...(watched.get(pool)?.values() ?? [])]
  await within(
    PATIENCE,
    threads.map(({ loaded }) => loaded),
  )
  await new Promise((resolve) => setTimeout(resolve, SETTLING))
  await pool.destroy()
  await within(
    PATIENCE,
    threads.map(({ ended }) => ended),
  )
}

/** Waits for all of them, at most `longest` milliseconds. */
async function within(longest: number, all: Promise<unknown>[]): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise((resolve) => (timer = setTimeout(resolve, longest)))
  await Promise.race([Promise.all(all), late])
  clearTimeout(timer)
}

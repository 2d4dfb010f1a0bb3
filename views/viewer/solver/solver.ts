import { InputError } from '../../../scene/index.js'
import type { RaysData } from '../../server/manifest.js'
import type {
  Answer,
  DoneAnswer,
  MeshGiven,
  PlanAnswer,
  RaysAspect,
  Request,
  RunEvents,
  RunSweep,
  SolveOptions,
  TargetAnswer,
} from './messages.js'

interface Waiting extends RunEvents {
  done: (answer: never) => void
  fail: (error: Error) => void
}

type WithoutId<R> = R extends unknown ? Omit<R, 'id'> : never

/** A run that was asked to stop. */
export class Stopped extends Error {}

const REASONS = { stopped: Stopped, input: InputError, failed: Error }

/** The page's interface to the solver (worker.ts): one target at a time; runs wait for each other. */
export class Solver {
  private readonly worker = new Worker(new URL('worker.ts', import.meta.url), { type: 'module' })
  private readonly waiting = new Map<number, Waiting>()
  private next = 0

  constructor() {
    this.worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => this.onAnswer(data))
    this.worker.addEventListener('error', (event) => {
      event.preventDefault()
      this.failAll(new Error(event.message || 'the solver could not be loaded; reload the page'))
    })
  }

  /** Reads and prepares a target; runs of the last one end. Rejects for an unusable mesh. */
  open(given: MeshGiven): Promise<TargetAnswer> {
    return this.ask({ kind: 'open', given })
  }

  /** Rejects with `Stopped` where the signal stops it, with InputError for what is impossible, or with the solver's failure. */
  solve(
    sweep: RunSweep,
    options: SolveOptions,
    events: RunEvents = {},
    signal?: AbortSignal,
  ): Promise<DoneAnswer> {
    const id = this.next
    const done = this.ask<DoneAnswer>({ kind: 'solve', sweep, options }, events)
    const stop = (): void => this.worker.postMessage({ id, kind: 'stop' } satisfies Request, [])
    if (signal?.aborted) stop()
    signal?.addEventListener('abort', stop, { once: true })
    return done.finally(() => signal?.removeEventListener('abort', stop))
  }

  /** What a run would take. Rejects with InputError for what is impossible. */
  plan(sweep: RunSweep, options: SolveOptions): Promise<PlanAnswer> {
    return this.ask({ kind: 'plan', sweep, options })
  }

  /** Traces the rays behind hot spots. */
  async rays(aspect: RaysAspect, options: SolveOptions): Promise<RaysData> {
    return (await this.ask<{ rays: RaysData }>({ kind: 'rays', aspect, options })).rays
  }

  /** Ends the worker and what it holds; requests are rejected. */
  close(): void {
    this.worker.terminate()
    this.failAll(new Stopped('the solver was closed'))
  }

  private ask<A>(request: WithoutId<Request>, events: RunEvents = {}): Promise<A> {
    const id = this.next++
    return new Promise<A>((done, fail) => {
      this.waiting.set(id, { done, fail, ...events })
      // Arrays are copied: the page draws them too.
      this.worker.postMessage({ ...request, id }, [])
    })
  }

  private onAnswer(answer: Answer): void {
    const request = this.waiting.get(answer.id)
    if (answer.kind === 'started') return request?.onStarted?.(answer)
    if (answer.kind === 'row') return request?.onRow?.(answer)
    if (answer.kind === 'part') return request?.onPart?.(answer)
    this.waiting.delete(answer.id)
    if (answer.kind !== 'refused') request?.done(answer as never)
    else request?.fail(new REASONS[answer.why](answer.message))
  }

  private failAll(error: Error): void {
    for (const { fail } of this.waiting.values()) fail(error)
    this.waiting.clear()
  }
}

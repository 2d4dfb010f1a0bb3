import type { Mesh } from '../../scene/index.js'
import type { Angles } from './angles.js'
import type { Answer, Opened, Request, Solved } from './messages.js'
import type { DirectionSolver } from './sweep.js'

/** Target of the solver. */
export interface SolverTarget {
  mesh: Mesh
  maxWedgeAngleDeg: number
}

/** The page's interface to the solver's worker: its GPU, its target, requests and answers. */
export class LiveSolver implements DirectionSolver {
  /** Resolves when the solver is ready; rejects with the reason when it cannot be. */
  readonly opened: Promise<Opened>
  /** Rejects when the solver ends: no usable GPU, or one that was lost. */
  readonly failure: Promise<never>
  private readonly worker: Worker
  private readonly waiting = new Map<number, { done: (s: Solved) => void; fail: (e: Error) => void }>()
  private fail!: (error: Error) => void
  private next = 0

  constructor({ mesh, maxWedgeAngleDeg }: SolverTarget) {
    this.failure = new Promise((_, fail) => (this.fail = fail))
    this.failure.catch(() => {})
    this.worker = new Worker(new URL('worker.ts', import.meta.url), { type: 'module' })
    const first = new Promise<Opened>((done) =>
      this.worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => this.onAnswer(data, done)),
    )
    this.opened = Promise.race([first, this.failure])
    this.opened.catch(() => {})
    this.worker.addEventListener('error', (event) => {
      event.preventDefault()
      this.fail(new Error(event.message || 'the solver could not be loaded; reload the page'))
    })
    this.send({ kind: 'open', mesh, maxWedgeAngleDeg })
  }

  /**
   * Amplitudes seen from directions (theta, phi) [degrees]. Rejects when a direction fails or the solver ends.
   */
  solve(freqHz: number, directions: readonly Angles[]): Promise<Solved> {
    const id = this.next++
    const solved = new Promise<Solved>((done, fail) => this.waiting.set(id, { done, fail }))
    this.send({ kind: 'solve', id, freqHz, anglesDeg: directions.flat() })
    return Promise.race([solved, this.failure])
  }

  /** Ends the worker and releases its GPU resources. Pending requests are rejected. */
  close(): void {
    this.worker.terminate()
    this.fail(new Error('the solver was closed'))
  }

  private send(request: Request): void {
    // The mesh is copied: the page draws it too.
    this.worker.postMessage(request, [])
  }

  private onAnswer(answer: Answer, opened: (o: Opened) => void): void {
    if (answer.kind === 'opened') return opened(answer)
    if (answer.kind === 'failed') return this.fail(new Error(answer.message))
    const request = this.waiting.get(answer.id)
    this.waiting.delete(answer.id)
    if (answer.kind === 'solved') request?.done(answer)
    else request?.fail(new Error(answer.message))
  }
}

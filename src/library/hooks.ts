import { setImmediate } from 'node:timers/promises'

/** How far a call has got. */
export interface Progress {
  /** What is under way: preparing the target, solving it aspect by aspect (or rays by batches), forming images, finding centres. */
  phase: 'target' | 'solve' | 'images' | 'centres'
  /** Units of the phase that are finished, and all of them (of centres, the most there can be): aspects, batches of rays, images. */
  done: number
  total: number
}

/** What every call of the library takes besides its own options. */
export interface CallOptions {
  /**
   * Ends the call: its promise rejects with the signal's reason (an `AbortError` unless another was given) once threads and GPU
   * are released.
   */
  signal?: AbortSignal
  /** Told of every step; must not throw. */
  onProgress?: (progress: Progress) => void
  /** Told of each warning when it is known, e.g. a worker thread that failed and whose part is computed again. */
  onWarning?: (message: string) => void
}

/** Names of the call options. */
export const CALL_OPTIONS = [
  'signal',
  'onProgress',
  'onWarning',
] as const satisfies readonly (keyof CallOptions)[]

/** The hooks of one call: they collect its warnings. */
export class Hooks {
  readonly warnings: string[] = []

  constructor(private readonly options: CallOptions) {
    this.check()
  }

  get signal(): AbortSignal | undefined {
    return this.options.signal
  }

  /** @throws the signal's reason where the call is to end */
  check(): void {
    this.options.signal?.throwIfAborted()
  }

  progress(phase: Progress['phase'], done: number, total: number): void {
    this.options.onProgress?.({ phase, done, total })
  }

  /** Progress of work on this thread, which then lets others come in. @throws the signal's reason */
  async step(phase: Progress['phase'], done: number, total: number): Promise<void> {
    this.progress(phase, done, total)
    await setImmediate()
    this.check()
  }

  warn(message: string): void {
    this.warnings.push(message)
    this.options.onWarning?.(message)
  }
}

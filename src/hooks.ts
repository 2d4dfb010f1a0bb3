import { setImmediate } from 'node:timers/promises'
import type { RunPlan } from './run-plan.js'
import type { SelfCheck } from './self-check.js'

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

/** What the command line prints besides. */
export interface RunEvents {
  /** What a setting is called in messages; its name where absent. */
  nameOf?: (setting: string) => string
  /** What is worth knowing and nothing wrong. */
  onNote?: (what: string, message: string) => void
  /** The run is about to begin with its first aspect. */
  onPlan?: (plan: RunPlan) => void
  onCheck?: (check: SelfCheck) => void
}

/** Who is told how a call gets on, and may end it; collects the call's warnings. */
export class Hooks {
  readonly warnings: string[] = []

  constructor(readonly to: CallOptions & RunEvents) {
    this.check()
  }

  get signal(): AbortSignal | undefined {
    return this.to.signal
  }

  /** @throws the signal's reason where the call is to end */
  check(): void {
    this.to.signal?.throwIfAborted()
  }

  progress(phase: Progress['phase'], done: number, total: number): void {
    this.to.onProgress?.({ phase, done, total })
  }

  /** Progress of work on this thread, which then lets others come in. @throws the signal's reason */
  async step(phase: Progress['phase'], done: number, total: number): Promise<void> {
    this.progress(phase, done, total)
    await setImmediate()
    this.check()
  }

  warn(message: string): void {
    this.warnings.push(message)
    this.to.onWarning?.(message)
  }

  nameOf(setting: string): string {
    return this.to.nameOf?.(setting) ?? setting
  }
}

import { setImmediate } from 'node:timers/promises'
import type { SecondOrder } from '../cpu-diffraction/index.js'
import type { AdjustOptions, Distribution } from './cluster/plan.js'
import type { RunEstimate } from './estimate.js'
import type { LoadedTarget } from './loaded-target.js'
import type { SelfCheck } from './self-check.js'
import type { ResolvedSettings } from './settings/settings.js'
import type { OpenEngines } from './solver.js'
import type { SweepJob } from './sweep/index.js'

/** Progress of a call. */
export interface Progress {
  /** Current phase: preparing the target, solving it aspect by aspect (or rays by batches), forming images, finding centres. */
  phase: 'target' | 'solve' | 'images' | 'centres'
  /** Finished units of the phase, and all of them (of centres, the maximum): aspects, batches of rays, images. */
  done: number
  total: number
  /** What is counted, where it is not aspects. */
  what?: string
  /** Time that the phase still takes, from the aspects finished so far [s]; only while solving, once there are some. */
  secondsLeft?: number
}

/** Options that every call of the library takes. */
export interface CallOptions {
  /**
   * Ends the call: its promise rejects with the signal's reason (an `AbortError` unless another was given) once threads and GPU
   * are released.
   */
  signal?: AbortSignal
  /** Called at every step; must not throw. */
  onProgress?: (progress: Progress) => void
  /** Called with each warning as it occurs, e.g. a worker thread that failed and whose part is computed again. */
  onWarning?: (message: string) => void
}

/** Names of the call options. */
export const CALL_OPTIONS = [
  'signal',
  'onProgress',
  'onWarning',
] as const satisfies readonly (keyof CallOptions)[]

/** Further events, which the command line prints. */
export interface RunEvents {
  /** Name of a setting in messages; the setting's own name where absent. */
  nameOf?: (setting: string) => string
  /** Information that is no warning. */
  onNote?: (what: string, message: string) => void
  onCheck?: (check: SelfCheck) => void
  /** So many aspects say that the estimate of the time was wrong: the whole sweep takes `seconds`. */
  onEstimate?: (seconds: number, aspects: number) => void
}

/** Reports a call's progress, ends it on request, and collects its warnings. */
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

  progress(phase: Progress['phase'], done: number, total: number, secondsLeft?: number, what?: string): void {
    this.to.onProgress?.({
      phase,
      done,
      total,
      ...(what !== undefined && { what }),
      ...(secondsLeft !== undefined && { secondsLeft }),
    })
  }

  /** Reports progress of work on this thread, then yields to the event loop. @throws the signal's reason */
  async step(phase: Progress['phase'], done: number, total: number): Promise<void> {
    this.progress(phase, done, total)
    await setImmediate()
    this.check()
  }

  warn(message: string): void {
    this.warnings.push(message)
    this.to.onWarning?.(message)
  }

  /** @param what  a word at the head of its line */
  note(what: string, message: string): void {
    this.to.onNote?.(what, message)
  }

  nameOf(setting: string): string {
    return this.to.nameOf?.(setting) ?? setting
  }
}

/** A cluster that does the work of a run. Here, since the library's types lead here: none of Redis. */
export interface ClusterRequest {
  /** Of the Redis server. */
  url: string
  distribute: Distribution
  adjust: AdjustOptions
  /** Time limit of a worker for a part of an aspect [s]. */
  unitSeconds: number
}

export interface RunSettings extends ResolvedSettings {
  /** See `Engines.coarser`. */
  coarser?: readonly number[]
  /** See `Engines.orderChange`. */
  orderChange?: boolean
  /** The cluster that does the work; absent for local runs. */
  cluster?: ClusterRequest
}

/** Settings of a run of a target that is known (`withSecondOrder`). */
export type TargetSettings = RunSettings & { secondOrder: SecondOrder[] }

/** What a caller is told before the first unit is computed. */
export interface JobPlan {
  /** What is kept if the job ends now, like `3 of 30 aspects`; null for nothing. */
  kept: () => string | null
}

/** What is known of a run before its first aspect. */
export interface RunPlan extends JobPlan {
  target: LoadedTarget
  job: SweepJob
  settings: TargetSettings
  engines: OpenEngines
  estimate: RunEstimate
  /** That another method suits the target better; null where nothing is to be said. */
  advice: string | null
  /** Rows computed so far; grows during the run. */
  rows: ReadonlyMap<number, Float64Array>
}

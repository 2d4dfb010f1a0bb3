import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { SecondOrder } from '../cpu-diffraction/index.js'
import type { AdjustOptions, Distribution } from './cluster/partition.js'
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
interface RunEvents {
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

/** Where a job keeps what it has finished: rows, sums, shards, cases. */
export interface Store<Kept, Shape = void> {
  /** Called before any thread starts. @throws InputError where results exist already */
  check?: () => void
  /** What is kept under this key. @throws InputError, AlreadyComplete */
  open: (key: string, shape: Shape) => Promise<Kept>
  /**
   * Closes the store after a failure; what is finished stays for a run that resumes. Absent where it is in memory alone.
   * @param error  why
   */
  close?: (error: unknown) => void | Promise<void>
}

/** Where a job's results go, and who is told of its progress. */
export interface Caller<Kept, Shape, Plan extends JobPlan> {
  store: Store<Kept, Shape>
  hooks: Hooks
  /** Further entries of the record of options. */
  record?: Record<string, unknown>
  /** Called once before the first unit; ends the job by throwing. */
  onPlan?: (plan: Plan) => void
}

/** One piece of work with its engines open. */
export interface Job<Kept, Shape, Plan extends JobPlan, Result> {
  /** Identifies it: an interrupted job continues with the same alone. */
  key: unknown
  /** Of what it keeps. */
  shape: Shape
  /** What is odd about input, device or plan. */
  warnings: readonly string[]
  /** What is known before the first unit; made only where a caller asks for it. */
  plan: (kept: Kept) => Plan | Promise<Plan>
  /** Computes the units that are missing, keeps each as soon as it is finished, and reports progress. */
  solve: (kept: Kept) => Promise<void>
  /** The result of all units. @param key  identifies it for a run that resumes; empty where nothing is kept */
  finish: (kept: Kept, key: { key?: string }) => Result | Promise<Result>
  /** Ends threads and releases the device. */
  close: () => Promise<void>
}

/** Identifies what is computed, as text of 64 letters. */
export const keyOf = (identity: unknown): string =>
  createHash('sha256').update(JSON.stringify(identity)).digest('hex')

/**
 * Runs a job: checks the place of its results, opens the engines, claims the place, reports the plan, computes what is missing, closes. Every
 * command and call of the library that computes goes through here.
 * @returns its result, and a promise that settles when threads have ended and the device is released
 * @throws InputError for an impossible job, AlreadyComplete, the signal's reason, or the engines' failure; threads have ended then
 */
export async function runJob<Kept, Shape, Plan extends JobPlan, Result>(
  open: () => Promise<Job<Kept, Shape, Plan, Result>>,
  { store, hooks, onPlan }: Caller<Kept, Shape, Plan>,
): Promise<{ result: Result; closed: Promise<void> }> {
  hooks.check()
  store.check?.()
  const job = await open()
  let kept: { what: Kept } | undefined
  try {
    hooks.check()
    const key = keyOf(job.key)
    kept = { what: await store.open(key, job.shape) }
    for (const line of job.warnings) hooks.warn(line)
    if (onPlan) onPlan(await job.plan(kept.what))
    await job.solve(kept.what)
    const result = await job.finish(kept.what, store.close ? { key } : {})
    // Threads and device are released while the caller processes the result.
    const closed = job.close()
    closed.catch(() => {})
    return { result, closed }
  } catch (error) {
    if (kept) await store.close?.(error)
    await job.close()
    // A pool's tasks fail with an error of their own.
    hooks.check()
    throw error
  }
}

/** The same, and waits until everything is released. */
export async function runWholeJob<Kept, Shape, Plan extends JobPlan, Result>(
  open: () => Promise<Job<Kept, Shape, Plan, Result>>,
  caller: Caller<Kept, Shape, Plan>,
): Promise<Result> {
  const { result, closed } = await runJob(open, caller)
  await closed
  return result
}

import { createHash } from 'node:crypto'
import type { Hooks, JobPlan } from './hooks.js'

export type { JobPlan }

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

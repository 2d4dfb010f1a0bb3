import { Worker } from 'node:worker_threads'
import type { GpuContext, GpuError } from '../gpu/index.js'
import { InputError, type Unit } from '../scene/index.js'
import { mayHaveGpu, tryGpu } from './find-gpu.js'
import type { LoadedTarget } from './loaded-target.js'
import type { MaterialChoice } from './target-materials.js'

/** The arguments of `loadTarget`. */
export interface TargetRequest {
  path: string
  units: Unit
  smoothAngleDeg: number
  cache: string | null
  choice?: MaterialChoice
}

/** What the thread answers: the target, or why it refuses. */
export type TargetAnswer = { loaded: LoadedTarget } | { refusal: string }

/** A GPU that is being opened; see `tryGpu`. */
export type EarlyGpu = Promise<GpuContext | GpuError | null>

/** The GPU that is being opened, until an engine takes it. */
let early: EarlyGpu | null = null

/** The thread, until it has ended, and whether it has its target. */
let thread: { worker: Worker; ended: Promise<void>; asked: boolean } | null = null

/**
 * Starts a thread that will prepare a target, where there may be a GPU: it loads its modules while the calling thread loads its own.
 */
export function startTargetThread(): void {
  if (!mayHaveGpu()) return
  const worker = new Worker(new URL('./target-worker.js', import.meta.url))
  const ended = new Promise<void>((resolve) =>
    worker.once('exit', () => {
      thread = null
      resolve()
    }),
  )
  // Reported to whoever asks it for a target; where nobody does it does not matter.
  worker.on('error', () => {})
  thread = { worker, ended, asked: false }
}

/** Resolves when the thread has ended: a process must not end while a thread loads, which Node 20 does not always survive. */
export async function endTargetThread(): Promise<void> {
  if (thread && !thread.asked) thread.worker.postMessage(null, [])
  await thread?.ended
}

/**
 * The target, as `loadTarget` gives it, prepared by the thread that was started; the GPU is opened meanwhile, which holds the calling
 * thread for a quarter of a second. Null where no thread was started.
 */
export function prepareBeside(
  request: TargetRequest,
  hardwareOnly: boolean,
): { loaded: Promise<LoadedTarget>; gpu: EarlyGpu } | null {
  if (!thread || thread.asked) return null
  thread.asked = true
  const { worker } = thread
  const loaded = new Promise<LoadedTarget>((resolve, reject) => {
    worker.once('message', (answer: TargetAnswer) => {
      if ('refusal' in answer) reject(new InputError(answer.refusal))
      else resolve(answer.loaded)
    })
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the thread that prepares the target has ended')))
  })
  worker.postMessage(request, [])
  early = tryGpu(hardwareOnly)
  for (const promise of [loaded, early]) promise.catch(() => {})
  return { loaded, gpu: early }
}

/** The GPU that `prepareBeside` began to open, for one run's engines; null where it opened none, or another run has it. */
export function takeEarlyGpu(): EarlyGpu | null {
  const taken = early
  early = null
  return taken
}

import { Worker } from 'node:worker_threads'
import type { EdgeScene } from '../cpu-diffraction/index.js'
import type { GpuContext, GpuError } from '../gpu/index.js'
import { InputError, type Target, type Unit } from '../scene/index.js'
import { mayHaveGpu, tryGpu } from './find-gpu.js'
import type { LoadedTarget } from './loaded-target.js'
import type { MaterialChoice } from '../formats/index.js'
import { THREAD, type ThreadData } from '../parallel/thread.js'

/** The arguments of `loadTarget`, and of `buildEdgeScene` where edges are wanted. */
export interface TargetRequest {
  path: string
  units: Unit
  smoothAngleDeg: number
  cache: string | null
  choice?: MaterialChoice
  maxWedgeAngleDeg?: number
}

/** What the thread answers: the target, or why it refuses; after the target its edges where they are wanted. */
export type TargetAnswer = { loaded: LoadedTarget } | { edges: EdgeScene } | { refusal: string }

/** A GPU that is being opened; see `tryGpu`. */
export type EarlyGpu = Promise<GpuContext | GpuError | null>

/** The GPU that is being opened, until an engine takes it. */
let early: EarlyGpu | null = null

/** The edges of the target that is being prepared, until an engine takes them. */
let earlyEdges: { target: Promise<Target>; edges: Promise<EdgeScene>; maxWedgeAngleDeg: number } | null = null

/** The thread, until it has ended, and whether it has its target. */
let thread: { worker: Worker; ended: Promise<void>; asked: boolean } | null = null

/**
 * Starts a thread that will prepare a target, where there may be a GPU: it loads its modules while the calling thread loads its own (decision 010).
 */
export function startTargetThread(): void {
  if (!mayHaveGpu()) return
  const worker = new Worker(THREAD, { workerData: { what: 'target' } satisfies ThreadData })
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
  const loaded = answerOf(worker, (answer) => 'loaded' in answer && answer.loaded)
  const edges = answerOf(worker, (answer) => 'edges' in answer && answer.edges)
  const { maxWedgeAngleDeg } = request
  if (maxWedgeAngleDeg !== undefined)
    earlyEdges = { target: loaded.then(({ target }) => target), edges, maxWedgeAngleDeg }
  worker.postMessage(request, [])
  early = tryGpu(hardwareOnly)
  for (const promise of [loaded, edges, earlyEdges?.target, early]) promise?.catch(() => {})
  return { loaded, gpu: early }
}

/** What `take` finds in one of the thread's answers. Rejects with its refusal or failure. */
const answerOf = <T>(worker: Worker, take: (answer: TargetAnswer) => T | false): Promise<T> =>
  new Promise((resolve, reject) => {
    worker.on('message', (answer: TargetAnswer) => {
      const found = take(answer)
      if (found) resolve(found)
      else if ('refusal' in answer) reject(new InputError(answer.refusal))
    })
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the thread that prepares the target has ended')))
  })

/** The GPU that `prepareBeside` began to open, for one run's engines; null where it opened none, or another run has it. */
export function takeEarlyGpu(): EarlyGpu | null {
  const taken = early
  early = null
  return taken
}

/** The edges that `prepareBeside` has the thread find, where they are those of this target; null where they are not. */
export async function takeEarlyEdges(target: Target, maxWedgeAngleDeg: number): Promise<EdgeScene | null> {
  const taken = earlyEdges
  earlyEdges = null
  if (taken?.maxWedgeAngleDeg !== maxWedgeAngleDeg || (await taken.target) !== target) return null
  return taken.edges
}

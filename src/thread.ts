import { setImmediate } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'
import type { ThreadData } from '../parallel/thread.js'

/**
 * The tasks of all threads by what they are (`WorkerPoolOptions.what`). A thread loads the module of its own tasks alone, which the build makes a
 * bundle of (`bundle.mjs` reads this table).
 */
const TASKS: Record<string, () => Promise<(data: never) => unknown>> = {
  SBR: async () => (await import('../cpu-sbr/task.js')).sbrTasks,
  rasterising: async () => (await import('../cpu-sbr/raster/edges.js')).rasterTasks,
  'edge diffraction': async () => (await import('../cpu-diffraction/engine/task.js')).edgeTasks,
  'full wave': async () => (await import('../full-wave/task.js')).momentTasks,
  propagation: async () => (await import('../propagation/task.js')).propagationTasks,
  pulses: async () => (await import('../run/doppler/units.js')).pulseTasks,
  images: async () => (await import('../dataset/chip.js')).chipTasks,
  backprojection: async () => (await import('./imaging/solve.js')).backprojectionTasks,
  target: async () => (await import('../run/target-worker.js')).serveTarget,
}

const { what, data } = workerData as ThreadData
export default TASKS[what]().then((tasks) => {
  const run = tasks(data as never) as (task: unknown) => unknown
  return async (task: unknown): Promise<unknown> => {
    // A turn of the event loop each: of two tasks queued the first one's result is being sent before the second begins.
    await setImmediate()
    return run(task)
  }
})

import { setMaxListeners } from 'node:events'
import { Piscina } from 'piscina'
import {
  type AspectResult,
  exactGrid,
  fieldBound,
  finishField,
  fitAperture,
  type RayScene,
  type SbrEngine,
  type SbrJob,
  subGrids,
  tubeSide,
  withinGrid,
} from '../scene/index.js'
import { rowTasks, runSbrTask, type SbrTask, type SbrTaskResult } from './task.js'

/** Tubes per task: some tens of milliseconds of work. */
const TASK_TUBES = 16384

/**
 * The double-precision SBR engine, on `workers` threads (0: inline, on the calling thread). The result does not
 * depend on the number of workers or on the sub-grids, to the last bit. Busy times are per thread.
 *
 * @param subGrid  tubes along one side of a sub-grid, for `begin`
 */
export function createCpuEngine(
  scene: RayScene,
  facetArea: number,
  workers: number,
  subGrid = 2048,
): SbrEngine {
  const threads = Math.max(1, workers)
  const pool =
    workers > 0
      ? new Piscina<SbrTask, SbrTaskResult>({
          filename: new URL('./worker.js', import.meta.url).href,
          workerData: scene,
          minThreads: workers,
          maxThreads: workers,
        })
      : null

  const run = (tasks: SbrTask[], signal?: AbortSignal): Promise<SbrTaskResult[]> => {
    signal?.throwIfAborted()
    // Every task of every aspect on the way listens to the one signal.
    if (signal) setMaxListeners(0, signal)
    return pool
      ? Promise.all(tasks.map((task) => pool.run(task, signal ? { signal } : undefined)))
      : Promise.resolve(tasks.map((task) => runSbrTask(scene, task)))
  }
  const gridOf = (job: SbrJob): number => exactGrid(fieldBound(facetArea, job.options.maxBounces))

  return {
    description: `cpu, double precision, ${workers || 'no'} worker thread${workers === 1 ? '' : 's'}`,
    aspectsInFlight: 2,
    async aspect(job, signal) {
      const start = performance.now()
      const parts = await run(rowTasks(scene, job, gridOf(job), TASK_TUBES), signal)
      return gather(scene, job, [parts], threads, gridOf(job), start)
    },
    async begin(job, signal) {
      const start = performance.now()
      const parts = subGrids(fitAperture(scene, job.aspect.tx, tubeSide(job)), subGrid)
      const results: SbrTaskResult[][] = parts.map(() => [])
      return {
        parts,
        // A thread sums each tile's fields as soon as it is traced, so that both steps happen in the first.
        trace: async (part) => {
          results[part] = await run(rowTasks(scene, job, gridOf(job), TASK_TUBES, parts[part]), signal)
        },
        field: () => Promise.resolve(),
        finish: () => Promise.resolve(gather(scene, job, results, threads, gridOf(job), start)),
      }
    },
    async close() {
      await pool?.destroy()
    },
  }
}

function gather(
  scene: RayScene,
  job: SbrJob,
  parts: SbrTaskResult[][],
  threads: number,
  grid: number,
  start: number,
): AspectResult {
  const field = new Float64Array(8 * job.band.n)
  const result: AspectResult = {
    field,
    statistics: { tubes: 0, leaves: 0, contributions: 0 },
    partSeconds: parts.map(
      (tasks) => tasks.reduce((s, t) => s + t.traceSeconds + t.fieldSeconds, 0) / threads,
    ),
    times: { trace: 0, field: 0, reduction: 0, total: 0 },
  }
  for (const task of parts.flat()) {
    for (let i = 0; i < field.length; i++) field[i] += task.sum[i]
    for (const key of ['tubes', 'leaves', 'contributions'] as const)
      result.statistics[key] += task.statistics[key]
    result.times.trace += task.traceSeconds / threads
    result.times.field += task.fieldSeconds / threads
  }
  if (!withinGrid(field, grid)) throw new Error('SBR field sum out of range: please report this target')
  finishField(scene.origin, job, field)
  result.times.total = (performance.now() - start) / 1000
  return result
}

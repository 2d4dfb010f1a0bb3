import { setMaxListeners } from 'node:events'
import { Piscina } from 'piscina'
import { exactGrid, withinGrid } from '../scene/exact-sum.js'
import type { RayScene } from '../scene/ray-scene.js'
import { fieldBound, finishField, type AspectResult, type SbrEngine, type SbrJob } from '../scene/sbr.js'
import { rowTasks, runSbrTask, type SbrTaskResult } from './task.js'

/** Tubes per task: some tens of milliseconds of work. */
const TASK_TUBES = 16384

/**
 * The double-precision SBR engine, on `workers` threads (0: inline, on the calling thread). The result does not
 * depend on the number of workers, to the last bit.
 */
export function createCpuEngine(scene: RayScene, facetArea: number, workers: number): SbrEngine {
  const pool =
    workers > 0
      ? new Piscina<Parameters<typeof runSbrTask>[1], SbrTaskResult>({
          filename: new URL('./worker.js', import.meta.url).href,
          workerData: scene,
          minThreads: workers,
          maxThreads: workers,
        })
      : null
  return {
    description: `cpu, double precision, ${workers || 'no'} worker thread${workers === 1 ? '' : 's'}`,
    aspectsInFlight: 2,
    async aspect(job: SbrJob, signal?: AbortSignal): Promise<AspectResult> {
      const start = performance.now()
      // Every task of every aspect on the way listens to the one signal.
      if (signal) setMaxListeners(0, signal)
      const grid = exactGrid(fieldBound(facetArea, job.options.maxBounces))
      const tasks = rowTasks(scene, job, grid, TASK_TUBES)
      const parts = pool
        ? await Promise.all(tasks.map((task) => pool.run(task, signal ? { signal } : undefined)))
        : tasks.map((task) => runSbrTask(scene, task))
      return gather(scene, job, parts, grid, (performance.now() - start) / 1000)
    },
    async close() {
      await pool?.destroy()
    },
  }
}

function gather(
  scene: RayScene,
  job: SbrJob,
  parts: SbrTaskResult[],
  grid: number,
  seconds: number,
): AspectResult {
  const field = new Float64Array(8 * job.band.n)
  const result: AspectResult = {
    field,
    statistics: { tubes: 0, leaves: 0, contributions: 0 },
    times: { trace: 0, field: 0, reduction: 0, total: seconds },
  }
  for (const part of parts) {
    for (let i = 0; i < field.length; i++) field[i] += part.sum[i]
    for (const key of ['tubes', 'leaves', 'contributions'] as const)
      result.statistics[key] += part.statistics[key]
    result.times.trace += part.traceSeconds
    result.times.field += part.fieldSeconds
  }
  if (!withinGrid(field, grid)) throw new Error('SBR field sum out of range: please report this target')
  finishField(scene.origin, job, field)
  return result
}

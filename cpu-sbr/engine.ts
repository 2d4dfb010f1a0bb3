import { setMaxListeners } from 'node:events'
import { Piscina } from 'piscina'
import {
  type AspectField,
  type AspectResult,
  exactGrid,
  fieldBound,
  finishFields,
  jobAperture,
  jobTiles,
  noStatistics,
  PoolWatch,
  retirePool,
  watchLoading,
  type RayScene,
  type SbrEngine,
  type SbrJob,
  type SbrStatistics,
  subGrids,
  tubeCount,
  withinGrid,
  type FaultOptions,
} from '../scene/index.js'
import { fieldSum } from './deposit.js'
import type { FieldSum } from './field-sum.js'
import { rowTasks, runSbrTask, type SbrTask, type SbrTaskResult } from './task.js'

/** Tasks of a thread for one look. */
const LOOK_TASKS = 3
/** Tubes per task: some tens of milliseconds of work. */
const TASK_TUBES = 16384

/**
 * The double-precision SBR engine, on `workers` threads (0: inline, on the calling thread). The result does not
 * depend on the number of workers or on the sub-grids, to the last bit. Busy times are per thread.
 *
 * @param subGrid  tubes along one side of a sub-grid, for `begin`
 * @param faults  who is told of threads that fail, and when one hangs
 */
export function createCpuEngine(
  scene: RayScene,
  facetArea: number,
  workers: number,
  subGrid = 2048,
  faults: FaultOptions = {},
): SbrEngine {
  const threads = Math.max(1, workers)
  const pool =
    workers > 0
      ? watchLoading(
          new Piscina<SbrTask, SbrTaskResult>({
            filename: new URL('./worker.js', import.meta.url).href,
            workerData: scene,
            minThreads: workers,
            maxThreads: workers,
          }),
        )
      : null

  const watch =
    pool &&
    new PoolWatch<SbrTask, SbrTaskResult>((task, signal) => pool.run(task, { signal }), {
      what: 'SBR',
      threads,
      ...faults,
    })
  const run = (tasks: SbrTask[], signal?: AbortSignal): Promise<SbrTaskResult[]> => {
    signal?.throwIfAborted()
    // Every task of every aspect on the way listens to the one signal.
    if (signal) setMaxListeners(0, signal)
    return watch
      ? Promise.all(tasks.map((task) => watch.run(task, signal)))
      : Promise.resolve(tasks.map((task) => runSbrTask(scene, task)))
  }
  const gridOf = (job: SbrJob): number => sumGrid(facetArea, job)

  return {
    kind: 'cpu',
    description: `cpu, double precision, ${workers || 'no'} worker thread${workers === 1 ? '' : 's'}`,
    aspectsInFlight: 2,
    async aspect(job, signal) {
      const start = performance.now()
      const tiles = job.tiles && jobTiles(jobAperture(scene, job), job)
      // The sums of one look are some megabytes: few tasks, so that handing them over costs little.
      const share = Math.ceil(tubeCount(jobAperture(scene, job)) / (LOOK_TASKS * threads))
      const tubes = job.look ? Math.max(share, TASK_TUBES) : TASK_TUBES
      const parts = await run(rowTasks(scene, job, gridOf(job), tubes, tiles), signal)
      return gather(scene, job, [parts], threads, gridOf(job), start)
    },
    async begin(job, signal) {
      const start = performance.now()
      const parts = subGrids(jobAperture(scene, job), subGrid)
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
      await watch?.idle()
      await retirePool(pool)
    },
  }
}

/** Spacing of the sums of a job, see `exactGrid`. */
const sumGrid = (facetArea: number, job: SbrJob): number =>
  exactGrid(fieldBound(facetArea, job.options.maxBounces))

/** The amplitudes F [m] of an aspect from the `totals` of all its tiles, added up: to the last bit those of the whole. */
export function cpuField(
  scene: RayScene,
  facetArea: number,
  job: SbrJob,
  totals: BigInt64Array,
): AspectField {
  const grid = sumGrid(facetArea, job)
  const sum = fieldSum(job, grid)
  if (totals.length !== sum.values.length)
    throw new RangeError(`${totals.length} sums where the job has ${sum.values.length}`)
  totals.forEach((x, i) => (sum.values[i] = Number(x) * grid))
  return finishSum(scene, job, sum, grid)
}

function finishSum(scene: RayScene, job: SbrJob, sum: FieldSum, grid: number): AspectField {
  if (!withinGrid(sum.values, grid)) throw new Error('SBR field sum out of range: please report this target')
  const field = new Float64Array(8 * job.band.n * (job.look?.directions.length ?? 1))
  sum.finish(field)
  finishFields(scene.origin, job, field)
  return field
}

function gather(
  scene: RayScene,
  job: SbrJob,
  parts: SbrTaskResult[][],
  threads: number,
  grid: number,
  start: number,
): AspectResult {
  const sum = fieldSum(job, grid)
  const statistics = noStatistics()
  const result: AspectResult = {
    field: new Float64Array(0),
    statistics,
    partSeconds: parts.map(
      (tasks) => tasks.reduce((s, t) => s + t.traceSeconds + t.fieldSeconds, 0) / threads,
    ),
    times: { trace: 0, field: 0, reduction: 0, total: 0 },
  }
  for (const task of parts.flat()) {
    for (let i = 0; i < task.sum.length; i++) sum.values[i] += task.sum[i]
    for (const key of Object.keys(statistics) as (keyof SbrStatistics)[])
      statistics[key] += task.statistics[key]
    result.times.trace += task.traceSeconds / threads
    result.times.field += task.fieldSeconds / threads
  }
  if (job.tiles) result.totals = BigInt64Array.from(sum.values, (x) => BigInt(x / grid))
  result.field = finishSum(scene, job, sum, grid)
  result.times.total = (performance.now() - start) / 1000
  return result
}

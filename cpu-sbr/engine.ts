import { setImmediate } from 'node:timers/promises'
import { type FaultOptions, WorkerPool } from '../parallel/worker-pool.js'
import {
  type AspectField,
  type AspectResult,
  fieldBound,
  finishFields,
  jobAperture,
  jobTiles,
  noStatistics,
  type RayScene,
  type SbrJob,
  type AspectStatistics,
  type SteppedSbrEngine,
  subGrids,
  tubeCount,
} from '../rays/index.js'
import { exactQuantum, staysExact } from '../math/exact-sum.js'
import { branchSum, branchSumBytes } from './materials/branches.js'
import { type FieldSum, fieldSum, fieldSumBytes } from './field-sum.js'
import { rowTasks, sbrTasks, type SbrTaskResult } from './task.js'
import type { SbrTask } from './tile.js'

/** Tasks of a thread for one extrapolation. */
const EXTRAPOLATION_TASKS = 3
/** Numbers of a sum that takes milliseconds to add. */
const LONG = 2 ** 18
/** Tubes per task: some tens of milliseconds of work. */
export const TASK_TUBES = 16384

/**
 * The double-precision SBR engine, on `workers` threads (0: inline, on the calling thread). The result does not
 * depend on the number of workers or on the sub-grids, to the last bit. Busy times are per thread.
 *
 * @param subGrid  tubes along one side of a sub-grid, for `begin`
 * @param faults  reports threads that fail, and says when one hangs
 */
export function createCpuEngine(
  scene: RayScene,
  facetArea: number,
  workers: number,
  subGrid = 2048,
  faults: FaultOptions = {},
): SteppedSbrEngine {
  const pool = new WorkerPool({
    what: 'SBR',
    workers,
    data: scene,
    tasks: sbrTasks,
    ...faults,
  })
  const { threads } = pool
  /** Runs the tasks; each result is handed to `take` as it comes, since those of many frequencies are too large to be kept. */
  const run = async (
    tasks: SbrTask[],
    take: (result: SbrTaskResult) => void,
    signal?: AbortSignal,
  ): Promise<void> => {
    // Each thread keeps to its part of the aperture, so that its tables know what the rays of the next aspect meet there.
    const at = (i: number): number => i / Math.max(1, tasks.length - 1)
    // Long sums come many at a time: each is added in a turn of its own, so that an interrupt is heard.
    let turn = Promise.resolve()
    await Promise.all(
      tasks.map(async (task, i) => {
        const result = await pool.run(task, signal, { batch: tasks, at: at(i) })
        if (result.sum.length > LONG) {
          await (turn = turn.then(() => setImmediate()))
          signal?.throwIfAborted()
        }
        take(result)
      }),
    )
  }
  const quantumOf = (job: SbrJob): number => sumQuantum(facetArea, job)

  return {
    describe: () => ({
      device: 'cpu',
      text: `cpu, double precision, ${pool.description}`,
      aspectsInFlight: 2,
    }),
    async field(job, signal) {
      const start = performance.now()
      const tiles = job.tiles && jobTiles(jobAperture(scene, job), job)
      // The sums of an extrapolation are some megabytes: few tasks, so that handing them over costs little.
      const share = Math.ceil(tubeCount(jobAperture(scene, job)) / (EXTRAPOLATION_TASKS * threads))
      const tubes = job.extrapolation ? Math.max(share, TASK_TUBES) : TASK_TUBES
      const total = new AspectTotal(scene, job, threads, quantumOf(job), 1)
      await run(rowTasks(scene, job, quantumOf(job), tubes, tiles), (result) => total.add(result, 0), signal)
      return total.finish(start)
    },
    async begin(job, signal) {
      const start = performance.now()
      const parts = subGrids(jobAperture(scene, job), subGrid)
      const total = new AspectTotal(scene, job, threads, quantumOf(job), parts.length)
      return {
        parts,
        // A thread sums each tile's fields as soon as it is traced, so that both steps happen in the first.
        trace: async (part) => {
          const tasks = rowTasks(scene, job, quantumOf(job), TASK_TUBES, parts[part])
          await run(tasks, (result) => total.add(result, part), signal)
        },
        field: () => Promise.resolve(),
        finish: () => Promise.resolve(total.finish(start)),
      }
    },
    close: () => pool.close(),
  }
}

/** Bytes of the totals of an aspect; their own working memory is about as much again. */
export const sumBytes = ({ materials }: Pick<RayScene, 'materials'>, job: SbrJob): number =>
  materials ? branchSumBytes(materials, job) : fieldSumBytes(job)

/** Quantum of the sums of a job, see `exactQuantum`. */
const sumQuantum = (facetArea: number, job: SbrJob): number =>
  exactQuantum(fieldBound(facetArea, job.options.maxBounces))

const sumOf = ({ materials }: RayScene, job: SbrJob, quantum: number): FieldSum =>
  materials ? branchSum(materials, job, quantum).sum : fieldSum(job, quantum)

/** The amplitudes F [m] of an aspect from the `totals` of all its tiles, added up: to the last bit those of the whole. */
export function cpuField(
  scene: RayScene,
  facetArea: number,
  job: SbrJob,
  totals: BigInt64Array,
): AspectField {
  const quantum = sumQuantum(facetArea, job)
  const sum = sumOf(scene, job, quantum)
  if (totals.length !== sum.values.length)
    throw new RangeError(`${totals.length} sums where the job has ${sum.values.length}`)
  totals.forEach((x, i) => (sum.values[i] = Number(x) * quantum))
  return finishSum(scene, job, sum, quantum)
}

function finishSum(scene: RayScene, job: SbrJob, sum: FieldSum, quantum: number): AspectField {
  if (!staysExact(sum.values, quantum))
    throw new Error('SBR field sum out of range: please report this target')
  const field = new Float64Array(8 * job.band.n * (job.extrapolation?.directions.length ?? 1))
  sum.finish(field)
  finishFields(scene.origin, job, field)
  return field
}

/** What the tasks of an aspect give, added up as they come: their sums are multiples of the quantum, so that the order does not count. */
class AspectTotal {
  private sum: FieldSum | null = null
  private readonly statistics = noStatistics()
  private readonly times = { trace: 0, field: 0, reduction: 0, total: 0 }
  private readonly partSeconds: number[]

  constructor(
    private readonly scene: RayScene,
    private readonly job: SbrJob,
    private readonly threads: number,
    private readonly quantum: number,
    parts: number,
  ) {
    this.partSeconds = Array.from({ length: parts }, () => 0)
  }

  add(task: SbrTaskResult, part: number): void {
    // Not before there is something to add: aspects are begun long before their tasks end.
    const { values } = (this.sum ??= sumOf(this.scene, this.job, this.quantum))
    for (let i = 0; i < values.length; i++) values[i] += task.sum[i]
    for (const key of Object.keys(this.statistics) as (keyof AspectStatistics)[])
      this.statistics[key] += task.statistics[key]
    this.times.trace += task.traceSeconds / this.threads
    this.times.field += task.fieldSeconds / this.threads
    this.partSeconds[part] += (task.traceSeconds + task.fieldSeconds) / this.threads
  }

  finish(start: number): AspectResult {
    const { scene, job, quantum, statistics, times, partSeconds } = this
    const sum = this.sum ?? sumOf(scene, job, quantum)
    const totals = job.tiles && BigInt64Array.from(sum.values, (x) => BigInt(x / quantum))
    const field = finishSum(scene, job, sum, quantum)
    times.total = (performance.now() - start) / 1000
    return { field, statistics, partSeconds, times, ...(totals && { totals }) }
  }
}

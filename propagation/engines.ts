import { type GpuContext, GpuPropagation, type GpuPropagationOptions } from '../gpu/index.js'
import { type FaultOptions, WorkerPool } from '../parallel/worker-pool.js'
import { C0 } from '../scene/index.js'
import { PathFields } from './fields/path-fields.js'
import { faces, launchBatches } from './paths/geodesic.js'
import { pathOf, PathWalker, type PropagationPath } from './paths/path-walker.js'
import { type Antenna, type PropagationSetup, SUM } from './setup.js'
import { newState, type PropagationState, type PropagationSums, type TaskResult, Total } from './sums.js'
import { diffractionTasks, listedSlots, type PropagationTask, propagationTasks } from './task.js'

/**
 * Runs tasks on `workers` threads, or inline on the calling thread (0), with the same results.
 * @param faults  reports threads that fail, and says when one hangs
 */
const propagationPool = (
  setup: PropagationSetup,
  workers: number,
  faults: FaultOptions,
): WorkerPool<PropagationTask, TaskResult, PropagationSetup> =>
  new WorkerPool({
    what: 'propagation',
    workers,
    data: setup,
    tasks: propagationTasks,
    ...faults,
  })

/** Rays of a task: some tens of milliseconds of work. */
const TASK_RAYS = 8192

interface PropagationRun {
  /** Subdivision n of the icosahedron: 10 n^2 + 2 rays. */
  subdivision: number
  /** Receivers, by number, whose paths are listed. */
  listed?: Iterable<number>
  /** Rays of a batch, about; never changes a byte. */
  batchRays?: number
  /** The run so far: the CPU leaves out the tasks done, and adds to it. The GPU begins again. */
  state?: PropagationState
}

/** Sums of every receiver, the paths listed, and what the run took [s]. */
export type PropagationResult = PropagationSums & { seconds: number }

/** Computes the propagation of one scene. */
export interface PropagationEngine {
  kind: 'cpu' | 'gpu'
  description: string
  /** Launches the rays and sums their paths. `progress` reports batches; rejects when the signal fires. */
  run(
    run: PropagationRun,
    progress?: (done: number, total: number) => void,
    signal?: AbortSignal,
  ): Promise<PropagationResult>
  /** Releases threads and device; nothing else may be called then. */
  close(): Promise<void>
}

/** Tasks that a pool holds at a time, for each thread: dropping a queue of all of them would keep the calling thread busy for minutes. */
const TASKS_HELD = 4

/** Runs numbered tasks and hands over each result. Rejects with the first failure, or with the signal's reason; starts nothing after it. */
async function runTasks(
  pool: ReturnType<typeof propagationPool>,
  tasks: Iterable<[number, PropagationTask]>,
  signal: AbortSignal | undefined,
  take: (number: number, result: TaskResult) => void,
): Promise<void> {
  const todo = tasks[Symbol.iterator]()
  let failed = false
  const lane = async (): Promise<void> => {
    for (let next = todo.next(); !next.done && !failed; next = todo.next()) {
      const [number, task] = next.value
      try {
        take(number, await pool.run(task, signal))
        signal?.throwIfAborted()
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: TASKS_HELD * pool.threads }, lane))
}

/**
 * The double-precision engine on `workers` threads (0: inline, on the calling thread). The result does not depend on threads
 * or batches, nor a receiver's on the others, to the last bit.
 * @param faults  reports threads that fail, and says when one hangs
 */
export function createCpuPropagation(
  setup: PropagationSetup,
  workers: number,
  faults: FaultOptions = {},
): PropagationEngine {
  const pool = propagationPool(setup, workers, faults)
  return {
    kind: 'cpu',
    description: `cpu, double precision, ${workers || 'no'} worker thread${workers === 1 ? '' : 's'}`,
    async run({ subdivision, listed, batchRays = TASK_RAYS, state = newState(setup) }, progress, signal) {
      const start = performance.now()
      const marks = listed && listedSlots(setup, listed)
      const tasks = [
        ...launchBatches(subdivision, batchRays).map((batch) => ({ batch, ...(marks && { listed: marks }) })),
        ...diffractionTasks(setup, marks),
      ]
      const total = new Total(setup, state)
      const open = [...tasks.entries()].filter(([number]) => !state.done.has(number))
      await runTasks(pool, open, signal, (number, result) => {
        total.add(number, result)
        progress?.(state.done.size, tasks.length)
      })
      return { ...total.finish(), seconds: (performance.now() - start) / 1000 }
    },
    close: () => pool.close(),
  }
}

/** Seconds of the GPU in the last run. */
interface GpuTimes {
  trace: number
  /** Finding reception spheres, both passes. */
  spheres: number
  paths: number
}

/** The GPU's engine, with what it takes. */
interface GpuPropagationEngine extends PropagationEngine {
  /** Busy time of the kernels in the last run [s]. */
  times: GpuTimes
  /** Memory on the device [bytes]. */
  bytes: () => number
}

/**
 * The GPU's engine: the same rays and the same paths, fields in single precision with path lengths and images in pairs of floats.
 * Lists of paths are computed on this thread in double precision, and edge diffraction on `workers` threads (0: this one).
 */
export function createGpuPropagation(
  context: GpuContext,
  setup: PropagationSetup,
  options?: GpuPropagationOptions,
  workers = 0,
  faults: FaultOptions = {},
): GpuPropagationEngine {
  const { excitations } = setup
  const solver = new GpuPropagation(
    context,
    {
      ...setup,
      excitations: excitations.map(({ freqHz, transmit, permittivity }) => ({
        cyclesPerMetre: freqHz / C0,
        vertical: transmit === 'v',
        permittivity,
      })),
      transmitAntenna: packAntenna(setup.transmitAntenna),
      receiveAntenna: packAntenna(setup.receiveAntenna),
    },
    options,
  )
  const times = { trace: 0, spheres: 0, paths: 0 }
  const pool = propagationPool(setup, setup.wedges ? workers : 0, faults)
  return {
    kind: 'gpu',
    description: `gpu, ${context.name}`,
    times,
    bytes: () => solver.bytes(),
    async run({ subdivision, listed, batchRays }, progress, signal) {
      const start = performance.now()
      const marks = listed && listedSlots(setup, listed)
      const result = await solver.run(
        { n: subdivision, faces, ...(marks ? { listed: marks } : {}), ...(batchRays ? { batchRays } : {}) },
        progress,
        signal,
      )
      Object.assign(times, result.times)
      const total = new Total(setup, newState(setup))
      const slots = Int32Array.from({ length: setup.receivers.order.length }, (_, i) => i)
      total.add(0, {
        slots,
        sums: result.sums,
        paths: refine(setup, result.paths),
        statistics: { ...result.statistics, diffracted: 0 },
      })
      const tasks = diffractionTasks(setup, marks).entries()
      await runTasks(pool, tasks, signal, (number, sums) => total.add(1 + number, sums))
      return { ...total.finish(), seconds: (performance.now() - start) / 1000 }
    },
    async close() {
      await pool.close()
      solver.destroy()
      context.device.destroy()
    },
  }
}

function packAntenna({ pattern, axis, side }: Antenna) {
  return pattern.kind === 'table'
    ? { kind: 'table' as const, axis, side, table: pattern.table }
    : { kind: pattern.kind, axis, side }
}

/** A direction in single precision misses by less than this part of the path's length. */
const ROUGH_MISS = 1e-5

/**
 * The paths that the GPU found, walked again in double precision: along the direction, then along that to the image found so. One
 * that passes an edge so closely that it does not exist in double precision is left out. With reception spheres the path is the ray.
 */
function refine(
  setup: PropagationSetup,
  found: { slot: number; count: number; w: [number, number, number] }[],
): PropagationPath[] {
  const spheres = setup.reception === 'spheres'
  const rough = new PathWalker(setup, spheres ? Infinity : ROUGH_MISS)
  const exact = new PathWalker(setup)
  const fields = new PathFields(setup)
  const numbers = new Float64Array(SUM.length * setup.excitations.length)
  const { points, order } = setup.receivers
  const v = new Float64Array(3)
  return found.flatMap(({ slot, count, w }) => {
    const p = points.subarray(3 * slot, 3 * slot + 3)
    if (!rough.walk(Float64Array.from(w), count, p[0], p[1], p[2])) return []
    rough.image(rough.facets, 0, count, v)
    for (let a = 0; a < 3; a++) v[a] = p[a] - v[a]
    exact.unreflect(rough.facets, 0, count, v)
    if (spheres) {
      const size = Math.hypot(...w)
      const d = Float64Array.from(w, (x) => x / size)
      exact.follow(rough.facets, 0, count, d, v[0] * d[0] + v[1] * d[1] + v[2] * d[2])
    } else if (!exact.walk(v, count, p[0], p[1], p[2])) return []
    const r0 = Math.hypot(...setup.transmitter.map((x, a) => x - p[a]))
    fields.evaluate(exact, r0, false, numbers)
    return [pathOf(setup, exact, order[slot], fields.transfersOver(r0))]
  })
}

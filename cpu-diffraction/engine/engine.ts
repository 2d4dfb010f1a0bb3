import { type FaultOptions, WorkerPool } from '../../parallel/worker-pool.js'
import { addExactly, staysExact } from '../../math/exact-sum.js'
import { shared } from '../../parallel/shared-memory.js'
import { type AspectField, type Extrapolation, type RayScene } from '../../rays/index.js'
import { InputError } from '../../scene/index.js'
import type { EdgeScene } from '../geometry/edge-scene.js'
import { SEGMENT_SIZE } from '../light/segments.js'
import {
  blockCount,
  type EdgeJob,
  edgeQuantum,
  type EdgeRange,
  edgeRanges,
  type EdgeTask,
  type EdgeTaskResult,
  type EvaluationSide,
  segmentCount,
  sumCount,
} from './job.js'
import type { EdgeScenes } from './mechanism.js'
import { edgeTasks } from './task.js'

/** Segments of a range of edges, the unit of the schedules: less than a millisecond of phase 1. */
const RANGE_SEGMENTS = 128
/**
 * Where no schedule counts edges, tasks are larger, 5 to 10 ms of work: the calling thread's part in one (0.1 ms, with
 * the messages) is what keeps fifteen threads waiting otherwise (decision 009).
 */
const PREPARE_SEGMENTS = 8192
/** Of an extrapolation, both phases: some ten milliseconds. What a task costs the calling thread, .3 ms, is the sums of all directions that it takes in. */
const EXTRAPOLATION_SEGMENTS = 1024
export const EVALUATE_BLOCKS = 4
/** Tasks that a thread has queued, to go on while the calling thread is held; the others wait for their turn and can be dropped. */
const TASKS_PER_THREAD = 2

/** Phase 1 of an aspect: its segments, in shared memory, and the blocks they make up. */
export interface PreparedEdges {
  job: EdgeJob
  segments: Float64Array
  /** Segments that diffract, and the blocks of phase 2. */
  visibleSegments: number
  blocks: number
  /** Segments of edges with a lit face, before the visibility test. */
  consideredSegments: number
  /** Seconds of work, summed over threads. */
  seconds: number
}

export interface BlockSum {
  /** 8 numbers per frequency [m] of each sum (`sumCount`), multiples of the job's quantum: sums of disjoint ranges add exactly, in any order. */
  sum: Float64Array
  seconds: number
}

export interface EdgeResult {
  /** Amplitudes [m] referred to the mesh's origin, HV and VH not averaged. */
  field: AspectField
  /** Of jobs that want them apart: first order, then each of the job's mechanisms (`mechanismsOf`); their sum is `field`. */
  parts?: AspectField[]
  consideredSegments: number
  visibleSegments: number
  /** Seconds of work in phases 1 and 2, summed over threads, and the time it took in all. */
  times: { prepare: number; evaluate: number; total: number }
  /** Where it was computed ahead of who asks: from when to when [s since the process started], and whether by one thread alone. */
  span?: { start: number; end: number; alone: boolean }
}

/** Edge diffraction of one target, by threads of this process or of a cluster; the result is the same to the last bit. */
export interface EdgeEngine {
  /** Threads that share the work: 1 inline. */
  describe(): { threads: number }
  /** Segments of a job's edges, before any is found unlit or hidden: what schedules count. */
  segments(job: EdgeJob): number
  /** Rejects with an AbortError when the signal fires. */
  field(job: EdgeJob, signal?: AbortSignal): Promise<EdgeResult>
  /** Ends the threads; nothing else may be called then. */
  close(): Promise<void>
}

/** An engine on threads of this process, whose work can also be had in steps. */
export interface EdgeThreads extends EdgeEngine {
  /** All edges, cut in the units that phase 1 is handed out in. */
  ranges(job: EdgeJob): EdgeRange[]
  /** Phase 1 of one range, as one task on one thread: its segments, to be strung together in the order of the ranges. */
  prepareRange(job: EdgeJob, range: EdgeRange, signal?: AbortSignal): Promise<EdgeTaskResult>
  /** Phase 1, without regard to frequency but for the highest one, which sets the segments' length. */
  prepare(job: EdgeJob, signal?: AbortSignal): Promise<PreparedEdges>
  /** Phase 2, blocks first to end - 1, as one task on one thread: both sides of it, or one. */
  evaluate(
    prepared: Pick<PreparedEdges, 'job' | 'segments' | 'blocks'>,
    first: number,
    end: number,
    signal?: AbortSignal,
    side?: EvaluationSide,
  ): Promise<BlockSum>
  /** Whether phase 2 has more than the segments. */
  hasOthers(job: EdgeJob): boolean
  /** Sums of ranges that make up all blocks: `fieldsOf` takes them apart. */
  finish(prepared: Pick<PreparedEdges, 'job'>, sums: Iterable<Pick<BlockSum, 'sum'>>): AspectField
  /** The field as one task on one thread, with the same bytes: for threads that have an aspect each. */
  fieldOnOneThread(job: EdgeJob, signal?: AbortSignal): Promise<EdgeResult>
  /** Approximate amplitudes of all directions from the job's aspect (`Extrapolation`), [direction][frequency] [m], and seconds of work, summed over threads. */
  extrapolate(
    job: EdgeJob,
    to: Extrapolation,
    signal?: AbortSignal,
  ): Promise<{ field: Float64Array; seconds: number }>
}

export interface EdgeEngineOptions extends FaultOptions {
  /** Worker threads; 0: inline, on the calling thread. */
  workers: number
  /** The threads' module, for tests. */
  worker?: URL
}

/**
 * Starts the threads that compute edge diffraction of a target.
 * @param rays  of the same target and with the same origin as `edges`
 */
export function createEdgeEngine(edges: EdgeScene, rays: RayScene, options: EdgeEngineOptions): EdgeThreads {
  const scenes: EdgeScenes = { edges, rays }
  const { workers, worker, ...faults } = options
  const pool = new WorkerPool({
    what: 'edge diffraction',
    workers,
    ...(worker && { module: worker }),
    data: scenes,
    tasks: edgeTasks,
    tasksPerThread: TASKS_PER_THREAD,
    firstThreads: Math.ceil((2 * workers) / 3),
    ...faults,
  })
  const run = (task: EdgeTask, signal?: AbortSignal): Promise<EdgeTaskResult> => pool.run(task, signal)

  const engine: EdgeThreads = {
    describe: () => ({ threads: pool.threads }),

    segments: (job) => segmentCount(engine.ranges(job)),

    ranges: (job) => edgeRanges(edges, job, RANGE_SEGMENTS),

    prepareRange: (job, { first, end }, signal) => run({ kind: 'prepare', job, first, end }, signal),

    async prepare(job, signal) {
      const parts = await Promise.all(
        edgeRanges(edges, job, PREPARE_SEGMENTS).map((range) => engine.prepareRange(job, range, signal)),
      )
      return stringSegments(job, parts)
    },

    async evaluate({ job, segments, blocks }, first, end, signal, side) {
      const task: EdgeTask = { kind: 'evaluate', job, first, end, blocks, segments, side }
      const { data, seconds } = await run(task, signal)
      return { sum: data, seconds }
    },

    hasOthers: ({ options }) => Boolean(options.secondOrder?.length) || edges.sheets.length > 0,

    finish({ job }, sums) {
      const quantum = edgeQuantum(edges, job.band)
      const all = new Float64Array(8 * job.band.n * sumCount(job.options))
      for (const { sum } of sums) addExactly(all, sum, quantum)
      if (staysExact(all, quantum)) return all
      const { thetaDeg, phiDeg } = job.aspect.tx
      throw new InputError(
        `edge diffraction is infinite at theta ${thetaDeg}, phi ${phiDeg}: the untruncated currents of ` +
          `'${job.options.diffraction}' are singular where transmitter and receiver look along a face from its two ends; choose tw-ildc`,
      )
    },

    async field(job, signal) {
      const start = performance.now()
      const prepared = await engine.prepare(job, signal)
      // The second order goes with the blocks and weighs more than they do: that of few segments keeps all threads busy too.
      const second = prepared.blocks > 0 && Boolean(job.options.secondOrder?.length)
      const blocks = second ? Math.max(prepared.blocks, pool.threads) : prepared.blocks
      const step = second ? 1 : EVALUATE_BLOCKS
      // Added up as they come: those of many frequencies are too large to be kept.
      const total = { sum: new Float64Array(8 * job.band.n * sumCount(job.options)), seconds: 0 }
      await Promise.all(
        Array.from({ length: Math.ceil(blocks / step) }, async (_, t) => {
          const end = Math.min((t + 1) * step, blocks)
          const part = await engine.evaluate({ ...prepared, blocks }, t * step, end, signal)
          addExactly(total.sum, part.sum, edgeQuantum(edges, job.band))
          total.seconds += part.seconds
        }),
      )
      return {
        ...fieldsOf(job, engine.finish(prepared, [total])),
        consideredSegments: prepared.consideredSegments,
        visibleSegments: prepared.visibleSegments,
        times: {
          prepare: prepared.seconds,
          evaluate: total.seconds,
          total: (performance.now() - start) / 1000,
        },
      }
    },

    async fieldOnOneThread(job, signal) {
      const start = performance.now()
      const { data, considered, seconds, whole } = await run({ kind: 'whole', job }, signal)
      const { visible, prepare } = whole!
      return {
        ...fieldsOf(job, engine.finish({ job }, [{ sum: data }])),
        consideredSegments: considered,
        visibleSegments: visible,
        times: { prepare, evaluate: seconds - prepare, total: (performance.now() - start) / 1000 },
      }
    },

    async extrapolate(job, { directions }, signal) {
      const field = new Float64Array(8 * job.band.n * directions.length)
      let seconds = 0
      const parts = edgeRanges(edges, job, EXTRAPOLATION_SEGMENTS).map(({ first, end }) =>
        run({ kind: 'extrapolate', job, directions, first, end }, signal),
      )
      for (const part of await Promise.all(parts)) {
        const { data } = part
        // Multiples of the quantum: threads have rounded them.
        for (let i = 0; i < data.length; i++) field[i] += data[i]
        seconds += part.seconds
      }
      return { field, seconds }
    },

    close: () => pool.close(),
  }
  return engine
}

/** The field of a job's sums, and the sums where they are wanted apart: multiples of the quantum, so that no rounding depends on that. */
export function fieldsOf(
  { band, options }: EdgeJob,
  sums: Float64Array,
): Pick<EdgeResult, 'field' | 'parts'> {
  if (!options.apart) return { field: sums }
  const size = 8 * band.n
  const parts = Array.from({ length: sums.length / size }, (_, n) => sums.slice(size * n, size * (n + 1)))
  const field = new Float64Array(size)
  for (const part of parts) for (let i = 0; i < size; i++) field[i] += part[i]
  return { field, parts }
}

/** Segments of consecutive ranges as one list, in shared memory. */
export function stringSegments(job: EdgeJob, parts: EdgeTaskResult[]): PreparedEdges {
  const size = parts.reduce((n, part) => n + part.data.length, 0)
  const segments = shared(Float64Array, size)
  let at = 0
  for (const { data } of parts) {
    segments.set(data, at)
    at += data.length
  }
  return {
    job,
    segments,
    visibleSegments: size / SEGMENT_SIZE,
    blocks: blockCount(size / SEGMENT_SIZE, job.options.secondOrder),
    consideredSegments: parts.reduce((n, part) => n + part.considered, 0),
    seconds: parts.reduce((s, part) => s + part.seconds, 0),
  }
}

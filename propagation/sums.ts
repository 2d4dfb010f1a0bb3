import { getHeapStatistics } from 'node:v8'
import { InputError } from '../scene/index.js'
import { byReceiverAndLength, type PropagationPath } from './paths/path-walker.js'
import { type PropagationSetup, SUM, SUM_GRID } from './setup.js'

interface PropagationStatistics {
  segments: number
  /** Receivers found in cones, and paths that came of them. */
  candidates: number
  paths: number
  /** Rays that slipped through a seam of the mesh. */
  escaped: number
  /** Paths over edges. */
  diffracted: number
}

const NOTHING: PropagationStatistics = { segments: 0, candidates: 0, paths: 0, escaped: 0, diffracted: 0 }

/** What a part of a run comes to. */
export interface TaskResult {
  /** Slots of the receivers reached, and their sums: SUM.length numbers per excitation. */
  slots: Int32Array
  sums: Float64Array
  /** Paths of the receivers listed. */
  paths: PropagationPath[]
  statistics: PropagationStatistics
}

/** Adds up the paths of a task by receiver. */
export class TaskSums {
  private readonly sums = new Map<number, Float64Array>()
  private readonly paths: PropagationPath[] = []

  /** @param listed  1 for slots of receivers whose paths are wanted one by one */
  constructor(private readonly listed: Uint8Array | undefined) {}

  /** Adds the numbers of `SUM` of a path, rounded to the grid of sums: every addition is exact then. */
  add(slot: number, numbers: Float64Array, path: () => PropagationPath): void {
    let sum = this.sums.get(slot)
    if (!sum) this.sums.set(slot, (sum = new Float64Array(numbers.length)))
    for (let k = 0; k < sum.length; k++) sum[k] += Math.round(numbers[k] / SUM_GRID) * SUM_GRID
    if (this.listed?.[slot]) this.paths.push(path())
  }

  finish(statistics: Partial<PropagationStatistics>): TaskResult {
    const slots = Int32Array.from(this.sums.keys()).sort()
    const length = slots.length > 0 ? this.sums.get(slots[0])!.length : 0
    const sums = new Float64Array(slots.length * length)
    slots.forEach((slot, i) => sums.set(this.sums.get(slot)!, i * length))
    return { slots, sums, paths: this.paths, statistics: { ...NOTHING, ...statistics } }
  }
}

/** What a run comes to. */
export interface PropagationSums {
  /** SUM.length numbers per receiver and excitation, receivers outermost, in the caller's order. */
  sums: Float64Array
  /** Paths of the receivers listed, by receiver and length. */
  paths: PropagationPath[]
  statistics: PropagationStatistics
}

/** An unfinished run: what is summed so far, and the numbers of the tasks it comes from. Plain data, to be kept and resumed. */
export type PropagationState = PropagationSums & { done: Set<number> }

export const newState = (setup: PropagationSetup): PropagationState => ({
  sums: new Float64Array(setup.receivers.order.length * SUM.length * setup.excitations.length),
  paths: [],
  statistics: { ...NOTHING },
  done: new Set(),
})

/** Of a listed path and of each of its points until they are written: as objects, in the state that is kept, as text [bytes]; measured with Node 20. */
const PATH_BYTES = 1500
const POINT_BYTES = 220

/** Listed paths may take this part of the heap: garbage of the run takes the rest. */
const HEAP_SHARE = 0.6

/** Adds up the results of tasks, in whatever order they come, to the same bytes. */
export class Total {
  private bytes = 0

  /** @param heap  memory for listed paths [bytes] */
  constructor(
    private readonly setup: PropagationSetup,
    private readonly state: PropagationState,
    private readonly heap = HEAP_SHARE * getHeapStatistics().heap_size_limit,
  ) {
    this.count(state.paths)
  }

  /**
   * @param task  its number
   * @throws InputError where the paths listed outgrow the heap
   */
  add(task: number, { slots, sums, paths, statistics }: TaskResult): void {
    const { setup, state } = this
    const length = SUM.length * setup.excitations.length
    slots.forEach((slot, i) => {
      const to = length * setup.receivers.order[slot]
      for (let k = 0; k < length; k++) state.sums[to + k] += sums[length * i + k]
    })
    this.count(paths)
    for (const path of paths) state.paths.push(path)
    for (const key of Object.keys(state.statistics) as (keyof PropagationStatistics)[])
      state.statistics[key] += statistics[key]
    state.done.add(task)
  }

  private count(paths: readonly PropagationPath[]): void {
    for (const { points } of paths) this.bytes += PATH_BYTES + POINT_BYTES * points.length
    if (this.bytes <= this.heap) return
    const listed = this.state.paths.length + paths.length
    throw new InputError(
      `the ${listed} paths listed so far take ${(this.bytes / 2 ** 30).toFixed(1)} GiB, all that is free of the heap: list fewer receivers (--paths), or take fewer reflections (--max-reflections)`,
    )
  }

  finish(): PropagationSums {
    const { sums, paths, statistics } = this.state
    if (!sums.every((x) => Math.abs(x) < 2 ** 53 * SUM_GRID))
      throw new Error('field sum out of range: please report this scene')
    return { sums, paths: paths.sort(byReceiverAndLength), statistics }
  }
}

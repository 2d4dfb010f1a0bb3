import type { DiffractionResult, DiffractionTask } from './diffraction.js'
import { byReceiverAndLength, type PropagationPath } from './path-list.js'
import { type PropagationSetup, SUM, SUM_GRID } from './setup.js'
import type { PropagationStatistics, PropagationTaskResult } from './task.js'

/** What a run comes to. */
export interface PropagationSums {
  /** SUM.length numbers per receiver and excitation, receivers outermost, in the caller's order. */
  sums: Float64Array
  /** Paths of the receivers listed, by receiver and length. */
  paths: PropagationPath[]
  statistics: PropagationStatistics
}

/** A run on the way: what is summed so far, and the numbers of the tasks it comes from. Plain data, to be kept and gone on with. */
export type PropagationState = PropagationSums & { done: Set<number> }

export const newState = (setup: PropagationSetup): PropagationState => ({
  sums: new Float64Array(setup.receivers.order.length * SUM.length * setup.excitations.length),
  paths: [],
  statistics: { segments: 0, candidates: 0, paths: 0, escaped: 0, diffracted: 0 },
  done: new Set(),
})

/** Adds up the results of tasks, in whatever order they come, to the same bytes. */
export class Total {
  private readonly length: number

  constructor(
    private readonly setup: PropagationSetup,
    private readonly state: PropagationState,
  ) {
    this.length = SUM.length * setup.excitations.length
  }

  /** @param task  its number */
  add(task: number, { slots, sums, paths, statistics }: PropagationTaskResult): void {
    const { state } = this
    slots.forEach((slot, i) => this.addSlot(slot, sums, i))
    for (const path of paths) state.paths.push(path)
    for (const key of Object.keys(state.statistics) as (keyof PropagationStatistics)[])
      state.statistics[key] += statistics[key]
    state.done.add(task)
  }

  addDiffraction(task: number, { first, count }: DiffractionTask, result: DiffractionResult): void {
    const { state } = this
    for (let i = 0; i < count; i++) this.addSlot(first + i, result.sums, i)
    for (const path of result.paths) state.paths.push(path)
    state.statistics.diffracted += result.count
    state.done.add(task)
  }

  finish(): PropagationSums {
    const { sums, paths, statistics } = this.state
    if (!sums.every((x) => Math.abs(x) < 2 ** 53 * SUM_GRID))
      throw new Error('field sum out of range: please report this scene')
    return { sums, paths: paths.sort(byReceiverAndLength), statistics }
  }

  private addSlot(slot: number, sums: Float64Array, from: number): void {
    const { length } = this
    const to = length * this.setup.receivers.order[slot]
    for (let k = 0; k < length; k++) this.state.sums[to + k] += sums[length * from + k]
  }
}

/** Receivers of a diffraction task. */
const TASK_RECEIVERS = 512

/** The tasks of edge diffraction; none where the scene has none. */
export function diffractionTasks(setup: PropagationSetup, listed?: Uint8Array): DiffractionTask[] {
  const receivers = setup.wedges ? setup.receivers.order.length : 0
  return Array.from({ length: Math.ceil(receivers / TASK_RECEIVERS) }, (_, i) => ({
    first: TASK_RECEIVERS * i,
    count: Math.min(TASK_RECEIVERS, receivers - TASK_RECEIVERS * i),
    ...(listed ? { listed } : {}),
  }))
}

/** 1 for the slots of these receivers. */
export function listedSlots(
  { receivers: { order } }: PropagationSetup,
  listed: Iterable<number>,
): Uint8Array {
  const wanted = new Set(listed)
  return Uint8Array.from(order, (r) => (wanted.has(r) ? 1 : 0))
}

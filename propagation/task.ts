import type { Tasks } from '../parallel/thread.js'
import { facetPlanes } from '../rays/index.js'
import { type DiffractionTask, runDiffractionTask } from './fields/diffraction.js'
import { PathFields } from './fields/path-fields.js'
import type { LaunchBatch } from './paths/geodesic.js'
import { PathFinder, pathOf } from './paths/path-walker.js'
import { looseCaster, RayBatch } from './paths/ray-batch.js'
import { type PropagationSetup, SUM } from './setup.js'
import { type TaskResult, TaskSums } from './sums.js'

/** Rays of a batch of the launch to trace, or edges to diffract at. */
export type PropagationTask = TraceTask | DiffractionTask

interface TraceTask {
  batch: LaunchBatch
  /** 1 for slots of receivers whose paths are wanted one by one. */
  listed?: Uint8Array
}

/** The tasks of a scene's threads. */
export const propagationTasks: Tasks<PropagationSetup, PropagationTask, TaskResult> = (setup) => (task) =>
  'batch' in task ? runTraceTask(setup, task) : runDiffractionTask(setup, task)

/**
 * Traces a batch of rays and sums the fields of the paths that they find. A ray only finds a path's image; the path itself is
 * then walked exactly (`PathWalker`), and counted once (`PathFinder`).
 */
function runTraceTask(setup: PropagationSetup, { batch, listed }: TraceTask): TaskResult {
  const rays = new RayBatch(setup, looseCaster(setup.scene, facetPlanes), batch)
  rays.trace()
  const finder = new PathFinder(setup, batch, rays)
  if (setup.reception === 'spheres') finder.listSpheres()
  const sums = new TaskSums(listed)
  const numbers = new Float64Array(SUM.length * setup.excitations.length)
  const fields = new PathFields(setup)
  const { points, order } = setup.receivers
  const { transmitter } = setup
  let paths = 0
  for (let c = 0; c < rays.candidateCount; c++) {
    const slot = rays.candidates[3 * c + 2]
    if (!finder.find(rays.candidates[3 * c], rays.candidates[3 * c + 1], slot)) continue
    paths++
    const r0 = Math.hypot(
      points[3 * slot] - transmitter[0],
      points[3 * slot + 1] - transmitter[1],
      points[3 * slot + 2] - transmitter[2],
    )
    fields.evaluate(finder.walker, r0, finder.single, numbers)
    sums.add(slot, numbers, () => pathOf(setup, finder.walker, order[slot], fields.transfersOver(r0)))
  }
  return sums.finish({
    segments: rays.segments,
    candidates: rays.candidateCount,
    paths,
    escaped: rays.escaped,
  })
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

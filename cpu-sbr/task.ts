import {
  type Aperture,
  jobAperture,
  type RayScene,
  type SbrJob,
  type AspectStatistics,
  TILE,
  type TileRange,
} from '../rays/index.js'
import { fieldSum } from './field-sum.js'
import { conductorTracers } from './lattice-tracer.js'
import { branchNodes, branchWork } from './materials/branches.js'
import type { Tasks } from '../parallel/thread.js'
import { type SbrTask, TileTracer } from './tile.js'

export interface SbrTaskResult {
  /** Values of the tiles' `FieldSum`. */
  sum: Float64Array
  statistics: Required<AspectStatistics>
  /** Seconds of this thread in ray tracing, and in the field integrals. */
  traceSeconds: number
  fieldSeconds: number
}

function conductorWork(scene: RayScene, aperture: Aperture, { job, tiles, quantum }: SbrTask) {
  const { aspect, options } = job
  const tracers = conductorTracers(scene, aperture, aspect, options)
  return {
    sum: fieldSum(job, quantum),
    tracer: new TileTracer(scene, aperture, aspect, options, tiles, tracers),
  }
}

/**
 * Traces and sums the tiles of a task. Pure but for the clock; runs inline or on a worker with the same result.
 */
export function runSbrTask(scene: RayScene, task: SbrTask): SbrTaskResult {
  const { job, tiles } = task
  const aperture = jobAperture(scene, job)
  const { sum, tracer } = scene.materials
    ? branchWork(scene, scene.materials, aperture, task)
    : conductorWork(scene, aperture, task)
  let fieldSeconds = 0
  const start = performance.now()
  const { i0, j0, ni, nj } = tiles
  for (let j = j0; j < j0 + nj; j++)
    for (let i = i0; i < i0 + ni; i++) {
      tracer.trace(i, j)
      if (tracer.contributor.count === 0) continue
      const traced = performance.now()
      sum.add(tracer.contributor)
      fieldSeconds += (performance.now() - traced) / 1000
    }
  const traceSeconds = (performance.now() - start) / 1000 - fieldSeconds
  return { sum: sum.values, statistics: tracer.statistics, traceSeconds, fieldSeconds }
}

/** `runSbrTask` for the threads of a target. */
export const sbrTasks: Tasks<RayScene, SbrTask, SbrTaskResult> = (scene) => (task) => runSbrTask(scene, task)

/**
 * Work on a rectangle of tiles (the whole aperture by default) as tasks of whole rows of tiles, of at most `tubes`
 * tubes of the lattice each (a row at the least).
 */
export function rowTasks(
  scene: RayScene,
  job: SbrJob,
  quantum: number,
  tubes: number,
  part?: TileRange,
): SbrTask[] {
  const a = jobAperture(scene, job)
  const { i0, j0, ni, nj } = part ?? { i0: a.tileI0, j0: a.tileJ0, ni: a.tilesI, nj: a.tilesJ }
  const rows = Math.max(1, Math.floor(tubes / (ni * TILE * TILE)))
  const tasks: SbrTask[] = []
  const common = { job, quantum, ...(scene.materials && { nodes: branchNodes(scene.materials, job) }) }
  for (let j = 0; j < nj; j += rows)
    tasks.push({ ...common, tiles: { i0, ni, j0: j0 + j, nj: Math.min(rows, nj - j) } })
  return tasks
}

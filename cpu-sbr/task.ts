import {
  jobAperture,
  type RayScene,
  type SbrJob,
  type AspectStatistics,
  TILE,
  type TileRange,
} from '../rays/index.js'
import { fieldSum } from './spreading.js'
import type { LatticeTracer } from './lattice-tracer.js'
import { TileTracer } from './tile.js'

/** A rectangle of tiles of one aspect: the unit of work of the double-precision engine. */
export interface SbrTask {
  job: SbrJob
  tiles: TileRange
  /** See `exactQuantum` in parallel/. */
  quantum: number
}

export interface SbrTaskResult {
  /** Values of the tiles' `FieldSum`. */
  sum: Float64Array
  statistics: Required<AspectStatistics>
  /** Seconds of this thread in ray tracing, and in the field integrals. */
  traceSeconds: number
  fieldSeconds: number
}

/**
 * Traces and sums the tiles of a task. Pure but for the clock; runs inline or on a worker with the same result.
 */
export function runSbrTask(scene: RayScene, task: SbrTask): SbrTaskResult {
  const { job, tiles, quantum } = task
  const aperture = jobAperture(scene, job)
  const sum = fieldSum(job, quantum)
  let fieldSeconds = 0
  const sumUp = ({ contributor }: LatticeTracer): void => {
    if (contributor.count === 0) return
    const start = performance.now()
    sum.add(contributor)
    fieldSeconds += (performance.now() - start) / 1000
  }
  const start = performance.now()
  const tracer = new TileTracer(scene, aperture, job.aspect, job.options, tiles)
  const { i0, j0, ni, nj } = tiles
  for (let j = j0; j < j0 + nj; j++)
    for (let i = i0; i < i0 + ni; i++) {
      tracer.trace(i, j)
      sumUp(tracer)
    }
  const traceSeconds = (performance.now() - start) / 1000 - fieldSeconds
  return { sum: sum.values, statistics: tracer.statistics, traceSeconds, fieldSeconds }
}

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
  for (let j = 0; j < nj; j += rows)
    tasks.push({ job, quantum, tiles: { i0, ni, j0: j0 + j, nj: Math.min(rows, nj - j) } })
  return tasks
}

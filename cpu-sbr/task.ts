import {
  addExactly,
  fitAperture,
  type RayScene,
  type SbrJob,
  type SbrStatistics,
  TILE,
  type TileRange,
  tubeSide,
} from '../scene/index.js'
import { sumContributions } from './field-sum.js'
import { TileTracer } from './tile.js'

/** A rectangle of tiles of one aspect: the unit of work of the double-precision engine. */
export interface SbrTask {
  job: SbrJob
  tiles: TileRange
  /** See `exactGrid` in scene/. */
  grid: number
}

export interface SbrTaskResult {
  /** Sum of the tiles' fields, 8 numbers per frequency [m^2], on the grid. */
  sum: Float64Array
  statistics: SbrStatistics
  /** Seconds of this thread in ray tracing, and in the field integrals. */
  traceSeconds: number
  fieldSeconds: number
}

/** Traces and sums the tiles of a task. Pure but for the clock; runs inline or on a worker with the same result. */
export function runSbrTask(scene: RayScene, task: SbrTask): SbrTaskResult {
  const { job, tiles, grid } = task
  const aperture = fitAperture(scene, job.aspect.tx, tubeSide(job))
  const tracer = new TileTracer(scene, aperture, job.aspect, job.options)
  const sum = new Float64Array(8 * job.band.n)
  const tileSum = new Float64Array(8 * job.band.n)
  let traceSeconds = 0
  let fieldSeconds = 0
  for (let j = tiles.j0; j < tiles.j0 + tiles.nj; j++)
    for (let i = tiles.i0; i < tiles.i0 + tiles.ni; i++) {
      const start = performance.now()
      tracer.trace(i, j)
      const traced = performance.now()
      traceSeconds += (traced - start) / 1000
      if (tracer.contributor.flat.length + tracer.contributor.quad.length === 0) continue
      tileSum.fill(0)
      sumContributions(tracer.contributor, job.band, tileSum)
      addExactly(sum, tileSum, grid)
      fieldSeconds += (performance.now() - traced) / 1000
    }
  return { sum, statistics: tracer.statistics, traceSeconds, fieldSeconds }
}

/** Work on a rectangle of tiles (the whole aperture by default) as tasks of whole rows of it, of at most `tubes` tubes each (a row at the least). */
export function rowTasks(
  scene: RayScene,
  job: SbrJob,
  grid: number,
  tubes: number,
  part: TileRange = wholeAperture(scene, job),
): SbrTask[] {
  const rows = Math.max(1, Math.floor(tubes / (part.ni * TILE * TILE)))
  const tasks: SbrTask[] = []
  for (let j = 0; j < part.nj; j += rows)
    tasks.push({ job, grid, tiles: { ...part, j0: part.j0 + j, nj: Math.min(rows, part.nj - j) } })
  return tasks
}

function wholeAperture(scene: RayScene, job: SbrJob): TileRange {
  const a = fitAperture(scene, job.aspect.tx, tubeSide(job))
  return { i0: a.tileI0, j0: a.tileJ0, ni: a.tilesI, nj: a.tilesJ }
}

import {
  type Aperture,
  type FlatScene,
  jobAperture,
  type RayScene,
  type SbrJob,
  type SbrStatistics,
  TILE,
  type TileRange,
} from '../scene/index.js'
import { AdaptiveTracer } from './adaptive.js'
import { fieldSum } from './deposit.js'
import type { LatticeTracer } from './lattice-tracer.js'
import { TileTracer } from './tile.js'

/** A rectangle of tiles of one aspect, in whole blocks: the unit of work of the double-precision engine. */
export interface SbrTask {
  job: SbrJob
  tiles: TileRange
  /** See `exactGrid` in scene/. */
  grid: number
}

export interface SbrTaskResult {
  /** Values of the tiles' `FieldSum`. */
  sum: Float64Array
  statistics: Required<SbrStatistics>
  /** Seconds of this thread in ray tracing, and in the field integrals. */
  traceSeconds: number
  fieldSeconds: number
}

/**
 * Traces and sums the tiles of a task. Pure but for the clock; runs inline or on a worker with the same result.
 * @throws RangeError for adaptive tubes in a scene without flats
 */
export function runSbrTask(scene: RayScene, task: SbrTask): SbrTaskResult {
  const { job, tiles, grid } = task
  const aperture = jobAperture(scene, job)
  const sum = fieldSum(job, grid)
  let fieldSeconds = 0
  const sumUp = ({ contributor }: LatticeTracer): void => {
    if (contributor.flat.length + contributor.quad.length === 0) return
    const start = performance.now()
    sum.add(contributor)
    fieldSeconds += (performance.now() - start) / 1000
  }
  const start = performance.now()
  const statistics = job.options.adaptive
    ? traceBlocks(withItsFlats(scene), aperture, job, tiles, sumUp)
    : traceTiles(scene, aperture, job, tiles, sumUp)
  const traceSeconds = (performance.now() - start) / 1000 - fieldSeconds
  return { sum: sum.values, statistics, traceSeconds, fieldSeconds }
}

type Trace<Scene extends RayScene> = (
  scene: Scene,
  aperture: Aperture,
  job: SbrJob,
  tiles: TileRange,
  sumUp: (tracer: LatticeTracer) => void,
) => Required<SbrStatistics>

const traceTiles: Trace<RayScene> = (scene, aperture, { aspect, options }, tiles, sumUp) => {
  const tracer = new TileTracer(scene, aperture, aspect, options, tiles)
  const { i0, j0, ni, nj } = tiles
  for (let j = j0; j < j0 + nj; j++)
    for (let i = i0; i < i0 + ni; i++) {
      tracer.trace(i, j)
      sumUp(tracer)
    }
  return tracer.statistics
}

const traceBlocks: Trace<FlatScene> = (scene, aperture, { aspect, options }, tiles, sumUp) => {
  const { block } = aperture
  const { i0, j0, ni, nj } = tiles
  const tracer = new AdaptiveTracer(scene, aperture, aspect, options, tiles)
  const level = -Math.log2(block * TILE)
  for (let j = j0; j < j0 + nj; j += block)
    for (let i = i0; i < i0 + ni; i += block) tracer.trace(i / block, j / block, level, () => sumUp(tracer))
  return tracer.statistics
}

function withItsFlats(scene: RayScene): FlatScene {
  const { flats } = scene
  if (!flats) throw new RangeError('adaptive tubes need the flats of the scene (withFlats)')
  return { ...scene, flats }
}

/**
 * Work on a rectangle of tiles (the whole aperture by default) as tasks of whole rows of its blocks, of at most `tubes`
 * tubes of the lattice each (a row at the least).
 */
export function rowTasks(
  scene: RayScene,
  job: SbrJob,
  grid: number,
  tubes: number,
  part?: TileRange,
): SbrTask[] {
  const a = jobAperture(scene, job)
  const { i0, j0, ni, nj } = part ?? { i0: a.tileI0, j0: a.tileJ0, ni: a.tilesI, nj: a.tilesJ }
  const rows = a.block * Math.max(1, Math.floor(tubes / (a.block * ni * TILE * TILE)))
  const tasks: SbrTask[] = []
  for (let j = 0; j < nj; j += rows)
    tasks.push({ job, grid, tiles: { i0, ni, j0: j0 + j, nj: Math.min(rows, nj - j) } })
  return tasks
}

import { edgeSumBytes } from '../cpu-diffraction/index.js'
import { sumBytes, TASK_TUBES } from '../cpu-sbr/index.js'
import { bouncesApart, fieldNames } from '../pipeline/aspect-solver.js'
import type { Engines } from '../pipeline/engines.js'
import { rowLength } from '../pipeline/rows.js'
import type { SweepJob } from '../pipeline/sweep-job.js'
import type { RayScene } from '../rays/index.js'

/** Memory of a process without a target, and of each of its threads; measured with Node 20. */
const PROCESS_BYTES = 80e6
const THREAD_BYTES = 25e6
/** Of an aspect's directions. */
const ASPECT_BYTES = 600
/** A facet with its vertices, edges and part of the BVH. */
const FACET_BYTES = 8 * (12 + 4 + 9 + 2)

/** Copies of all fields held while a file of arrays is written: by channel, as an array's bytes, and in the file. */
export const ARRAY_COPIES = 3

/**
 * Approximate peak memory of a sweep [bytes].
 * @param workers  threads of SBR on the cpu
 * @param tubes    per aspect and band, at most
 * @param copies   of all fields held while results are written
 */
export function runMemory(
  scene: RayScene,
  job: SweepJob,
  engines: Engines,
  workers: number,
  tubes: number,
  copies: number,
): number {
  const { facets, edges, options } = engines
  const { device, aspectsInFlight } = facets.describe()
  const row = 8 * rowLength(job, fieldNames(engines, bouncesApart(engines).least).length)
  const rows = job.aspects.length * row
  const inFlight = Math.min(aspectsInFlight, job.aspects.length)
  const mostOf = (bytes: (band: SweepJob['bands'][number]) => number): number =>
    job.bands.reduce((most, band) => Math.max(most, bytes(band)), 0)
  const [aspect] = job.aspects
  const tasks = Math.ceil(tubes / TASK_TUBES) * inFlight
  // A thread holds its totals and the contributions it adds, and sends a copy; the calling thread holds totals of each aspect.
  const sums =
    device === 'cpu' && !('raster' in facets)
      ? (3 * Math.min(workers, tasks) + inFlight) *
        mostOf((band) => sumBytes(scene, { aspect, band, options }))
      : 0
  const threads = edges ? edges.engine.describe().threads : 0
  const underWay = inFlight * (row + mostOf((band) => 3 * 64 * band.n))
  return (
    PROCESS_BYTES +
    THREAD_BYTES * (threads + (device === 'cpu' ? workers : 0)) +
    scene.count * FACET_BYTES +
    scene.nodes.byteLength +
    scene.pairs.boxes.byteLength +
    job.aspects.length * ASPECT_BYTES +
    rows +
    // Threads end before results are written.
    Math.max(copies * rows, underWay + sums + threads * mostOf(edgeSumBytes))
  )
}

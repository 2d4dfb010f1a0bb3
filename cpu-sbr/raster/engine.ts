import { type FaultOptions, WorkerPool } from '../../parallel/worker-pool.js'
import { type AspectResult, finishField } from '../../rays/index.js'
import {
  rasterBound,
  type RasterEdges,
  type RasterEngine,
  rasterImage,
  type RasterJob,
  type RasterScene,
} from '../../rays/raster-scene.js'
import { InputError, wavenumber } from '../../scene/index.js'
import { type RasterTarget, rasterTasks } from './edges.js'

/**
 * Rasterised physical optics and equivalent edge currents in double precision, on `workers` threads (0: inline); an aspect is one
 * task, so that no number of workers changes a byte. Busy times are per thread.
 *
 * @param size  pixels along a side of the image
 * @param faults  reports threads that fail, and says when one hangs
 */
export function createRasterEngine(
  scene: RasterScene,
  edges: RasterEdges | null,
  workers: number,
  size: number,
  faults: FaultOptions = {},
): RasterEngine {
  const target: RasterTarget = { scene, edges, image: rasterImage(scene.radius, size) }
  const pool = new WorkerPool({
    what: 'rasterising',
    workers,
    data: target,
    tasks: rasterTasks,
    ...faults,
  })
  const { threads } = pool

  const field = async (job: RasterJob, signal?: AbortSignal): Promise<AspectResult> => {
    const start = performance.now()
    const { field: sum, facets, pieces, traceSeconds, fieldSeconds } = await pool.run(job, signal)
    const bound = 4 * rasterBound(scene, edges, wavenumber(job.band.f0))
    if (!sum.every((x) => Math.abs(x) < bound))
      throw new InputError(
        `equivalent edge currents are infinite at theta ${job.aspect.tx.thetaDeg}, phi ${job.aspect.tx.phiDeg}; leave that ` +
          'direction out, or use --method sbr',
      )
    finishField(scene.origin, job, sum)
    return {
      field: sum,
      partSeconds: [(traceSeconds + fieldSeconds) / threads],
      statistics: { tubes: size * size, leaves: facets, contributions: facets + pieces },
      times: {
        trace: traceSeconds / threads,
        field: fieldSeconds / threads,
        reduction: 0,
        total: (performance.now() - start) / 1000,
      },
    }
  }

  return {
    raster: { size, edges: edges !== null && edges.count > 0 },
    describe: () => ({
      device: 'cpu',
      text: `cpu, double precision, ${pool.description}`,
      aspectsInFlight: 2 * threads,
    }),
    field,
    close: () => pool.close(),
  }
}

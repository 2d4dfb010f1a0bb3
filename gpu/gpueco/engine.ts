import { type AspectResult, type EngineDescription, finishField } from '../../rays/index.js'
import { type Band, InputError, wavenumber } from '../../scene/index.js'
import {
  type RasterEdges,
  type RasterEngine,
  type RasterImage,
  type RasterJob,
  type RasterScene,
  rasterBound,
  rasterImage,
} from '../../raster/raster-scene.js'
import { describeGpu, type GpuContext } from '../device.js'
import { compileKernel } from '../kernel.js'
import { BatchBuffers, BatchResults, facetGroup, passCount, type BatchPlan } from './batch.js'
import { type GpuecoBuffers, uploadRaster } from './buffers.js'
import { COUNTERS, FREQUENCY_LANES, GPUECO_KERNELS, type GpuecoKernels } from './kernels.js'
import { COUNTS } from './layouts.js'
import { packAspects, packJob, tileCorners } from './uniforms.js'

export interface GpuecoOptions {
  /** Pixels along a side of the image. */
  size: number
  /** Pixels along a side of a tile that is drawn at once; larger images are cut into tiles. */
  tile?: number
  /** Aspects that run through the kernels at once, at the most. */
  batch?: number
}

const LARGEST_TILE = 4096
const LARGEST_BATCH = 16
/** Bytes of depths and of counts that a batch may take each. */
const BATCH_MEMORY = 1 << 28

/** Lanes that draw a facet together; a software device runs them one after the other. */
const HARDWARE_LANES = 64
const SOFTWARE_LANES = 4

/** An aspect that waits for its batch. */
interface Request {
  job: RasterJob
  signal?: AbortSignal
  resolve: (result: AspectResult) => void
  reject: (error: unknown) => void
}

/**
 * Rasterised physical optics and equivalent edge currents on a WebGPU device (paper 001, with the changes of
 * docs/gpueco.md). Results do not
 * depend on how aspects are batched or images cut into tiles, to the last bit.
 */
export class GpuecoEngine implements RasterEngine {
  readonly raster: { size: number; edges: boolean }
  readonly image: RasterImage
  private readonly target: GpuecoBuffers
  private readonly buffers: BatchBuffers
  private readonly kernels = new Map<number, Promise<GpuecoKernels>>()
  private readonly free: BatchResults[] = []
  private waiting: Request[] = []

  constructor(
    readonly context: GpuContext,
    readonly scene: RasterScene,
    private readonly edges: RasterEdges | null,
    options: GpuecoOptions,
  ) {
    const { device } = context
    this.raster = { size: options.size, edges: edges !== null && edges.count > 0 }
    this.image = rasterImage(scene.radius, options.size)
    this.target = uploadRaster(device, scene, edges, this.image)
    const most = device.limits.maxStorageBufferBindingSize
    const tile = Math.min(options.size, options.tile ?? LARGEST_TILE)
    const perAspect = Math.max(4 * tile * tile, COUNTS.size * scene.count, 8 * this.target.works)
    if (perAspect > most)
      throw new InputError(`the target has ${scene.count} facets, too many for this GPU; use --device cpu`)
    const batch = Math.min(
      options.batch ?? LARGEST_BATCH,
      Math.max(1, Math.floor(Math.min(most, BATCH_MEMORY) / perAspect)),
    )
    this.buffers = new BatchBuffers(
      device,
      this.target,
      scene.count,
      batch,
      tile,
      tileCorners(options.size, tile),
    )
  }

  /** See `FieldEngine`. */
  describe(): EngineDescription {
    return describeGpu(this.context, 64)
  }

  field(job: RasterJob, signal?: AbortSignal): Promise<AspectResult> {
    return new Promise((resolve, reject) => {
      if (this.waiting.length === 0) queueMicrotask(() => this.flush())
      this.waiting.push({ job, signal, resolve, reject })
    })
  }

  close(): Promise<void> {
    this.context.device.destroy()
    return Promise.resolve()
  }

  /** Sends what waits in batches of one band and one choice of mechanisms. */
  private flush(): void {
    const groups = new Map<string, Request[]>()
    for (const request of this.waiting) {
      if (request.signal?.aborted) {
        request.reject(request.signal.reason)
        continue
      }
      const { band, only } = request.job
      const key = [band.f0, band.df, band.n, only].join()
      const group = groups.get(key)
      if (group) group.push(request)
      else groups.set(key, [request])
    }
    this.waiting = []
    const { capacity } = this.buffers
    for (const group of groups.values())
      for (let i = 0; i < group.length; i += capacity) {
        const batch = group.slice(i, i + capacity)
        this.run(batch).catch((error: unknown) => batch.forEach(({ reject }) => reject(error)))
      }
  }

  private async run(batch: Request[]): Promise<void> {
    const { band, only } = batch[0].job
    const frequencyLanes = Math.min(FREQUENCY_LANES, 2 ** Math.ceil(Math.log2(band.n)))
    const plan: BatchPlan = {
      aspects: batch.length,
      frequencies: band.n,
      frequencyLanes,
      facets: only !== 'edges',
      edges: only !== 'facets',
    }
    const kernels = await this.compiled(frequencyLanes, Math.ceil(band.n / frequencyLanes))
    const start = performance.now()
    const results = this.submit(batch, band, plan, kernels)
    const wait = results.collect(plan, this.buffers.counterWords)
    const { totals, counters, times } = await Promise.race([wait, this.context.failure])
    this.free.push(results)
    if (counters[COUNTERS.notFinite])
      throw new InputError(
        'equivalent edge currents are infinite in one of these directions: they are singular where transmitter and receiver ' +
          'look along a face from its two ends; leave that direction out, or use --method sbr',
      )
    const seconds = (performance.now() - start) / 1000 / batch.length
    const scale = 2 ** -this.fixedExponent(band)
    batch.forEach(({ job, resolve }, i) => {
      const field = totals.slice(8 * band.n * i, 8 * band.n * (i + 1)).map((x) => x * scale)
      finishField(this.scene.origin, job, field)
      const at = COUNTERS.head + COUNTERS.perAspect * i
      resolve({
        field,
        partSeconds: [(times.trace + times.field) / batch.length],
        statistics: {
          tubes: this.image.size ** 2,
          leaves: counters[at + COUNTERS.facets],
          contributions: counters[at + COUNTERS.facets] + counters[at + COUNTERS.pieces],
        },
        times: {
          trace: times.trace / batch.length,
          field: times.field / batch.length,
          reduction: 0,
          total: seconds,
        },
      })
    })
  }

  /** Nothing is awaited in here: batches share their buffers, in the order of the queue. */
  private submit(batch: Request[], band: Band, plan: BatchPlan, kernels: GpuecoKernels): BatchResults {
    const { context, buffers, target, scene } = this
    const { device } = context
    const results = this.free.pop() ?? new BatchResults(context)
    const job = packJob(band, this.image, {
      facets: scene.count,
      works: target.works,
      pieces: target.pieceCount,
      tile: buffers.tile,
      group: facetGroup(scene.count),
      fixedExponent: this.fixedExponent(band),
    })
    device.queue.writeBuffer(buffers.job, 0, job)
    device.queue.writeBuffer(buffers.aspects, 0, packAspects(batch.map((r) => r.job.aspect)))
    results.timer.start(passCount(buffers.tiles.length))
    const encoder = device.createCommandEncoder()
    buffers.encode(encoder, kernels, plan, results.timer)
    results.copyOut(encoder, buffers, plan)
    device.queue.submit([encoder.finish()])
    return results
  }

  private fixedExponent(band: Band): number {
    return 58 - Math.ceil(Math.log2(rasterBound(this.scene, this.edges, wavenumber(band.f0))))
  }

  private compiled(frequencyLanes: number, blocks: number): Promise<GpuecoKernels> {
    const key = frequencyLanes + 1024 * blocks
    let kernels = this.kernels.get(key)
    if (!kernels) {
      const constants = {
        FREQUENCY_LANES: frequencyLanes,
        FREQUENCY_BLOCKS: blocks,
        RASTER_LANES: this.context.isSoftware ? SOFTWARE_LANES : HARDWARE_LANES,
      }
      const names = Object.keys(GPUECO_KERNELS) as (keyof GpuecoKernels)[]
      kernels = Promise.all(
        names.map(async (n) => [n, await compileKernel(this.context.device, GPUECO_KERNELS[n], constants)]),
      ).then((pairs) => Object.fromEntries(pairs) as GpuecoKernels)
      this.kernels.set(key, kernels)
    }
    return kernels
  }
}

import { type AspectResult, type EngineDescription, finishField } from '../../rays/index.js'
import {
  rasterBound,
  type RasterEdges,
  type RasterEngine,
  type RasterImage,
  rasterImage,
  type RasterJob,
  type RasterScene,
} from '../../rays/raster-scene.js'
import { type Band, InputError, wavenumber } from '../../scene/index.js'
import { describeGpu, type GpuContext } from '../device.js'
import { bindKernel, compileKernel, KernelTimer } from '../kernel.js'
import { DYNAMIC_STRIDE } from '../layout.js'
import {
  ASPECT,
  AXIS,
  COUNTERS,
  COUNTS,
  FREQUENCY_LANES,
  GPUECO_JOB,
  GPUECO_KERNELS,
  GPUECO_STEP,
  type GpuecoBuffers,
  type GpuecoKernels,
  LANES,
  packAspects,
  packJob,
  packSteps,
  PARTIAL,
  tileCorners,
  uploadRaster,
} from './kernels.js'

/** What a batch of aspects asks of the kernels. */
interface BatchPlan {
  aspects: number
  frequencies: number
  frequencyLanes: number
  /** Which of facets and edges contribute. */
  facets: boolean
  edges: boolean
}

/** The buffers that all batches share; work on the device's queue is done in order, so that one set is enough. */
class BatchBuffers {
  readonly job: GPUBuffer
  readonly step: { buffer: GPUBuffer; size: number }
  readonly aspects: GPUBuffer
  readonly depth: GPUBuffer
  readonly counts: GPUBuffer
  readonly masks: GPUBuffer
  readonly counters: GPUBuffer
  /** PARTIAL, of facets seen in part. */
  readonly partial: GPUBuffer
  readonly args: GPUBuffer
  totals: GPUBuffer
  private values = 0
  private binds = new Map<GpuecoKernels, Record<keyof GpuecoKernels, GPUBindGroup>>()

  constructor(
    private readonly device: GPUDevice,
    private readonly target: GpuecoBuffers,
    readonly facets: number,
    readonly capacity: number,
    readonly tile: number,
    readonly tiles: [number, number][],
  ) {
    const { UNIFORM, STORAGE, COPY_DST, COPY_SRC } = GPUBufferUsage
    const make = (label: string, size: number, usage: number): GPUBuffer =>
      device.createBuffer({ label, size, usage: usage | COPY_DST })
    const steps = packSteps(tiles)
    this.job = make('job', GPUECO_JOB.size, UNIFORM)
    this.step = { buffer: make('steps', steps.byteLength, UNIFORM), size: GPUECO_STEP.size }
    device.queue.writeBuffer(this.step.buffer, 0, steps)
    this.aspects = make('aspects', ASPECT.size * capacity, STORAGE)
    this.depth = make('depth', 4 * tile * tile * capacity, STORAGE)
    this.counts = make('counts', COUNTS.size * facets * capacity, STORAGE)
    this.masks = make('masks', 4 * Math.max(1, target.pieceCount) * capacity, STORAGE)
    this.counters = make('counters', 4 * this.counterWords, STORAGE | COPY_SRC)
    this.partial = make('partial', PARTIAL.size * target.works * capacity, STORAGE)
    this.args = make('dispatch arguments', 16, GPUBufferUsage.INDIRECT)
    this.totals = make('totals', 64, STORAGE | COPY_SRC)
  }

  get counterWords(): number {
    return COUNTERS.head + COUNTERS.perAspect * this.capacity
  }

  /** Makes room for the totals of a batch. */
  private fitTotals(plan: BatchPlan): void {
    const values = 8 * plan.frequencies * this.capacity
    if (values <= this.values) return
    this.totals.destroy()
    const { STORAGE, COPY_DST, COPY_SRC } = GPUBufferUsage
    this.totals = this.device.createBuffer({
      label: 'totals',
      size: 8 * values,
      usage: STORAGE | COPY_SRC | COPY_DST,
    })
    this.values = values
    this.binds.clear()
  }

  private bindsOf(kernels: GpuecoKernels): Record<keyof GpuecoKernels, GPUBindGroup> {
    let binds = this.binds.get(kernels)
    if (!binds) {
      const { aspects, depth, counts, masks, counters, partial, totals } = this
      const buffers = { ...this.target, aspects, depth, counts, masks, counters, partial, totals }
      const names = Object.keys(GPUECO_KERNELS) as (keyof GpuecoKernels)[]
      binds = Object.fromEntries(
        names.map((name) => [
          name,
          bindKernel(
            this.device,
            kernels[name],
            this.job,
            this.step,
            buffers as unknown as Record<string, GPUBuffer>,
          ),
        ]),
      ) as Record<keyof GpuecoKernels, GPUBindGroup>
      this.binds.set(kernels, binds)
    }
    return binds
  }

  /** All kernels of a batch. With one tile its depths serve facets seen in part as well; else they are drawn again. */
  encode(encoder: GPUCommandEncoder, kernels: GpuecoKernels, plan: BatchPlan, timer: KernelTimer): void {
    this.fitTotals(plan)
    const { target, facets, tiles } = this
    const binds = this.bindsOf(kernels)
    const { aspects } = plan
    const blocks = Math.ceil(plan.frequencies / plan.frequencyLanes)
    const set = (pass: GPUComputePassEncoder, name: keyof GpuecoKernels, step: number): void => {
      pass.setPipeline(kernels[name].pipeline)
      pass.setBindGroup(0, binds[name], [DYNAMIC_STRIDE * step])
    }
    const over = (
      pass: GPUComputePassEncoder,
      name: keyof GpuecoKernels,
      step: number,
      entries: number,
    ): void => {
      set(pass, name, step)
      pass.dispatchWorkgroups(Math.min(AXIS, entries), Math.ceil(entries / AXIS), aspects)
    }
    const inBlocks = (pass: GPUComputePassEncoder, name: keyof GpuecoKernels, groups: number): void => {
      set(pass, name, 0)
      pass.dispatchWorkgroups(groups, blocks, aspects)
    }

    encoder.clearBuffer(this.totals, 0, 64 * plan.frequencies * aspects)
    encoder.clearBuffer(this.counters)
    encoder.clearBuffer(this.counts, 0, COUNTS.size * facets * aspects)
    encoder.clearBuffer(this.masks)
    tiles.forEach((_, step) => {
      encoder.clearBuffer(this.depth, 0, 4 * this.tile * this.tile * aspects)
      const pass = encoder.beginComputePass(timer.pass('trace', 0))
      over(pass, 'depth', step, target.works)
      if (plan.facets) over(pass, 'visible', step, target.works)
      if (plan.edges && target.pieceCount > 0) over(pass, 'edges', step, target.pieceCount)
      pass.end()
    })
    const fields = encoder.beginComputePass(timer.pass('field', 0))
    if (plan.facets) inBlocks(fields, 'fields', Math.ceil(facets / facetGroup(facets)))
    if (plan.edges && target.pieceCount > 0)
      inBlocks(fields, 'edgeFields', Math.ceil(target.pieceCount / LANES))
    fields.end()
    if (!plan.facets) return
    encoder.copyBufferToBuffer(this.counters, 4 * COUNTERS.partialArgs, this.args, 0, 12)
    tiles.forEach((_, step) => {
      if (tiles.length > 1) {
        encoder.clearBuffer(this.depth, 0, 4 * this.tile * this.tile * aspects)
        const pass = encoder.beginComputePass(timer.pass('trace', 0))
        over(pass, 'depth', step, target.works)
        pass.end()
      }
      const pass = encoder.beginComputePass(timer.pass('field', 0))
      set(pass, 'pixels', step)
      pass.dispatchWorkgroupsIndirect(this.args, 0)
      pass.end()
    })
  }
}

/** Compute passes that `encode` begins. */
const passCount = (tiles: number): number => 3 * tiles + 1

/** Facets whose sums are added up in one workgroup: by the target alone, so that no batch changes a byte. */
const facetGroup = (facets: number): number => LANES * Math.max(1, Math.ceil(facets / (LANES * 4096)))

/** What is read back from a batch, and its times. */
class BatchResults {
  readonly timer: KernelTimer
  private readback: GPUBuffer | null = null

  constructor(private readonly context: GpuContext) {
    this.timer = new KernelTimer(context)
  }

  copyOut(encoder: GPUCommandEncoder, buffers: BatchBuffers, plan: BatchPlan): void {
    const bytes = 64 * plan.frequencies * plan.aspects
    const size = bytes + 4 * buffers.counterWords
    if (!this.readback || this.readback.size < size) {
      this.readback?.destroy()
      const { MAP_READ, COPY_DST } = GPUBufferUsage
      this.readback = this.context.device.createBuffer({
        label: 'readback',
        size,
        usage: MAP_READ | COPY_DST,
      })
    }
    encoder.copyBufferToBuffer(buffers.totals, 0, this.readback, 0, bytes)
    encoder.copyBufferToBuffer(buffers.counters, 0, this.readback, bytes, 4 * buffers.counterWords)
    this.timer.copyOut(encoder)
  }

  /** Totals as plain numbers in units of 2^-fixedExponent, 8 per frequency and aspect; counters; kernel times [s]. */
  async collect(plan: BatchPlan, counterWords: number) {
    const values = 8 * plan.frequencies * plan.aspects
    const [{ times }] = await Promise.all([
      this.timer.collect(1),
      this.readback!.mapAsync(GPUMapMode.READ, 0, 8 * values + 4 * counterWords),
    ])
    const words = new Uint32Array(this.readback!.getMappedRange(0, 8 * values + 4 * counterWords).slice(0))
    this.readback!.unmap()
    const totals = new Float64Array(values)
    for (let i = 0; i < values; i++) totals[i] = words[2 * i] + (words[2 * i + 1] | 0) * 2 ** 32
    return { totals, counters: words.subarray(2 * values), times }
  }
}

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

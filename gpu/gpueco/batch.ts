import type { GpuContext } from '../device.js'
import { bindKernel } from '../kernel.js'
import { DYNAMIC_STRIDE } from '../layout.js'
import { KernelTimer } from '../kernel-timer.js'
import type { GpuecoBuffers } from './buffers.js'
import { AXIS, COUNTERS, GPUECO_KERNELS, type GpuecoKernels, LANES } from './kernels.js'
import { ASPECT, COUNTS, GPUECO_JOB, GPUECO_STEP, PARTIAL } from './layouts.js'
import { packSteps } from './uniforms.js'

/** What a batch of aspects asks of the kernels. */
export interface BatchPlan {
  aspects: number
  frequencies: number
  frequencyLanes: number
  /** Which of facets and edges contribute. */
  facets: boolean
  edges: boolean
}

/** The buffers that all batches share; work on the device's queue is done in order, so that one set is enough. */
export class BatchBuffers {
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
export const passCount = (tiles: number): number => 3 * tiles + 1

/** Facets whose sums are added up in one workgroup: by the target alone, so that no batch changes a byte. */
export const facetGroup = (facets: number): number => LANES * Math.max(1, Math.ceil(facets / (LANES * 4096)))

/** What is read back from a batch, and its times. */
export class BatchResults {
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

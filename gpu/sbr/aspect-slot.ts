import type { GpuContext } from '../device.js'
import { KernelTimer, type Stage } from '../kernel-timer.js'
import { type AspectBinds, COUNTERS } from './kernels.js'
import { SBR_STEP } from './layouts.js'

/**
 * Buffers that one aspect owns while it is on the way; reused from aspect to aspect. Objects of the device are few on
 * purpose: each costs time to make, and a longer stop of the event loop when thousands are collected at once.
 */
export class AspectSlot {
  job: GPUBuffer | null = null
  step: { buffer: GPUBuffer; size: number } | null = null
  totals: GPUBuffer | null = null
  readonly counters: GPUBuffer
  /** What the counters of every batch but the last one stood at. */
  private batchCounters: GPUBuffer | null = null
  readonly timer: KernelTimer
  /** Bind groups with these buffers, for whom they are good as long as the buffers stay (see `engine.ts`). */
  binds: { of: unknown[]; groups: AspectBinds } | null = null
  private readback: GPUBuffer | null = null
  private values = 0
  private batches = 0

  constructor(private readonly context: GpuContext) {
    const usage = GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST
    this.counters = this.create('counters', 4 * COUNTERS.words, GPUBufferUsage.STORAGE | usage)
    this.timer = new KernelTimer(context)
  }

  /** Loads the uniforms of a new aspect of `frequencies` frequencies in `batches` batches. */
  prepare(job: ArrayBuffer, steps: ArrayBuffer, frequencies: number, batches: number, passes: number): void {
    const { device } = this.context
    const uniform = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST
    this.job ??= this.create('job', job.byteLength, uniform)
    if (!this.step || this.step.buffer.size < steps.byteLength) {
      this.step?.buffer.destroy()
      this.step = { buffer: this.create('steps', steps.byteLength, uniform), size: SBR_STEP.size }
    }
    const usage = GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST
    const fewer = 8 * frequencies !== this.values
    if (fewer) {
      this.totals?.destroy()
      this.values = 8 * frequencies
      this.totals = this.create('totals', 8 * this.values, GPUBufferUsage.STORAGE | usage)
    }
    if (fewer || batches > this.batches) {
      this.readback?.destroy()
      this.batchCounters?.destroy()
      this.batches = batches
      const counters = 4 * COUNTERS.perAspect * batches
      this.batchCounters = this.create('counters of batches', counters, usage)
      this.readback = this.create(
        'readback',
        8 * this.values + 4 * COUNTERS.words + counters,
        GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
      )
    }
    device.queue.writeBuffer(this.job, 0, job)
    device.queue.writeBuffer(this.step.buffer, 0, steps)
    this.timer.start(passes)
  }

  /** Before an aspect's kernels. */
  clear(encoder: GPUCommandEncoder): void {
    encoder.clearBuffer(this.totals!)
    encoder.clearBuffer(this.counters)
  }

  /** Before a batch's kernels: the counters of the one before are kept, and start afresh. */
  nextBatch(encoder: GPUCommandEncoder, index: number): void {
    const bytes = 4 * COUNTERS.perAspect
    if (index > 0)
      encoder.copyBufferToBuffer(this.counters, 0, this.batchCounters!, bytes * (index - 1), bytes)
    encoder.clearBuffer(this.counters, 0, bytes)
  }

  /** After an aspect's kernels: what `collect` will read. */
  copyOut(encoder: GPUCommandEncoder): void {
    const bytes = 8 * this.values
    const words = 4 * COUNTERS.words
    encoder.copyBufferToBuffer(this.totals!, 0, this.readback!, 0, bytes)
    encoder.copyBufferToBuffer(this.counters, 0, this.readback!, bytes, words)
    const before = this.batchCounters!
    encoder.copyBufferToBuffer(before, 0, this.readback!, bytes + words, before.size)
    this.timer.copyOut(encoder)
  }

  /**
   * Waits for the submitted aspect: its sums in units of 2^-fixedExponent, its counters, those of each batch (`perAspect` words), its
   * kernel times [s].
   */
  async collect(parts: number): Promise<{
    totals: BigInt64Array
    counters: Uint32Array
    batches: Uint32Array[]
    times: Record<Stage, number>
    partSeconds: number[]
  }> {
    const [{ times, partSeconds }] = await Promise.all([
      this.timer.collect(parts),
      this.readback!.mapAsync(GPUMapMode.READ),
    ])
    const words = new Uint32Array(this.readback!.getMappedRange().slice(0))
    this.readback!.unmap()
    const totals = new BigInt64Array(words.buffer, 0, this.values)
    const counters = words.subarray(2 * this.values, 2 * this.values + COUNTERS.words)
    const before = words.subarray(2 * this.values + COUNTERS.words)
    const { perAspect } = COUNTERS
    const batches = Array.from({ length: parts }, (_, b) =>
      b === parts - 1 ? counters.subarray(0, perAspect) : before.subarray(perAspect * b, perAspect * (b + 1)),
    )
    return { totals, counters, batches, times, partSeconds }
  }

  private create(label: string, size: number, usage: number): GPUBuffer {
    return this.context.device.createBuffer({ label, size, usage })
  }
}

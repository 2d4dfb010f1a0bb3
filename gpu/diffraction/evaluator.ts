import { EDGE_HEAD } from '../../scene/index.js'
import { type GpuContext, GpuError } from '../device.js'
import { compileKernel, type Kernel } from '../kernel.js'
import { EDGE_KERNELS, FREQUENCY_LANES } from './kernels.js'
import { EdgeSlot, HEAD_BYTES } from './slot.js'

type EdgeKernels = Record<keyof typeof EDGE_KERNELS, Kernel>

/** Sum of the segments of some records, and what it took on the device. */
export interface EdgeSum {
  /** 8 numbers per frequency [m], multiples of the records' grid; not a number where a sum was infinite or too large. */
  sum: Float64Array
  /** Of the kernels where the device has timestamps, else until the result was there. */
  seconds: number
}

/**
 * Evaluates segments of edges that were written down as records (scene/edge-records.ts) on a WebGPU device, in single
 * precision: docs/edge-diffraction.md, "On the GPU", states the error. The sum of some blocks has the same bytes however they
 * are split. The device stays its owner's.
 */
export class GpuEdgeEvaluator {
  private ends: Promise<Kernel> | null = null
  /** By number of frequency lanes. */
  private readonly sums = new Map<number, Promise<Kernel>>()
  private readonly slots: EdgeSlot[] = []

  constructor(private readonly context: GpuContext) {}

  async evaluate(records: Float64Array): Promise<EdgeSum> {
    const start = performance.now()
    const head = new Uint32Array(records.buffer, records.byteOffset, HEAD_BYTES / 4)
    const frequencies = head[EDGE_HEAD.frequencies]
    const kernels = await this.compiled(frequencies)
    const slot = this.slots.pop() ?? new EdgeSlot(this.context)
    const values = 8 * frequencies
    this.submit(slot, kernels, records, head)
    const mapped = slot.readback!.mapAsync(GPUMapMode.READ, 0, 8 * values + 4)
    const [{ times }] = await Promise.race([
      Promise.all([slot.timer.collect(1), mapped]),
      this.context.failure,
    ]).catch((error: Error) => {
      throw error instanceof GpuError ? error : new GpuError(`the GPU gave no result: ${error.message}`)
    })
    const words = new Uint32Array(slot.readback!.getMappedRange(0, 8 * values + 4).slice(0))
    slot.readback!.unmap()
    this.slots.push(slot)
    const unit = 2 ** -(head[EDGE_HEAD.fixedExponent] | 0)
    const sum = new Float64Array(values)
    for (let i = 0; i < values; i++)
      sum[i] = words[2 * values] ? NaN : (words[2 * i] + (words[2 * i + 1] | 0) * 2 ** 32) * unit
    return { sum, seconds: times.field || (performance.now() - start) / 1000 }
  }

  private submit(slot: EdgeSlot, kernels: EdgeKernels, records: Float64Array, head: Uint32Array): void {
    const { device } = this.context
    const blocks = head[EDGE_HEAD.blocks]
    const points = head[EDGE_HEAD.slots] * head[EDGE_HEAD.nodes]
    const frequencies = head[EDGE_HEAD.frequencies]
    const bytes = 8 * 8 * frequencies
    slot.reserve(records.byteLength, 32 * Math.max(1, points), 8 * frequencies)
    device.queue.writeBuffer(slot.records!, 0, records as Float64Array<ArrayBuffer>)
    device.queue.writeBuffer(slot.job, 0, head as Uint32Array<ArrayBuffer>)
    const encoder = device.createCommandEncoder()
    encoder.clearBuffer(slot.totals!, 0, bytes)
    encoder.clearBuffer(slot.counters)
    slot.timer.start(1)
    const pass = encoder.beginComputePass(slot.timer.pass('field', 0))
    const run = (name: keyof EdgeKernels, x: number, y: number): void => {
      pass.setPipeline(kernels[name].pipeline)
      pass.setBindGroup(0, slot.bound(kernels[name]), [0])
      pass.dispatchWorkgroups(x, y)
    }
    if (points > 0) run('ends', Math.ceil(points / 64), 1)
    run('sum', blocks, Math.ceil(frequencies / lanes(frequencies)))
    pass.end()
    encoder.copyBufferToBuffer(slot.totals!, 0, slot.readback!, 0, bytes)
    encoder.copyBufferToBuffer(slot.counters, 0, slot.readback!, bytes, 4)
    slot.timer.copyOut(encoder)
    device.queue.submit([encoder.finish()])
  }

  private async compiled(frequencies: number): Promise<EdgeKernels> {
    const { device } = this.context
    const count = lanes(frequencies)
    this.ends ??= compileKernel(device, EDGE_KERNELS.ends, {})
    let sum = this.sums.get(count)
    if (!sum) {
      sum = compileKernel(device, EDGE_KERNELS.sum, { FREQUENCY_LANES: count })
      this.sums.set(count, sum)
    }
    const [ends, summed] = await Promise.all([this.ends, sum])
    return { ends, sum: summed }
  }
}

const lanes = (frequencies: number): number =>
  Math.min(FREQUENCY_LANES, 2 ** Math.ceil(Math.log2(frequencies)))

import { EDGE_RECORD_HEAD } from '../../scene/index.js'
import { GpuError, type GpuContext } from '../device.js'
import { bindKernel, type Kernel } from '../kernel.js'
import { KernelTimer } from '../kernel-timer.js'

/** Bytes of the uniform: the head of the records. */
export const HEAD_BYTES = 4 * EDGE_RECORD_HEAD

/** Buffers of one evaluation on the way; they grow as needed and are used again. */
export class EdgeSlot {
  readonly job: GPUBuffer
  readonly counters: GPUBuffer
  readonly timer: KernelTimer
  records: GPUBuffer | null = null
  amplitudes: GPUBuffer | null = null
  totals: GPUBuffer | null = null
  readback: GPUBuffer | null = null
  /** Bind groups by kernel, good until a buffer grows. */
  private readonly binds = new Map<Kernel, GPUBindGroup>()

  constructor(private readonly context: GpuContext) {
    const { UNIFORM, STORAGE, COPY_DST, COPY_SRC } = GPUBufferUsage
    this.job = this.create('edge job', HEAD_BYTES, UNIFORM | COPY_DST)
    this.counters = this.create('edge counters', 4, STORAGE | COPY_SRC | COPY_DST)
    this.timer = new KernelTimer(context)
  }

  /** Makes room for records and amplitudes of so many bytes, and for the sums of `values` numbers. */
  reserve(recordBytes: number, amplitudeBytes: number, values: number): void {
    const { STORAGE, COPY_DST, COPY_SRC, MAP_READ } = GPUBufferUsage
    this.records = this.grown(this.records, 'edge records', recordBytes, STORAGE | COPY_DST)
    this.amplitudes = this.grown(this.amplitudes, 'edge amplitudes', amplitudeBytes, STORAGE)
    this.totals = this.grown(this.totals, 'edge totals', 8 * values, STORAGE | COPY_SRC | COPY_DST)
    this.readback = this.grown(this.readback, 'edge readback', 8 * values + 4, MAP_READ | COPY_DST)
  }

  /** The buffers as a kernel takes them. */
  bound(kernel: Kernel): GPUBindGroup {
    let group = this.binds.get(kernel)
    if (!group) {
      const buffers = this as unknown as Record<string, GPUBuffer>
      // The kernels have no uniform of their own per dispatch; the layout has a place for one.
      const step = { buffer: this.job, size: HEAD_BYTES }
      group = bindKernel(this.context.device, kernel, this.job, step, buffers)
      this.binds.set(kernel, group)
    }
    return group
  }

  private grown(buffer: GPUBuffer | null, label: string, size: number, usage: number): GPUBuffer {
    if (buffer && buffer.size >= size) return buffer
    const limit = this.context.device.limits.maxStorageBufferBindingSize
    if (size > limit)
      throw new GpuError(`${label} take ${size} bytes, the GPU binds ${limit}; use --gpu-edges 0`)
    buffer?.destroy()
    this.binds.clear()
    // Half as much again: aspects differ, and a new buffer costs more than its room.
    return this.create(label, Math.min(limit, 256 * Math.ceil((1.5 * size) / 256)), usage)
  }

  private create(label: string, size: number, usage: number): GPUBuffer {
    return this.context.device.createBuffer({ label, size, usage })
  }
}

import { type GpuContext, GpuMemoryError } from '../device.js'
import { KernelTimer } from '../kernel-timer.js'
import { bindKernel, compileKernel, type Kernel } from '../kernel.js'
import { DYNAMIC_STRIDE, type Values } from '../layout.js'
import { DENSE_JOB, DENSE_KERNELS, DENSE_STEP, type DenseKernel } from './layouts.js'

/** Steps of a dense solution whose device time is counted apart. */
export const DENSE_STAGES = ['fill', 'panel', 'swap', 'triangle', 'update', 'solve', 'residual'] as const
export type DenseStage = (typeof DENSE_STAGES)[number]

/** Dispatches of one command buffer, and its floating-point operations, at the most: no watchdog of a slow device shall end it. */
const MOST_STEPS = 1024
const MOST_OPERATIONS = 2e11
/** Command buffers that the host runs ahead of the device. */
const AHEAD = 3

interface Dispatch {
  stage: DenseStage
  kernel: Kernel
  group: GPUBindGroup
  step: Values<(typeof DENSE_STEP)['fields']>
  x: number
  y: number
}

/** Collects dispatches and submits them in command buffers of bounded length. */
export class DenseQueue {
  readonly timer: KernelTimer<DenseStage>
  private readonly steps: GPUBuffer
  private readonly groups = new Map<string, GPUBindGroup>()
  private waiting: Dispatch[] = []
  private operations = 0
  private submitted: Promise<undefined>[] = []

  private constructor(
    readonly context: GpuContext,
    private readonly kernels: Record<DenseKernel, Kernel>,
    private readonly job: GPUBuffer,
  ) {
    this.timer = new KernelTimer(context, DENSE_STAGES)
    this.steps = context.device.createBuffer({
      size: DYNAMIC_STRIDE * MOST_STEPS,
      usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    })
  }

  /** @param order  rows of the matrix, padded */
  static async open(context: GpuContext, order: number): Promise<DenseQueue> {
    const { device } = context
    const kernels = await Promise.all(
      Object.entries(DENSE_KERNELS).map(
        async ([name, contract]) => [name, await compileKernel(device, contract, {})] as const,
      ),
    )
    const job = device.createBuffer({
      size: DENSE_JOB.size,
      usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    })
    device.queue.writeBuffer(job, 0, DENSE_JOB.pack({ order, zero: 0 }))
    return new DenseQueue(context, Object.fromEntries(kernels) as Record<DenseKernel, Kernel>, job)
  }

  /**
   * Adds a dispatch. Buffers are told apart by their labels.
   * @param groups  workgroups along x and y
   * @param operations  floating-point operations, where they are many
   */
  add(
    stage: DenseStage,
    name: DenseKernel,
    buffers: Record<string, GPUBuffer>,
    step: Partial<Dispatch['step']>,
    [x, y]: [number, number],
    operations = 0,
  ): void {
    if (x <= 0 || y <= 0) return
    const kernel = this.kernels[name]
    const group = this.bound(name, kernel, buffers)
    if (this.waiting.length === MOST_STEPS || this.operations > MOST_OPERATIONS) this.submit()
    const all = { width: 0, row: 0, column: 0, panel: 0, source: 0, depth: 0, ...step }
    this.waiting.push({ stage, kernel, group, step: all, x, y })
    this.operations += operations
  }

  private bound(name: DenseKernel, kernel: Kernel, buffers: Record<string, GPUBuffer>): GPUBindGroup {
    const key = [name, ...kernel.contract.buffers.map((b) => buffers[b.name].label)].join()
    let group = this.groups.get(key)
    if (!group) {
      const step = { buffer: this.steps, size: DENSE_STEP.size }
      group = bindKernel(this.context.device, kernel, this.job, step, buffers)
      this.groups.set(key, group)
    }
    return group
  }

  /** Forgets the bind groups: buffers that are destroyed may have had the labels of others. */
  forget(): void {
    this.groups.clear()
  }

  submit(): void {
    const { waiting } = this
    if (!waiting.length) return
    const { device } = this.context
    device.queue.writeBuffer(
      this.steps,
      0,
      DENSE_STEP.packAll(
        waiting.map(({ step }) => step),
        DYNAMIC_STRIDE,
      ),
    )
    const encoder = device.createCommandEncoder()
    let pass: GPUComputePassEncoder | undefined
    let kernel: Kernel | undefined
    waiting.forEach((dispatch, i) => {
      if (!pass || dispatch.stage !== waiting[i - 1].stage) {
        pass?.end()
        pass = encoder.beginComputePass(this.timer.pass(dispatch.stage, 0))
        kernel = undefined
      }
      if (dispatch.kernel !== kernel) pass.setPipeline(dispatch.kernel.pipeline)
      kernel = dispatch.kernel
      pass.setBindGroup(0, dispatch.group, [DYNAMIC_STRIDE * i])
      pass.dispatchWorkgroups(dispatch.x, dispatch.y)
    })
    pass?.end()
    device.queue.submit([encoder.finish()])
    this.submitted.push(device.queue.onSubmittedWorkDone())
    this.waiting = []
    this.operations = 0
  }

  /** Waits until the host is a few command buffers ahead of the device, or, with `all`, until all is done. */
  async pace(all: boolean, signal?: AbortSignal): Promise<void> {
    if (all) this.submit()
    while (this.submitted.length > (all ? 0 : AHEAD))
      await Promise.race([this.submitted.shift(), this.context.failure])
    signal?.throwIfAborted()
  }

  /** Device seconds by stage since the timer's start; zero where the device has no timestamps. All work must be done. */
  async seconds(): Promise<Record<DenseStage, number>> {
    const encoder = this.context.device.createCommandEncoder()
    this.timer.copyOut(encoder)
    this.context.device.queue.submit([encoder.finish()])
    return (await this.timer.collect(1)).times
  }

  destroy(): void {
    this.steps.destroy()
    this.job.destroy()
  }
}

/** Makes buffers, or throws GpuMemoryError that says how much memory was asked for. */
export async function allocate(
  context: GpuContext,
  sizes: { label: string; size: number }[],
  usage: number,
): Promise<GPUBuffer[]> {
  const { device } = context
  device.pushErrorScope('out-of-memory')
  device.pushErrorScope('validation')
  const buffers = sizes.map(({ label, size }) => device.createBuffer({ label, size, usage }))
  const problem = (await device.popErrorScope()) ?? (await device.popErrorScope())
  if (!problem) return buffers
  for (const buffer of buffers) buffer.destroy()
  const bytes = sizes.reduce((sum, { size }) => sum + size, 0)
  throw new GpuMemoryError(
    `the GPU gives no ${(bytes / 1e9).toFixed(1)} GB: ${problem.message.split('\n')[0]}`,
  )
}

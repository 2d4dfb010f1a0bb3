import type { GpuContext } from '../../gpu/device.js'
import { GpuSbrEngine, type GpuEngineOptions } from '../../gpu/sbr/engine.js'
import { openNodeGpu } from '../../run/node-gpu.js'
import type { TestScene } from './sbr.js'

/** A device of a test's own: SwiftShader, unless the environment names another driver. */
export async function openTestGpu(): Promise<GpuContext> {
  const context = await openNodeGpu(false)
  if (!context) throw new Error('no GPU adapter: SwiftShader was not found (see test/helpers/setup-gpu.ts)')
  return context
}

let shared: Promise<GpuContext> | undefined

/** The device of all tests of a worker, which compiles a kernel once: a software device takes seconds for it. */
export const sharedGpu = (): Promise<GpuContext> => (shared ??= openTestGpu())

/**
 * Runs entry point `probe` (workgroup size 64) of some WGSL with the given uniform and input. The code declares
 * @binding(0) the uniform, @binding(1) the input, @binding(2) the output.
 */
export async function runProbe(
  device: GPUDevice,
  code: string,
  uniform: ArrayBuffer,
  input: Float32Array<ArrayBuffer>,
  outputFloats: number,
  invocations: number,
): Promise<Float32Array> {
  const make = (size: number, usage: number): GPUBuffer => device.createBuffer({ size, usage })
  const job = make(uniform.byteLength, GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST)
  const given = make(input.byteLength, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST)
  const output = make(4 * outputFloats, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC)
  const copy = make(4 * outputFloats, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST)
  device.queue.writeBuffer(job, 0, uniform)
  device.queue.writeBuffer(given, 0, input)
  device.pushErrorScope('validation')
  const module = device.createShaderModule({ code })
  const { messages } = await module.getCompilationInfo()
  const error = messages.find((m) => m.type === 'error')
  if (error)
    throw new Error(`${error.message} (line ${error.lineNum}: ${code.split('\n')[error.lineNum - 1]})`)
  const pipeline = await device.createComputePipelineAsync({
    layout: 'auto',
    compute: { module, entryPoint: 'probe' },
  })
  const encoder = device.createCommandEncoder()
  const pass = encoder.beginComputePass()
  pass.setPipeline(pipeline)
  pass.setBindGroup(
    0,
    device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [job, given, output].map((buffer, i) => ({ binding: i, resource: { buffer } })),
    }),
  )
  pass.dispatchWorkgroups(Math.ceil(invocations / 64))
  pass.end()
  encoder.copyBufferToBuffer(output, 0, copy, 0, 4 * outputFloats)
  device.queue.submit([encoder.finish()])
  const problem = await device.popErrorScope()
  if (problem) throw new Error(problem.message)
  await copy.mapAsync(GPUMapMode.READ)
  const result = new Float32Array(copy.getMappedRange().slice(0))
  copy.unmap()
  for (const buffer of [job, given, output, copy]) buffer.destroy()
  return result
}

/** Deeper than any sample's hierarchy: the kernels' stacks are then the same for all. */
export const DEPTH = 40

/** Makes engines on the shared device, whose kernels it compiles once. */
export async function sharedEngines(): Promise<
  (target: TestScene, options?: Partial<GpuEngineOptions>) => GpuSbrEngine
> {
  const context = await sharedGpu()
  return ({ scene, area }, options) => {
    if (scene.depth > DEPTH) throw new Error(`a hierarchy of ${scene.depth} levels: raise DEPTH`)
    return new GpuSbrEngine(context, { ...scene, depth: DEPTH }, area, { subGrid: 2048, ...options })
  }
}

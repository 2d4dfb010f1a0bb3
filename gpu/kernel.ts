import { wgsl } from '../shaders/wgsl.gen.js'
import { GpuError } from './device.js'
import { type AnyStruct, rowsFunction, rowsText, structText } from './layout.js'

/**
 * A compute kernel's contract as data. Bindings 0 and 1 are the uniforms of the aspect and of the dispatch (the
 * latter with a dynamic offset); the storage buffers follow from binding 2 on, in the order given.
 */
export interface KernelContract {
  name: string
  /** Structs that its modules may use: of its uniforms and storage buffers. Some depend on the constants it is compiled for. */
  structs(constants: Record<string, number>): readonly AnyStruct[]
  /** Constants that its modules may use, whatever it is compiled for. */
  constants?: Record<string, number>
  /** WGSL modules of shaders/, in order. */
  modules: (keyof typeof wgsl)[]
  buffers: { name: string; access: 'read' | 'read_write' }[]
}

export interface Kernel {
  contract: KernelContract
  pipeline: GPUComputePipeline
  layout: GPUBindGroupLayout
}

/** WGSL text of a kernel: those of the constants and structs that its modules use, then these. */
export function kernelSource(contract: KernelContract, constants: Record<string, number>): string {
  const text = contract.modules.map((m) => wgsl[m]).join('\n')
  const code = text.replace(/\/\/.*$/gm, '')
  const used = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(code)
  const all = Object.entries({ ...contract.constants, ...constants }).filter(([name]) => used(name))
  const structs = contract.structs(constants)
  const inRows = structs.filter((s) => used(rowsFunction(s)))
  const declared = structs.filter((s) => used(s.name) || inRows.includes(s))
  return [constantText(Object.fromEntries(all)), structText(declared), ...inRows.map(rowsText), text].join('')
}

/** WGSL declarations of constants: whole numbers as u32. */
export const constantText = (constants: Record<string, number>): string =>
  Object.entries(constants)
    .map(([name, value]) => `const ${name} = ${value}${Number.isInteger(value) ? 'u' : ''};\n`)
    .join('')

/** Kernels that a device has compiled, by contract and source: engines and bands share most of theirs. */
const compiled = new WeakMap<GPUDevice, Map<string, Promise<Kernel>>>()

/**
 * Compiles a kernel, once per device, and labels its parts. Throws GpuError with the compiler's first message.
 */
export function compileKernel(
  device: GPUDevice,
  contract: KernelContract,
  constants: Record<string, number>,
): Promise<Kernel> {
  const kernels = compiled.get(device) ?? new Map<string, Promise<Kernel>>()
  compiled.set(device, kernels)
  const code = kernelSource(contract, constants)
  const key = JSON.stringify([contract.name, contract.buffers, code])
  let kernel = kernels.get(key)
  if (!kernel) {
    kernel = compile(device, contract, code)
    kernels.set(key, kernel)
    kernel.catch(() => kernels.delete(key))
  }
  return kernel
}

async function compile(device: GPUDevice, contract: KernelContract, code: string): Promise<Kernel> {
  const { name } = contract
  device.pushErrorScope('validation')
  const module = device.createShaderModule({ label: name, code })
  const layout = device.createBindGroupLayout({
    label: name,
    entries: [
      { binding: 0, visibility: GPUShaderStage.COMPUTE, buffer: { type: 'uniform' } },
      { binding: 1, visibility: GPUShaderStage.COMPUTE, buffer: { type: 'uniform', hasDynamicOffset: true } },
      ...contract.buffers.map(({ access }, i) => ({
        binding: 2 + i,
        visibility: GPUShaderStage.COMPUTE,
        buffer: { type: (access === 'read' ? 'read-only-storage' : 'storage') as GPUBufferBindingType },
      })),
    ],
  })
  const pipeline = device.createComputePipelineAsync({
    label: name,
    layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
    compute: { module, entryPoint: 'main' },
  })
  const [problem, compiled] = await Promise.all([
    device.popErrorScope(),
    pipeline.catch((error: Error) => error),
  ])
  if (problem || compiled instanceof Error) {
    const text = problem?.message ?? (compiled as Error).message
    throw new GpuError(`kernel ${name} does not compile: ${text}`)
  }
  return { contract, pipeline: compiled, layout }
}

/** Binds buffers by the names of the contract. */
export function bindKernel(
  device: GPUDevice,
  kernel: Kernel,
  job: GPUBuffer,
  step: { buffer: GPUBuffer; size: number },
  buffers: Record<string, GPUBuffer>,
): GPUBindGroup {
  return device.createBindGroup({
    label: kernel.contract.name,
    layout: kernel.layout,
    entries: [
      { binding: 0, resource: { buffer: job } },
      { binding: 1, resource: { buffer: step.buffer, size: step.size } },
      ...kernel.contract.buffers.map(({ name }, i) => ({
        binding: 2 + i,
        resource: { buffer: buffers[name] },
      })),
    ],
  })
}

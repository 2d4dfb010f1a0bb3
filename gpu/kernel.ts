import { wgsl } from '../shaders/wgsl.gen.js'
import { type GpuContext, GpuError } from './device.js'
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

/** Stages of an aspect on the GPU (paper 003, Table 1, steps 1 to 3). */
export type Stage = 'trace' | 'field' | 'reduction'

const QUERIES_PER_SET = 4096

/** Sums the device time of compute passes by stage with timestamp queries; all zero where the device has none. */
export class KernelTimer<S extends string = Stage> {
  private readonly sets: { query: GPUQuerySet; resolved: GPUBuffer; mapped: GPUBuffer }[] = []
  private passes: { stage: S; part: number }[] = []

  constructor(
    private readonly context: GpuContext,
    private readonly stages: readonly S[] = ['trace', 'field', 'reduction'] as Stage[] as S[],
  ) {}

  /** Forgets the passes so far, and makes room for `passes`; more is made as they come. */
  start(passes: number): void {
    this.passes = []
    if (this.context.hasTimestamps) this.makeRoom(passes)
  }

  private makeRoom(passes: number): void {
    const { device } = this.context
    while (this.sets.length * QUERIES_PER_SET < 2 * passes) {
      const size = 8 * QUERIES_PER_SET
      this.sets.push({
        query: device.createQuerySet({ type: 'timestamp', count: QUERIES_PER_SET }),
        resolved: device.createBuffer({
          size,
          usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC,
        }),
        mapped: device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST }),
      })
    }
  }

  /** Descriptor of the next pass, which counts for `stage` and for sub-grid `part`. */
  pass(stage: S, part: number): GPUComputePassDescriptor {
    if (!this.context.hasTimestamps) return { label: stage }
    this.makeRoom(this.passes.length + 1)
    const first = 2 * this.passes.length
    this.passes.push({ stage, part })
    const at = first % QUERIES_PER_SET
    return {
      label: stage,
      timestampWrites: {
        querySet: this.sets[Math.floor(first / QUERIES_PER_SET)].query,
        beginningOfPassWriteIndex: at,
        endOfPassWriteIndex: at + 1,
      },
    }
  }

  private get used() {
    return this.sets.slice(0, Math.ceil((2 * this.passes.length) / QUERIES_PER_SET))
  }

  /** After the last pass: what `collect` will read. */
  copyOut(encoder: GPUCommandEncoder): void {
    this.used.forEach((set, i) => {
      const count = Math.min(QUERIES_PER_SET, 2 * this.passes.length - i * QUERIES_PER_SET)
      encoder.resolveQuerySet(set.query, 0, count, set.resolved, 0)
      encoder.copyBufferToBuffer(set.resolved, 0, set.mapped, 0, 8 * count)
    })
  }

  /** Seconds per stage, and per part, since `start`, once what was submitted is done. */
  async collect(parts: number): Promise<{ times: Record<S, number>; partSeconds: number[] }> {
    const times = Object.fromEntries(this.stages.map((stage) => [stage, 0])) as Record<S, number>
    const partSeconds = Array.from({ length: parts }, () => 0)
    if (!this.passes.length) return { times, partSeconds }
    const { used } = this
    await Promise.all(used.map((set) => set.mapped.mapAsync(GPUMapMode.READ)))
    const stamps = used.map((set) => {
      const copy = new BigUint64Array(
        set.mapped.getMappedRange(0, 8 * Math.min(QUERIES_PER_SET, 2 * this.passes.length)).slice(0),
      )
      set.mapped.unmap()
      return copy
    })
    this.passes.forEach(({ stage, part }, p) => {
      const set = stamps[Math.floor((2 * p) / QUERIES_PER_SET)]
      const at = (2 * p) % QUERIES_PER_SET
      const seconds = Number(set[at + 1] - set[at]) * 1e-9
      times[stage] += seconds
      partSeconds[part] += seconds
    })
    return { times, partSeconds }
  }
}

import type { Vec3 } from '../../scene/index.js'
import { type GpuContext, GpuError, readBuffer } from '../device.js'
import { bindKernel, compileKernel, type Kernel, type KernelContract } from '../kernel.js'
import { DYNAMIC_STRIDE, uniform } from '../layout.js'

/** Pixels along a side of a block: one workgroup. */
const BLOCK = 32

/** Constant over an image. */
export const BACKPROJECTION_JOB = uniform('Job', {
  first: ['vec3f', 'the first pixel [m]'],
  rows: ['u32', 'pixels'],
  across: ['vec3f', 'from column to column [m]'],
  cols: ['u32', ''],
  along: ['vec3f', 'from row to row [m]'],
  blocksAcross: ['u32', 'blocks in a row of them'],
  cyclesPerMetre: ['f32', 'of the carrier, there and back'],
  periodsPerMetre: ['f32', 'of the profiles'],
  bins: ['u32', 'samples of a profile, a power of two'],
  shift: ['u32', '32 - log2(bins)'],
  binFraction: ['f32', '2^-shift'],
  farField: ['u32', '1: antennas are directions'],
})

/** One tile of blocks, for the pulses of one batch. */
export const BACKPROJECTION_STEP = uniform('Step', {
  firstBlock: ['u32', ''],
  pulses: ['u32', ''],
})

/** @param group  pulses summed together */
export const backprojectionConstants = (group: number): Record<string, number> => ({
  BLOCK,
  HALF: BLOCK / 2,
  HALF_PIXELS: (BLOCK - 1) / 2,
  GROUP: group,
})

const read = (name: string) => ({ name, access: 'read' as const })

export const BACKPROJECTION_KERNEL: KernelContract = {
  name: 'backproject',
  structs: () => [BACKPROJECTION_JOB, BACKPROJECTION_STEP],
  modules: ['phase', 'backproject'],
  buffers: [read('middles'), read('antennas'), read('profiles'), { name: 'image', access: 'read_write' }],
}

/** An image to backproject; positions in metres, x y z. */
export interface GpuBackprojection {
  grid: { rows: number; cols: number; first: Vec3; across: Vec3; along: Vec3 }
  geometry: { antenna: Float64Array; referenceM: Float64Array; farField: boolean }
  pulses: number
  /** Samples of a profile, a power of two; its period [m]; cycles of the carrier per metre of range, 2 f / c. */
  bins: number
  periodM: number
  cyclesPerMetre: number
  /** Writes the weighted profiles of `count` pulses, interleaved re, im. */
  profiles: (first: number, count: number, out: Float32Array) => void
}

export interface GpuBackprojectorOptions {
  /** Pulses summed together: batches are multiples of it. */
  group: number
  /** Memory of the profiles of a batch, and of the ranges of the blocks of a tile, at the most [bytes]; do not affect results. */
  batchBytes?: number
  tileBytes?: number
}

const MOST_BATCH = 2 ** 25
const MOST_TILE = 2 ** 26
const MOST_WORKGROUPS = 65535
/** Fractions are in units of 2^-32. */
const WHOLE = 2 ** 32

/**
 * Backprojection on the GPU in single precision, with ranges in double precision (host) and fixed-point cycles; see shaders/backproject.wgsl.
 * Pixels do not depend on batches and tiles, to the last bit.
 */
export class GpuBackprojector {
  private readonly kernel: Promise<Kernel>

  constructor(
    private readonly context: GpuContext,
    private readonly options: GpuBackprojectorOptions,
  ) {
    this.kernel = compileKernel(context.device, BACKPROJECTION_KERNEL, backprojectionConstants(options.group))
    this.kernel.catch(() => {})
  }

  /** @returns the image, interleaved re, im @throws GpuError where the device fails or has not the memory */
  async run(
    job: GpuBackprojection,
    progress?: (done: number, total: number) => void,
    signal?: AbortSignal,
  ): Promise<Float32Array> {
    const { device, failure } = this.context
    const { grid, pulses, bins } = job
    const most = Math.min(device.limits.maxStorageBufferBindingSize, device.limits.maxBufferSize)
    const imageBytes = 8 * grid.rows * grid.cols
    if (imageBytes > most)
      throw new GpuError(`an image of ${grid.rows} x ${grid.cols} pixels does not fit the GPU's buffers of ${most} bytes`) // prettier-ignore
    const { group } = this.options
    const batch = group * Math.max(1, Math.floor(Math.min(most, this.options.batchBytes ?? MOST_BATCH) / (8 * bins * group))) // prettier-ignore
    const perBatch = Math.min(batch, group * Math.ceil(pulses / group))
    const blocksAcross = Math.ceil(grid.cols / BLOCK)
    const blocks = blocksAcross * Math.ceil(grid.rows / BLOCK)
    const tile = Math.max(1, Math.min(blocks, MOST_WORKGROUPS, Math.floor(Math.min(most, this.options.tileBytes ?? MOST_TILE) / (8 * perBatch)))) // prettier-ignore
    const made: GPUBuffer[] = []
    const make = (size: number, usage: number): GPUBuffer => {
      const buffer = device.createBuffer({ size, usage: usage | GPUBufferUsage.COPY_DST })
      made.push(buffer)
      return buffer
    }
    try {
      const buffers = {
        middles: make(8 * tile * perBatch, GPUBufferUsage.STORAGE),
        antennas: make(16 * perBatch, GPUBufferUsage.STORAGE),
        profiles: make(8 * bins * perBatch, GPUBufferUsage.STORAGE),
        image: make(imageBytes, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC),
      }
      const uniforms = make(BACKPROJECTION_JOB.size, GPUBufferUsage.UNIFORM)
      device.queue.writeBuffer(uniforms, 0, packJob(job, blocksAcross))
      const steps = make(DYNAMIC_STRIDE, GPUBufferUsage.UNIFORM)
      const kernel = await this.kernel
      const bound = bindKernel(device, kernel, uniforms, { buffer: steps, size: BACKPROJECTION_STEP.size }, buffers) // prettier-ignore
      const profiles = new Float32Array(2 * bins * perBatch)
      const middles = new Uint32Array(2 * tile * perBatch)
      for (let first = 0; first < pulses; first += perBatch) {
        const count = Math.min(perBatch, pulses - first)
        // The device computes one batch while the host prepares the next.
        const before = device.queue.onSubmittedWorkDone()
        job.profiles(first, count, profiles)
        await Promise.race([before, failure])
        signal?.throwIfAborted()
        device.queue.writeBuffer(buffers.profiles, 0, profiles, 0, 2 * bins * count)
        device.queue.writeBuffer(buffers.antennas, 0, antennaRows(job, first, count))
        for (let block = 0; block < blocks; block += tile) {
          const here = Math.min(tile, blocks - block)
          blockRanges(job, [block, here, blocksAcross], [first, count], middles)
          device.queue.writeBuffer(buffers.middles, 0, middles, 0, 2 * here * count)
          device.queue.writeBuffer(steps, 0, BACKPROJECTION_STEP.pack({ firstBlock: block, pulses: count }))
          const encoder = device.createCommandEncoder()
          const pass = encoder.beginComputePass()
          pass.setPipeline(kernel.pipeline)
          pass.setBindGroup(0, bound, [0])
          pass.dispatchWorkgroups(here)
          pass.end()
          device.queue.submit([encoder.finish()])
        }
        progress?.(first + count, pulses)
      }
      return new Float32Array(await readBuffer(this.context, buffers.image, imageBytes))
    } finally {
      for (const buffer of made) buffer.destroy()
    }
  }
}

function packJob(
  { grid, geometry, bins, periodM, cyclesPerMetre }: GpuBackprojection,
  blocksAcross: number,
): ArrayBuffer {
  const shift = 32 - Math.log2(bins)
  return BACKPROJECTION_JOB.pack({
    ...grid,
    blocksAcross,
    cyclesPerMetre,
    periodsPerMetre: 1 / periodM,
    bins,
    shift,
    binFraction: 2 ** -shift,
    farField: geometry.farField ? 1 : 0,
  })
}

function antennaRows(
  { geometry }: GpuBackprojection,
  first: number,
  count: number,
): Float32Array<ArrayBuffer> {
  const rows = new Float32Array(4 * count)
  for (let n = 0; n < count; n++)
    rows.set(geometry.antenna.subarray(3 * (first + n), 3 * (first + n) + 3), 4 * n)
  return rows
}

/** Range of the middles of blocks beyond the reference of each pulse, as fractions of a cycle and of a period. */
function blockRanges(
  { grid, geometry, periodM, cyclesPerMetre }: GpuBackprojection,
  [block, blocks, blocksAcross]: [number, number, number],
  [first, count]: [number, number],
  out: Uint32Array,
): void {
  const { antenna, referenceM, farField } = geometry
  for (let b = 0; b < blocks; b++) {
    const col = BLOCK * ((block + b) % blocksAcross) + (BLOCK - 1) / 2
    const row = BLOCK * Math.floor((block + b) / blocksAcross) + (BLOCK - 1) / 2
    const x = grid.first[0] + col * grid.across[0] + row * grid.along[0]
    const y = grid.first[1] + col * grid.across[1] + row * grid.along[1]
    const z = grid.first[2] + col * grid.across[2] + row * grid.along[2]
    for (let n = 0; n < count; n++) {
      const at = 3 * (first + n)
      const [ax, ay, az] = [antenna[at], antenna[at + 1], antenna[at + 2]]
      const range = farField
        ? -(ax * x + ay * y + az * z)
        : Math.sqrt((ax - x) * (ax - x) + (ay - y) * (ay - y) + (az - z) * (az - z))
      const d = range - referenceM[first + n]
      const cycles = d * cyclesPerMetre
      const periods = d / periodM
      const to = 2 * (b * count + n)
      out[to] = (cycles - Math.floor(cycles)) * WHOLE
      out[to + 1] = (periods - Math.floor(periods)) * WHOLE
    }
  }
}

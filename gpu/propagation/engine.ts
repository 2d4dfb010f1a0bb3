import { GpuError, type GpuContext } from '../device.js'
import { bindKernel, compileKernel, type Kernel } from '../kernel.js'
import { KernelTimer } from '../kernel-timer.js'
import { SINGLE_OFFSET, uploadScene } from '../sbr/scene-buffers.js'
import {
  batchPlaces,
  cutBatches,
  type GpuBatch,
  type GpuPropagationScene,
  halveBatch,
  packExcitations,
  packFacets,
  packPoints,
  packPropagationJob,
  packPropagationSteps,
} from './buffers.js'
import {
  FIXED_EXPONENT,
  HEADER,
  LIST_HEAD,
  LISTED_WORDS,
  PROPAGATION_KERNELS,
  rayWords,
  STEP_BYTES,
  STEP_STRIDE,
  SUMS,
} from './kernels.js'

export interface GpuPropagationOptions {
  /** Lanes of a workgroup. */
  workgroup?: number
  /** Workgroups of a dispatch at the most; lanes take further rays and paths in turn. */
  workgroups?: number
  /** Places for candidates of a batch to begin with; grows as needed. */
  candidates?: number
  /** Memory of the rays of a batch at the most [bytes]. */
  rayBytes?: number
}

export interface GpuPropagationRun {
  /** Subdivision of the icosahedron. */
  n: number
  /** See `packPropagationJob`. */
  faces: Float64Array
  /** 1 for the slots of receivers whose paths are listed. */
  listed?: Uint8Array
  /** Rays of a batch at the most; never changes a byte. */
  batchRays?: number
}

export interface GpuPropagationResult {
  /** 19 numbers per receiver slot and excitation. */
  sums: Float64Array
  /** Paths of listed receivers: slot, reflections, and the direction away from the transmitter (single precision). */
  paths: { slot: number; count: number; w: [number, number, number] }[]
  statistics: { segments: number; candidates: number; paths: number; escaped: number }
  /** Seconds of the GPU in tracing and in paths; 0 where the device cannot tell. */
  times: { trace: number; paths: number }
}

const DEFAULTS = { workgroup: 64, workgroups: 16384, candidates: 2 ** 22, rayBytes: 2 ** 28 }
/** Candidates are packed with their receiver in 24 bits. */
const MOST_RECEIVERS = 2 ** 24
/** Batches handed to the device at once. */
const BATCHES_AT_ONCE = 64
/** Most ray places of a batch: enough to fill a GPU. */
const MOST_PLACES = 2 ** 20

/**
 * Radio propagation on the GPU (paper 004): rays in batches, each ray a lane that keeps the current segment alone; the facets met
 * and the receivers in cones of one batch at a time are stored. Sums are 64-bit integers: no order changes a byte.
 */
export class GpuPropagation {
  private readonly options: Required<GpuPropagationOptions>
  private readonly kernels: Promise<{ trace: Kernel; paths: Kernel }>
  private readonly fixed: Record<'nodes' | 'slots' | 'facets' | 'receiverNodes' | 'excitations', GPUBuffer>
  private readonly packed: ReturnType<typeof packExcitations>
  private rays: GPUBuffer | null = null
  private candidates: GPUBuffer | null = null
  private places = 0
  private capacity: number
  private listedCapacity = 1

  constructor(
    private readonly context: GpuContext,
    private readonly given: GpuPropagationScene,
    options: GpuPropagationOptions = {},
  ) {
    const { device } = context
    this.options = { ...DEFAULTS, ...options }
    this.capacity = this.options.candidates
    if (given.receivers.points.length / 3 > MOST_RECEIVERS)
      throw new GpuError(
        `${given.receivers.points.length / 3} receivers at once, ${MOST_RECEIVERS} at the most`,
      )
    this.packed = packExcitations(given)
    if (this.packed.materials > 0xffff)
      throw new GpuError(`${this.packed.materials} materials, ${0xffff} at the most`)
    // What the ray engine keeps as a facet's surface is here its material and its rims.
    const surface = given.facetMaterial.map((m, t) => m | (given.rims[t] << 16))
    const { nodes, slots, corners, facets } = uploadScene(device, { ...given.scene, surface }, 'stack')
    corners.destroy()
    facets.destroy()
    this.fixed = {
      nodes,
      slots,
      facets: this.upload(packFacets(given.scene)),
      receiverNodes: this.upload(Float32Array.from(new Float32Array(given.receivers.nodes))),
      excitations: this.upload(this.packed.data),
    }
    const constants = {
      MAX_REFLECTIONS: given.maxReflections,
      STACK_SIZE: 3 * given.scene.depth + 1,
      WORKGROUP: this.options.workgroup,
    }
    this.kernels = Promise.all([
      compileKernel(device, PROPAGATION_KERNELS.trace, constants),
      compileKernel(device, PROPAGATION_KERNELS.paths, constants),
    ]).then(([trace, paths]) => ({ trace, paths }))
    this.kernels.catch(() => {})
  }

  /** @throws GpuError where the device fails or has not the memory; Error for sums out of range */
  async run(
    { n, faces, listed, batchRays }: GpuPropagationRun,
    progress?: (done: number, total: number) => void,
    signal?: AbortSignal,
  ): Promise<GpuPropagationResult> {
    const { context, given } = this
    const { device } = context
    const bytes = 4 * rayWords(given.maxReflections)
    const most = Math.max(
      2 * n + 1,
      Math.min(
        batchRays ?? MOST_PLACES,
        Math.floor(Math.min(this.options.rayBytes, device.limits.maxStorageBufferBindingSize) / bytes),
      ),
    )
    let batches = cutBatches(n, most)
    const points = this.upload(packPoints(given, listed))
    if (listed && this.listedCapacity === 1) this.listedCapacity = 2 ** 16
    const total: GpuPropagationResult = {
      sums: new Float64Array(SUMS * given.excitations.length * (given.receivers.points.length / 3)),
      paths: [],
      statistics: { segments: 0, candidates: 0, paths: 0, escaped: 0 },
      times: { trace: 0, paths: 0 },
    }
    const all = batches.length
    let done = 0
    while (batches.length > 0) {
      signal?.throwIfAborted()
      const group = batches.slice(0, BATCHES_AT_ONCE)
      batches = batches.slice(group.length)
      const again = await this.runGroup(group, n, faces, most, points, total)
      done += group.length - again.length
      batches.unshift(...again)
      progress?.(Math.min(done, all), all)
    }
    points.destroy()
    return total
  }

  /** Memory of the buffers kept between runs [bytes]. */
  bytes(): number {
    return [...Object.values(this.fixed), this.rays, this.candidates].reduce(
      (sum, b) => sum + (b?.size ?? 0),
      0,
    )
  }

  destroy(): void {
    for (const buffer of [...Object.values(this.fixed), this.rays, this.candidates]) buffer?.destroy()
  }

  /** Runs batches; returns those that had too many candidates, to be run again. */
  private async runGroup(
    group: GpuBatch[],
    n: number,
    faces: Float64Array,
    most: number,
    points: GPUBuffer,
    total: GpuPropagationResult,
  ): Promise<GpuBatch[]> {
    const { context, given, options, packed } = this
    const { device } = context
    const kernels = await this.kernels
    this.makeRoom(most)
    const header = HEADER.overflows + group.length + ((HEADER.overflows + group.length) % 2)
    const words = header + 2 * total.sums.length
    const counters = this.buffer(4 * words, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC)
    const job = this.uniform(
      packPropagationJob(given, faces, {
        lift: SINGLE_OFFSET * given.scene.diagonal,
        capacity: this.capacity,
        listedCapacity: this.listedCapacity,
        materials: packed.materials,
        tables: packed.tables,
      }),
    )
    const steps = { buffer: this.uniform(packPropagationSteps(group, n, this.places)), size: STEP_BYTES }
    const buffers = { ...this.fixed, points, rays: this.rays!, candidates: this.candidates!, counters }
    const bound = {
      trace: bindKernel(device, kernels.trace, job, steps, buffers),
      paths: bindKernel(device, kernels.paths, job, steps, buffers),
    }
    const listBytes = 4 * LISTED_WORDS * this.listedCapacity
    const copyWords = this.buffer(4 * words, GPUBufferUsage.MAP_READ)
    const copyList = this.buffer(8 + listBytes, GPUBufferUsage.MAP_READ)
    const timer = new KernelTimer(context)
    timer.start(2 * group.length)
    const encoder = device.createCommandEncoder()
    encoder.clearBuffer(this.candidates!, 0, 8)
    group.forEach((batch, number) => {
      encoder.clearBuffer(this.candidates!, 0, 4)
      const rays = Math.ceil(batchPlaces(n, batch).total / options.workgroup)
      for (const [name, stage, groups] of [
        ['trace', 'trace', Math.min(rays, options.workgroups)],
        ['paths', 'field', options.workgroups],
      ] as const) {
        const pass = encoder.beginComputePass(timer.pass(stage, 0))
        pass.setPipeline(kernels[name].pipeline)
        pass.setBindGroup(0, bound[name], [STEP_STRIDE * number])
        pass.dispatchWorkgroups(groups)
        pass.end()
      }
    })
    encoder.copyBufferToBuffer(counters, 0, copyWords, 0, 4 * words)
    encoder.copyBufferToBuffer(this.candidates!, 0, copyList, 0, 8)
    encoder.copyBufferToBuffer(this.candidates!, 4 * (LIST_HEAD + 2 * this.capacity), copyList, 8, listBytes)
    timer.copyOut(encoder)
    device.queue.submit([encoder.finish()])
    await Promise.race([
      Promise.all([copyWords.mapAsync(GPUMapMode.READ), copyList.mapAsync(GPUMapMode.READ)]),
      context.failure,
    ])
    const got = new Uint32Array(copyWords.getMappedRange().slice(0))
    const list = new Uint32Array(copyList.getMappedRange().slice(0))
    const { times } = await timer.collect(1)
    for (const buffer of [counters, job, steps.buffer, copyWords, copyList]) buffer.destroy()
    total.times.trace += times.trace
    total.times.paths += times.field
    if (got[HEADER.notFinite] !== 0) throw new Error('a field sum is not finite: please report this scene')
    if (list[1] > this.listedCapacity) {
      // The whole group again: what it brought has not been added yet.
      this.listedCapacity = 2 ** Math.ceil(Math.log2(list[1] + 1))
      this.dropCandidates()
      return group
    }
    this.gather(got, header, list, total)
    return this.splitOverflows(group, got)
  }

  private gather(got: Uint32Array, header: number, list: Uint32Array, total: GpuPropagationResult): void {
    const { statistics, sums, paths } = total
    statistics.segments += got[HEADER.segments] + 2 ** 32 * got[HEADER.segments + 1]
    statistics.candidates += got[HEADER.candidates]
    statistics.paths += got[HEADER.paths]
    statistics.escaped += got[HEADER.escaped]
    const scale = 2 ** -FIXED_EXPONENT
    const signed = new Int32Array(got.buffer)
    for (let i = 0; i < sums.length; i++)
      sums[i] += (signed[header + 2 * i + 1] * 2 ** 32 + got[header + 2 * i]) * scale
    const floats = new Float32Array(list.buffer)
    for (let p = 0; p < list[1]; p++) {
      const at = 2 + LISTED_WORDS * p
      paths.push({
        slot: list[at],
        count: list[at + 1],
        w: [floats[at + 2], floats[at + 3], floats[at + 4]],
      })
    }
  }

  /** Batches whose candidates were too many: again with more room, or in halves where there is none. */
  private splitOverflows(group: GpuBatch[], got: Uint32Array): GpuBatch[] {
    const found = group.map((_, i) => got[HEADER.overflows + i])
    const wanted = Math.max(...found)
    if (wanted === 0) return []
    const over = group.filter((_, i) => found[i] > 0)
    const limit = Math.floor(this.context.device.limits.maxStorageBufferBindingSize / 16)
    if (wanted <= limit) {
      this.capacity = Math.min(limit, Math.ceil(1.25 * wanted))
      this.dropCandidates()
      return over
    }
    return over.flatMap((batch) => {
      const halves = halveBatch(batch)
      if (!halves)
        throw new GpuError(
          `${wanted} receivers in the cones of one row of rays are too many; launch more rays, or give fewer receivers`,
        )
      return halves
    })
  }

  private makeRoom(places: number): void {
    if (places > this.places) {
      this.rays?.destroy()
      this.rays = this.buffer(4 * rayWords(this.given.maxReflections) * places, GPUBufferUsage.STORAGE)
      this.places = places
    }
    this.candidates ??= this.buffer(
      4 * (LIST_HEAD + 2 * this.capacity + LISTED_WORDS * this.listedCapacity),
      GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC,
    )
  }

  private dropCandidates(): void {
    this.candidates?.destroy()
    this.candidates = null
  }

  private buffer(size: number, usage: number): GPUBuffer {
    return this.context.device.createBuffer({ size, usage: usage | GPUBufferUsage.COPY_DST })
  }

  private upload(data: Float32Array<ArrayBuffer>): GPUBuffer {
    const buffer = this.buffer(data.byteLength, GPUBufferUsage.STORAGE)
    this.context.device.queue.writeBuffer(buffer, 0, data)
    return buffer
  }

  private uniform(data: ArrayBuffer): GPUBuffer {
    const buffer = this.buffer(data.byteLength, GPUBufferUsage.UNIFORM)
    this.context.device.queue.writeBuffer(buffer, 0, data)
    return buffer
  }
}

import { type GpuContext, GpuError } from '../device.js'
import { bindKernel, compileKernel, type Kernel, KernelTimer } from '../kernel.js'
import { DYNAMIC_STRIDE } from '../layout.js'
import { facetPlaneWords, SINGLE_OFFSET, uploadScene } from '../sbr/scene-buffers.js'
import {
  batchPlaces,
  CANDIDATE,
  CANDIDATES_HEAD,
  cutBatches,
  FIXED_EXPONENT,
  type GpuBatch,
  type GpuPropagationScene,
  halveBatch,
  HEADER,
  LISTED,
  packExcitations,
  packPoints,
  packPropagationJob,
  packPropagationSteps,
  PROPAGATION_KERNELS,
  PROPAGATION_STEP,
  propagationConstants,
  rayRecord,
  SUMS,
} from './kernels.js'

/** Buffers by the kernels' names for them, and for how much they have room: rays, candidates, and listed paths. */
interface BatchMemory {
  buffers: Record<
    'nodes' | 'slots' | 'facets' | 'receiverNodes' | 'excitations' | 'rays' | 'candidates',
    GPUBuffer
  >
  places: number
  capacity: number
  listedCapacity: number
}

/** What a scene keeps on the device between runs, and the room for a batch, which grows with what it needs. */
class PropagationMemory {
  private readonly fixed: Record<'nodes' | 'slots' | 'facets' | 'receiverNodes' | 'excitations', GPUBuffer>
  private rays: GPUBuffer | null = null
  private candidates: GPUBuffer | null = null
  private places = 0
  private listedCapacity = 1

  /**
   * @param excitations  `packExcitations`
   * @param capacity     places for candidates to begin with
   */
  constructor(
    private readonly device: GPUDevice,
    private readonly given: GpuPropagationScene,
    excitations: Float32Array<ArrayBuffer>,
    private capacity: number,
  ) {
    // What the ray engine keeps as a facet's surface is here its material and its rims.
    const surface = given.facetMaterial.map((m, t) => m | (given.rims[t] << 16))
    const { nodes, slots, corners, facets } = uploadScene(device, { ...given.scene, surface }, 'stack')
    corners.destroy()
    facets.destroy()
    this.fixed = {
      nodes,
      slots,
      facets: this.upload(facetPlaneWords(given.scene.normals, given.scene.order)),
      receiverNodes: this.upload(Float32Array.from(new Float32Array(given.receivers.nodes))),
      excitations: this.upload(excitations),
    }
  }

  /** Room for a batch of so many rays. */
  forBatch(places: number): BatchMemory {
    if (places > this.places) {
      this.rays?.destroy()
      this.rays = this.buffer(rayRecord(this.given.maxReflections).size * places, GPUBufferUsage.STORAGE)
      this.places = places
    }
    this.candidates ??= this.buffer(
      CANDIDATES_HEAD.size + CANDIDATE.size * this.capacity + LISTED.size * this.listedCapacity,
      GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC,
    )
    return {
      buffers: { ...this.fixed, rays: this.rays!, candidates: this.candidates },
      places: this.places,
      capacity: this.capacity,
      listedCapacity: this.listedCapacity,
    }
  }

  /** Makes room for so many candidates from the next batch on. */
  growCandidates(places: number): void {
    this.capacity = places
    this.dropCandidates()
  }

  /** Makes room for so many listed paths, where there is less, from the next batch on. */
  growList(places: number): void {
    if (places <= this.listedCapacity) return
    this.listedCapacity = places
    this.dropCandidates()
  }

  buffer(size: number, usage: number): GPUBuffer {
    return this.device.createBuffer({ size, usage: usage | GPUBufferUsage.COPY_DST })
  }

  upload(data: Float32Array<ArrayBuffer>): GPUBuffer {
    return this.filled(data, GPUBufferUsage.STORAGE)
  }

  uniform(data: ArrayBuffer): GPUBuffer {
    return this.filled(data, GPUBufferUsage.UNIFORM)
  }

  /** Size of what is kept between runs [bytes]. */
  bytes(): number {
    return this.kept().reduce((sum, { size }) => sum + size, 0)
  }

  destroy(): void {
    for (const buffer of this.kept()) buffer.destroy()
  }

  private kept(): GPUBuffer[] {
    return [...Object.values(this.fixed), this.rays, this.candidates].filter((buffer) => buffer !== null)
  }

  private dropCandidates(): void {
    this.candidates?.destroy()
    this.candidates = null
  }

  private filled(data: Float32Array<ArrayBuffer> | ArrayBuffer, usage: number): GPUBuffer {
    const buffer = this.buffer(data.byteLength, usage)
    this.device.queue.writeBuffer(buffer, 0, data)
    return buffer
  }
}

interface GpuPropagationResult {
  /** 21 numbers per receiver slot and excitation. */
  sums: Float64Array
  /** Paths of listed receivers: slot, reflections, and the direction away from the transmitter (single precision). */
  paths: { slot: number; count: number; w: [number, number, number] }[]
  statistics: { segments: number; candidates: number; paths: number; escaped: number }
  /** Seconds of the GPU in tracing, in finding spheres (both passes) and in paths; 0 where the device cannot tell. */
  times: { trace: number; spheres: number; paths: number }
}

const emptyResult = (excitations: number, receivers: number): GpuPropagationResult => ({
  sums: new Float64Array(SUMS * excitations * receivers),
  paths: [],
  statistics: { segments: 0, candidates: 0, paths: 0, escaped: 0 },
  times: { trace: 0, spheres: 0, paths: 0 },
})

/**
 * Adds what a group of batches brought to the total.
 * @param counters  as the kernels left them, the sums after `header` words
 * @param list      of paths: CANDIDATES_HEAD, and the paths
 */
function addResults(
  { statistics, sums, paths }: GpuPropagationResult,
  counters: Uint32Array,
  header: number,
  list: Uint32Array,
): void {
  statistics.segments += counters[HEADER.segments] + 2 ** 32 * counters[HEADER.segments + 1]
  statistics.candidates += counters[HEADER.candidates]
  statistics.paths += counters[HEADER.paths]
  statistics.escaped += counters[HEADER.escaped]
  const scale = 2 ** -FIXED_EXPONENT
  const signed = new Int32Array(counters.buffer)
  for (let i = 0; i < sums.length; i++)
    sums[i] += (signed[header + 2 * i + 1] * 2 ** 32 + counters[header + 2 * i]) * scale
  const floats = new Float32Array(list.buffer)
  for (let p = 0; p < list[CANDIDATES_HEAD.at.listed]; p++) {
    const at = CANDIDATES_HEAD.words + LISTED.words * p
    const w = at + LISTED.at.direction
    paths.push({
      slot: list[at + LISTED.at.slot],
      count: list[at + LISTED.at.reflections],
      w: [floats[w], floats[w + 1], floats[w + 2]],
    })
  }
}

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

interface GpuPropagationRun {
  /** Subdivision of the icosahedron. */
  n: number
  /** See `packPropagationJob`. */
  faces: Float64Array
  /** 1 for the slots of receivers whose paths are listed. */
  listed?: Uint8Array
  /** Rays of a batch at the most; never changes a byte. */
  batchRays?: number
}

/** Passes of a batch, their kernels and what their time counts for: that of the spheres as `reduction`. */
const PASSES = {
  trace: { kernel: PROPAGATION_KERNELS.trace, stage: 'trace', count: 0 },
  count: { kernel: PROPAGATION_KERNELS.spheres, stage: 'reduction', count: 1 },
  list: { kernel: PROPAGATION_KERNELS.spheres, stage: 'reduction', count: 0 },
  paths: { kernel: PROPAGATION_KERNELS.paths, stage: 'field', count: 0 },
} as const
type PassName = keyof typeof PASSES

const DEFAULTS = { workgroup: 64, workgroups: 16384, candidates: 2 ** 22, rayBytes: 2 ** 28 }
/** Candidates are packed with their receiver in 24 bits. */
const MOST_RECEIVERS = 2 ** 24
/** Batches handed to the device at once. */
const BATCHES_AT_ONCE = 64
/** Places for listed paths to begin with; grows as needed. */
const LIST_PLACES = 2 ** 16
/** Most ray places of a batch: enough to fill a GPU. */
const MOST_PLACES = 2 ** 20

/** What is the same for all batches of a run. */
interface GroupRun {
  n: number
  faces: Float64Array
  /** Rays of a batch at the most. */
  most: number
  points: GPUBuffer
  total: GpuPropagationResult
}

/**
 * Radio propagation on the GPU (paper 004): rays in batches, each ray a lane that keeps the current segment alone; the facets met
 * and the receivers in cones of one batch at a time are stored. Sums are 64-bit integers: no order changes a byte.
 */
export class GpuPropagation {
  private readonly options: Required<GpuPropagationOptions>
  private readonly kernels: Promise<Record<PassName, Kernel>>
  private readonly memory: PropagationMemory
  private readonly packed: ReturnType<typeof packExcitations>

  constructor(
    private readonly context: GpuContext,
    private readonly given: GpuPropagationScene,
    options: GpuPropagationOptions = {},
  ) {
    const { device } = context
    this.options = { ...DEFAULTS, ...options }
    if (given.receivers.points.length / 3 > MOST_RECEIVERS)
      throw new GpuError(
        `${given.receivers.points.length / 3} receivers at once, ${MOST_RECEIVERS} at the most`,
      )
    this.packed = packExcitations(given)
    if (this.packed.materials > 0xffff)
      throw new GpuError(`${this.packed.materials} materials, ${0xffff} at the most`)
    this.memory = new PropagationMemory(device, given, this.packed.data, this.options.candidates)
    const constants = {
      ...propagationConstants(given.maxReflections),
      STACK_SIZE: 3 * given.scene.depth + 1,
      WORKGROUP: this.options.workgroup,
      SPHERES: given.reception === 'spheres' ? 1 : 0,
    }
    const compiled = (name: PassName): Promise<Kernel> =>
      compileKernel(device, PASSES[name].kernel, { ...constants, COUNT: PASSES[name].count })
    this.kernels = Promise.all([
      compiled('trace'),
      compiled('count'),
      compiled('list'),
      compiled('paths'),
    ]).then(([trace, count, list, paths]) => ({ trace, count, list, paths }))
    this.kernels.catch(() => {})
  }

  /** @throws GpuError where the device fails or has not the memory; Error for sums out of range */
  async run(
    { n, faces, listed, batchRays }: GpuPropagationRun,
    progress?: (done: number, total: number) => void,
    signal?: AbortSignal,
  ): Promise<GpuPropagationResult> {
    const { context, given, memory } = this
    const { device } = context
    const bytes = rayRecord(given.maxReflections).size
    const most = Math.max(
      2 * n + 1,
      Math.min(
        batchRays ?? MOST_PLACES,
        Math.floor(Math.min(this.options.rayBytes, device.limits.maxStorageBufferBindingSize) / bytes),
      ),
    )
    let batches = cutBatches(n, most)
    const points = memory.upload(packPoints(given, listed))
    if (listed) memory.growList(LIST_PLACES)
    const total = emptyResult(given.excitations.length, given.receivers.points.length / 3)
    const all = batches.length
    let done = 0
    while (batches.length > 0) {
      signal?.throwIfAborted()
      const spheres = given.reception === 'spheres'
      const group = batches.slice(0, spheres ? 1 : BATCHES_AT_ONCE)
      batches = batches.slice(group.length)
      const on = { n, faces, most, points, total }
      const again = spheres
        ? await this.runSpheres(group, on)
        : await this.runGroup(group, ['trace', 'paths'], on)
      done += group.length - again.length
      batches.unshift(...again)
      progress?.(Math.min(done, all), all)
    }
    points.destroy()
    return total
  }

  /** Memory of the buffers kept between runs [bytes]. */
  bytes(): number {
    return this.memory.bytes()
  }

  destroy(): void {
    this.memory.destroy()
  }

  /** Counts the spheres that the rays of a batch meet, makes room for as many, then lists them and computes their fields (paper 004, III.C). */
  private async runSpheres(group: GpuBatch[], on: GroupRun): Promise<GpuBatch[]> {
    const again = await this.runGroup(group, ['trace', 'count'], on)
    if (again.length > 0) return again
    let left = await this.runGroup(group, ['list', 'paths'], on)
    // Room for listed paths was short.
    while (left.length > 0) left = await this.runGroup(left, ['list', 'paths'], on)
    return []
  }

  /** Runs passes of batches; returns those that had too many candidates, to be run again. */
  private async runGroup(
    group: GpuBatch[],
    passes: readonly PassName[],
    { n, faces, most, points, total }: GroupRun,
  ): Promise<GpuBatch[]> {
    const { context, given, options, packed, memory } = this
    const { device } = context
    const kernels = await this.kernels
    const { buffers: kept, places, capacity, listedCapacity } = memory.forBatch(most)
    const { candidates } = kept
    const header = HEADER.overflows + group.length + ((HEADER.overflows + group.length) % 2)
    const words = header + 2 * total.sums.length
    const counters = memory.buffer(4 * words, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC)
    const job = memory.uniform(
      packPropagationJob(given, faces, {
        lift: SINGLE_OFFSET * given.scene.diagonal,
        capacity,
        listedCapacity,
        materials: packed.materials,
        tables: packed.tables,
      }),
    )
    const steps = {
      buffer: memory.uniform(packPropagationSteps(group, n, places)),
      size: PROPAGATION_STEP.size,
    }
    const buffers = { ...kept, points, counters }
    const bound = passes.map((name) => bindKernel(device, kernels[name], job, steps, buffers))
    const head = CANDIDATES_HEAD.size
    const listBytes = LISTED.size * listedCapacity
    const copyWords = memory.buffer(4 * words, GPUBufferUsage.MAP_READ)
    const copyList = memory.buffer(head + listBytes, GPUBufferUsage.MAP_READ)
    const timer = new KernelTimer(context)
    timer.start(passes.length * group.length)
    const encoder = device.createCommandEncoder()
    encoder.clearBuffer(candidates, 0, head)
    group.forEach((batch, number) => {
      encoder.clearBuffer(candidates, 0, 4)
      const rays = Math.ceil(batchPlaces(n, batch).total / options.workgroup)
      passes.forEach((name, i) => {
        const pass = encoder.beginComputePass(timer.pass(PASSES[name].stage, 0))
        pass.setPipeline(kernels[name].pipeline)
        pass.setBindGroup(0, bound[i], [DYNAMIC_STRIDE * number])
        pass.dispatchWorkgroups(name === 'paths' ? options.workgroups : Math.min(rays, options.workgroups))
        pass.end()
      })
    })
    encoder.copyBufferToBuffer(counters, 0, copyWords, 0, 4 * words)
    encoder.copyBufferToBuffer(candidates, 0, copyList, 0, head)
    encoder.copyBufferToBuffer(candidates, head + CANDIDATE.size * capacity, copyList, head, listBytes)
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
    total.times.spheres += times.reduction
    total.times.paths += times.field
    if (got[HEADER.notFinite] !== 0) throw new Error('a field sum is not finite: please report this scene')
    const listed = list[CANDIDATES_HEAD.at.listed]
    if (listed > listedCapacity) {
      // The whole group again: what it brought has not been added yet.
      memory.growList(2 ** Math.ceil(Math.log2(listed + 1)))
      return group
    }
    addResults(total, got, header, list)
    const counted = passes.includes('count')
    return this.splitOverflows(group, counted ? [list[0] > capacity ? list[0] : 0] : group.map((_, i) => got[HEADER.overflows + i]), counted) // prettier-ignore
  }

  /** Batches whose candidates (`found`, 0 where there was room) were too many: again with more room, or in halves where there is none. */
  private splitOverflows(group: GpuBatch[], found: number[], counted: boolean): GpuBatch[] {
    const wanted = Math.max(...found)
    if (wanted === 0) return []
    const over = group.filter((_, i) => found[i] > 0)
    const limit = Math.floor(this.context.device.limits.maxStorageBufferBindingSize / 16)
    if (wanted <= limit) {
      this.memory.growCandidates(Math.min(limit, Math.ceil(1.25 * wanted)))
      // What is only counted yet need not be traced again.
      return counted ? [] : over
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
}

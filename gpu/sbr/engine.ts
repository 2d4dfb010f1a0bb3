import {
  type AspectField,
  type AspectResult,
  fieldBound,
  finishField,
  fitAperture,
  jobTiles,
  type PathBatch,
  type RayScene,
  type SbrEngine,
  type SbrJob,
  type SbrRun,
  SUM_TOLERANCE,
  TILE,
  tubeSide,
} from '../../scene/index.js'
import { GpuError, type GpuContext } from '../device.js'
import { compileKernel } from '../kernel.js'
import { AspectSlot } from './aspect-slot.js'
import { bindAspect, encodeField, encodeTracing } from './encode.js'
import {
  COUNTERS,
  FREQUENCY_LANES,
  leafWords,
  QUAD_WORDS,
  SBR_KERNELS,
  type SbrKernels,
  traversalConstants,
  withTraversal,
} from './kernels.js'
import { batchTiles, createLists, destroyLists, listCapacities, type Lists } from './lists.js'
import { planAspect } from './plan.js'
import { SINGLE_OFFSET, type Traversal, uploadScene } from './scene-buffers.js'
import { packJob, packSteps } from './uniforms.js'

export interface GpuEngineOptions {
  /** Tubes along one side of a sub-grid of the virtual aperture. */
  subGrid: number
  /** Bytes that the lists between kernels may take. */
  listMemory?: number
  /** `auto` (default): candidate lists on a hardware GPU, the stack on a software adapter. None changes a byte. */
  traversal?: Traversal | 'auto'
}

/** Facets up to which the candidates of the rays that leave them are looked for: 256 bytes each, and a search per aspect. */
const MOST_LISTED_FACETS = 1 << 18

/** Tiles of a batch where memory allows: 2048 x 2048 tubes, the default sub-grid. */
const BATCH_TILES = 16384
const DEFAULT_LIST_MEMORY = 1.75 * 2 ** 30
/** Frequencies from which interpolation between nodes is the faster sum (docs/frequency-sum.md). */
const NODES_FROM = 48
/** Digits of such sums, at the most: single precision has no more. */
const MAX_DIGITS = 7
/** Batches handed to the device at once. */
const SUBMIT_BATCHES = 8
/** Tries with ever smaller batches before a list that overflows is an error. */
const MAX_TRIES = 16

/**
 * The SBR engine on a WebGPU device (paper 003, section 2.1, with the changes of docs/sbr.md). The result does not
 * depend on the sub-grid size or on how batches are cut, to the last bit.
 */
export class GpuSbrEngine implements SbrEngine {
  readonly kind = 'gpu'
  readonly isSoftware: boolean
  readonly description: string
  readonly aspectsInFlight = 16
  private readonly buffers
  private readonly traversal: Traversal
  private readonly listedFacets: number
  private readonly kernels = new Map<string, Promise<SbrKernels>>()
  private readonly slots: AspectSlot[] = []
  private lists: Lists | null = null
  private batchLimit = BATCH_TILES

  constructor(
    readonly context: GpuContext,
    readonly scene: RayScene,
    private readonly facetArea: number,
    private readonly options: GpuEngineOptions,
  ) {
    this.isSoftware = context.isSoftware
    this.description = `gpu, ${context.name}`
    const { traversal = 'auto' } = options
    this.traversal = traversal !== 'auto' ? traversal : context.isSoftware ? 'stack' : 'lists'
    this.listedFacets = this.traversal === 'lists' && scene.count <= MOST_LISTED_FACETS ? scene.count : 0
    this.buffers = uploadScene(context.device, scene, this.traversal)
  }

  async aspect(job: SbrJob, signal?: AbortSignal): Promise<AspectResult> {
    for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
      signal?.throwIfAborted()
      const kernels = await this.compiled(job)
      // Nothing is awaited from here to the submission: aspects on the way at once share the lists, and one that
      // needs longer lists replaces them.
      const run = this.prepare(job, kernels)
      const { binds, slot, lists } = run
      const { batches } = run.plan
      for (let b = 0; b < batches.length; b += SUBMIT_BATCHES)
        this.submit((encoder) => {
          if (b === 0) slot.clear(encoder)
          for (const batch of batches.slice(b, b + SUBMIT_BATCHES)) {
            encodeTracing(encoder, kernels, binds, slot, lists, batch, this.scene.count)
            encodeField(encoder, kernels, binds, slot, lists, batch)
          }
          if (b + SUBMIT_BATCHES >= batches.length) slot.copyOut(encoder)
        })
      const result = await this.guard(this.finish(job, run))
      if (result) return result
    }
    throw new GpuError(
      'the lists of the ray engine are too short even for its smallest batches; lower --rays-per-wavelength',
    )
  }

  async begin(job: SbrJob, signal?: AbortSignal): Promise<SbrRun> {
    signal?.throwIfAborted()
    const kernels = await this.compiled(job)
    const run = this.prepare(job, kernels)
    const { binds, slot, lists, plan } = run
    const { queue } = this.context.device
    this.submit((encoder) => slot.clear(encoder))
    return {
      parts: plan.batches.map((b) => b.tiles),
      trace: (part) => {
        this.submit((encoder) =>
          encodeTracing(encoder, kernels, binds, slot, lists, plan.batches[part], this.scene.count),
        )
        return this.guard(queue.onSubmittedWorkDone())
      },
      field: (part) => {
        this.submit((encoder) => encodeField(encoder, kernels, binds, slot, lists, plan.batches[part]))
        return this.guard(queue.onSubmittedWorkDone())
      },
      finish: () => {
        this.submit((encoder) => slot.copyOut(encoder))
        return this.guard(this.finish(job, run))
      },
    }
  }

  private submit(encode: (encoder: GPUCommandEncoder) => void): void {
    const { device } = this.context
    const encoder = device.createCommandEncoder()
    encode(encoder)
    device.queue.submit([encoder.finish()])
  }

  /** Waits for results, or for the device's failure. */
  private guard<T>(wait: Promise<T>): Promise<T> {
    return Promise.race([wait, this.context.failure]).catch(asGpuError)
  }

  async close(): Promise<void> {
    this.context.device.destroy()
  }

  /**
   * The explicit query for ray paths: traces the aspect batch by batch and hands each batch's leaves over. For
   * tests, the viewer and labels; a run never calls it.
   */
  async paths(job: SbrJob, visit: (paths: PathBatch) => void): Promise<void> {
    const { device } = this.context
    const kernels = await this.compiled(job)
    const { slot, lists, binds, plan } = this.prepare(job, kernels)
    this.submit((encoder) => slot.clear(encoder))
    for (const batch of plan.batches) {
      this.submit((encoder) => encodeTracing(encoder, kernels, binds, slot, lists, batch, this.scene.count))
      const counters = await readBuffer(device, slot.counters, 4 * COUNTERS.words)
      if (counters[COUNTERS.overflow])
        throw new GpuError('the ray lists overflowed; ask for fewer tubes at once')
      const words = leafWords(job.options.maxBounces)
      visit({
        cellI: batch.tiles.i0 * TILE,
        cellJ: batch.tiles.j0 * TILE,
        leafWords: words,
        leaves: await readBuffer(device, lists.leaves, 4 * words * counters[COUNTERS.batchLeaves]),
        quads: await readBuffer(device, lists.quads, 4 * QUAD_WORDS * counters[COUNTERS.batchQuads]),
      })
    }
    this.submit((encoder) => slot.copyOut(encoder))
    await slot.collect(plan.batches.length)
    this.slots.push(slot)
  }

  /** Collects a submitted aspect; null when a list overflowed (smaller batches are set for the next try). */
  private async finish(
    job: SbrJob,
    { range, slot, plan, tiles, start }: ReturnType<GpuSbrEngine['prepare']>,
  ): Promise<AspectResult | null> {
    const { totals, counters, times, partSeconds } = await slot.collect(plan.batches.length)
    this.slots.push(slot)
    if (counters[COUNTERS.overflow]) {
      this.batchLimit = Math.max(1, Math.floor(tiles / 2))
      return null
    }
    if (counters[COUNTERS.notFinite])
      throw new GpuError('a field sum on the GPU was not finite: please report this target')
    return {
      field: gpuField(this.scene, this.facetArea, job, totals),
      partSeconds,
      statistics: {
        tubes: range.ni * range.nj * TILE * TILE,
        leaves: counters[COUNTERS.leaves],
        contributions: counters[COUNTERS.records],
      },
      times: { ...times, total: (performance.now() - start) / 1000 },
      ...(job.tiles && { totals }),
    }
  }

  /** Plans an aspect and loads its uniforms into a free slot. */
  private prepare(job: SbrJob, kernels: SbrKernels) {
    const start = performance.now()
    const { context, scene, options } = this
    const { device } = context
    const depth = job.options.formulation === 'exit' ? 0 : job.options.subdivisions
    const aperture = fitAperture(scene, job.aspect.tx, tubeSide(job))
    const range = jobTiles(aperture, job)
    const tiles = batchTiles(
      Math.min(this.batchLimit, range.ni * range.nj),
      this.listedFacets,
      job.options,
      job.band.n,
      device.limits.maxStorageBufferBindingSize,
      options.listMemory ?? DEFAULT_LIST_MEMORY,
    )
    const lists = this.listsFor(tiles, job)
    const plan = planAspect(aperture, range, options.subGrid, tiles, depth, job.band.n)
    const slot = this.slots.pop() ?? new AspectSlot(context)
    slot.prepare(
      packJob(
        job,
        aperture,
        SINGLE_OFFSET * scene.diagonal,
        fixedExponent(this.facetArea, job),
        lists.capacities,
        { count: scene.count, diagonal: scene.diagonal, facetLists: this.listedFacets > 0 },
      ),
      packSteps(plan.steps),
      job.band.n,
      plan.batches.reduce((n, b) => n + b.levelSteps.length + 1 + 2 * b.frequencySteps.length, 0),
    )
    const of = [kernels, lists, slot.step, slot.totals]
    if (!slot.binds?.of.every((part, i) => part === of[i]))
      slot.binds = { of, groups: bindAspect(device, kernels, slot, lists, this.buffers) }
    const binds = slot.binds.groups
    return { range, tiles, lists, plan, slot, binds, start }
  }

  private listsFor(tiles: number, job: SbrJob): Lists {
    const needed = listCapacities(tiles, this.listedFacets, job.options, job.band.n)
    const have = this.lists?.capacities
    const enough = have && (Object.keys(needed) as (keyof typeof needed)[]).every((k) => have[k] >= needed[k])
    if (!enough || this.listBounces !== job.options.maxBounces) {
      if (this.lists) destroyLists(this.lists)
      this.lists = createLists(this.context.device, needed, job.options.maxBounces)
      this.listBounces = job.options.maxBounces
    }
    return this.lists!
  }
  private listBounces = 0

  private compiled(job: SbrJob): Promise<SbrKernels> {
    const lanes = Math.min(FREQUENCY_LANES, 2 ** Math.ceil(Math.log2(job.band.n)))
    const { frequencySum = 'auto', sumTolerance = SUM_TOLERANCE } = job.options
    const fast =
      frequencySum === 'auto' ? job.band.n >= NODES_FROM : frequencySum === 'fast' && job.band.n > 1
    const constants = {
      ...traversalConstants(this.scene, this.traversal, job.options.maxBounces),
      FREQUENCY_LANES: lanes,
      SUM_DIGITS: fast ? Math.min(MAX_DIGITS, Math.ceil(-Math.log10(sumTolerance))) : 0,
    }
    const key = Object.values(constants).join()
    let kernels = this.kernels.get(key)
    if (!kernels) {
      const { sumNodes, ...plain } = SBR_KERNELS
      const contracts = fast ? { ...plain, sumFrequencies: sumNodes } : plain
      kernels = Promise.all(
        Object.entries(contracts).map(async ([name, contract]) => [
          name,
          await compileKernel(this.context.device, withTraversal(contract, this.traversal), constants),
        ]),
      ).then((pairs) => Object.fromEntries(pairs) as SbrKernels)
      this.kernels.set(key, kernels)
    }
    return kernels
  }
}

/** Sums are 64-bit integers in units of 2^-fixedExponent. */
const fixedExponent = (facetArea: number, job: SbrJob): number =>
  58 - Math.ceil(Math.log2(fieldBound(facetArea, job.options.maxBounces)))

/** The amplitudes F [m] of an aspect from the `totals` of all its tiles, added up: to the last bit those of the whole. */
export function gpuField(
  scene: RayScene,
  facetArea: number,
  job: SbrJob,
  totals: BigInt64Array,
): AspectField {
  if (totals.length !== 8 * job.band.n)
    throw new RangeError(`${totals.length} sums where the job has ${8 * job.band.n}`)
  const unit = 2 ** -fixedExponent(facetArea, job)
  const field = Float64Array.from(totals, (x) => Number(x) * unit)
  finishField(scene.origin, job, field)
  return field
}

/** A lost device turns waits for its results into an AbortError, which must not pass for an interrupted run. */
function asGpuError(error: unknown): never {
  if (error instanceof DOMException)
    throw new GpuError(`the GPU gave no result: ${error.message || error.name}`)
  throw error
}

async function readBuffer(device: GPUDevice, buffer: GPUBuffer, bytes: number): Promise<Uint32Array> {
  if (bytes === 0) return new Uint32Array(0)
  const copy = device.createBuffer({ size: bytes, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST })
  const encoder = device.createCommandEncoder()
  encoder.copyBufferToBuffer(buffer, 0, copy, 0, bytes)
  device.queue.submit([encoder.finish()])
  await copy.mapAsync(GPUMapMode.READ)
  const words = new Uint32Array(copy.getMappedRange().slice(0))
  copy.unmap()
  copy.destroy()
  return words
}

import {
  type AspectResult,
  cutsOf,
  type EngineDescription,
  type Extrapolation,
  jobAperture,
  jobTiles,
  type RayPath,
  type RayScene,
  type SbrJob,
  type SbrRun,
  type SteppedSbrEngine,
  TILE,
} from '../../rays/index.js'
import type { Vec3 } from '../../scene/index.js'
import { describeGpu, type GpuContext, GpuError, readBuffer } from '../device.js'
import { bindKernel, KernelTimer, type Stage } from '../kernel.js'
import { DYNAMIC_STRIDE } from '../layout.js'
import {
  type AspectBinds,
  compiledKernels,
  COUNTERS,
  FREQUENCY_LANES,
  type KernelCache,
  type KernelName,
  RAY_GROUPS,
  type SbrKernels,
  SEARCHERS,
} from './kernels.js'
import { BRANCH_CONSTANTS, MOST_PATH_WORDS, PATH_WORDS, QUAD, SBR_STEP } from './layouts.js'
import { type Batch, type Lists, ListStore, packJob, packSteps, planAspect } from './plan.js'
import {
  MaterialStore,
  type MaterialTables,
  type SceneBuffers,
  SINGLE_OFFSET,
  type Traversal,
  uploadScene,
} from './scene-buffers.js'
import { asGpuError, batchPaths, fixedExponent, gpuField, leafCounts } from './results.js'

const MANY_FACETS = 100_000
const STRIPS = 8

/** What the kernels of an aspect run on. */
interface Encoding {
  binds: AspectBinds
  slot: AspectSlot
  lists: Lists
  /** Facets of the target. */
  facets: number
  /** Workgroups that a dispatch over a list has at the most; each takes every so many entries of the list. */
  workgroups: number
}

function bindAspect(
  device: GPUDevice,
  kernels: SbrKernels,
  slot: AspectSlot,
  lists: Lists,
  scene: SceneBuffers & Partial<MaterialTables['buffers']>,
): AspectBinds {
  const { capacities: _, ...buffers } = lists
  const named = { ...scene, ...buffers, counters: slot.counters, totals: slot.totals! }
  return Object.fromEntries(
    Object.entries(kernels).map(([name, kernel]) => [
      name,
      { kernel, group: bindKernel(device, kernel, slot.job!, slot.step!, named) },
    ]),
  )
}

/** Sets a kernel, and the uniforms of its dispatch. */
function use(pass: GPUComputePassEncoder, { binds }: Encoding, name: KernelName, step: number): void {
  const { kernel, group } = binds[name]!
  pass.setPipeline(kernel.pipeline)
  pass.setBindGroup(0, group, [DYNAMIC_STRIDE * step])
}

/** The field kernels of a traced batch: contributions, sums over frequencies and reduction. */
function encodeField(encoder: GPUCommandEncoder, on: Encoding, batch: Batch): void {
  const { binds, slot, lists, workgroups } = on
  const groups = Math.min(workgroups, lists.capacities.groups)
  batch.frequencySteps.forEach(({ step, count, changes }, i) => {
    const field = encoder.beginComputePass(slot.timer.pass('field', batch.index))
    if (i === 0) {
      use(field, on, 'contributions', batch.levelSteps[0])
      field.dispatchWorkgroups(groups)
      if (binds.materialAmplitudes) {
        use(field, on, 'materialAmplitudes', batch.levelSteps[0])
        field.dispatchWorkgroups(groups)
      }
    }
    if (changes) {
      use(field, on, 'extrapolate', step)
      field.dispatchWorkgroups(groups)
    }
    const byNodes = binds.sumNodes ? 'sumNodes' : binds.sumMaterialNodes && 'sumMaterialNodes'
    use(field, on, byNodes ?? (binds.sumMaterials ? 'sumMaterials' : 'sumFrequencies'), step)
    field.dispatchWorkgroups(groups, byNodes ? 1 : Math.ceil(count / FREQUENCY_LANES))
    field.end()
    const reduce = encoder.beginComputePass(slot.timer.pass('reduction', batch.index))
    use(reduce, on, 'reduce', step)
    reduce.dispatchWorkgroups(Math.ceil((8 * count) / 64), Math.ceil(lists.capacities.groups / 64))
    reduce.end()
  })
}

/** Tracing, level by level: fills the lists of leaves, quads and groups. */
function encodeTracing(encoder: GPUCommandEncoder, on: Encoding, batch: Batch): void {
  const { slot, lists, facets } = on
  const first = batch.levelSteps[0]
  slot.nextBatch(encoder, batch.index)
  const search = batch.index === 0 && lists.capacities.facetLists > 0
  encoder.clearBuffer(lists.candidates, 0, 4 * lists.capacities.tiles)
  if (search) encoder.clearBuffer(lists.facetCandidates)
  const pass = encoder.beginComputePass(slot.timer.pass('trace', batch.index))
  if (search) {
    use(pass, on, 'searchFacets', first)
    pass.dispatchWorkgroups(Math.ceil((SEARCHERS * facets) / 64), 2)
  }
  use(pass, on, 'markTiles', first)
  // Few facets are spread over many workgroups by rows of tiles, since some may cover the whole batch.
  pass.dispatchWorkgroups(Math.ceil(facets / 64), facets > MANY_FACETS ? 1 : Math.min(STRIPS, batch.tiles.nj))
  encodeTiles(pass, on, batch)
  pass.end()
}

/**
 * Tiles, then the children of the cells that were subdivided. How many there are stands in the counters; a
 * dispatch takes its arguments from the host all the same, since those that lie in a buffer cost the calling thread ten
 * times as much (decision 003).
 */
function encodeTiles(pass: GPUComputePassEncoder, on: Encoding, batch: Batch): void {
  const { lists, workgroups } = on
  const { items, chunks } = lists.capacities
  const tiles = Math.min(workgroups, batch.tiles.ni * batch.tiles.nj)
  batch.levelSteps.forEach((step, level) => {
    if (level === 0) {
      use(pass, on, 'traceTiles', step)
      pass.dispatchWorkgroups(tiles, RAY_GROUPS)
      use(pass, on, 'sortTiles', step)
      pass.dispatchWorkgroups(tiles)
    } else {
      use(pass, on, 'traceChildren', step)
      pass.dispatchWorkgroups(Math.min(workgroups, Math.ceil(items / 32)))
      use(pass, on, 'sortChildren', step)
      pass.dispatchWorkgroups(Math.min(workgroups, chunks))
    }
  })
}

/**
 * Buffers that one aspect owns while it is in flight; reused from aspect to aspect. Objects of the device are few on
 * purpose: each costs time to make, and a longer stop of the event loop when thousands are collected at once.
 */
class AspectSlot {
  job: GPUBuffer | null = null
  step: { buffer: GPUBuffer; size: number } | null = null
  totals: GPUBuffer | null = null
  readonly counters: GPUBuffer
  /** What the counters of every batch but the last one stood at. */
  private batchCounters: GPUBuffer | null = null
  readonly timer: KernelTimer
  /** Bind groups with these buffers, for whom they are good as long as the buffers stay (see `engine.ts`). */
  binds: { of: unknown[]; groups: AspectBinds } | null = null
  private readback: GPUBuffer | null = null
  private values = 0
  private batches = 0

  constructor(private readonly context: GpuContext) {
    const usage = GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST
    this.counters = this.create('counters', 4 * COUNTERS.words, GPUBufferUsage.STORAGE | usage)
    this.timer = new KernelTimer(context)
  }

  /** Loads the uniforms of a new aspect of `frequencies` frequencies in `batches` batches. */
  prepare(job: ArrayBuffer, steps: ArrayBuffer, frequencies: number, batches: number, passes: number): void {
    const { device } = this.context
    const uniform = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST
    this.job ??= this.create('job', job.byteLength, uniform)
    if (!this.step || this.step.buffer.size < steps.byteLength) {
      this.step?.buffer.destroy()
      this.step = { buffer: this.create('steps', steps.byteLength, uniform), size: SBR_STEP.size }
    }
    const usage = GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST
    const fewer = 8 * frequencies !== this.values
    if (fewer) {
      this.totals?.destroy()
      this.values = 8 * frequencies
      this.totals = this.create('totals', 8 * this.values, GPUBufferUsage.STORAGE | usage)
    }
    if (fewer || batches > this.batches) {
      this.readback?.destroy()
      this.batchCounters?.destroy()
      this.batches = batches
      const counters = 4 * COUNTERS.perAspect * batches
      this.batchCounters = this.create('counters of batches', counters, usage)
      this.readback = this.create(
        'readback',
        8 * this.values + 4 * COUNTERS.words + counters,
        GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
      )
    }
    device.queue.writeBuffer(this.job, 0, job)
    device.queue.writeBuffer(this.step.buffer, 0, steps)
    this.timer.start(passes)
  }

  /** Before an aspect's kernels. */
  clear(encoder: GPUCommandEncoder): void {
    encoder.clearBuffer(this.totals!)
    encoder.clearBuffer(this.counters)
  }

  /** Before a batch's kernels: the counters of the one before are kept, and start afresh. */
  nextBatch(encoder: GPUCommandEncoder, index: number): void {
    const bytes = 4 * COUNTERS.perAspect
    if (index > 0)
      encoder.copyBufferToBuffer(this.counters, 0, this.batchCounters!, bytes * (index - 1), bytes)
    encoder.clearBuffer(this.counters, 0, bytes)
  }

  /** After an aspect's kernels: what `collect` will read. */
  copyOut(encoder: GPUCommandEncoder): void {
    const bytes = 8 * this.values
    const words = 4 * COUNTERS.words
    encoder.copyBufferToBuffer(this.totals!, 0, this.readback!, 0, bytes)
    encoder.copyBufferToBuffer(this.counters, 0, this.readback!, bytes, words)
    const before = this.batchCounters!
    encoder.copyBufferToBuffer(before, 0, this.readback!, bytes + words, before.size)
    this.timer.copyOut(encoder)
  }

  /**
   * Waits for the submitted aspect: its sums in units of 2^-fixedExponent, its counters, those of each batch (`perAspect` words), its
   * kernel times [s].
   */
  async collect(parts: number): Promise<{
    totals: BigInt64Array
    counters: Uint32Array
    batches: Uint32Array[]
    times: Record<Stage, number>
    partSeconds: number[]
  }> {
    const [{ times, partSeconds }] = await Promise.all([
      this.timer.collect(parts),
      this.readback!.mapAsync(GPUMapMode.READ),
    ])
    const words = new Uint32Array(this.readback!.getMappedRange().slice(0))
    this.readback!.unmap()
    const totals = new BigInt64Array(words.buffer, 0, this.values)
    const counters = words.subarray(2 * this.values, 2 * this.values + COUNTERS.words)
    const before = words.subarray(2 * this.values + COUNTERS.words)
    const { perAspect } = COUNTERS
    const batches = Array.from({ length: parts }, (_, b) =>
      b === parts - 1 ? counters.subarray(0, perAspect) : before.subarray(perAspect * b, perAspect * (b + 1)),
    )
    return { totals, counters, batches, times, partSeconds }
  }

  private create(label: string, size: number, usage: number): GPUBuffer {
    return this.context.device.createBuffer({ label, size, usage })
  }
}

export interface GpuEngineOptions {
  /** Tubes along one side of a sub-grid of the virtual aperture. */
  subGrid: number
  /** Bytes that the lists between kernels may take. */
  listMemory?: number
  /** `auto` (default): candidate lists on a hardware GPU, the stack on a software adapter. None changes a byte. */
  traversal?: Traversal | 'auto'
}

/** Kernels of a job, and the words of a path that they are for (see `GpuSbrEngine.pathWords`). */
interface CompiledJob {
  kernels: SbrKernels
  pathWords: number
}

/** Facets up to which the candidates of the rays that leave them are looked for: 256 bytes each, and a search per aspect. */
const MOST_LISTED_FACETS = 1 << 18

/** Batches handed to the device at once. */
const SUBMIT_BATCHES = 8
/** Workgroups of a dispatch over a list: more than run at once, so that long and short ones even out. */
const WORKGROUPS = 4096
const SOFTWARE_WORKGROUPS = 8
/** Tries with ever smaller batches before a list that overflows is an error. */
const MAX_TRIES = 16

/**
 * The SBR engine on a WebGPU device (paper 003, section 2.1, with the changes of docs/theory.md). The result does not
 * depend on the sub-grid size or on how batches are cut, to the last bit.
 */
export class GpuSbrEngine implements SteppedSbrEngine {
  private readonly buffers: SceneBuffers
  private readonly traversal: Traversal
  private readonly listedFacets: number
  private readonly kernels: KernelCache = new Map()
  private readonly slots: AspectSlot[] = []
  private readonly store: ListStore
  private readonly materials: MaterialStore | null
  /** Of a target with sheets: words of a path at the most. */
  private pathWords: number

  constructor(
    readonly context: GpuContext,
    readonly scene: RayScene,
    private readonly facetArea: number,
    private readonly options: GpuEngineOptions,
  ) {
    const { traversal = 'auto' } = options
    this.traversal = traversal !== 'auto' ? traversal : context.isSoftware ? 'stack' : 'lists'
    const listed = this.traversal === 'lists' && scene.count <= MOST_LISTED_FACETS && !scene.materials?.sheets
    this.listedFacets = listed ? scene.count : 0
    this.pathWords = scene.materials?.sheets ? PATH_WORDS : 0
    this.buffers = uploadScene(context.device, scene, this.traversal)
    this.materials = scene.materials ? new MaterialStore(context.device, scene, scene.materials) : null
    this.store = new ListStore(context.device, this.listedFacets, options.listMemory)
  }

  /** See `FieldEngine`. */
  describe(): EngineDescription {
    return describeGpu(this.context, 16)
  }

  async field(job: SbrJob, signal?: AbortSignal): Promise<AspectResult> {
    for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
      signal?.throwIfAborted()
      const kernels = await this.compiled(job)
      // Nothing is awaited from here to the submission: aspects in flight at once share the lists, and one that
      // needs longer lists replaces them.
      const run = this.prepare(job, kernels)
      const { slot } = run
      const { batches } = run.plan
      for (let b = 0; b < batches.length; b += SUBMIT_BATCHES)
        this.submit((encoder) => {
          if (b === 0) slot.clear(encoder)
          for (const batch of batches.slice(b, b + SUBMIT_BATCHES)) {
            encodeTracing(encoder, run, batch)
            encodeField(encoder, run, batch)
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

  /** See `SteppedSbrEngine`. */
  async begin(job: SbrJob, signal?: AbortSignal): Promise<SbrRun> {
    signal?.throwIfAborted()
    const kernels = await this.compiled(job)
    const run = this.prepare(job, kernels)
    const { slot, plan } = run
    const { queue } = this.context.device
    this.submit((encoder) => slot.clear(encoder))
    return {
      parts: plan.batches.map((b) => b.tiles),
      trace: (part) => {
        this.submit((encoder) => encodeTracing(encoder, run, plan.batches[part]))
        return this.guard(queue.onSubmittedWorkDone())
      },
      field: (part) => {
        this.submit((encoder) => encodeField(encoder, run, plan.batches[part]))
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

  /** Gives the device back; nothing else may be called then. */
  async close(): Promise<void> {
    this.context.device.destroy()
  }

  /**
   * The explicit query for ray paths: traces the aspect batch by batch and hands every path over. For tests and
   * benchmarks; a run never calls it.
   */
  async paths(job: SbrJob, visit: (path: RayPath) => void): Promise<void> {
    const kernels = await this.compiled(job)
    const run = this.prepare(job, kernels)
    const { slot, lists, plan } = run
    this.submit((encoder) => slot.clear(encoder))
    for (const batch of plan.batches) {
      this.submit((encoder) => encodeTracing(encoder, run, batch))
      const counters = new Uint32Array(await readBuffer(this.context, slot.counters, 4 * COUNTERS.words))
      if (counters[COUNTERS.overflow])
        throw new GpuError('the ray lists overflowed; ask for fewer tubes at once')
      // The tails of long paths stand behind them.
      const leaves = new Uint32Array(await readBuffer(this.context, lists.leaves, lists.leaves.size))
      const quads = new Uint32Array(
        await readBuffer(this.context, lists.quads, QUAD.size * counters[COUNTERS.batchQuads]),
      )
      const found = {
        leaves,
        count: counters[COUNTERS.batchLeaves],
        capacity: lists.capacities.leaves,
        quads,
      }
      for (const path of batchPaths(batch.tiles, run.pathWords || job.options.maxBounces, found)) visit(path)
    }
    this.submit((encoder) => slot.copyOut(encoder))
    await slot.collect(plan.batches.length)
    this.slots.push(slot)
  }

  /** Collects a submitted aspect; null when a list overflowed (smaller batches are set for the next try). */
  private async finish(job: SbrJob, run: ReturnType<GpuSbrEngine['prepare']>): Promise<AspectResult | null> {
    const { range, slot, plan, start } = run
    const { totals, counters, batches, times, partSeconds } = await slot.collect(plan.batches.length)
    this.slots.push(slot)
    this.store.learn(batches, run)
    if (counters[COUNTERS.overflow] & BRANCH_CONSTANTS.LONG_PATH) this.lengthenPaths(run.pathWords)
    if (counters[COUNTERS.overflow]) return null
    if (counters[COUNTERS.notFinite])
      throw new GpuError('a field sum on the GPU was not finite: please report this target')
    return {
      field: gpuField(this.scene, this.facetArea, job, totals),
      partSeconds,
      statistics: {
        tubes: range.ni * range.nj * TILE * TILE,
        ...leafCounts(counters, run.pathWords > 0 ? BRANCH_CONSTANTS.CUT_OFF_UNITS : 1),
        contributions: counters[COUNTERS.totalRecords],
      },
      times: { ...times, total: (performance.now() - start) / 1000 },
      ...(job.tiles && { totals }),
    }
  }

  /** For the aspects to come, after one whose paths had no room in so many words. */
  private lengthenPaths(words: number): void {
    if (words === MOST_PATH_WORDS)
      throw new GpuError(
        `a ray meets facets and sheets more than ${words} times on all its ways; lower --max-bounces, or take --device cpu`,
      )
    this.pathWords = Math.max(this.pathWords, Math.min(4 * words, MOST_PATH_WORDS))
  }

  /** Plans an aspect and loads its uniforms into a free slot. */
  private prepare(job: SbrJob, { kernels, pathWords }: CompiledJob) {
    const start = performance.now()
    const { context, scene, options } = this
    const { device } = context
    const { extrapolation } = job
    const depth = cutsOf(job.options)
    const aperture = jobAperture(scene, job)
    const range = jobTiles(aperture, job)
    const tables = this.materials?.take(job)
    const { tiles, room, lists } = this.store.take(job, range.ni * range.nj, tables?.nodes, pathWords)
    const plan = planAspect(
      aperture,
      range,
      { side: options.subGrid, batchTiles: tiles },
      {
        depth,
        frequencies: job.band.n,
        changes: extrapolation ? directionChanges(job, extrapolation) : null,
      },
    )
    const slot = this.slots.pop() ?? new AspectSlot(context)
    slot.prepare(
      packJob(
        job,
        aperture,
        SINGLE_OFFSET * scene.diagonal,
        fixedExponent(this.facetArea, job),
        lists.capacities,
        {
          count: scene.count,
          diagonal: scene.diagonal,
          facetLists: this.listedFacets > 0,
          materialNodes: tables?.nodes ?? 0,
        },
      ),
      packSteps(plan.steps),
      job.band.n * (extrapolation?.directions.length ?? 1),
      plan.batches.length,
      plan.batches.reduce((n, b) => n + b.levelSteps.length + 2 + 2 * b.frequencySteps.length, 0),
    )
    const of = [kernels, lists, slot.step, slot.totals, tables]
    if (!slot.binds?.of.every((part, i) => part === of[i]))
      slot.binds = {
        of,
        groups: bindAspect(device, kernels, slot, lists, { ...this.buffers, ...tables?.buffers }),
      }
    const binds = slot.binds.groups
    const workgroups = context.isSoftware ? SOFTWARE_WORKGROUPS : WORKGROUPS
    return { range, tiles, room, lists, plan, slot, binds, start, facets: scene.count, workgroups, pathWords }
  }

  private async compiled(job: SbrJob): Promise<CompiledJob> {
    const { context, kernels, scene, traversal, pathWords } = this
    const compiled = compiledKernels(context.device, kernels, scene, traversal, job, pathWords)
    // While they compile.
    this.materials?.take(job)
    return { kernels: await compiled, pathWords }
  }
}

/** From the aspect's own direction to the first extrapolated one, and from each to the next: the one before minus the one after. */
function directionChanges({ aspect }: SbrJob, { directions }: Extrapolation): Vec3[] {
  return directions.map(({ r }, m) => {
    const before = m === 0 ? aspect.tx.r : directions[m - 1].r
    return before.map((x, c) => x - r[c]) as Vec3
  })
}

import {
  type AspectField,
  fieldBound,
  finishFields,
  MAX_SUBDIVISIONS,
  type RayPath,
  type RayScene,
  type SbrJob,
  TILE,
  type TileRange,
} from '../../rays/index.js'
import { type GpuContext, GpuError } from '../device.js'
import { bindKernel, compileKernel, type Kernel, type KernelContract } from '../kernel.js'
import { COUNTERS, sbrConstants, sbrStructs, withTraversal } from './kernels.js'
import {
  BRANCH_CONSTANTS,
  KEPT_FACETS,
  LEAF,
  QUAD,
  QUERY,
  QUERY_HIT,
  RADIATES,
  SBR_JOB,
  SBR_STEP,
  tailWords,
} from './layouts.js'
import { type SceneBuffers, type Traversal, uploadScene } from './scene-buffers.js'

const LANES = 64
/** Rays of one call: workgroups along one axis times lanes. */
const MOST_QUERIES = 65535 * LANES

export const QUERY_KERNEL: KernelContract = {
  name: 'query_rays',
  structs: sbrStructs,
  modules: ['sbr_job', 'facet_test', 'bvh_nodes', 'traversal', 'query_rays'],
  buffers: [
    { name: 'nodes', access: 'read' },
    { name: 'slots', access: 'read' },
    { name: 'queries', access: 'read' },
    { name: 'hits', access: 'read_write' },
  ],
}

/** Nearest-hit queries of any rays in single precision, by the traversal and the facet test of the ray engine. */
export class RayQuery {
  private readonly scene: Pick<SceneBuffers, 'nodes' | 'slots'>
  private readonly job: GPUBuffer
  private readonly step: { buffer: GPUBuffer; size: number }
  private kernel: Promise<Kernel> | null = null

  constructor(
    private readonly context: GpuContext,
    private readonly rays: RayScene,
    private readonly traversal: Exclude<Traversal, 'lists'>,
  ) {
    const { device } = context
    this.scene = uploadScene(device, rays, traversal)
    const nothing = SBR_JOB.read(new ArrayBuffer(SBR_JOB.size))
    const job = SBR_JOB.pack({ ...nothing, slots: rays.count, diagonal: rays.diagonal })
    this.job = this.buffer(GPUBufferUsage.UNIFORM, job)
    this.step = {
      buffer: this.buffer(GPUBufferUsage.UNIFORM, new ArrayBuffer(SBR_STEP.size)),
      size: SBR_STEP.size,
    }
  }

  /**
   * @param rays  the records QUERY, 8 numbers each: origin in the scene's coordinates [m], a spare, unit direction, a spare
   * @returns the distances [m], and the facets met: 0xffffffff where there is none (its distance is of no meaning)
   * @throws GpuError; RangeError for more than 4,194,240 rays
   */
  async nearest(rays: Float32Array<ArrayBuffer>): Promise<{ t: Float32Array; facet: Uint32Array }> {
    const { context, scene, job, step } = this
    const { device } = context
    const count = rays.length / QUERY.words
    if (count > MOST_QUERIES) throw new RangeError(`${count} rays at once, ${MOST_QUERIES} at the most`)
    const kernel = await (this.kernel ??= compileKernel(
      device,
      withTraversal(QUERY_KERNEL, this.traversal),
      sbrConstants(this.rays, this.traversal, 1),
    ))
    const queries = this.buffer(GPUBufferUsage.STORAGE, rays)
    const size = QUERY_HIT.size * count
    const hits = device.createBuffer({ size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC })
    const copy = device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST })
    const encoder = device.createCommandEncoder()
    const pass = encoder.beginComputePass()
    pass.setPipeline(kernel.pipeline)
    pass.setBindGroup(0, bindKernel(device, kernel, job, step, { ...scene, queries, hits }), [0])
    pass.dispatchWorkgroups(Math.ceil(count / LANES))
    pass.end()
    encoder.copyBufferToBuffer(hits, 0, copy, 0, size)
    device.queue.submit([encoder.finish()])
    await Promise.race([copy.mapAsync(GPUMapMode.READ), context.failure])
    const words = new Uint32Array(copy.getMappedRange().slice(0))
    for (const buffer of [queries, hits, copy]) buffer.destroy()
    const distances = new Float32Array(words.buffer)
    return {
      t: Float32Array.from({ length: count }, (_, i) => distances[QUERY_HIT.words * i + QUERY_HIT.at.t]),
      facet: Uint32Array.from({ length: count }, (_, i) => words[QUERY_HIT.words * i + QUERY_HIT.at.facet]),
    }
  }

  private buffer(usage: number, data: Float32Array<ArrayBuffer> | ArrayBuffer): GPUBuffer {
    const { device } = this.context
    const buffer = device.createBuffer({ size: data.byteLength, usage: usage | GPUBufferUsage.COPY_DST })
    device.queue.writeBuffer(buffer, 0, data)
    return buffer
  }
}

const { SIGHT, FACET } = BRANCH_CONSTANTS

/** Lists of a batch, as words. */
interface PathLists {
  /** The leaves' buffer: room for `capacity` leaves, of which there are `count`; then the tails of long paths. */
  leaves: Uint32Array
  count: number
  capacity: number
  quads: Uint32Array
}

/**
 * The paths of a batch of these tiles. Of those that branch at sheets the hits of all branches, depth first, up to the last one that
 * radiates.
 * @param most  words of a path at the most
 */
export function* batchPaths(
  tiles: TileRange,
  most: number,
  { leaves, count, capacity, quads }: PathLists,
): Generator<RayPath> {
  for (let n = 0; n < count; n++) {
    const { cell, levelCount, tail, facets } = LEAF.read(leaves.buffer as ArrayBuffer, n * LEAF.size)
    const rest = capacity * LEAF.words + tail * tailWords(most)
    const count = levelCount >>> 8
    const words = Uint32Array.from({ length: count }, (_, m) =>
      m < KEPT_FACETS ? facets[m] : leaves[rest + m - KEPT_FACETS],
    ).filter((x) => (x & SIGHT) === 0)
    yield {
      ...latticeCell(tiles, cell, levelCount & 0xff),
      facets: Int32Array.from(words, (x) => x & FACET),
      radiating: Uint8Array.from(words, (x) => (x & RADIATES ? 1 : 0)),
      corners: null,
    }
  }
  for (let at = 0; at < quads.byteLength; at += QUAD.size) {
    const { cell, level, facet, cornerFacets } = QUAD.read(quads.buffer as ArrayBuffer, at)
    yield {
      ...latticeCell(tiles, cell, level),
      facets: Int32Array.of(facet),
      radiating: Uint8Array.of(1),
      corners: Int32Array.from(cornerFacets),
    }
  }
}

/** The lattice cell of a packed one, i | j << 16 within the batch. */
function latticeCell({ i0, j0 }: TileRange, cell: number, level: number): Pick<RayPath, 'level' | 'i' | 'j'> {
  const side = TILE * 2 ** level
  return { level, i: i0 * side + (cell & 0xffff), j: j0 * side + (cell >>> 16) }
}

/** Sums are 64-bit integers in units of 2^-fixedExponent. */
export const fixedExponent = (facetArea: number, job: SbrJob): number =>
  58 - Math.ceil(Math.log2(fieldBound(facetArea, job.options.maxBounces)))

/** The amplitudes F [m] of an aspect from the `totals` of all its tiles, added up: to the last bit those of the whole. */
export function gpuField(
  scene: RayScene,
  facetArea: number,
  job: SbrJob,
  totals: BigInt64Array,
): AspectField {
  const sums = 8 * job.band.n * (job.extrapolation?.directions.length ?? 1)
  if (totals.length !== sums) throw new RangeError(`${totals.length} sums where the job has ${sums}`)
  const unit = 2 ** -fixedExponent(facetArea, job)
  const field = Float64Array.from(totals, (x) => Number(x) * unit)
  finishFields(scene.origin, job, field)
  return field
}

/** A lost device turns waits for its results into an AbortError, which must not pass for an interrupted run. */
export function asGpuError(error: unknown): never {
  if (error instanceof DOMException)
    throw new GpuError(
      `the GPU gave no result: its device was lost or closed${error.message && ` (${error.message})`}`,
    )
  throw error
}

/** The first words of a buffer. */
export async function readBuffer(device: GPUDevice, buffer: GPUBuffer, bytes: number): Promise<Uint32Array> {
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

/**
 * Leaves at every level, and the aperture that they and those cut off by the bounce limit take, in tubes of full size.
 * @param cutOffUnits  what a leaf that is cut off as a whole counts
 */
export function leafCounts(
  counters: Uint32Array,
  cutOffUnits: number,
): { leaves: number; lit: number; cutOff: number } {
  const found = { leaves: 0, lit: 0, cutOff: 0 }
  for (let level = 0; level <= MAX_SUBDIVISIONS; level++) {
    found.leaves += counters[COUNTERS.litLeaves + level]
    found.lit += counters[COUNTERS.litLeaves + level] / 4 ** level
    found.cutOff += counters[COUNTERS.cutOffLeaves + level] / cutOffUnits / 4 ** level
  }
  return found
}

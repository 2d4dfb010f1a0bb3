import { type GpuContext, readBuffer, upload } from '../../gpu/device.js'
import { bindKernel, compileKernel, type Kernel, type KernelContract } from '../../gpu/kernel.js'
import { sbrConstants, sbrStructs, withTraversal } from '../../gpu/sbr/kernels.js'
import { QUERY, QUERY_HIT, SBR_JOB, SBR_STEP } from '../../gpu/sbr/layouts.js'
import { type SceneBuffers, type Traversal, uploadScene } from '../../gpu/sbr/scene-buffers.js'
import type { RayScene } from '../../rays/index.js'

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
    this.job = upload(device, 'job', job, GPUBufferUsage.UNIFORM)
    this.step = {
      buffer: upload(device, 'step', new ArrayBuffer(SBR_STEP.size), GPUBufferUsage.UNIFORM),
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
    const queries = upload(device, 'queries', rays)
    const size = QUERY_HIT.size * count
    const hits = device.createBuffer({ size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC })
    const encoder = device.createCommandEncoder()
    const pass = encoder.beginComputePass()
    pass.setPipeline(kernel.pipeline)
    pass.setBindGroup(0, bindKernel(device, kernel, job, step, { ...scene, queries, hits }), [0])
    pass.dispatchWorkgroups(Math.ceil(count / LANES))
    pass.end()
    device.queue.submit([encoder.finish()])
    const words = new Uint32Array(await readBuffer(context, hits, size))
    for (const buffer of [queries, hits]) buffer.destroy()
    const distances = new Float32Array(words.buffer)
    return {
      t: Float32Array.from({ length: count }, (_, i) => distances[QUERY_HIT.words * i + QUERY_HIT.at.t]),
      facet: Uint32Array.from({ length: count }, (_, i) => words[QUERY_HIT.words * i + QUERY_HIT.at.facet]),
    }
  }
}

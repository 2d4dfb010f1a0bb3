import { facetPlaneWords, uploadScene } from '../sbr/scene-buffers.js'
import type { GpuPropagationScene } from './buffers.js'
import { CANDIDATE, CANDIDATES_HEAD, LISTED, rayRecord } from './layouts.js'

/** Buffers by the kernels' names for them, and for how much they have room: rays, candidates, and listed paths. */
export interface BatchMemory {
  buffers: Record<
    'nodes' | 'slots' | 'facets' | 'receiverNodes' | 'excitations' | 'rays' | 'candidates',
    GPUBuffer
  >
  places: number
  capacity: number
  listedCapacity: number
}

/** What a scene keeps on the device between runs, and the room for a batch, which grows with what it needs. */
export class PropagationMemory {
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

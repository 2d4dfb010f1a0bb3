import { addExactly } from '../parallel/index.js'
import { type RayScene } from '../rays/index.js'
import type { EdgeScene } from './edge-scene.js'
import { conductingEdges } from './conducting.js'
import { blockCount, BlockEvaluator, weigh } from './evaluate.js'
import { type EdgeJob, segmentLength } from './job.js'
import { HigherOrder, shareOfUnits } from './higher-order.js'
import { addNarrowFaces } from './narrow-faces.js'
import { findPieces, findSegments, SEGMENT_SIZE, type Segments } from './segments.js'

/** Blocks first to end - 1 of `blocks` of the target's own edges. */
export interface BlockShare {
  first: number
  end: number
  blocks: number
}

/** The edges of a target, as they are or with thin solids as sheets; keeps what depends on band and options only. */
export class EdgeLayer {
  private readonly evaluators = new Kept<BlockEvaluator>()
  private readonly higherOrders = new Kept<HigherOrder>()
  private readonly conducting: EdgeScene

  constructor(
    private readonly scene: EdgeScene,
    private readonly rays: RayScene,
  ) {
    this.conducting = conductingEdges(scene)
  }

  /** Segments of edges first to end - 1: pieces as long as they can be, or no longer than asked for. */
  find(job: EdgeJob, first: number, end: number): Segments {
    const find = job.options.segmentsPerWavelength === undefined ? findPieces : findSegments
    return find(this.scene, this.rays, job.aspect, segmentLength(job), first, end)
  }

  /** Adds blocks first to end - 1 of an aspect's segments. @param weights  of the frequencies, or null */
  addBlocks(
    job: EdgeJob,
    segments: Float64Array,
    first: number,
    end: number,
    quantum: number,
    sum: Float64Array,
    weights: Float64Array | null,
  ): void {
    this.evaluatorOf(job).add(job.aspect, segments, first, end, quantum, sum, weights)
  }

  /**
   * Adds the edges that go with some blocks, with their narrow faces taken away: tasks bring segments of the target's own edges alone.
   */
  addShare(
    job: EdgeJob,
    { first, end, blocks }: BlockShare,
    quantum: number,
    sum: Float64Array,
    weights: Float64Array | null,
  ): void {
    for (const range of shareOfUnits(this.scene, job, first, end, blocks)) {
      const { data } = this.find(job, range.first, range.end)
      this.addBlocks(job, data, 0, blockCount(data.length / SEGMENT_SIZE), quantum, sum, weights)
      const part = new Float64Array(sum.length)
      addNarrowFaces(this.scene, job.aspect, job.band, data, -1, part)
      if (weights) weigh(part, weights)
      addExactly(sum, part, quantum)
    }
  }

  /** Adds the waves beyond first order that go with some blocks. */
  addHigherOrder(
    job: EdgeJob,
    { first, end, blocks }: BlockShare,
    quantum: number,
    sum: Float64Array,
    weights: Float64Array | null,
  ): void {
    const higherOrder = this.higherOrderOf(job)
    if (!weights) {
      higherOrder.add(job, first, end, blocks, quantum, sum)
      return
    }
    // Block by block: what is rounded together does not depend on the blocks asked for.
    for (let block = first; block < end; block++) {
      const part = new Float64Array(sum.length)
      higherOrder.add(job, block, block + 1, blocks, quantum, part)
      weigh(part, weights)
      addExactly(sum, part, quantum)
    }
  }

  private evaluatorOf({ band, options: { diffraction, exact = false } }: EdgeJob): BlockEvaluator {
    const key = JSON.stringify([band.f0, band.df, band.n, diffraction, exact])
    return this.evaluators.get(key, () => new BlockEvaluator(this.scene, band, diffraction, exact))
  }

  private higherOrderOf({ band, options }: EdgeJob): HigherOrder {
    const { diffraction, secondOrder = [], exact = false } = options
    const key = JSON.stringify([band.f0, band.df, band.n, diffraction, secondOrder, exact])
    const scenes = { edges: this.conducting, rays: this.rays }
    return this.higherOrders.get(key, () => new HigherOrder(scenes, secondOrder, band, diffraction, exact))
  }
}

/** Values that are kept: of the bands that the aspects of a sweep take in turn, with and without second order. */
const MOST_KEPT = 8

/** The values of the keys asked for last. */
class Kept<T> {
  private readonly values = new Map<string, T>()

  get(key: string, make: () => T): T {
    const value = this.values.get(key) ?? make()
    this.values.delete(key)
    this.values.set(key, value)
    for (const oldest of this.values.keys()) {
      if (this.values.size <= MOST_KEPT) break
      this.values.delete(oldest)
    }
    return value
  }
}

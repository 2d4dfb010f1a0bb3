import { addExactly } from '../parallel/index.js'
import { type RayScene } from '../rays/index.js'
import type { EdgeScene } from './edge-scene.js'
import { blockCount, BlockEvaluator, weigh } from './evaluate.js'
import { edgeRanges, type EdgeJob, type EdgeRange, segmentLength } from './job.js'
import { addNarrowFaces } from './narrow-faces.js'
import { SecondOrderEdges } from './second-order.js'
import { findPieces, findSegments, SEGMENT_SIZE, type Segments } from './segments.js'

/** Ranges of edges whose second order is summed as one, about: enough for threads to share, few enough that their sums cost little. */
const SECOND_ORDER_UNITS = 32

/** The edges of a target, as they are or with thin solids as sheets; keeps what depends on band and options only. */
export class EdgeLayer {
  private key = ''
  private evaluator!: BlockEvaluator
  private secondOrderKey = ''
  private secondOrder!: SecondOrderEdges

  constructor(
    private readonly scene: EdgeScene,
    private readonly rays: RayScene,
  ) {}

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
   * Adds the edges that go with blocks first to end - 1 of `blocks` of the target's own edges, with their narrow faces taken away: tasks bring
   * segments of the target's own edges alone.
   */
  addShare(
    job: EdgeJob,
    [first, end, blocks]: [number, number, number],
    quantum: number,
    sum: Float64Array,
    weights: Float64Array | null,
  ): void {
    for (const range of this.share(job, first, end, blocks)) {
      const { data } = this.find(job, range.first, range.end)
      this.addBlocks(job, data, 0, blockCount(data.length / SEGMENT_SIZE), quantum, sum, weights)
      const part = new Float64Array(sum.length)
      addNarrowFaces(this.scene, job.aspect, job.band, data, -1, part)
      if (weights) weigh(part, weights)
      addExactly(sum, part, quantum)
    }
  }

  /** Adds the second order that goes with blocks first to end - 1. */
  addSecondOrder(
    job: EdgeJob,
    [first, end, blocks]: [number, number, number],
    quantum: number,
    sum: Float64Array,
    weights: Float64Array | null,
  ): void {
    const secondOrder = this.secondOrderOf(job)
    for (const unit of this.share(job, first, end, blocks)) {
      const part = weights ? new Float64Array(sum.length) : sum
      secondOrder.add(job.aspect, segmentLength(job), unit.first, unit.end, quantum, part)
      if (!weights) continue
      weigh(part, weights)
      addExactly(sum, part, quantum)
    }
  }

  /**
   * The ranges of edges that are computed with blocks first to end - 1 of `blocks`: all blocks share out all edges. The
   * ranges themselves do not depend on the blocks asked for, so that no split changes a byte.
   */
  private share(job: EdgeJob, first: number, end: number, blocks: number): EdgeRange[] {
    const { scene } = this
    const wanted = Math.ceil(scene.length / (segmentLength(job) * SECOND_ORDER_UNITS))
    const units = edgeRanges(scene, job, wanted)
    const at = (block: number): number => Math.floor((units.length * block) / blocks)
    return units.slice(at(first), at(end))
  }

  /** The evaluator of the last job's band and options serves until these change. */
  private evaluatorOf({ band, options: { diffraction, exact = false } }: EdgeJob): BlockEvaluator {
    const key = JSON.stringify([band.f0, band.df, band.n, diffraction, exact])
    if (key !== this.key) {
      this.evaluator = new BlockEvaluator(this.scene, band, diffraction, exact)
      this.key = key
    }
    return this.evaluator
  }

  /** The same of jobs with second order; jobs without may come between them. */
  private secondOrderOf({ band, options }: EdgeJob): SecondOrderEdges {
    const { diffraction, secondOrder = [], exact = false } = options
    const key = JSON.stringify([band.f0, band.df, band.n, diffraction, secondOrder, exact])
    if (key !== this.secondOrderKey) {
      this.secondOrder = new SecondOrderEdges(this.scene, this.rays, secondOrder, band, diffraction, exact)
      this.secondOrderKey = key
    }
    return this.secondOrder
  }
}

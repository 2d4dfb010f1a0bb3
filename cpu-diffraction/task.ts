import { roundTo } from '../parallel/index.js'
import { AspectExtrapolation } from './aspect-extrapolation.js'
import type { EdgeScene } from './edge-scene.js'
import { blockCount, BlockEvaluator } from './evaluate.js'
import {
  edgeQuantum,
  edgeRanges,
  segmentLength,
  type EdgeJob,
  type EdgeRange,
  type EdgeScenes,
  type EdgeTask,
  type EdgeTaskResult,
} from './job.js'
import { SecondOrderEdges } from './second-order.js'
import { findPieces, findSegments, SEGMENT_SIZE, type Segments } from './segments.js'
import { TravellingWaves } from './travelling/travelling-waves.js'

/** Ranges of edges whose second order is summed as one, about: enough for threads to share, few enough that their sums cost little. */
const SECOND_ORDER_UNITS = 32

/** Runs the tasks of one target; pure but for the clock, with the same result inline or on a worker. */
export class EdgeTaskRunner {
  private key = ''
  private evaluator!: BlockEvaluator
  private secondOrderKey = ''
  private secondOrder!: SecondOrderEdges
  private travellingKey = ''
  private travelling!: TravellingWaves
  private extrapolationKey = ''
  private extrapolation!: AspectExtrapolation

  constructor(private readonly scenes: EdgeScenes) {}

  run(task: EdgeTask): EdgeTaskResult {
    const start = performance.now()
    const { edges } = this.scenes
    if (task.kind === 'whole') return this.whole(task.job)
    const { job, first, end } = task
    let data: Float64Array
    let considered = 0
    if (task.kind === 'prepare') ({ data, considered } = this.find(job, first, end))
    else if (task.kind === 'extrapolate') {
      data = this.extrapolationOf(job).run(task)
      roundTo(data, edgeQuantum(edges, job.band))
    } else data = this.evaluate(job, task.segments, first, end)
    return { data, considered, seconds: (performance.now() - start) / 1000 }
  }

  /** Pieces as long as they can be, or no longer than asked for. */
  private find(job: EdgeJob, first: number, end: number): Segments {
    const { edges, rays } = this.scenes
    const find = job.options.segmentsPerWavelength === undefined ? findPieces : findSegments
    return find(edges, rays, job.aspect, segmentLength(job), first, end)
  }

  private evaluate(job: EdgeJob, segments: Float64Array, first: number, end: number): Float64Array {
    const { edges } = this.scenes
    const data = new Float64Array(8 * job.band.n)
    const quantum = edgeQuantum(edges, job.band)
    this.evaluatorOf(job).add(job.aspect, segments, first, end, quantum, data)
    const { secondOrder = [] } = job.options
    const blocks = Math.max(1, blockCount(segments.length / SEGMENT_SIZE, secondOrder))
    if (secondOrder.some((name) => name !== 'travelling')) {
      const atEdges = this.secondOrderOf(job)
      for (const unit of shareOfUnits(edges, job, first, end, blocks))
        atEdges.add(job.aspect, segmentLength(job), unit.first, unit.end, quantum, data)
    }
    if (secondOrder.includes('travelling')) {
      const waves = this.travellingOf(job)
      const tip = (block: number): number => Math.floor((waves.tips.length * block) / blocks)
      waves.add(job.aspect, tip(first), tip(end), quantum, data)
    }
    return data
  }

  private whole(job: EdgeJob): EdgeTaskResult {
    const start = performance.now()
    const segments = this.find(job, 0, this.scenes.edges.count)
    const visible = segments.data.length / SEGMENT_SIZE
    const prepare = (performance.now() - start) / 1000
    const data = this.evaluate(job, segments.data, 0, blockCount(visible, job.options.secondOrder))
    const seconds = (performance.now() - start) / 1000
    return { data, considered: segments.considered, seconds, whole: { visible, prepare } }
  }

  /** The evaluator of the last job's band and options serves until these change. */
  private evaluatorOf({ band, options: { diffraction, exact = false } }: EdgeJob): BlockEvaluator {
    const key = JSON.stringify([band.f0, band.df, band.n, diffraction, exact])
    if (key !== this.key) {
      this.evaluator = new BlockEvaluator(this.scenes.edges, band, diffraction, exact)
      this.key = key
    }
    return this.evaluator
  }

  /** The same of jobs with second order; jobs without may come between them. */
  private secondOrderOf({ band, options }: EdgeJob): SecondOrderEdges {
    const { diffraction, secondOrder = [], exact = false } = options
    const key = JSON.stringify([band.f0, band.df, band.n, diffraction, secondOrder, exact])
    if (key !== this.secondOrderKey) {
      const { edges, rays } = this.scenes
      this.secondOrder = new SecondOrderEdges(edges, rays, secondOrder, band, diffraction, exact)
      this.secondOrderKey = key
    }
    return this.secondOrder
  }

  private travellingOf({ band }: EdgeJob): TravellingWaves {
    const key = JSON.stringify([band.f0, band.df, band.n])
    if (key !== this.travellingKey) {
      this.travelling = new TravellingWaves(this.scenes.edges, this.scenes.rays, band)
      this.travellingKey = key
    }
    return this.travelling
  }

  private extrapolationOf({ band, options: { diffraction } }: EdgeJob): AspectExtrapolation {
    const key = JSON.stringify([band.f0, band.df, band.n, diffraction])
    if (key !== this.extrapolationKey) {
      const { edges, rays } = this.scenes
      this.extrapolation = new AspectExtrapolation(edges, rays, band, diffraction)
      this.extrapolationKey = key
    }
    return this.extrapolation
  }
}

/**
 * The ranges of edges whose second order is computed with blocks first to end - 1 of `blocks`: all blocks share out all edges. The
 * ranges themselves do not depend on the blocks asked for, so that no split changes a byte.
 */
function shareOfUnits(
  scene: EdgeScene,
  job: EdgeJob,
  first: number,
  end: number,
  blocks: number,
): EdgeRange[] {
  const wanted = Math.ceil(scene.length / (segmentLength(job) * SECOND_ORDER_UNITS))
  const units = edgeRanges(scene, job, wanted)
  const at = (block: number): number => Math.floor((units.length * block) / blocks)
  return units.slice(at(first), at(end))
}

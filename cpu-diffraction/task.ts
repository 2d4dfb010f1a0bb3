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
  private secondOrder: SecondOrderEdges | null = null
  private travelling: TravellingWaves | null = null
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
    const blocks = blockCount(segments.length / SEGMENT_SIZE, job.options.secondOrder)
    const share = this.secondOrder ? shareOfUnits(edges, job, first, end, blocks) : []
    for (const unit of share)
      this.secondOrder?.add(job.aspect, segmentLength(job), unit.first, unit.end, quantum, data)
    const tips = this.travelling?.tips.length ?? 0
    const tipOf = (block: number): number => Math.floor((tips * block) / blocks)
    this.travelling?.add(job.aspect, tipOf(first), tipOf(end), quantum, data)
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
  private evaluatorOf({ band, options }: EdgeJob): BlockEvaluator {
    const exact = options.exact ?? false
    const { diffraction, secondOrder } = options
    const key = JSON.stringify([band.f0, band.df, band.n, diffraction, secondOrder, exact])
    if (key !== this.key) {
      const { edges, rays } = this.scenes
      this.evaluator = new BlockEvaluator(edges, band, diffraction, exact)
      const atEdges = secondOrder?.filter((name) => name !== 'travelling') ?? []
      this.secondOrder =
        atEdges.length > 0 ? new SecondOrderEdges(edges, rays, atEdges, band, diffraction, exact) : null
      this.travelling = secondOrder?.includes('travelling') ? new TravellingWaves(edges, rays, band) : null
      this.key = key
    }
    return this.evaluator
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

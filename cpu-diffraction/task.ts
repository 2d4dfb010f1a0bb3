import { roundTo } from '../parallel/index.js'
import { AspectExtrapolation } from './aspect-extrapolation.js'
import { blockCount, BlockEvaluator } from './evaluate.js'
import {
  edgeQuantum,
  segmentLength,
  type EdgeJob,
  type EdgeScenes,
  type EdgeTask,
  type EdgeTaskResult,
} from './job.js'
import { HigherOrder } from './higher-order.js'
import { findPieces, findSegments, SEGMENT_SIZE, type Segments } from './segments.js'

/** Runs the tasks of one target; pure but for the clock, with the same result inline or on a worker. */
export class EdgeTaskRunner {
  private key = ''
  private evaluator!: BlockEvaluator
  private higherOrderKey = ''
  private higherOrder!: HigherOrder
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
    if (job.options.secondOrder?.length) {
      const blocks = Math.max(1, blockCount(segments.length / SEGMENT_SIZE, job.options.secondOrder))
      this.higherOrderOf(job).add(job, first, end, blocks, quantum, data)
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

  /** The same of jobs with more than first order; jobs without may come between them. */
  private higherOrderOf({ band, options }: EdgeJob): HigherOrder {
    const { diffraction, secondOrder = [], exact = false } = options
    const key = JSON.stringify([band.f0, band.df, band.n, diffraction, secondOrder, exact])
    if (key !== this.higherOrderKey) {
      this.higherOrder = new HigherOrder(this.scenes, secondOrder, band, diffraction, exact)
      this.higherOrderKey = key
    }
    return this.higherOrder
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

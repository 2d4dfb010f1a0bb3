import { roundTo } from '../parallel/index.js'
import { AspectExtrapolation } from './aspect-extrapolation.js'
import { EdgeLayer } from './edge-layer.js'
import { blockCount } from './evaluate.js'
import {
  type BlockShare,
  edgeQuantum,
  type EdgeJob,
  type EdgeScenes,
  type EdgeTask,
  type EdgeTaskResult,
  type EvaluationTask,
  mechanismsOf,
  sumCount,
} from './job.js'
import { SEGMENT_SIZE } from './segments.js'
import { layerWeights } from './thin-parts.js'

/** Weights of the layers of a target without thin solids. */
const WHOLE: (Float64Array | null)[] = [null]

/** Runs the tasks of one target; pure but for the clock, with the same result inline or on a worker. */
export class EdgeTaskRunner {
  /** The target's own edges, then with its thin solids up to each thickness as sheets. */
  private readonly layers: EdgeLayer[]
  private weightsKey = ''
  private weights: (Float64Array | null)[] = WHOLE
  private extrapolationKey = ''
  private extrapolation!: AspectExtrapolation

  constructor(private readonly scenes: EdgeScenes) {
    const { edges, rays } = scenes
    this.layers = [edges, ...edges.sheets.map(({ scene }) => scene)].map(
      (scene) => new EdgeLayer(scene, rays),
    )
  }

  run(task: EdgeTask): EdgeTaskResult {
    const start = performance.now()
    const { edges, rays } = this.scenes
    const job = { ...task.job, band: { ...task.job.band, size: rays.size } }
    if (task.kind === 'whole') return this.whole(job)
    const { first, end } = task
    let data: Float64Array
    let considered = 0
    if (task.kind === 'prepare') ({ data, considered } = this.layers[0].find(job, first, end))
    else if (task.kind === 'extrapolate') {
      data = this.extrapolationOf(job).run({ ...task, job })
      roundTo(data, edgeQuantum(edges, job.band))
    } else data = this.evaluate({ ...task, job })
    return { data, considered, seconds: (performance.now() - start) / 1000 }
  }

  private evaluate({ job, segments, first, end, blocks, side }: Omit<EvaluationTask, 'kind'>): Float64Array {
    const { band, options } = job
    const data = new Float64Array(8 * band.n * sumCount(options))
    const sumOf = (n: number): Float64Array => data.subarray(8 * band.n * n, 8 * band.n * (n + 1))
    const firstOrder = sumOf(0)
    const sums = mechanismsOf(options).map((_, m) => sumOf(options.apart ? m + 1 : 0))
    const quantum = edgeQuantum(this.scenes.edges, band)
    const share: BlockShare = { first, end, blocks }
    this.weightsOf(job).forEach((weights, i) => {
      if (weights?.every((w) => w === 0)) return
      const layer = this.layers[i]
      // The segments given are those of the target's own edges.
      if (i === 0) {
        if (side !== 'others') layer.addBlocks(job, segments, first, end, quantum, firstOrder, weights)
      } else if (side !== 'segments') layer.addShare(job, share, quantum, firstOrder, weights)
      if (side !== 'segments' && sums.length > 0) layer.addHigherOrder(job, share, quantum, sums, weights)
    })
    return data
  }

  /** By layer the weights of the frequencies; null where all are 1. Those of the last band serve until it changes. */
  private weightsOf({ band }: EdgeJob): (Float64Array | null)[] {
    const { sheets } = this.scenes.edges
    if (sheets.length === 0) return WHOLE
    const key = JSON.stringify([band.f0, band.df, band.n])
    if (key !== this.weightsKey) {
      const all = layerWeights(
        band,
        sheets.map(({ thickness }) => thickness),
      )
      this.weights = all.map((weights) => (weights.every((w) => w === 1) ? null : weights))
      this.weightsKey = key
    }
    return this.weights
  }

  private whole(job: EdgeJob): EdgeTaskResult {
    const start = performance.now()
    const segments = this.layers[0].find(job, 0, this.scenes.edges.count)
    const visible = segments.data.length / SEGMENT_SIZE
    const prepare = (performance.now() - start) / 1000
    const blocks = blockCount(visible, job.options.secondOrder)
    const data = this.evaluate({
      job,
      segments: segments.data,
      first: 0,
      end: blocks,
      blocks: Math.max(1, blocks),
    })
    const seconds = (performance.now() - start) / 1000
    return { data, considered: segments.considered, seconds, whole: { visible, prepare } }
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

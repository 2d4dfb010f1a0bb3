import { roundTo } from '../parallel/index.js'
import { AspectExtrapolation } from './aspect-extrapolation.js'
import { type BlockShare, EdgeLayer } from './edge-layer.js'
import { blockCount } from './evaluate.js'
import { partsOfBand } from './frequency-steps.js'
import {
  edgeQuantum,
  type EdgeJob,
  type EdgeScenes,
  type EdgeTask,
  type EdgeTaskResult,
  type EvaluationTask,
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
    const { edges } = this.scenes
    if (task.kind === 'whole') return this.whole(task.job)
    const { job, first, end } = task
    let data: Float64Array
    let considered = 0
    if (task.kind === 'prepare') ({ data, considered } = this.layers[0].find(job, first, end))
    else if (task.kind === 'extrapolate') {
      data = this.extrapolationOf(job).run(task)
      roundTo(data, edgeQuantum(edges, job.band))
    } else data = this.evaluate(task)
    return { data, considered, seconds: (performance.now() - start) / 1000 }
  }

  private evaluate({ job, segments, first, end, blocks, side }: Omit<EvaluationTask, 'kind'>): Float64Array {
    const { edges } = this.scenes
    const data = new Float64Array(8 * job.band.n)
    const quantum = edgeQuantum(edges, job.band)
    const share: BlockShare = { first, end, blocks }
    const parts = partsOfBand(job.band)
    for (const layer of this.layers) layer.keep(parts.length + 1)
    // Where no piece depends on the frequency, the first order of all steps is one.
    const one = parts.length === 1 || this.layers.every((layer) => layer.servesAll(job))
    this.weightsOf(job).forEach((weights, i) => {
      if (weights?.every((w) => w === 0)) return
      if (one && job.options.layer === undefined)
        this.addFirstOrder(job, i, segments, share, quantum, data, weights, side)
      parts.forEach(({ band, first: at }, number) => {
        const part: EdgeJob = parts.length === 1 ? job : { ...job, band }
        const sum = data.subarray(8 * at, 8 * (at + band.n))
        const own = weights && weights.subarray(at, at + band.n)
        // The segments given are those of the highest step.
        const given = number === parts.length - 1 ? segments : null
        if (!one && job.options.layer === undefined)
          this.addFirstOrder(part, i, given, share, quantum, sum, own, side)
        if (side !== 'segments' && job.options.secondOrder?.length)
          this.layers[i].addHigherOrder(part, share, quantum, sum, own)
      })
    })
    return data
  }

  /** Adds the first order of layer i. @param segments  the target's own; null where they are still to be found */
  private addFirstOrder(
    job: EdgeJob,
    i: number,
    segments: Float64Array | null,
    share: BlockShare,
    quantum: number,
    sum: Float64Array,
    weights: Float64Array | null,
    side: EvaluationTask['side'],
  ): void {
    if (i === 0 && segments) {
      if (side !== 'others')
        this.layers[0].addBlocks(job, segments, share.first, share.end, quantum, sum, weights)
    } else if (side !== 'segments') this.layers[i].addShare(job, share, quantum, sum, weights)
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

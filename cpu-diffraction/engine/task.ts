import { addExactly, roundTo } from '../../math/exact-sum.js'
import { chebyshevNodes, lagrange } from '../../math/chebyshev.js'
import type { Tasks } from '../../parallel/thread.js'
import { DelaySum } from '../../rays/delay-sum.js'
import { type RayScene, sinc } from '../../rays/index.js'
import { boundsOf } from '../../scene/band.js'
import { type Aspect, type Band, dot, frequency, type Vec3, wavenumber } from '../../scene/index.js'
import type { Truncation } from '../currents/strip.js'
import {
  along,
  conductingEdges,
  EDGE_SIZE,
  type EdgeScene,
  FRAMES_SIZE,
  vectorAt,
} from '../geometry/edge-scene.js'
import { layerWeights } from '../geometry/thin-parts.js'
import { SEGMENT_SIZE, SegmentFinder, type Segments } from '../light/segments.js'
import { type AddPart, DelayedParts } from './edge-parts.js'
import { BlockEvaluator, HigherOrder, unitsOf, weigh } from './evaluate.js'
import { CHANNELS, type EdgeScenes } from './mechanism.js'
import {
  blockCount,
  type BlockShare,
  type EdgeJob,
  edgeQuantum,
  type EdgeTask,
  type EdgeTaskResult,
  type EvaluationTask,
  type ExtrapolationTask,
  mechanismsOf,
  segmentLength,
  sumCount,
} from './job.js'

/** Width of the spreading kernel: 4e-4 of the amplitudes, far below what extrapolation itself is off by. */
const WIDTH = 5
/** Wavenumbers of a step between which amplitudes are interpolated: of segments one wavelength long, to 2e-3 of the field. */
const NODES = 3

/**
 * Edge diffraction of a group of aspects from the segments of one of them, the reference aspect (aspect extrapolation, `Extrapolation` in
 * rays/), over one band; keeps what depends on band and truncation only.
 */
class AspectExtrapolation {
  private readonly kernel: DelaySum
  /** One per direction. */
  private readonly sums: DelaySum[]
  private readonly parts: DelayedParts
  /** Weights of the nodes, [frequency][node]. */
  private readonly weights: Float64Array[]
  /** How a position changes the delay in each direction of the current task: r of the reference aspect less r of the direction. */
  private changes: Vec3[] = []

  constructor(
    private readonly scene: EdgeScene,
    private readonly rays: RayScene,
    private readonly band: Band,
    truncation: Truncation,
  ) {
    const { lowest, highest } = boundsOf(band)
    this.kernel = new DelaySum(band, 4 * NODES, WIDTH)
    this.sums = [this.kernel]
    const add: AddPart = (_, tau, position, amplitudes) =>
      this.changes.forEach((change, m) => this.sums[m].add(tau - dot(change, position), amplitudes))
    const nodes = chebyshevNodes(lowest, highest, NODES)
    this.weights = Array.from({ length: band.n }, (_, i) => lagrange(nodes, wavenumber(frequency(band, i))))
    this.parts = new DelayedParts(scene, truncation, add, nodes, highest, highest / lowest)
  }

  /**
   * The segments of edges first to end - 1 as the job's aspect has them, their amplitudes interpolated between nodes of the band's step (`bandsOfSteps`), summed in every
   * direction at delays of their own.
   *
   * @returns amplitudes F [m] referred to the mesh's origin, 8 numbers per direction and frequency, [direction][frequency]
   */
  run({ job, directions, first, end }: ExtrapolationTask): Float64Array {
    const { scene, rays, band, sums } = this
    const { aspect } = job
    while (sums.length < directions.length) sums.push(new DelaySum(band, 4 * NODES, WIDTH, this.kernel))
    const used = sums.slice(0, directions.length)
    for (const sum of used) sum.reset()
    this.changes = directions.map((to) => aspect.tx.r.map((x, c) => x - to.r[c]) as Vec3)
    const finder = new SegmentFinder(scene, rays, segmentLength(job))
    this.parts.addParts(aspect, finder.find(aspect, first, end))
    return fieldsOf(used, this.weights)
  }
}

/** The sums at all frequencies, by the weights of their nodes. */
function fieldsOf(sums: readonly DelaySum[], weights: Float64Array[]): Float64Array {
  const size = 8 * weights.length
  const out = new Float64Array(size * sums.length)
  sums.forEach((sum, m) => {
    sum.finish()
    for (let i = 0; i < sum.frequencies; i++)
      for (let c = 0, at = sum.rowOf(i); c < 8 * NODES; c++)
        out[size * m + 8 * i + (c & 7)] += sum.factor(i) * weights[i][c >> 3] * sum.values[at + c]
  })
  return out
}

/** The edges of a target, as they are or with thin solids as sheets; keeps what depends on band and options only. */
class EdgeLayer {
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
    const whole = job.options.segmentsPerWavelength === undefined
    return new SegmentFinder(this.scene, this.rays, segmentLength(job)).find(job.aspect, first, end, whole)
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
    const units = unitsOf(this.scene, job)
    const at = (block: number): number => Math.floor((units.length * block) / blocks)
    for (const range of units.slice(at(first), at(end))) {
      const { data } = this.find(job, range.first, range.end)
      const blocks = blockCount(data.length / SEGMENT_SIZE)
      this.evaluatorOf(job).add(job.aspect, data, { first: 0, end: blocks }, quantum, sum, weights)
      const part = new Float64Array(sum.length)
      addNarrowFaces(this.scene, job.aspect, job.band, data, -1, part)
      if (weights) weigh(part, weights)
      addExactly(sum, part, quantum)
    }
  }

  evaluatorOf({ band, options: { diffraction, exact = false } }: EdgeJob): BlockEvaluator {
    const make = (): BlockEvaluator => new BlockEvaluator(this.scene, band, diffraction, exact)
    return this.evaluators.get(keyOf(band, diffraction, exact), make)
  }

  higherOrderOf({ band, options }: EdgeJob): HigherOrder {
    const { diffraction, exact = false, segmentsPerWavelength } = options
    const names = mechanismsOf(options)
    const key = keyOf(band, diffraction, names, exact, segmentsPerWavelength)
    const scenes = { edges: this.conducting, rays: this.rays }
    return this.higherOrders.get(key, () => new HigherOrder(scenes, band, options))
  }
}

/** Values that are kept: of the bands that the aspects of a sweep take in turn, with and without second order. */
const MOST_KEPT = 8

/** What a band and more are told from others by. */
const keyOf = ({ f0, df, n }: Band, ...more: unknown[]): string => JSON.stringify([f0, df, n, ...more])

/** The values of the keys asked for last. */
class Kept<T> {
  private readonly values = new Map<string, T>()

  constructor(private readonly most = MOST_KEPT) {}

  get(key: string, make: () => T): T {
    const value = this.values.get(key) ?? make()
    this.values.delete(key)
    this.values.set(key, value)
    for (const oldest of this.values.keys()) {
      if (this.values.size <= this.most) break
      this.values.delete(oldest)
    }
    return value
  }
}

/**
 * Adds `factor` times the physical optics of the narrow faces along lit segments of thin solids' rims (`EdgeScene.thickness`): the rim of a
 * sheet holds all that they scatter, and rays have added it once.
 *
 * @param segments  `Segments.data` of the scene
 * @param out       8 numbers per frequency: F [m] referred to the mesh's origin
 */
function addNarrowFaces(
  { edges, frames, thickness }: EdgeScene,
  { tx, rx }: Aspect,
  band: Band,
  segments: Float64Array,
  factor: number,
  out: Float64Array,
): void {
  const w = tx.r.map((x, c) => x + rx.r[c]) as Vec3
  for (let o = 0; o < segments.length; o += SEGMENT_SIZE) {
    const e = segments[o]
    const t = thickness[e]
    const f = FRAMES_SIZE * e
    // Out of the narrow face: away from the sheet's.
    const n = vectorAt(frames, f).map((x) => -x) as Vec3
    const cos = dot(n, tx.r)
    if (t === 0 || cos <= 0) continue
    const length = segments[o + 2]
    const [spanAlong, spanUp] = [
      0.5 * length * along(edges, EDGE_SIZE * e + 3, w),
      0.5 * t * along(frames, f + 3, w),
    ]
    // -e_rx . eta J with eta J = 2 [d (n.E) - E (n.d)], d = -r (docs/theory.md, (6) and (8)).
    const amplitudes = CHANNELS.map(([p, q]) => {
      const [sent, received] = [p === 0 ? tx.thetaHat : tx.phiHat, q === 0 ? rx.thetaHat : rx.phiHat]
      return 2 * (dot(n, sent) * dot(tx.r, received) - cos * dot(sent, received))
    })
    for (let i = 0; i < band.n; i++) {
      const k = wavenumber(frequency(band, i))
      const size = ((factor * k) / (4 * Math.PI)) * t * length * sinc(k * spanAlong) * sinc(k * spanUp)
      const [re, im] = [-size * Math.sin(k * segments[o + 1]), size * Math.cos(k * segments[o + 1])]
      for (let c = 0; c < 4; c++) {
        out[8 * i + 2 * c] += re * amplitudes[c]
        out[8 * i + 2 * c + 1] += im * amplitudes[c]
      }
    }
  }
}

/** Weights of the layers of a target without thin solids. */
const WHOLE: (Float64Array | null)[] = [null]

/** Runs the tasks of one target; pure but for the clock, with the same result inline or on a worker. */
export class EdgeTaskRunner {
  /** The target's own edges, then with its thin solids up to each thickness as sheets. */
  private readonly layers: EdgeLayer[]
  private readonly weights = new Kept<(Float64Array | null)[]>(1)
  private readonly extrapolations = new Kept<AspectExtrapolation>(1)

  constructor(private readonly scenes: EdgeScenes) {
    const { edges, rays } = scenes
    this.layers = [edges, ...edges.sheets.map(({ scene }) => scene)].map(
      (scene) => new EdgeLayer(scene, rays),
    )
  }

  run(task: EdgeTask): EdgeTaskResult {
    const start = performance.now()
    const { edges } = this.scenes
    const { job } = task
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
        if (side !== 'others')
          layer.evaluatorOf(job).add(job.aspect, segments, share, quantum, firstOrder, weights)
      } else if (side !== 'segments') layer.addShare(job, share, quantum, firstOrder, weights)
      if (side !== 'segments' && sums.length > 0)
        layer.higherOrderOf(job).add(job.aspect, share, quantum, sums, weights)
    })
    return data
  }

  /** By layer the weights of the frequencies; null where all are 1. Those of the last band serve until it changes. */
  private weightsOf({ band }: EdgeJob): (Float64Array | null)[] {
    const { sheets } = this.scenes.edges
    if (sheets.length === 0) return WHOLE
    const thicknesses = sheets.map(({ thickness }) => thickness)
    return this.weights.get(keyOf(band), () =>
      layerWeights(band, thicknesses).map((weights) => (weights.every((w) => w === 1) ? null : weights)),
    )
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
    const { edges, rays } = this.scenes
    const make = (): AspectExtrapolation => new AspectExtrapolation(edges, rays, band, diffraction)
    return this.extrapolations.get(keyOf(band, diffraction), make)
  }
}

/** `EdgeTaskRunner` for the threads of a target. */
export const edgeTasks: Tasks<EdgeScenes, EdgeTask, EdgeTaskResult> = (scenes) => {
  const runner = new EdgeTaskRunner(scenes)
  return (task) => runner.run(task)
}

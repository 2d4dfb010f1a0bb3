import { addExactly } from '../parallel/index.js'
import { type RayScene, sinc } from '../rays/index.js'
import { EDGE_SIZE, type EdgeScene, FRAMES_SIZE } from './edge-scene.js'
import { conductingEdges } from './conducting.js'
import { blockCount, BlockEvaluator, weigh } from './evaluate.js'
import { type BlockShare, type EdgeJob, mechanismsOf, segmentLength } from './job.js'
import { HigherOrder, unitsOf } from './higher-order.js'
import { findPieces, findSegments, SEGMENT_SIZE, type Segments } from './segments.js'
import { type Aspect, type Band, dot, frequency, type Vec3, wavenumber } from '../scene/index.js'

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
    const units = unitsOf(this.scene, job)
    const at = (block: number): number => Math.floor((units.length * block) / blocks)
    for (const range of units.slice(at(first), at(end))) {
      const { data } = this.find(job, range.first, range.end)
      this.addBlocks(job, data, 0, blockCount(data.length / SEGMENT_SIZE), quantum, sum, weights)
      const part = new Float64Array(sum.length)
      addNarrowFaces(this.scene, job.aspect, job.band, data, -1, part)
      if (weights) weigh(part, weights)
      addExactly(sum, part, quantum)
    }
  }

  /** Adds the mechanisms of second order that go with some blocks. @param sums  of each one */
  addHigherOrder(
    job: EdgeJob,
    share: BlockShare,
    quantum: number,
    sums: readonly Float64Array[],
    weights: Float64Array | null,
  ): void {
    this.higherOrderOf(job).add(job.aspect, share, quantum, sums, weights)
  }

  private evaluatorOf({ band, options: { diffraction, exact = false } }: EdgeJob): BlockEvaluator {
    const key = JSON.stringify([band.f0, band.df, band.n, diffraction, exact])
    return this.evaluators.get(key, () => new BlockEvaluator(this.scene, band, diffraction, exact))
  }

  private higherOrderOf({ band, options }: EdgeJob): HigherOrder {
    const { diffraction, exact = false, segmentsPerWavelength } = options
    const names = mechanismsOf(options)
    const key = JSON.stringify([band.f0, band.df, band.n, diffraction, names, exact, segmentsPerWavelength])
    const scenes = { edges: this.conducting, rays: this.rays }
    return this.higherOrders.get(key, () => new HigherOrder(scenes, band, options))
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
    const n: Vec3 = [-frames[f], -frames[f + 1], -frames[f + 2]]
    const cos = dot(n, tx.r)
    if (t === 0 || cos <= 0) continue
    const length = segments[o + 2]
    const p = EDGE_SIZE * e
    const along: Vec3 = [edges[p + 3], edges[p + 4], edges[p + 5]]
    const up: Vec3 = [frames[f + 3], frames[f + 4], frames[f + 5]]
    const [spanAlong, spanUp] = [0.5 * length * dot(w, along), 0.5 * t * dot(w, up)]
    // -e_rx . eta J with eta J = 2 [d (n.E) - E (n.d)], d = -r (docs/theory.md, (6) and (8)).
    const amplitude = (sent: Vec3, received: Vec3): number =>
      2 * (dot(n, sent) * dot(tx.r, received) - cos * dot(sent, received))
    const amplitudes = [
      amplitude(tx.thetaHat, rx.thetaHat),
      amplitude(tx.phiHat, rx.phiHat),
      amplitude(tx.thetaHat, rx.phiHat),
      amplitude(tx.phiHat, rx.thetaHat),
    ]
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

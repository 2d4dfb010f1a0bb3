import { type Band, frequency, type Vec3, wavenumber } from '../scene/index.js'
import { boundsOf } from '../scene/frequency-steps.js'
import { chebyshevNodes, DelaySum, lagrange } from '../signal/index.js'
import { type RayScene } from '../rays/index.js'
import { type AddPart, DelayedParts, forEachPart } from './delayed-parts.js'
import type { EdgeScene } from './edge-scene.js'
import { type ExtrapolationTask, segmentLength } from './job.js'
import { findSegments } from './segments.js'
import type { Truncation } from './strip.js'
import { WedgeCache } from './wedge.js'

/** Width of the spreading kernel: 4e-4 of the amplitudes, far below what extrapolation itself is off by. */
const WIDTH = 5
/** Wavenumbers of a step between which amplitudes are interpolated: of segments one wavelength long, to 2e-3 of the field. */
const NODES = 3

/**
 * Edge diffraction of a group of aspects from the segments of one of them, the reference aspect (aspect extrapolation, `Extrapolation` in
 * rays/), over one band; keeps what depends on band and truncation only.
 */
export class AspectExtrapolation {
  private readonly kernel: DelaySum
  /** One per direction. */
  private readonly sums: DelaySum[]
  private readonly wedges: WedgeCache
  private readonly parts: DelayedParts
  /** Weights of the nodes, [frequency][node]. */
  private readonly weights: Float64Array[]
  /** How a position changes the delay in each direction of the current task: r of the reference aspect less r of the direction. */
  private changes: Vec3[] = []

  constructor(
    private readonly scene: EdgeScene,
    private readonly rays: RayScene,
    private readonly band: Band,
    private readonly truncation: Truncation,
  ) {
    const { lowest, highest } = boundsOf(band)
    this.kernel = new DelaySum(band, 4 * NODES, WIDTH)
    this.sums = [this.kernel]
    this.wedges = new WedgeCache(highest / lowest)
    const add: AddPart = (_, tau, px, py, pz, amplitudes) => {
      for (let m = 0; m < this.changes.length; m++) {
        const change = this.changes[m]
        this.sums[m].add(tau - change[0] * px - change[1] * py - change[2] * pz, amplitudes)
      }
    }
    const nodes = chebyshevNodes(lowest, highest, NODES)
    this.weights = Array.from({ length: band.n }, (_, i) => lagrange(nodes, wavenumber(frequency(band, i))))
    this.parts = new DelayedParts(add, nodes, highest, highest / lowest)
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
    const segments = findSegments(scene, rays, aspect, segmentLength(job), first, end)
    forEachPart(scene, aspect, segments, this.wedges, this.truncation, this.parts)
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

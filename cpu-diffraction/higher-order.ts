import { addExactly } from '../parallel/index.js'
import type { Band } from '../scene/index.js'
import { EdgeField } from './edge-field.js'
import type { EdgeScene } from './edge-scene.js'
import { EdgeWaves } from './edge-waves/edge-waves.js'
import { type EdgeJob, type EdgeRange, edgeRanges, type EdgeScenes, segmentLength } from './job.js'
import type { SecondOrder } from './mechanisms.js'
import { ReflectedEdges } from './reflected-edges.js'
import { SecondOrderEdges } from './second-order.js'
import type { Truncation } from './strip.js'
import { type CreepingWaves, creepingWaves } from './creeping/creeping-waves.js'
import { TravellingWaves } from './travelling/travelling-waves.js'

/** Ranges of edges whose waves are summed as one, about: enough for threads to share, few enough that their sums cost little. */
const UNITS = 32

/** The waves beyond first order that `secondOrder` names, of one target and the band of one step (`bandsOfSteps`). One object per thread. */
export class HigherOrder {
  /** Of the edges being added. */
  private readonly field: EdgeField
  private readonly part: Float64Array
  private readonly atEdges: SecondOrderEdges | null
  private readonly reflects: boolean
  /** Made when the segments' length is known. */
  private reflected: ReflectedEdges | null = null
  private segmentLength = NaN
  private readonly edgeWaves: EdgeWaves | null
  private readonly travelling: TravellingWaves | null
  private readonly creeping: CreepingWaves | null

  constructor(
    private readonly scenes: EdgeScenes,
    mechanisms: readonly SecondOrder[],
    private readonly band: Band,
    private readonly truncation: Truncation,
    private readonly exact: boolean,
  ) {
    const { edges, rays } = scenes
    const some = (...names: SecondOrder[]): SecondOrder[] => names.filter((name) => mechanisms.includes(name))
    this.field = EdgeField.of(band, exact)
    this.part = new Float64Array(8 * band.n)
    const atEdges = some('reflected', 'wall', 'double')
    this.atEdges =
      some('wall', 'double').length > 0
        ? new SecondOrderEdges(edges, rays, atEdges, band, truncation, this.field)
        : null
    this.reflects = mechanisms.includes('reflected')
    const waves = some('edge-wave', 'corner')
    this.edgeWaves = waves.length > 0 ? new EdgeWaves(edges, rays, waves, this.field, rays.size) : null
    this.travelling = mechanisms.includes('travelling') ? new TravellingWaves(edges, rays, band) : null
    this.creeping = mechanisms.includes('creeping') ? creepingWaves(scenes, band, exact) : null
  }

  /**
   * Adds what belongs to blocks first to end - 1 of `blocks` of a job's segments, rounded to the quantum, to `sum`: 8 numbers per
   * frequency [m], referred to the mesh's origin. All blocks share out all edges and tips. Of a job with a `layer`, that mechanism alone.
   */
  add(job: EdgeJob, first: number, end: number, blocks: number, quantum: number, sum: Float64Array): void {
    const length = segmentLength(job)
    const { field, part } = this
    const { layer } = job.options
    for (const unit of shareOfUnits(this.scenes.edges, job, first, end, blocks)) {
      this.addReflected(job, unit, quantum, sum)
      field.reset()
      this.atEdges?.add(job.aspect, length, unit.first, unit.end, layer)
      this.edgeWaves?.add(job.aspect, unit.first, unit.end, layer)
      if (field.empty) continue
      field.finish(part)
      addExactly(sum, part, quantum)
    }
    const { travelling, creeping } = this
    const upTo = (whole: number, block: number): number => Math.floor((whole * block) / blocks)
    if (travelling && (layer ?? 'travelling') === 'travelling') {
      const { length } = travelling.tips
      travelling.add(job.aspect, upTo(length, first), upTo(length, end), quantum, sum)
    }
    if (creeping && (layer ?? 'creeping') === 'creeping')
      creeping.add(job.aspect, upTo(creeping.units, first), upTo(creeping.units, end), quantum, sum)
  }

  /** Adds `reflected` of a range of edges. */
  private addReflected(job: EdgeJob, { first, end }: EdgeRange, quantum: number, sum: Float64Array): void {
    if (!this.reflects || (job.options.layer ?? 'reflected') !== 'reflected') return
    const { scenes, part, band, truncation, exact } = this
    const { edges, rays } = scenes
    const length = segmentLength(job)
    if (length !== this.segmentLength) this.reflected = null
    this.segmentLength = length
    this.reflected ??= new ReflectedEdges(edges, rays, band, truncation, exact, length, rays.size)
    const { field } = this.reflected
    field.reset()
    this.reflected.add(job.aspect, first, end)
    if (field.empty) return
    field.finish(part)
    addExactly(sum, part, quantum)
  }
}

/**
 * The ranges of edges that are computed with blocks first to end - 1 of `blocks`. The ranges themselves do not depend on the
 * blocks asked for, so that no split changes a byte.
 */
export function shareOfUnits(
  scene: EdgeScene,
  job: EdgeJob,
  first: number,
  end: number,
  blocks: number,
): EdgeRange[] {
  const wanted = Math.ceil(scene.length / (segmentLength(job) * UNITS))
  const units = edgeRanges(scene, job, wanted)
  const at = (block: number): number => Math.floor((units.length * block) / blocks)
  return units.slice(at(first), at(end))
}

import { addExactly } from '../../math/exact-sum.js'
import { boundsOf } from '../../scene/band.js'
import type { Aspect, Band } from '../../scene/index.js'
import { addSegments, EdgeField } from '../currents/edge-field.js'
import { EdgeFace } from '../currents/face.js'
import { MaterialEdges } from '../currents/materials/material-edges.js'
import type { Truncation } from '../currents/strip.js'
import { WedgeCache } from '../currents/wedge.js'
import type { EdgeScene } from '../geometry/edge-scene.js'
import { LitFaces } from '../light/lit-faces.js'
import { SEGMENT_SIZE } from '../light/segments.js'
import { findTips } from '../mechanisms/travelling/travelling-waves.js'
import { StripFolds } from '../mechanisms/wall.js'
import {
  BLOCK_SEGMENTS,
  type BlockShare,
  type EdgeOptions,
  type EdgeRange,
  edgeRanges,
  mechanismsOf,
  segmentLength,
} from './job.js'
import type { EdgeScenes, Mechanism, MechanismContext } from './mechanism.js'
import { MECHANISMS, type SecondOrder } from './mechanisms.js'

/** Evaluates blocks of segments over a band; keeps what depends on band and truncation only. */
export class BlockEvaluator {
  private readonly faces: [EdgeFace, EdgeFace]
  private readonly field: EdgeField
  private readonly wedges: WedgeCache
  private readonly block: Float64Array
  private readonly coated: MaterialEdges | null

  /** @param exact  evaluate every segment at every frequency instead of interpolating */
  constructor(
    private readonly scene: EdgeScene,
    band: Band,
    truncation: Truncation,
    exact: boolean,
  ) {
    const { lowest, highest } = boundsOf(band)
    this.faces = [new EdgeFace(truncation), new EdgeFace(truncation)]
    this.field = EdgeField.of(band, exact)
    this.wedges = new WedgeCache(highest / lowest)
    this.block = new Float64Array(8 * band.n)
    const { materials } = scene
    this.coated = materials ? new MaterialEdges(scene, materials, band, truncation, exact) : null
  }

  /**
   * Adds blocks first to end - 1 of an aspect's segments (`Segments.data`), each rounded to the quantum, to `sum`:
   * amplitudes [m] referred to the mesh's origin, times the `weights` of the frequencies.
   */
  add(
    aspect: Aspect,
    segments: Float64Array,
    { first, end }: { first: number; end: number },
    quantum: number,
    sum: Float64Array,
    weights: Float64Array | null = null,
  ): void {
    const size = SEGMENT_SIZE * BLOCK_SEGMENTS
    const until = Math.min(end, Math.ceil(segments.length / size))
    for (let b = first; b < until; b++) {
      this.evaluate(aspect, segments, size * b, Math.min(size * (b + 1), segments.length))
      if (weights) weigh(this.block, weights)
      addExactly(sum, this.block, quantum)
    }
  }

  private evaluate(aspect: Aspect, segments: Float64Array, from: number, to: number): void {
    this.field.reset()
    addSegments(this.scene, this.wedges, this.faces, aspect, segments.subarray(from, to), this.field)
    this.field.finish(this.block)
    this.coated?.add(aspect, segments, from, to, this.block)
  }
}

/** Multiplies the amplitudes of every frequency by its weight. */
export function weigh(field: Float64Array, weights: Float64Array): void {
  for (let i = 0; i < field.length; i++) field[i] *= weights[i >> 3]
}

/** Ranges of edges whose waves are summed as one, about: enough for threads to share, few enough that their sums cost little. */
const UNITS = 32

/** Adds up the mechanisms of one target, band and set of options. One object per thread. */
export class HigherOrder {
  private readonly mechanisms: (Mechanism | null)[]
  private readonly part: Float64Array

  constructor(scenes: EdgeScenes, band: Band, options: EdgeOptions) {
    const { edges, rays } = scenes
    const { exact = false } = options
    const names = mechanismsOf(options)
    const length = segmentLength({ band, options })
    let folds: StripFolds | undefined
    let faces: LitFaces | undefined
    const following = names.includes('reflected')
    const context: MechanismContext = {
      ...scenes,
      band,
      diffraction: options.diffraction,
      exact,
      names,
      ranges: unitsOf(edges, { band, options }),
      field: EdgeField.of(band, exact),
      folds: () => (folds ??= new StripFolds(edges, rays, boundsOf(band).lowest)),
      litFaces: () => (faces ??= new LitFaces(edges, rays, band, length, following)),
    }
    this.mechanisms = names.map((name) => MECHANISMS[name].make(context))
    this.part = new Float64Array(8 * band.n)
  }

  /**
   * Adds what belongs to blocks first to end - 1 of `blocks` of a job's segments: all blocks share out all units of each mechanism. Each unit
   * is multiplied by the `weights` of the frequencies and rounded to the quantum.
   * @param sums  of each mechanism: 8 numbers per frequency [m], referred to the mesh's origin
   */
  add(
    aspect: Aspect,
    { first, end, blocks }: BlockShare,
    quantum: number,
    sums: readonly Float64Array[],
    weights: Float64Array | null,
  ): void {
    const { part } = this
    for (const [m, mechanism] of this.mechanisms.entries()) {
      if (!mechanism) continue
      const { units } = mechanism
      const until = Math.floor((units * end) / blocks)
      for (let unit = Math.floor((units * first) / blocks); unit < until; unit++) {
        if (!mechanism.add(aspect, unit, part)) continue
        if (weights) weigh(part, weights)
        addExactly(sums[m], part, quantum)
      }
    }
  }
}

/** Ranges of edges, which do not depend on the blocks asked for: no split changes a byte. */
export function unitsOf(scene: EdgeScene, job: { band: Band; options: EdgeOptions }): EdgeRange[] {
  return edgeRanges(scene, job, Math.ceil(scene.length / (segmentLength(job) * UNITS)))
}

/** Whether anything of a target diffracts: an edge, a tip where travelling waves are wanted, a curved surface where creeping ones are. */
export const diffracts = (scene: EdgeScene, secondOrder: readonly SecondOrder[] = []): boolean =>
  scene.count > 0 ||
  (secondOrder.includes('creeping') && scene.meanRadii.some((radius) => radius < Infinity)) ||
  (secondOrder.includes('travelling') && findTips(scene).length > 0)

import { addExactly } from '../../math/exact-sum.js'
import type { Aspect, Band } from '../../scene/index.js'
import { boundsOf } from '../../scene/band.js'
import { EdgeField } from '../currents/edge-field.js'
import type { EdgeScene } from '../geometry/edge-scene.js'
import { weigh } from './evaluate.js'
import {
  type BlockShare,
  type EdgeOptions,
  type EdgeRange,
  edgeRanges,
  mechanismsOf,
  segmentLength,
} from './job.js'
import { ImageLight } from '../light/image-light.js'
import { LitFaces } from '../light/lit-faces.js'
import type { EdgeScenes, Mechanism, MechanismContext } from './mechanism.js'
import { MECHANISMS, type SecondOrder } from './mechanisms.js'
import { findTips } from '../mechanisms/travelling/travelling-waves.js'
import { StripFolds } from '../mechanisms/wall.js'

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
    let light: ImageLight | undefined
    const following = names.includes('reflected')
    const shortest = (2 * Math.PI) / boundsOf(band).highest
    const context: MechanismContext = {
      ...scenes,
      band,
      diffraction: options.diffraction,
      exact,
      names,
      segmentLength: length,
      ranges: unitsOf(edges, { band, options }),
      field: EdgeField.of(band, exact),
      folds: () => (folds ??= new StripFolds(edges, rays, boundsOf(band).lowest)),
      litFaces: () => (faces ??= new LitFaces(edges, rays, band, length, following, context.light())),
      light: () => (light ??= new ImageLight(edges, rays, following, shortest, rays.size)),
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

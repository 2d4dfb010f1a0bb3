import { addExactly } from '../../math/exact-sum.js'
import type { Aspect, Band } from '../../scene/index.js'
import { boundsOf } from '../../scene/band.js'
import { EdgeField } from '../currents/edge-field.js'
import type { EdgeScene } from '../geometry/edge-scene.js'
import { EdgeToEdge } from '../mechanisms/double/edge-to-edge.js'
import { EdgeWaves } from '../mechanisms/edge-waves/edge-waves.js'
import { FaceWaves } from '../mechanisms/edge-waves/face-waves.js'
import { weigh } from './evaluate.js'
import { EdgeFace } from '../currents/face.js'
import {
  type BlockShare,
  type EdgeOptions,
  type EdgeRange,
  edgeRanges,
  type EdgeScenes,
  mechanismsOf,
  segmentLength,
} from './job.js'
import { ImageLight } from '../light/image-light.js'
import { LitFaces } from '../light/lit-faces.js'
import type { Mechanism, SecondOrder } from './mechanisms.js'
import { ReflectedEdges } from '../mechanisms/reflected.js'
import { creepingWaves } from '../mechanisms/creeping/creeping-waves.js'
import { findTips, TravellingWaves } from '../mechanisms/travelling/travelling-waves.js'
import { CornerStrips, StripFolds } from '../mechanisms/wall.js'

/** Ranges of edges whose waves are summed as one, about: enough for threads to share, few enough that their sums cost little. */
const UNITS = 32

/** What mechanisms of one target, band and set of options are made of. */
interface MechanismContext extends EdgeScenes {
  band: Band
  options: EdgeOptions
  /** Mechanisms of the run. Waves that images send belong to `reflected`, walls on the way of others to `wall`. */
  names: readonly SecondOrder[]
  /** Longest segment of first order [m]. */
  segmentLength: number
  /** Ranges of edges that are a unit each. */
  ranges: EdgeRange[]
  /** Of the band, for one mechanism after another. */
  field: EdgeField
  /** Shared by mechanisms, made when first asked for. */
  folds(): StripFolds
  litFaces(): LitFaces
  /** What the transmitter and its images light: images only where the run has `reflected`. */
  light(): ImageLight
}

/** What computes each mechanism; null where the target has nothing of it. */
const MAKERS: Record<SecondOrder, (context: MechanismContext) => Mechanism | null> = {
  reflected(context) {
    const { edges, rays, band, options, segmentLength: length } = context
    const reflected = new ReflectedEdges(edges, rays, band, options, length, context.light())
    return overEdges(context, reflected, reflected.field)
  },
  wall(context) {
    const { edges, options, field } = context
    const [faces, folds] = [context.litFaces(), context.folds()]
    const strips = new CornerStrips(edges, folds, new EdgeFace(options.diffraction))
    return overEdges(context, {
      add: (aspect, first, end) =>
        faces.each(aspect, first, end, (lit) =>
          folds.mayFold(lit.e, lit.i)
            ? (t, piece, length, slope) => strips.add(lit, t, piece, length, slope, field)
            : null,
        ),
    })
  },
  double(context) {
    const { edges, rays, options, field, names } = context
    const faces = context.litFaces()
    const folds = names.includes('wall') ? context.folds() : null
    const crossing = new EdgeToEdge(edges, options.diffraction, faces.wedges, field, rays.size, folds)
    return overEdges(context, {
      add: (aspect, first, end) =>
        faces.each(aspect, first, end, ({ e, i, whole, lit, lighting, psi, perLength, seen }) =>
          crossing.aim(e, i, whole, lit, lighting, seen)
            ? (t, piece, length, slope) => crossing.add(t, piece, length, slope, psi + t * perLength)
            : null,
        ),
    })
  },
  'edge-wave': (context) =>
    overEdges(context, new EdgeWaves(context.edges, context.rays, context.field, context.rays.size)),
  corner: (context) =>
    overEdges(context, new FaceWaves(context.edges, context.rays, context.field, context.rays.size)),
  travelling: ({ edges, rays, band }) => new TravellingWaves(edges, rays, band),
  creeping: (context) => creepingWaves(context, context.band, context.options.exact ?? false),
}

/** A mechanism of edges, which adds those of a range to a field. */
function overEdges(
  { ranges, field: common }: MechanismContext,
  mechanism: { add(aspect: Aspect, first: number, end: number): void },
  field = common,
): Mechanism {
  return {
    units: ranges.length,
    add(aspect, unit, out) {
      const { first, end } = ranges[unit]
      field.reset()
      mechanism.add(aspect, first, end)
      if (field.empty) return false
      field.finish(out)
      return true
    },
  }
}

/** Adds up the mechanisms of one target, band and set of options. One object per thread. */
export class HigherOrder {
  private readonly mechanisms: (Mechanism | null)[]
  private readonly part: Float64Array

  constructor(scenes: EdgeScenes, band: Band, options: EdgeOptions) {
    const { edges, rays } = scenes
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
      options,
      names,
      segmentLength: length,
      ranges: unitsOf(edges, { band, options }),
      field: EdgeField.of(band, options.exact ?? false),
      folds: () => (folds ??= new StripFolds(edges, rays, boundsOf(band).lowest)),
      litFaces: () => (faces ??= new LitFaces(edges, rays, band, length, following, context.light())),
      light: () => (light ??= new ImageLight(edges, rays, following, shortest, rays.size)),
    }
    this.mechanisms = names.map((name) => MAKERS[name](context))
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

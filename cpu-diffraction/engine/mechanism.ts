import type { Aspect, Band } from '../../scene/index.js'
import type { RayScene } from '../../rays/index.js'
import type { EdgeField } from '../currents/edge-field.js'
import type { Truncation } from '../currents/strip.js'
import type { EdgeScene } from '../geometry/edge-scene.js'
import type { LitFaces } from '../light/lit-faces.js'
import type { StripFolds } from '../mechanisms/wall.js'

/** Both scenes of a target, as worker threads are given them. */
export interface EdgeScenes {
  edges: EdgeScene
  rays: RayScene
}

/** A term of the field beyond first order, of one target and the band of one step (`bandsOfSteps`). One object per thread. */
export interface Mechanism {
  /** Parts of the target, of which each is summed and rounded as one: no split of the work changes them. */
  readonly units: number
  /**
   * Sets `out` to the field of one unit, 8 numbers per frequency [m], referred to the mesh's origin; false, with `out` as it was, where it
   * has none.
   */
  add(aspect: Aspect, unit: number, out: Float64Array): boolean
}

/** Polarisation transmitted and received of VV, HH, VH, HV: 0 V, 1 H. */
export const CHANNELS = [
  [0, 0],
  [1, 1],
  [0, 1],
  [1, 0],
] as const

/** What mechanisms of one target, band and set of options are made of. */
export interface MechanismContext extends EdgeScenes {
  band: Band
  /** See `EdgeOptions`. */
  diffraction: Truncation
  exact: boolean
  /** Mechanisms of the run. Waves that images send belong to `reflected`, walls on the way of others to `wall`. */
  names: readonly string[]
  /** Ranges of edges that are a unit each. */
  ranges: readonly { first: number; end: number }[]
  /** Of the band, for one mechanism after another. */
  field: EdgeField
  /** Shared by mechanisms, made when first asked for. */
  folds(): StripFolds
  /** What the transmitter lights, and where the run has `reflected` its images. */
  litFaces(): LitFaces
}

/** A mechanism of edges, which adds those of a range to a field. */
export function overEdges(
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

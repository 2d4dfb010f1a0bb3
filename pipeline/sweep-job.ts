import type { Aspect, Band, Vec3 } from '../scene/index.js'

/** What a run computes: the fields of every aspect over every band. */
export interface SweepJob {
  aspects: Aspect[]
  /** Uniform bands; their frequencies follow one another in a row's fields. */
  bands: Band[]
  /** Point that phases are referred to [m]. */
  phaseCentre: Vec3
  /** Groups of aspect numbers, each extrapolated from its middle aspect (`extrapolateAspects`); absent: rays are traced at every aspect. */
  groups?: number[][]
}

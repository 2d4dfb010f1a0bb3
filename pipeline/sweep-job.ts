import type { Aspect, Band, Vec3 } from '../scene/index.js'

/** What a run computes: the fields of every aspect over every band. */
export interface SweepJob {
  aspects: Aspect[]
  /** Uniform bands; their frequencies follow one another in a row's fields. */
  bands: Band[]
  /** Point that phases are referred to [m]. */
  phaseCentre: Vec3
  /** Numbers of the aspects that are each served by one aspect's rays, approximately (`solveLook`); each by its own where absent. */
  looks?: number[][]
}

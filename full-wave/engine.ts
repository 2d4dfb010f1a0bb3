import type { FieldEngine } from '../rays/index.js'
import type { Aspect, Band } from '../scene/index.js'

/** One aspect over a band. */
export interface FullWaveJob {
  aspect: Aspect
  band: Band
}

/** How one frequency was solved. Times are wall time [s]. */
export interface FullWaveReport {
  frequencyHz: number
  triangles: number
  /** RWG functions. */
  unknowns: number
  /** Mirror planes that were used: 2^planes systems of about unknowns / 2^planes each. */
  planes: number
  /** Largest ‖b − A x‖ / ‖b‖ of the right-hand sides, after refinement. */
  residual: number
  /** Estimate of the matrix's condition number, 1-norm. */
  condition: number
  /** Largest | scattered power / power taken from the incident wave − 1 | of the checked aspects (optical theorem). */
  powerError: number
  seconds: { mesh: number; fill: number; factor: number; solve: number }
}

/** The fields of all aspects at one frequency. */
export interface FrequencySolution {
  /** 8 numbers an aspect: re and im of F [m] for VV, HH, VH, HV, about the mesh's origin. */
  fields: Float64Array
  report: FullWaveReport
}

/** Solves for the currents of a target: one factorisation a frequency, any number of aspects. */
export interface FullWaveEngine extends FieldEngine<FullWaveJob> {
  /** Unknowns at a frequency [Hz], about, without meshing. */
  unknowns(frequencyHz: number): number
  /**
   * The fields of all aspects at one frequency [Hz].
   * @param onProgress  called with the finished part of the work, 0 to 1
   * @throws Error where residual, condition or power balance is worse than a solution may have
   */
  solve(
    frequencyHz: number,
    aspects: Aspect[],
    onProgress?: (part: number) => void,
    signal?: AbortSignal,
  ): Promise<FrequencySolution>
}

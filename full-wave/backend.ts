import type { Direction } from '../scene/index.js'
import type { Functions } from './functions.js'
import type { FunctionSets, WavePoints } from './plane-waves.js'

/** A system of the method of moments: the matrix is that of `fillRows`. */
export interface MomentSystem {
  functions: Functions
  /** Wavenumber [rad/m]. */
  k: number
}

/** Solutions of several right-hand sides. */
export interface Solution {
  /** As the right-hand sides, in shared memory. */
  x: Float64Array
  /** Largest ‖b − A x‖ / ‖b‖ of the right-hand sides, 2-norms, or an estimate by random projections. */
  residual: number
}

/** What plane waves drive in sets of functions, and what their currents radiate, by threads. */
export interface PlaneWaves {
  /** Right-hand sides V and H of each direction, one after the other, of each set: 4 · unknowns numbers a direction, in shared memory. */
  excite(directions: Direction[], signal?: AbortSignal): Promise<Float64Array[]>
  /**
   * Amplitudes that `PlaneWave.radiate` gives in each direction.
   * @param x        coefficients of each set, in shared memory
   * @param sources  each direction's pair of columns: V and H of that direction of `excite`
   * @returns 8 numbers a direction
   */
  radiate(
    directions: Direction[],
    x: Float64Array[],
    sources: number[],
    points: WavePoints,
    signal?: AbortSignal,
  ): Promise<Float64Array>
}

/** Factors of a matrix. */
export interface Factors {
  /** Estimate of the condition number ‖A‖₁ ‖A⁻¹‖₁ (a lower bound; Hager 1984, Higham 1988). */
  condition: number
  /** Wall time [s]. */
  seconds: { fill: number; factor: number }
  /**
   * Solves A x = b, refined where the factors are in single precision.
   * @param b  right-hand sides one after the other, re and im interleaved: 2 · unknowns · count numbers
   */
  solve(b: Float64Array, signal?: AbortSignal): Promise<Solution>
  /** Frees their memory; nothing else may be called then. */
  destroy(): void
}

/** What fills and factors matrices: the CPU's threads or a GPU. */
export interface MomentBackend {
  description: string
  /** @param onProgress  called with the finished part of the work, 0 to 1 */
  factor(system: MomentSystem, onProgress?: (part: number) => void, signal?: AbortSignal): Promise<Factors>
  /** @param k  wavenumber [rad/m] */
  planeWaves(sets: FunctionSets, k: number): PlaneWaves
  close(): Promise<void>
}

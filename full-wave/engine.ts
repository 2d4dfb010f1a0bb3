import { type EngineDescription, type FieldEngine, noStatistics } from '../rays/index.js'
import { type Aspect, type Band, frequency, type Target, wavelength, wavenumber } from '../scene/index.js'
import type { MomentBackend } from './backend.js'
import { estimateSystem, type SystemSize } from './estimate-unknowns.js'
import { type FullWave, prepareFullWave } from './full-wave.js'
import { meshForCurrents } from './mesh-for-currents.js'
import { type MeshQuality, meshQuality } from './mesh-quality.js'

/** One aspect over a band. */
export interface FullWaveJob {
  aspect: Aspect
  band: Band
}

/** How one frequency was solved. Times are wall time [s]. */
export interface FullWaveReport {
  frequencyHz: number
  triangles: number
  /** Shape of the triangles. */
  quality: Pick<MeshQuality, 'worst' | 'median' | 'longestEdge'>
  /** RWG functions. */
  unknowns: number
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
  /** The system at a frequency [Hz], about, without meshing. */
  size(frequencyHz: number): SystemSize
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

/** A frequency whose factors are kept for further aspects. */
interface Solved {
  frequencyHz: number
  seconds: number
  quality: FullWaveReport['quality']
  solver: FullWave
}

/**
 * Full wave of a target of conductors. Every frequency has a mesh of its own, so that its fields depend on nothing of the others; the
 * factors of the last one stay until another is asked for.
 * @param device  what the backend runs on
 */
export function createFullWaveEngine(
  target: Target,
  backend: MomentBackend,
  device: Pick<EngineDescription, 'device' | 'isSoftware' | 'text'>,
): FullWaveEngine {
  let last: Solved | null = null
  let estimate: ((wavelength: number) => SystemSize) | undefined
  const factorsOf = async (
    frequencyHz: number,
    onProgress: (part: number) => void,
    signal?: AbortSignal,
  ): Promise<Solved> => {
    if (last?.frequencyHz === frequencyHz) return last
    last?.solver.destroy()
    last = null
    const start = performance.now()
    // Groups of facets mean nothing to the currents of a conductor.
    const mesh = meshForCurrents({ ...target, facetGroup: undefined }, wavelength(frequencyHz))
    const { worst, median, longestEdge } = meshQuality(mesh, wavelength(frequencyHz))
    const seconds = (performance.now() - start) / 1000
    const k = wavenumber(frequencyHz)
    const solver = await prepareFullWave({ mesh, k, backend }, onProgress, signal)
    return (last = { frequencyHz, seconds, quality: { worst, median, longestEdge }, solver })
  }
  const engine: FullWaveEngine = {
    describe: () => ({ ...device, aspectsInFlight: 1 }),
    size: (frequencyHz) => (estimate ??= estimateSystem(target))(wavelength(frequencyHz)),
    async solve(frequencyHz, aspects, onProgress = () => {}, signal) {
      const {
        solver,
        quality,
        seconds: mesh,
      } = await factorsOf(frequencyHz, (part) => onProgress(0.9 * part), signal)
      const start = performance.now()
      const { fields, residual, powerError } = await solver.solve(aspects, signal)
      const solve = (performance.now() - start) / 1000
      const { triangles, unknowns, condition, seconds } = solver
      const spent = { mesh, ...seconds, solve }
      const report = { frequencyHz, triangles, quality, unknowns, residual, condition, powerError, seconds: spent } // prettier-ignore
      return { fields, report }
    },
    async field({ aspect, band }, signal) {
      const start = performance.now()
      const field = new Float64Array(8 * band.n)
      for (let n = 0; n < band.n; n++)
        field.set((await engine.solve(frequency(band, n), [aspect], undefined, signal)).fields, 8 * n)
      const total = (performance.now() - start) / 1000
      return { field, statistics: noStatistics(), partSeconds: [], times: { trace: 0, field: total, reduction: 0, total } } // prettier-ignore
    },
    async close() {
      last?.solver.destroy()
      await backend.close()
    },
  }
  return engine
}

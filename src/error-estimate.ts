import type { AspectField } from '../rays/index.js'

/** Densities of the rays of the reruns of `rcs --error-estimate`, in tubes per wavelength of the run's own. */
export const COARSER = [0.7, 0.5] as const

/** Errors of a run's results: per aspect 4 numbers per frequency, VV HH VH HV [m]. */
export interface ErrorBars {
  /** Of the sampling of rays (`samplingErrors`). */
  sampling: Float64Array[]
  /** Of the model (`modelErrors`); absent for targets with materials, which it was not fitted to. */
  model?: Float64Array[]
}

/** Part of the results that lie outside the bar. */
const LEFT_OUT = 0.05
/** Error of the run over its rms change at the coarser densities: measured, docs/error-estimate.md. */
const SCALE = 1.1

/**
 * Error of sampling rays of a run, from the same aspects at coarser densities of them: a bound of |F - F'| that 95 % of the results keep
 * to, F' being what far more tubes give to the same mesh. Edges are the same in all runs: nothing of theirs is in it. The mean square s of the changes to the coarser results, over
 * the result, its neighbours in frequency, and its neighbours among the aspects in their order, is that of `n` complex
 * numbers; were these and the error Gaussian with one variance, |error|^2 / s would follow Fisher's F(2, 2n), whose 95 %
 * point is n (0.05^(-1/n) - 1).
 *
 * @param fields   of each aspect, 8 numbers per frequency: re, im of VV HH VH HV [m]
 * @param coarser  the same from each rerun
 * @returns of each aspect, 4 numbers per frequency (VV HH VH HV): the bar of |F| [m]
 */
export function samplingErrors(fields: AspectField[], coarser: AspectField[][]): Float64Array[] {
  const changes = fields.map((field, a) =>
    Float64Array.from({ length: field.length / 2 }, (_, i) =>
      coarser.reduce(
        (sum, rerun) =>
          sum + (field[2 * i] - rerun[a][2 * i]) ** 2 + (field[2 * i + 1] - rerun[a][2 * i + 1]) ** 2,
        0,
      ),
    ),
  )
  return changes.map((change, a) =>
    change.map((_, i) => {
      const known = nearest(changes, a, i)
      const n = known.length * coarser.length
      const s = known.reduce((x, y) => x + y) / n
      return SCALE * Math.sqrt(s * n * (LEFT_OUT ** (-1 / n) - 1))
    }),
  )
}

/** A number of rows of 4 per frequency, its neighbours in frequency, and those of the aspects before and after, where there are any. */
export function nearest(rows: Float64Array[], a: number, i: number): number[] {
  const all = [rows[a][i], rows[a][i - 4], rows[a][i + 4], rows[a - 1]?.[i], rows[a + 1]?.[i]]
  return all.filter((x) => x !== undefined)
}

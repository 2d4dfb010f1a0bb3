import { type SecondOrder, UNIFORM } from '../cpu-diffraction/index.js'
import type { AspectField } from '../rays/index.js'
import { C0 } from '../scene/index.js'
import { MODEL_FACTORS } from './model-factors.js'

/** Densities of the rays of the reruns of `rcs --error-estimate`, in tubes per wavelength of the run's own. */
export const COARSER = [0.7, 0.5] as const

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
function nearest(rows: Float64Array[], a: number, i: number): number[] {
  const all = [rows[a][i], rows[a][i - 4], rows[a][i + 4], rows[a - 1]?.[i], rows[a + 1]?.[i]]
  return all.filter((x) => x !== undefined)
}

/** Share of the results that the model error is fitted to cover on the fitting half of the random bodies (`reproduction/truth`). */
export const MODEL_COVERAGE = 0.95

/** Edge diffraction of a run: none, without all mechanisms of the uniform theory, with all of them. */
export type Order = keyof typeof MODEL_FACTORS

export const orderOf = (diffraction: string, secondOrder: readonly SecondOrder[]): Order =>
  diffraction === 'none' ? 'none' : UNIFORM.every((name) => secondOrder.includes(name)) ? 'second' : 'first'

/**
 * The two mean squares [m^2] of the model error, aspect by aspect: 8 numbers per frequency, two for each of VV HH VH
 * HV. The first is taken over the result, its neighbours in frequency and among the aspects; the second is the wavelength's square.
 *
 * @param changes  of each aspect, 8 numbers per frequency as `AspectField`: |F| of these is meant
 * @param freqHz   frequencies of a row
 */
export function modelTerms(changes: AspectField[], freqHz: readonly number[]): Float64Array[] {
  const squares = changes.map((change) =>
    Float64Array.from({ length: change.length / 2 }, (_, i) => change[2 * i] ** 2 + change[2 * i + 1] ** 2),
  )
  return squares.map((square, a) =>
    Float64Array.from({ length: 2 * square.length }, (_, i) => {
      if (i % 2 === 1) return (C0 / freqHz[i >> 3]) ** 2
      const known = nearest(squares, a, i >> 1)
      return known.reduce((x, y) => x + y) / known.length
    }),
  )
}

/**
 * Model error of a run: a bound of |F - F'|, F' being the exact field of the mesh, that holds for some 95 % of the results of random
 * bodies (docs/tables/model-error.md). It is the root of two mean squares times factors fitted there.
 *
 * @param fields   of each aspect, 8 numbers per frequency: re, im of VV HH VH HV [m]
 * @param changes  change of the edge field from first to second order, likewise; null for a target without edges
 * @returns of each aspect, 4 numbers per frequency (VV HH VH HV) [m]
 */
export function modelErrors(
  order: Order,
  fields: AspectField[],
  changes: AspectField[] | null,
  freqHz: readonly number[],
): Float64Array[] {
  const [ofChange, ofWavelength] = MODEL_FACTORS[order]
  const of = order === 'none' ? fields : (changes ?? fields.map((field) => new Float64Array(field.length)))
  return modelTerms(of, freqHz).map((terms) =>
    Float64Array.from({ length: terms.length / 2 }, (_, i) =>
      Math.sqrt(ofChange * terms[2 * i] + ofWavelength * terms[2 * i + 1]),
    ),
  )
}

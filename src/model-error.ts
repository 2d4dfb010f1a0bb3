import { type SecondOrder, UNIFORM } from '../cpu-diffraction/index.js'
import { type AspectField } from '../rays/index.js'
import { C0 } from '../scene/index.js'
import { nearest } from './error-estimate.js'
import { MODEL_FACTORS } from './model-factors.js'

/** Share of the results that the model error is fitted to cover on one half of the validation set. */
export const MODEL_COVERAGE = 0.9

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
 * Model error of a run: a bound of |F - F'|, F' being the exact field of the mesh, that holds for some 90 % of the results of the
 * validation set (docs/tables/model-error.md). It is the root of two mean squares times factors fitted there.
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

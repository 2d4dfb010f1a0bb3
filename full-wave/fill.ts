import type { Functions } from './functions.js'
import { PairIntegrals } from './pair-integrals.js'

/**
 * Rows `from` to `to` of the matrix (`PairIntegrals`), row by row, re and im interleaved, into `out` (which is overwritten). The
 * order of additions to an element does not depend on which rows are computed together.
 * @param integrals  of these functions and the wavenumber
 */
export function fillRows(
  { count, triangles, signs, first, functions, factors }: Functions,
  integrals: PairIntegrals,
  from: number,
  to: number,
  out: Float64Array,
): void {
  out.fill(0)
  const { values } = integrals
  for (let m = 0; m < triangles; m++) {
    let isTested = false
    for (let a = first[3 * m]; a < first[3 * m + 3]; a++)
      isTested ||= functions[a] >= from && functions[a] < to
    if (!isTested) continue
    for (let n = 0; n < triangles; n++) {
      if (first[3 * n] === first[3 * n + 3]) continue
      for (let image = 0; image < signs.length; image++) {
        integrals.compute(m, image * triangles + n)
        for (let i = 0; i < 3; i++)
          for (let a = first[3 * m + i]; a < first[3 * m + i + 1]; a++) {
            const row = functions[a]
            if (row < from || row >= to) continue
            const start = 2 * count * (row - from)
            const factor = signs[image] * factors[a]
            for (let j = 0; j < 3; j++) {
              const re = factor * values[2 * (3 * i + j)]
              const im = factor * values[2 * (3 * i + j) + 1]
              for (let b = first[3 * n + j]; b < first[3 * n + j + 1]; b++) {
                const at = start + 2 * functions[b]
                out[at] += factors[b] * re
                out[at + 1] += factors[b] * im
              }
            }
          }
      }
    }
  }
}

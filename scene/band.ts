import { C0 } from './constants.js'

/** Uniformly spaced frequencies f0, f0 + df, ... (n of them), ascending: df >= 0 [Hz]. */
export interface Band {
  f0: number
  df: number
  n: number
}

export const frequency = (band: Band, i: number): number => band.f0 + i * band.df
export const highestFrequency = (band: Band): number => frequency(band, band.n - 1)
export const wavelength = (freqHz: number): number => C0 / freqHz
/** Wavenumber 2 pi f / c [rad/m]. */
export const wavenumber = (freqHz: number): number => (2 * Math.PI * freqHz) / C0
export const frequencies = (band: Band): Float64Array =>
  Float64Array.from({ length: band.n }, (_, i) => frequency(band, i))

/** The distinct frequencies of a list, ascending. */
export const distinctFrequencies = (freqHz: ArrayLike<number>): Float64Array =>
  Float64Array.from(new Set(Array.from(freqHz))).sort()

/**
 * The uniform bands of a list's distinct frequencies, ascending: a single one where the spacing is constant to 1e-12. The
 * list's order and repeats do not matter.
 */
export function uniformBands(list: ArrayLike<number>): Band[] {
  const freqHz = distinctFrequencies(list)
  const n = freqHz.length
  if (n === 0) return []
  if (n === 1) return [{ f0: freqHz[0], df: 0, n: 1 }]
  const df = (freqHz[n - 1] - freqHz[0]) / (n - 1)
  for (let i = 0; i < n; i++)
    if (Math.abs(freqHz[i] - freqHz[0] - i * df) > 1e-12 * freqHz[n - 1])
      return Array.from(freqHz, (f) => ({ f0: f, df: 0, n: 1 }))
  return [{ f0: freqHz[0], df, n }]
}

/** Speed of light in vacuum [m/s], exact. */
export const C0 = 299_792_458
/** Impedance of free space [ohm] (CODATA 2022). */
export const Z0 = 376.730313412
/** Permittivity of free space [F/m] (CODATA 2022). */
export const EPSILON_0 = 8.8541878188e-12

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

/** Steps of the ladder per octave, and the middle (geometrically) of one of them [Hz]: images at X band lie in that step, as do most others in one. */
const PER_OCTAVE = 2
const MIDDLE = 10e9

/** Quarters of an octave as factors: browsers and Node take other powers differently in their last bit. */
const QUARTERS = [1, 1.189207115002721, Math.SQRT2, 1.681792830507429]

/** Number of the step of half an octave that a frequency lies in. */
const stepOf = (freqHz: number): number => Math.floor(PER_OCTAVE * Math.log2(freqHz / MIDDLE) + 0.5)

/** The frequency so many steps, or halves of them, above `MIDDLE` [Hz]. */
function frequencyOf(steps: number): number {
  const quarters = (4 / PER_OCTAVE) * steps
  const octaves = Math.floor(quarters / 4)
  return MIDDLE * QUARTERS[quarters - 4 * octaves] * 2 ** octaves
}

/**
 * A band by steps of half an octave. How finely rays and edges sample a target, and what is left out, goes by a frequency's step, not by
 * the run's other frequencies, so that a datum does not depend on these.
 */
export function bandsOfSteps(band: Band): Band[] {
  const parts: Band[] = []
  for (let first = 0; first < band.n;) {
    const step = stepOf(frequency(band, first))
    let end = first + 1
    while (end < band.n && stepOf(frequency(band, end)) === step) end++
    parts.push({ f0: frequency(band, first), df: band.df, n: end - first })
    first = end
  }
  return parts
}

const ends = (band: Band): number[] => [band.f0, frequency(band, band.n - 1)]

/** Bounds of the steps that a band's frequencies lie in, as wavenumbers [rad/m]. */
export function boundsOf(band: Band): { lowest: number; highest: number } {
  return {
    lowest: wavenumber(frequencyOf(stepOf(Math.min(...ends(band))) - 0.5)),
    highest: wavenumber(frequencyOf(stepOf(Math.max(...ends(band))) + 0.5)),
  }
}

/** Wavelength in the middle of the highest step of a band [m]. */
export const middleWavelength = (band: Band): number => C0 / frequencyOf(stepOf(Math.max(...ends(band))))

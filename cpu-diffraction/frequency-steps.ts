import { type Band, frequency, wavenumber } from '../scene/index.js'

/** Steps of the ladder per octave. */
const PER_OCTAVE = 2
/** Frequency in the middle of a step (geometrically) [Hz]. No bound of a step is a round number: rounding moves no frequency across one. */
const MIDDLE = 10e9

/** Number of the step of half an octave that a frequency lies in. */
const stepOf = (freqHz: number): number => Math.floor(PER_OCTAVE * Math.log2(freqHz / MIDDLE) + 0.5)

/** The lower bound of a step [Hz]. */
const lowerBound = (step: number): number => MIDDLE * 2 ** ((step - 0.5) / PER_OCTAVE)

/** Frequencies of a band that lie in one step, from number `first` of the band's on. */
interface PartOfBand {
  band: Band
  first: number
}

/**
 * A band by steps of half an octave. How finely edges are cut and what is left out goes by the bounds of a frequency's step (`boundsOf`),
 * not by the run's other frequencies, so that a datum does not depend on these.
 */
export function partsOfBand(band: Band): PartOfBand[] {
  const parts: PartOfBand[] = []
  for (let first = 0; first < band.n;) {
    const step = stepOf(frequency(band, first))
    let end = first + 1
    while (end < band.n && stepOf(frequency(band, end)) === step) end++
    // The frequencies of the whole band to the last bit, where it is one part.
    const f0 = frequency(band, first)
    parts.push({ band: { f0, df: band.df, n: end - first }, first })
    first = end
  }
  return parts
}

/** Bounds of the steps that a band's frequencies lie in, as wavenumbers [rad/m]. */
export function boundsOf(band: Band): { lowest: number; highest: number } {
  const ends = [band.f0, frequency(band, band.n - 1)]
  return {
    lowest: wavenumber(lowerBound(stepOf(Math.min(...ends)))),
    highest: wavenumber(lowerBound(stepOf(Math.max(...ends)) + 1)),
  }
}

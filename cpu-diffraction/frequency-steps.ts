import { type Band, C0, frequency, wavenumber } from '../scene/index.js'

/** Steps of the ladder per octave. */
const PER_OCTAVE = 2
/** Size of the target in wavelengths in the middle of a step (geometrically). */
const MIDDLE = 1

/** A band, and the size of its target [m]: steps go by size over wavelength, so that a scaled target has scaled fields. */
export interface SizedBand extends Band {
  /** 1 where left out. */
  size?: number
}

/** Number of the step of half an octave that a frequency lies in. */
const stepOf = (freqHz: number, size: number): number =>
  Math.floor(PER_OCTAVE * Math.log2((freqHz * size) / C0 / MIDDLE) + 0.5)

/** The lower bound of a step [Hz]. */
const lowerBound = (step: number, size: number): number =>
  ((MIDDLE * C0) / size) * 2 ** ((step - 0.5) / PER_OCTAVE)

/** Frequencies of a band that lie in one step, from number `first` of the band's on. */
interface PartOfBand {
  band: SizedBand
  first: number
}

/**
 * A band by steps of half an octave. How finely edges are cut and what is left out goes by the bounds of a frequency's step (`boundsOf`),
 * not by the run's other frequencies, so that a datum does not depend on these.
 */
export function partsOfBand(band: SizedBand): PartOfBand[] {
  const { size = 1 } = band
  const parts: PartOfBand[] = []
  for (let first = 0; first < band.n;) {
    const step = stepOf(frequency(band, first), size)
    let end = first + 1
    while (end < band.n && stepOf(frequency(band, end), size) === step) end++
    // The frequencies of the whole band to the last bit, where it is one part.
    const f0 = frequency(band, first)
    parts.push({ band: { f0, df: band.df, n: end - first, size }, first })
    first = end
  }
  return parts
}

/** Bounds of the steps that a band's frequencies lie in, as wavenumbers [rad/m]. */
export function boundsOf(band: SizedBand): { lowest: number; highest: number } {
  const { size = 1 } = band
  const ends = [band.f0, frequency(band, band.n - 1)]
  return {
    lowest: wavenumber(lowerBound(stepOf(Math.min(...ends), size), size)),
    highest: wavenumber(lowerBound(stepOf(Math.max(...ends), size) + 1, size)),
  }
}

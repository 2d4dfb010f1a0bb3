import { type Band, frequency, wavenumber } from './band.js'
import { C0 } from './constants.js'

/** Steps of the ladder per octave. */
const PER_OCTAVE = 2

/** A band, and the size of its target [m]: steps go by size over wavelength, so that a scaled target has scaled fields. */
export interface SizedBand extends Band {
  /** 1 where left out. */
  size?: number
}

/** Number of the step of half an octave that a frequency lies in: in the middle (geometrically) of step 0 the target is one wavelength large. */
const stepOf = (freqHz: number, size: number): number =>
  Math.floor(PER_OCTAVE * Math.log2((freqHz * size) / C0) + 0.5)

/** The frequency so many steps above the middle of step 0 [Hz]. */
const frequencyOf = (steps: number, size: number): number => (C0 / size) * 2 ** (steps / PER_OCTAVE)

/**
 * A band by steps of half an octave. How finely rays and edges sample a target, and what is left out, goes by a frequency's step, not by
 * the run's other frequencies, so that a datum does not depend on these.
 * @param size  of the target [m], `RayScene.size`
 */
export function bandsOfSteps(band: Band, size: number): Band[] {
  const parts: Band[] = []
  for (let first = 0; first < band.n;) {
    const step = stepOf(frequency(band, first), size)
    let end = first + 1
    while (end < band.n && stepOf(frequency(band, end), size) === step) end++
    parts.push({ f0: frequency(band, first), df: band.df, n: end - first })
    first = end
  }
  return parts
}

const ends = (band: Band): number[] => [band.f0, frequency(band, band.n - 1)]

/** Bounds of the steps that a band's frequencies lie in, as wavenumbers [rad/m]. */
export function boundsOf(band: SizedBand): { lowest: number; highest: number } {
  const { size = 1 } = band
  return {
    lowest: wavenumber(frequencyOf(stepOf(Math.min(...ends(band)), size) - 0.5, size)),
    highest: wavenumber(frequencyOf(stepOf(Math.max(...ends(band)), size) + 0.5, size)),
  }
}

/** Wavelength in the middle of the highest step of a band [m]. */
export const middleWavelength = (band: Band, size: number): number =>
  C0 / frequencyOf(stepOf(Math.max(...ends(band)), size), size)

import { type Band, C0, frequency } from '../scene/index.js'

/** Steps per octave of frequency. */
const PER_OCTAVE = 2
/** At either end a step goes over into its neighbour within this part of an octave. */
const BLEND = 0.035

/** Frequencies of a band that share what is made for a range of wavelengths. */
export interface WavelengthStep {
  /** Number of the first of them in the band, and those that follow. */
  first: number
  band: Band
  /** What this step counts at each of them; null where it is 1. With those of its neighbours the sum is 1. */
  weights: Float64Array | null
  /** Of the step, whatever the band [m]. */
  shortest: number
  longest: number
}

/**
 * The steps of a fixed ladder of wavelengths that a band takes part in. What a computation makes for the wavelengths of a step serves the
 * frequencies in it, and does not depend on which others there are; the step's results go over into those of the next one without a jump.
 */
export function wavelengthSteps(band: Band): WavelengthStep[] {
  const places = Float64Array.from({ length: band.n }, (_, i) => PER_OCTAVE * Math.log2(frequency(band, i)))
  const blend = PER_OCTAVE * BLEND
  const steps: WavelengthStep[] = []
  const at = (place: number): number => C0 / 2 ** (place / PER_OCTAVE)
  for (let s = Math.floor(places[0] - blend); s <= places[band.n - 1] + blend; s++) {
    const share = (place: number): number => rise((place - s) / blend) * rise((s + 1 - place) / blend)
    const first = places.findIndex((place) => share(place) > 0)
    if (first < 0) continue
    const own = places.filter((place) => share(place) > 0)
    const weights = own.map(share)
    steps.push({
      first,
      band: { f0: frequency(band, first), df: band.df, n: own.length },
      weights: weights.every((w) => w === 1) ? null : weights,
      shortest: at(s + 1 + blend),
      longest: at(s - blend),
    })
  }
  return steps
}

/** From 0 at -1 to 1 at 1, smoothly; rise(x) + rise(-x) = 1. */
function rise(x: number): number {
  const t = Math.min(1, Math.max(0, 0.5 * (x + 1)))
  return t * t * (3 - 2 * t)
}

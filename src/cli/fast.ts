import { Option } from 'commander'
import { FAST } from '../looks.js'
import { parseCount } from './quantity.js'

/** A preview's own values, by the names of the options. */
export const FAST_SOLVER = {
  'rays-per-wavelength': String(FAST.raysPerWavelength),
  subdivide: String(FAST.subdivisions),
  'frequency-tolerance': String(FAST.frequencyTolerance),
}

export const fastOption = (): Option =>
  new Option('--fast [looks]', 'approximate image from the rays of a few aspects, or of so many')

/** Aspects whose rays are traced; true: as many as are enough; undefined: all. */
export const parseLooks = (text: unknown): number | true | undefined =>
  text === undefined || text === true ? text : parseCount(String(text), '--fast', 1, 1000)

import { Option } from 'commander'
import { InputError } from '../../scene/index.js'
import { FAST, whyNotFast } from '../looks.js'
import { optionName, type SolverOptions } from './options.js'
import { parseCount } from './quantity.js'

/** A preview's own values, by the names of the options. */
export const FAST_SOLVER = {
  'rays-per-wavelength': String(FAST.raysPerWavelength),
  subdivide: String(FAST.subdivisions),
  'frequency-tolerance': String(FAST.frequencyTolerance),
}

/** A preview by looks (docs/frequency-sum.md). */
export interface FastRequest {
  /** Aspects whose rays are traced; true: as many as are enough. */
  looks: number | true
}

export const fastOption = (): Option =>
  new Option('--fast [looks]', 'approximate image from the rays of a few aspects, or of so many')

/** @throws InputError for options that a preview cannot honour */
export function fastRequest(raw: Record<string, unknown>, options: SolverOptions): FastRequest | null {
  if (raw.fast === undefined) return null
  const refuse = (option: string, why: string): never => {
    throw new InputError(`--fast: ${why}; leave ${option} out`)
  }
  const problem = whyNotFast(options)
  if (problem) refuse(optionName(problem[0]), problem[1])
  if (options.cluster) refuse('--cluster', 'a preview is computed here')
  const looks = raw.fast === true ? true : parseCount(String(raw.fast), '--fast', 1, 1000)
  return { looks }
}

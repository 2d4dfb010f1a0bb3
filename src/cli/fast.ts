import { Option } from 'commander'
import { FAST } from '../fast.js'
import { optionOf } from '../settings.js'
import { parseCount } from './quantity.js'

/** Settings of a preview, by the names of the options. */
export const FAST_SOLVER = Object.fromEntries(
  Object.entries(FAST).map(([name, value]) => [
    optionOf(name as keyof typeof FAST),
    Array.isArray(value) ? 'none' : String(value),
  ]),
)

export const fastOption = (): Option =>
  new Option('--fast [n]', 'trace rays at n aspects, extrapolate the others')

/** Number of reference aspects; true: the default number; undefined: no extrapolation. */
export const parseFast = (text: unknown): number | true | undefined =>
  text === undefined || text === true ? text : parseCount(String(text), '--fast', 1, 1000)

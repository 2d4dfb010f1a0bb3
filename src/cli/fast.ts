import { Option } from 'commander'
import { FAST } from '../looks.js'
import { optionOf } from '../settings.js'
import { parseCount } from './quantity.js'

/** A preview's own values, by the names of the options. */
export const FAST_SOLVER = Object.fromEntries(
  Object.entries(FAST).map(([name, value]) => [optionOf(name as keyof typeof FAST), String(value)]),
)

export const fastOption = (): Option =>
  new Option('--fast [n]', 'trace rays at n aspects, extrapolate the others')

/** Aspects whose rays are traced; true: as many as are enough; undefined: all. */
export const parseLooks = (text: unknown): number | true | undefined =>
  text === undefined || text === true ? text : parseCount(String(text), '--fast', 1, 1000)

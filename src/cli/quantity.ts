import { parseFrequencies, plainNumber } from '../../formats/frequency.js'
import { InputError } from '../../scene/index.js'
import { numberIn, positive, wholeIn } from '../check-values.js'

/** `f0:f1` or `f0:f1:count`, ascending [Hz]. */
export function parseBand(text: string): { f0: number; f1: number; count?: number } {
  const parts = text.split(':')
  if (parts.length < 2 || parts.length > 3)
    throw new InputError(`--band "${text}": write f0:f1 or f0:f1:count, like 9.25e9:10.75e9`)
  const [f0, f1] = parseFrequencies(parts.slice(0, 2), '--band')
  if (f1 === f0)
    throw new InputError(`--band "${text}" has no width; give f1 above f0 (or --freq for a single frequency)`)
  if (f1 < f0)
    throw new InputError(
      `--band "${text}" runs downwards; write the lower frequency first, ${parts[1]}:${parts[0]}`,
    )
  return parts[2] === undefined
    ? { f0, f1 }
    : { f0, f1, count: parseCount(parts[2], '--band count', 2, 1_000_000) }
}

export const parseCount = (text: string, what: string, low: number, high: number): number =>
  wholeIn(plainNumber(text, what), what, low, high)

export const parseNumber = (text: string, what: string, low: number, high: number): number =>
  numberIn(plainNumber(text, what), what, low, high)

export const parsePositive = (text: string, what: string): number => positive(plainNumber(text, what), what)

/** Most directions along one axis of a sweep. */
const MAX_STEPS = 1_000_000

/** Ten turns: larger angles are no directions, but other numbers by mistake [degrees]. */
const MOST_DEGREES = 3600

/** `a`, `a:b:step` (inclusive, either direction) or `a,b,c`: angles in degrees. */
export function parseRange(text: string, what: string): number[] {
  const angle = (part: string): number => parseNumber(part, what, -MOST_DEGREES, MOST_DEGREES)
  if (text.includes(':')) {
    const parts = text.split(':')
    if (parts.length !== 3) throw new InputError(`${what} "${text}": write first:last:step, like 0:90:1`)
    const [first, last] = parts.slice(0, 2).map(angle)
    const step = plainNumber(parts[2], what)
    if (step === 0) throw new InputError(`${what} "${text}": the step is zero; give a step like 1`)
    const size = Math.abs(step)
    // The last value counts when rounding alone keeps it from being hit.
    const count = Math.floor(Math.abs(last - first) / size + 1e-9) + 1
    if (count > MAX_STEPS)
      throw new InputError(
        `${what} "${text}" has ${count} values; take a larger step (at most ${MAX_STEPS} values)`,
      )
    const sign = last < first ? -1 : 1
    return Array.from({ length: count }, (_, i) => tidy(first + sign * i * size))
  }
  return text.split(',').map(angle)
}

/** Removes the binary rounding of first + i * step, so that 0:1:0.1 gives 0.3 and not 0.30000000000000004. */
const tidy = (x: number): number => Number(x.toPrecision(13))

/** `x,y,z` [m]. */
export function parsePoint(text: string, what: string): [number, number, number] {
  const parts = text.split(',').map((p) => plainNumber(p, what))
  if (parts.length !== 3) throw new InputError(`${what} "${text}": write three numbers, like 0,0,1.5`)
  return parts as [number, number, number]
}

import { didYouMean, InputError } from '../scene/index.js'

/** What is wrong with a value; follows its name in messages. */
export const notFinite = (value: unknown): string =>
  `${String(value)} is not a finite number; give one like 12.5`
export const outOfRange = (value: unknown, low: number, high: number): string =>
  `${String(value)} is out of range; give a number from ${low} to ${high}`
export const notWhole = (value: unknown, low: number, high: number): string =>
  `must be an integer from ${low} to ${high}, not ${String(value)}`
export const unknownChoice = (value: unknown, choices: readonly string[]): string =>
  `"${String(value)}" is unknown; give one of ${choices.join(', ')}`

/** @throws InputError unless `value` is a finite number from `low` to `high`; `what` names it in the message */
export function numberIn(value: unknown, what: string, low: number, high: number): number {
  const x = finite(value, what)
  if (x < low || x > high) throw new InputError(`${what}: ${outOfRange(x, low, high)}`)
  return x
}

/** @throws InputError unless `value` is a whole number from `low` to `high` */
export function wholeIn(value: unknown, what: string, low: number, high: number): number {
  const x = finite(value, what)
  if (!Number.isInteger(x) || x < low || x > high) throw new InputError(`${what}: ${notWhole(x, low, high)}`)
  return x
}

/** @throws InputError unless `value` is a finite number above zero */
export function positive(value: unknown, what: string): number {
  const x = finite(value, what)
  if (x <= 0) throw new InputError(`${what}: ${x} is not above zero; give a positive number`)
  return x
}

/** @throws InputError unless `value` is one of `choices` */
export function oneOf<T extends string>(value: unknown, what: string, choices: readonly T[]): T {
  if (!choices.includes(value as T)) throw new InputError(`${what}: ${unknownChoice(value, choices)}`)
  return value as T
}

/** @throws InputError where `given` is no plain object, or has a key that is not in `known` */
export function checkKeys(given: unknown, what: string, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new InputError(`${what}: an object of options is needed`)
  const stray = Object.keys(given).find((key) => !known.includes(key))
  if (stray !== undefined)
    throw new InputError(
      `${what}: there is no option "${stray}"; there are ${[...known].sort().join(', ')}${didYouMean(stray, known)}`,
    )
}

/** @throws InputError unless `value` is a finite number */
export function finite(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw new InputError(`${what}: ${notFinite(value)}`)
  return value
}

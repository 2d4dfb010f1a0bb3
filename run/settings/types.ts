import { z } from 'zod'
import { plainNumber } from '../../formats/expression.js'
import { didYouMean, InputError, type Vec3 } from '../../scene/index.js'

/** What is wrong with a value; follows its name in messages. */
const notFinite = (value: unknown): string => `${String(value)} is not a finite number; give one like 12.5`
export const outOfRange = (value: unknown, low: number, high: number): string =>
  `${String(value)} is out of range; give a number from ${low} to ${high}`
const notWhole = (value: unknown, low: number, high: number): string =>
  `must be an integer from ${low} to ${high}, not ${String(value)}`
const unknownChoice = (value: unknown, choices: readonly string[]): string =>
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
function finite(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw new InputError(`${what}: ${notFinite(value)}`)
  return value
}

/** Headings under which `--help` and docs/options.md list options, in this order. */
export const HELP_GROUPS = ['Sweep', 'Accuracy', 'Output', 'Run', 'Paper variants', 'Cluster'] as const
export type HelpGroup = (typeof HELP_GROUPS)[number]

/** One setting of the solver: the single source for the command line, the library, datasets, records and documents. */
export interface Setting {
  /** Its type with range and default; messages leave out the setting's name. */
  type: z.ZodType
  /** What it does, on one line; does not repeat choices, unit and default. */
  help: string
  /** Unit of its value. */
  unit?: 'deg' | 'm'
  group: HelpGroup
  /** Listed by `--help`; `--help-all` lists everything. */
  basic?: true
  /** The option's name, without the first dashes, where it is not the setting's with dashes. */
  option?: string
  /** Name of the option's value: `<n>`, or `[n]` where it may be left out. Choices and switches need none. */
  value?: string
  /** How the command line and documents write the default, where that is not the value itself. */
  word?: string
  /** The option may be given several times; its value is a list. */
  repeated?: true
  /** Value of the option's raw text, where its type does not give it. @param raw  all raw values */
  fromOption?: (given: unknown, raw: Record<string, unknown>) => unknown
  /**
   * Results do not depend on its value: it is neither recorded in `meta.json` nor part of the key that `--resume` checks, unless it is
   * `recorded`.
   */
  affectsResults?: false
  recorded?: true
  /** A dataset's `solver` cannot hold it. */
  dataset?: false
  /** Commands that have the option; all that solve where absent. */
  commands?: readonly string[]
}

type Issue = { input?: unknown }

/** A number from `low` to `high`. @param least  lower bound in messages, where it differs from `low` */
export const real = (low: number, high: number, least = low): z.ZodNumber => {
  const range = { error: ({ input }: Issue) => outOfRange(input, least, high) }
  return z
    .number({ error: ({ input }) => notFinite(input) })
    .min(low, range)
    .max(high, range)
}

/** A whole number from `low` to `high`. */
export const whole = (low: number, high: number): z.ZodNumber => {
  const range = { error: ({ input }: Issue) => notWhole(input, low, high) }
  return z
    .number({ error: ({ input }) => notFinite(input) })
    .int(range)
    .min(low, range)
    .max(high, range)
}

/** One of a few values. */
export const choice = <const T extends readonly string[]>(values: T) =>
  z.enum(values, { error: ({ input }) => unknownChoice(input, values) })

/** Yes or no. */
export const flag = (): z.ZodBoolean =>
  z.boolean({ error: ({ input }) => `${String(input)} is neither true nor false` })

/**
 * Some of a few values, always in the order of `values`.
 * @param what    what each is
 * @param wanted  what is to be given instead of a word that is none of them, and instead of what is no such list
 */
export const some = <const T extends readonly string[]>(
  values: T,
  what: string,
  wanted: [word: string, list: string],
): z.ZodType<T[number][], readonly T[number][]> =>
  z
    .array(z.enum(values, { error: ({ input }) => `"${String(input)}" is not ${what}; give ${wanted[0]}` }), {
      error: `give ${wanted[1]}`,
    })
    .readonly()
    .transform((list) => values.filter((value: T[number]) => list.includes(value)) as T[number][])

/** A point [m]. */
export const point = () => {
  const coordinate = z.number({ error: ({ input }) => notFinite(input) })
  return z
    .tuple([coordinate, coordinate, coordinate], { error: 'write three numbers, like 0,0,1.5' })
    .readonly()
    .transform(([x, y, z]): Vec3 => [x, y, z])
}

/** `x,y,z` [m]. */
export function parsePoint(text: string, what: string): [number, number, number] {
  const parts = text.split(',').map((p) => plainNumber(p, what))
  if (parts.length !== 3) throw new InputError(`${what} "${text}": write three numbers, like 0,0,1.5`)
  return parts as [number, number, number]
}

/** A setting's type without default and transforms. */
export function innerType(type: z.ZodType): z.ZodType {
  const { innerType: inner, in: given } = type.def as { innerType?: z.ZodType; in?: z.ZodType }
  const next = inner ?? given
  return next ? innerType(next) : type
}

/** The default value; undefined where there is none. */
export const defaultOf = ({ type }: Setting): unknown => {
  const { data } = type.safeParse(undefined)
  return data
}

/** A text as a value of the setting's type; undefined, for the default, where it is the word for that. @param option  its name in messages */
export function readText(text: string, { type, word }: Setting, option: string): unknown {
  const inner = innerType(type)
  if (inner instanceof z.ZodNumber) return plainNumber(text, option)
  if (inner instanceof z.ZodTuple) return parsePoint(text, option)
  if (!(inner instanceof z.ZodArray)) return text
  const list = text.toLowerCase()
  return list === word ? undefined : list.split(',').map((item) => item.trim())
}

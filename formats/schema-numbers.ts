import { z } from 'zod'
import { InputError } from '../scene/index.js'
import type { Formula } from '../scene/formula.js'
import {
  type FieldUnit,
  parseConstant,
  parseExpression,
  parseQuantity,
  type Variable,
  varies,
} from './expression.js'

type Input = { input?: unknown }

/** Beyond any material; products of a few stay within double precision. */
const MOST = 1e12
const beyond = { error: ({ input }: Input) => `${String(input)} is beyond ${MOST}` }
export const number = () => z.number().min(-MOST, beyond).max(MOST, beyond)

export const positiveNumber = () =>
  z
    .number()
    .max(1e15, { error: ({ input }: Input) => `${String(input)} is beyond 1e15` })
    .gt(0, { error: ({ input }: Input) => `${String(input)} is not above zero` })
export const notNegativeNumber = () =>
  number().min(0, { error: ({ input }: Input) => `${String(input)} is negative; give 0 or more` })

const kindOf = (input: unknown): string =>
  input === null ? 'null' : Array.isArray(input) ? 'array' : typeof input

/**
 * What a text says, with what is wrong in it as an issue of its own, not as one of a union. A check that puts the value in the text's
 * place: of a transform JSON Schemas would have no defaults.
 */
const said = <T>(read: (text: string) => T, type?: z.ZodType<T>): z.ZodType<T, string> =>
  z.string().check((context) => {
    const text = context.value
    const refuse = (message: string): void =>
      void context.issues.push({ code: 'custom', message, input: text, continue: true })
    try {
      const value = read(text)
      const wrong = type?.safeParse(value).error?.issues[0]
      if (wrong) refuse(wrong.message)
      else (context as { value: unknown }).value = value
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      refuse(error.message)
    }
  }) as unknown as z.ZodType<T, string>

/**
 * A number in the field's unit, or a text with a unit (`formats/expression.ts`) that is read as one: "2.5 in". The JSON Schema has both.
 * @param type  limits of the number
 */
export const quantity = (unit: FieldUnit, type: z.ZodNumber = z.number()) =>
  z.union([type, said((text) => parseQuantity(text, unit), type)], {
    error: ({ input }) =>
      `Invalid input: expected number${unit ? `, or text with a unit like "3 ${unit}"` : ''}, received ${kindOf(input)}`,
  })

/** Three of them. */
export const point = (unit: FieldUnit, text: string) => {
  const one = quantity(unit)
  return z.tuple([one, one, one]).describe(text)
}

export const positive = (text: string, unit: FieldUnit) => quantity(unit, positiveNumber()).describe(text)
export const notNegative = (text: string, unit: FieldUnit) =>
  quantity(unit, notNegativeNumber()).describe(text)

/** A function of f or t, or what does not vary: a number, or [re, im]. */
export type Expression = { formula: Formula } | number | [re: number, im: number]

/** A text that is a constant, complex too, or a function of f [Hz] or t [s], in the field's unit. */
export const expression = (unit: FieldUnit, variable: Variable) =>
  said<Expression>((text) => {
    const formula = parseExpression(text, unit, variable)
    if (varies(formula)) return { formula }
    const [re, im] = parseConstant(text, unit)
    if (Math.hypot(re, im) > MOST) throw new InputError(`${text} is beyond ${MOST}`)
    return im === 0 ? re : [re, im]
  })

/** The texts among given values that were read as numbers and functions, by their places; undefined where there are none. */
export function expressionsIn(given: unknown, read: unknown): Record<string, string> | undefined {
  const found: [string, string][] = []
  const walk = (one: unknown, made: unknown, at: string): void => {
    if (typeof one === 'string' && typeof made !== 'string' && made !== undefined) found.push([at, one])
    if (typeof one !== 'object' || one === null || typeof made !== 'object' || made === null) return
    for (const [key, value] of Object.entries(one))
      if (Object.hasOwn(made, key))
        walk(value, (made as Record<string, unknown>)[key], at ? `${at}.${key}` : key)
  }
  walk(given, read, '')
  return found.length > 0 ? Object.fromEntries(found) : undefined
}

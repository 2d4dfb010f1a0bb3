import { createRequire } from 'node:module'
import type { FunctionNode, MathNode, OperatorNode, SymbolNode } from 'mathjs'
import { argumentsOf, evaluateFormula, type Formula } from '../scene/formula.js'
import { C0, InputError } from '../scene/index.js'

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/** A number as people write it. @throws InputError */
export function plainNumber(text: string, what: string): number {
  const trimmed = text.trim()
  const value = NUMBER.test(trimmed) ? Number(trimmed) : NaN
  if (!Number.isFinite(value))
    throw new InputError(`${what}: "${text}" is not a number; write it like 12.5 or 1e-3`)
  return value
}

/** Powers of ten of the units of frequency, as they are written. */
const UNIT_POWERS: Record<string, number> = { Hz: 0, kHz: 3, MHz: 6, GHz: 9, THz: 12 }
/** Frequencies without a unit that are lower are slips: GHz left out [Hz]. */
const LEAST_PLAIN = 1e6
/** Above this the unit at the end was not meant for a value that has none [Hz]. */
const MOST_HZ = 1e15

/**
 * Frequencies of a band or list [Hz]: plain numbers of Hz, or numbers with a unit ("9.25GHz", "10 GHz"); the last one's unit is that of
 * every value without one. @throws InputError for what is no frequency, is not positive, or is below 1 MHz and has no unit
 */
export function parseFrequencies(texts: string[], what: string): number[] {
  if (what === '--freq' && texts.some((text) => text.includes(':')))
    throw new InputError(
      `--freq "${texts.join()}" is a range; give single frequencies, or --band f0:f1:n where the command has it`,
    )
  const [, last] = splitUnit(texts.at(-1) ?? '')
  const shared = /^[a-z]*$/i.test(last) ? last : ''
  return texts.map((text) => {
    const [number, own] = splitUnit(text)
    const isNumber = NUMBER.test(number)
    const unit = own || (isNumber ? shared : '')
    const [mantissa, exponent = '0'] = number.toLowerCase().split('e')
    // As if written in Hz: a product with a power of ten would be rounded.
    const hz =
      isNumber && Object.hasOwn(UNIT_POWERS, unit || 'Hz')
        ? Number(`${mantissa}e${Number(exponent) + UNIT_POWERS[unit || 'Hz']}`)
        : isNumber || /[*/^(+]/.test(text)
          ? otherwise(isNumber ? `${number} ${unit}` : text)
          : NaN
    if (!Number.isFinite(hz))
      throw new InputError(
        `${what}: "${own || !isNumber ? text : texts.at(-1)}" is not a frequency; write Hz like 9.25e9, or a unit (${Object.keys(UNIT_POWERS).join(', ')}) like 9.25GHz`,
      )
    if (hz <= 0) throw new InputError(`${what}: ${text} is not above zero; give a positive frequency in Hz`)
    if (isNumber && unit === '' && hz < LEAST_PLAIN)
      throw new InputError(
        `${what}: ${number} has no unit and would be ${hz} Hz; give it one, like ${number}GHz (${number}Hz if that is meant)`,
      )
    if (own === '' && unit !== '' && hz > MOST_HZ)
      throw new InputError(
        `${what}: ${number} takes the unit of the last value and would be ${number} ${unit}; give it a unit of its own, like ${number}Hz`,
      )
    return hz
  })
}

/** A frequency in any other unit, or an expression ("9.25 gigahertz", "c / (3 cm)") [Hz]; NaN for what is none, or has no unit. */
function otherwise(text: string): number {
  try {
    return parseQuantity(`(${text}) / Hz`, '')
  } catch {
    return NaN
  }
}

/** One frequency, as in `parseFrequencies` [Hz]. */
export const parseFrequency = (text: string, what: string): number => parseFrequencies([text], what)[0]

/** A number's text and what stands behind it. */
function splitUnit(text: string): [number: string, unit: string] {
  const match = /^([+-]?[\d.]+(?:e[+-]?\d+)?)\s*(.*)$/i.exec(text.trim())
  return match ? [match[1], match[2]] : [text.trim(), '']
}

/** Units that plain numbers of a field are in, and what it is. */
const FIELD_UNITS = {
  '': 'plain number',
  m: 'length',
  Hz: 'frequency',
  s: 'time',
  deg: 'angle',
  'deg/s': 'rate of rotation',
  'rev/s': 'rate of rotation',
  rpm: 'rate of rotation',
  'm/s': 'velocity',
  'm/s^2': 'acceleration',
  ohm: 'impedance',
  'S/m': 'conductivity',
} as const
export type FieldUnit = keyof typeof FIELD_UNITS

/** Variables of functions: frequency and time. */
const VARIABLES = { f: 'Hz', t: 's' } as const
export type Variable = keyof typeof VARIABLES

/** Longest text that is read. */
const MOST_LETTERS = 500

/** Exponents of mass, length, time, current and angle. */
type Dimensions = readonly number[]
/** Where those are in the dimensions of mathjs, whose others (temperature, amounts, bits) nothing here has. */
const KEPT = [0, 1, 2, 3, 7]
const NONE: Dimensions = KEPT.map(() => 0)
const ANGLE: Dimensions = [0, 0, 0, 0, 1]
const PER_SECOND: Dimensions = [0, 0, -1, 0, 0]

/** A formula in SI units and rad. */
interface Quantity {
  formula: Formula
  dimensions: Dimensions
}

/** Besides the units of mathjs. */
const NAMES: Record<string, Quantity> = {
  i: { formula: 'i', dimensions: NONE },
  j: { formula: 'i', dimensions: NONE },
  pi: { formula: Math.PI, dimensions: NONE },
  e: { formula: Math.E, dimensions: NONE },
  c: { formula: C0, dimensions: [0, 1, -1, 0, 0] },
  rev: { formula: 2 * Math.PI, dimensions: ANGLE },
  rpm: { formula: Math.PI / 30, dimensions: [0, 0, -1, 0, 1] },
}

/** mathjs takes most of a second to load: only where it is needed; `require` opens its files one by one, which a low limit of open files allows. */
const load = (): typeof import('mathjs') =>
  createRequire(import.meta.url)('mathjs') as typeof import('mathjs')

const same = (a: Dimensions, b: Dimensions): boolean => a.every((x, i) => x === b[i])
const refuse = (why: string): never => {
  throw new InputError(why)
}

/**
 * mathjs reads the text, and nothing of it is ever evaluated there: of its tree, numbers, units, operators and functions by name become a
 * formula, and all else is refused.
 */
class Reader {
  private readonly mathjs = load()

  /** @param variable  with the dimensions that it is taken to have */
  constructor(private readonly variable?: { name: string; dimensions: Dimensions }) {}

  read(text: string): Quantity {
    // What is meant as minutes of arc would be a factor.
    if (/°\s*\.?\d/.test(text)) refuse('a number follows a degree sign; give decimal degrees, or arcmin')
    // Alone "in" is also an operator of mathjs.
    const plain = text
      .replace(/\bin\b/g, 'inch')
      .replaceAll('°', ' deg ')
      .replaceAll('−', '-')
    let node: MathNode
    try {
      node = this.mathjs.parse(plain)
    } catch (error) {
      throw new InputError(error instanceof RangeError ? 'it is nested too deeply' : (error as Error).message)
    }
    return this.quantity(node)
  }

  private quantity(node: MathNode): Quantity {
    switch (node.type) {
      case 'ParenthesisNode':
        return this.quantity((node as MathNode & { content: MathNode }).content)
      case 'ConstantNode': {
        const { value } = node as MathNode & { value: unknown }
        if (typeof value !== 'number' || !Number.isFinite(value)) return refuse('it holds what is no number')
        return { formula: value, dimensions: NONE }
      }
      case 'SymbolNode':
        return this.named((node as SymbolNode).name)
      case 'OperatorNode': {
        const { op, args } = node as OperatorNode
        return this.operation(op, args.map((one) => this.quantity(one))) // prettier-ignore
      }
      case 'FunctionNode': {
        const { fn, args } = node as FunctionNode
        const { name } = fn as SymbolNode
        if (
          fn.type !== 'SymbolNode' ||
          !/^[a-z]/.test(name) ||
          name === 'negative' ||
          argumentsOf(name) === 0
        )
          return refuse(`"${short(name ?? fn.toString())}" is not a function that may be used`)
        return this.called(name, args.map((one) => this.quantity(one))) // prettier-ignore
      }
      default:
        return refuse('it is more than numbers, units, operators and functions of numbers')
    }
  }

  private named(name: string): Quantity {
    if (name === this.variable?.name) return { formula: 'x', dimensions: this.variable.dimensions }
    if (Object.hasOwn(NAMES, name)) return NAMES[name]
    if (Object.hasOwn(VARIABLES, name)) return refuse(`no function of ${name} stands here`)
    if (!this.mathjs.Unit.isValuelessUnit(name)) return refuse(`"${short(name)}" is not a unit`)
    const { dimensions, value } = this.mathjs.unit(1, name) as unknown as {
      dimensions: number[]
      value: number
    }
    if (dimensions.some((x, i) => x !== 0 && !KEPT.includes(i)))
      return refuse(`"${short(name)}" is a unit of nothing here`)
    return { formula: value, dimensions: KEPT.map((i) => dimensions[i]) }
  }

  private operation(op: string, of: Quantity[]): Quantity {
    const [a, b] = of
    if (of.length === 1) {
      if (op === '+') return a
      if (op === '-') return { ...a, formula: ['negative', a.formula] }
    } else if (op === '+' || op === '-') {
      if (!same(a.dimensions, b.dimensions)) return refuse('it adds what is of different units')
      return { ...a, formula: [op, a.formula, b.formula] }
    } else if (op === '*' || op === '/') {
      const sign = op === '*' ? 1 : -1
      const dimensions = a.dimensions.map((x, i) => x + sign * b.dimensions[i])
      return { dimensions, formula: [op, a.formula, b.formula] }
    } else if (op === '^') {
      if (!same(b.dimensions, NONE)) return refuse('an exponent has a unit')
      const formula: Formula = ['^', a.formula, b.formula]
      if (same(a.dimensions, NONE)) return { dimensions: NONE, formula }
      const exponent = typeof b.formula === 'number' ? b.formula : -constantOf(b.formula)
      if (!Number.isInteger(exponent)) return refuse('what has a unit is raised to no whole number')
      return { dimensions: a.dimensions.map((x) => x * exponent), formula }
    }
    return refuse(`the operator ${op} is not read`)
  }

  private called(name: string, of: Quantity[]): Quantity {
    const wanted = argumentsOf(name)
    if (of.length !== wanted) return refuse(`${name} takes ${wanted === 1 ? 'one number' : 'two numbers'}`)
    const [{ dimensions, formula: first }] = of
    const formula: Formula = wanted === 1 ? [name, first] : [name, first, of[1].formula]
    if (of.some((one) => !same(one.dimensions, dimensions)))
      return refuse(`${name} takes numbers of one unit`)
    if (name === 'abs' || name === 'min' || name === 'max') return { dimensions, formula }
    if (name === 'sqrt') return { dimensions: dimensions.map((x) => x / 2), formula }
    if (name === 'atan2') return { dimensions: ANGLE, formula }
    const angle = ['sin', 'cos', 'tan'].includes(name) && same(dimensions, ANGLE)
    return angle || same(dimensions, NONE)
      ? { dimensions: ['asin', 'acos', 'atan'].includes(name) ? ANGLE : NONE, formula }
      : refuse(`${name} takes no unit: divide by one, like f / GHz or t / s`)
  }
}

/** The number that is negated; NaN of other formulas. */
const constantOf = (formula: Formula): number =>
  typeof formula === 'object' && formula[0] === 'negative' && typeof formula[1] === 'number'
    ? formula[1]
    : NaN

const short = (text: string): string => (text.length > 40 ? `${text.slice(0, 37)}...` : text)

/**
 * What a text says in a field: numbers, units, + − * / ^ and functions of one or two numbers; i (or j) is the imaginary unit, c the speed of
 * light. A result without unit is in the field's.
 * @param unit      of the field
 * @param variable  f [Hz] or t [s], that it may be a function of: with its unit, as in `f / GHz`, or its number, as in `f / 1e9`
 * @returns the field's value, of x: f [Hz] or t [s]
 * @throws InputError for anything else, and a text that is too long
 */
export function parseExpression(text: string, unit: FieldUnit, variable?: Variable): Formula {
  const said = `"${short(text)}"`
  if (text.length > MOST_LETTERS)
    throw new InputError(`${said} has ${text.length} letters; give ${MOST_LETTERS} at the most`)
  const read = (dimensions?: Dimensions): Formula => {
    const { formula, dimensions: own } = new Reader(
      variable && { name: variable, dimensions: dimensions! },
    ).read(text)
    if (same(own, NONE)) return formula
    if (typeof formula === 'number') return refuse('a number is missing before the unit')
    const { formula: factor, dimensions: wanted } = new Reader().read(unit || '1')
    if (same(own, wanted)) return ['/', formula, factor]
    // Hertz are revolutions in a second where rates are given so.
    if (unit === 'rev/s' && same(own, PER_SECOND)) return formula
    return refuse(`it is no ${FIELD_UNITS[unit]}${unit ? `; give it in ${unit}, or with a unit` : ''}`)
  }
  try {
    if (!variable) return read()
    try {
      return read(new Reader().read(VARIABLES[variable]).dimensions)
    } catch (error) {
      try {
        return read(NONE)
      } catch {
        throw error
      }
    }
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    throw new InputError(`${said} cannot be read: ${error.message}`, { cause: error })
  }
}

/** Whether a formula has its variable in it. */
export const varies = (formula: Formula): boolean =>
  formula === 'x' || (typeof formula === 'object' && formula.slice(1).some((one) => varies(one as Formula)))

/**
 * A constant, free of the rounding of conversions: 5 deg is 5. @returns [re, im]
 * @throws InputError as `parseExpression`, and for what is not finite
 */
export function parseConstant(text: string, unit: FieldUnit): [re: number, im: number] {
  if (text.length <= MOST_LETTERS && /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text.trim()))
    return finite([Number(text), 0], text)
  const [re, im] = evaluateFormula(parseExpression(text, unit), 0)
  return finite([tidy(re), tidy(im)], text)
}

function finite(value: [number, number], text: string): [number, number] {
  if (value.every(Number.isFinite)) return value
  throw new InputError(`"${short(text)}" is no finite number`)
}

/** The decimal number of 15 digits that a result is but for its last rounding. */
function tidy(x: number): number {
  const near = Number(x.toPrecision(15))
  return Math.abs(near - x) <= 2 * Number.EPSILON * Math.abs(x) ? near : x
}

/** A real constant in the field's unit. @throws InputError as `parseConstant`, and for a complex one */
export function parseQuantity(text: string, unit: FieldUnit): number {
  const [re, im] = parseConstant(text, unit)
  if (im !== 0) throw new InputError(`"${short(text)}" is complex; give a real ${FIELD_UNITS[unit]}`)
  return re
}

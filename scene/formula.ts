import { type Complex, multiply } from '../math/complex.js'

/**
 * A function of one variable, complex: a number, the variable `x`, the imaginary unit `i`, or an operation on others, like
 * `['/', 'x', 2e9]`. Plain data, for threads, files and hashes; `formats/expression.ts` makes it of text.
 */
export type Formula = number | 'x' | 'i' | readonly [operation: string, a: Formula, b?: Formula]

const divide = (a: Complex, b: Complex): Complex => {
  const square = b[0] * b[0] + b[1] * b[1]
  const [re, im] = multiply(a, [b[0], -b[1]])
  return [re / square, im / square]
}
const exp = ([re, im]: Complex): Complex => [Math.exp(re) * Math.cos(im), Math.exp(re) * Math.sin(im)]
const log = ([re, im]: Complex): Complex => [Math.log(Math.hypot(re, im)), Math.atan2(im, re)]
const sinh = ([re, im]: Complex): Complex => [Math.sinh(re) * Math.cos(im), Math.cosh(re) * Math.sin(im)]
const cosh = ([re, im]: Complex): Complex => [Math.cosh(re) * Math.cos(im), Math.sinh(re) * Math.sin(im)]
/** sin x = -i sinh(i x), cos x = cosh(i x). */
const sin = (a: Complex): Complex => multiply([0, -1], sinh(multiply([0, 1], a)))
const cos = (a: Complex): Complex => cosh(multiply([0, 1], a))

/** Principal value; with the sign of Math.sqrt's argument where that is real. */
function sqrt([re, im]: Complex): Complex {
  if (im === 0) return re < 0 ? [0, Math.sqrt(-re)] : [Math.sqrt(re), 0]
  const size = Math.sqrt((Math.hypot(re, im) + Math.abs(re)) / 2)
  return re >= 0 ? [size, im / (2 * size)] : [Math.abs(im) / (2 * size), Math.sign(im) * size]
}

function power(a: Complex, b: Complex): Complex {
  if (a[1] === 0 && b[1] === 0 && (a[0] >= 0 || Number.isInteger(b[0]))) return [a[0] ** b[0], 0]
  if (b[1] === 0 && Number.isInteger(b[0]) && b[0] > 0 && b[0] <= 8)
    return Array.from({ length: b[0] - 1 }).reduce<Complex>((product) => multiply(product, a), a)
  return exp(multiply(b, log(a)))
}

/** A function of real numbers: NaN of complex ones, which callers refuse. */
const ofReal =
  (f: (...x: number[]) => number) =>
  (...of: Complex[]): Complex => [of.every(([, im]) => im === 0) ? f(...of.map(([re]) => re)) : NaN, 0]
/** A function with a real counterpart that is more exact. */
const both =
  (real: (x: number) => number, complex: (a: Complex) => Complex) =>
  (a: Complex): Complex =>
    a[1] === 0 ? [real(a[0]), 0] : complex(a)

const OPERATIONS: ReadonlyMap<string, (...of: Complex[]) => Complex> = new Map<
  string,
  (...of: Complex[]) => Complex
>([
  ['+', (a, b) => [a[0] + b[0], a[1] + b[1]]],
  ['-', (a, b) => [a[0] - b[0], a[1] - b[1]]],
  ['negative', (a) => [0 - a[0], 0 - a[1]]],
  ['*', multiply],
  ['/', (a, b) => (b[1] === 0 ? [a[0] / b[0], a[1] / b[0]] : divide(a, b))],
  ['^', power],
  ['sqrt', sqrt],
  ['exp', both(Math.exp, exp)],
  ['log', (a) => (a[1] === 0 && a[0] > 0 ? [Math.log(a[0]), 0] : log(a))],
  ['log10', (a) => (a[1] === 0 && a[0] > 0 ? [Math.log10(a[0]), 0] : divide(log(a), [Math.LN10, 0]))],
  ['sin', both(Math.sin, sin)],
  ['cos', both(Math.cos, cos)],
  ['tan', both(Math.tan, (a) => divide(sin(a), cos(a)))],
  ['sinh', both(Math.sinh, sinh)],
  ['cosh', both(Math.cosh, cosh)],
  ['tanh', both(Math.tanh, (a) => divide(sinh(a), cosh(a)))],
  ['abs', (a) => [Math.hypot(a[0], a[1]), 0]],
  ['asin', ofReal(Math.asin)],
  ['acos', ofReal(Math.acos)],
  ['atan', ofReal(Math.atan)],
  ['atan2', ofReal(Math.atan2)],
  ['min', ofReal(Math.min)],
  ['max', ofReal(Math.max)],
])

/** Operations on two numbers; the others are on one. */
const OF_TWO = new Set(['+', '-', '*', '/', '^', 'atan2', 'min', 'max'])

/** How many numbers an operation takes; 0 for what is none. */
export const argumentsOf = (name: string): number => (OF_TWO.has(name) ? 2 : OPERATIONS.has(name) ? 1 : 0)

/** Value at a real `x`; NaN or infinite where it has none. */
export function evaluateFormula(formula: Formula, x: number): Complex {
  if (typeof formula === 'number') return [formula, 0]
  if (formula === 'x') return [x, 0]
  if (formula === 'i') return [0, 1]
  const [operation, a, b] = formula
  const of = OPERATIONS.get(operation)!
  return b === undefined ? of(evaluateFormula(a, x)) : of(evaluateFormula(a, x), evaluateFormula(b, x))
}

/** Most operations and numbers of a formula, and most of them inside each other: more than what is made of texts of 500 letters. */
const MOST_NODES = 4000
const MOST_DEEP = 600

/** Whether data from outside is a formula. */
export function isFormula(data: unknown): data is Formula {
  let nodes = 0
  const holds = (one: unknown, deep: number): boolean => {
    if (++nodes > MOST_NODES || deep > MOST_DEEP) return false
    if (typeof one === 'number') return Number.isFinite(one)
    if (one === 'x' || one === 'i') return true
    if (!Array.isArray(one) || one.length - 1 !== argumentsOf(String(one[0]))) return false
    return one.slice(1).every((next) => holds(next, deep + 1))
  }
  return holds(data, 0)
}

import { expect, it } from 'vitest'
import { argumentsOf, evaluateFormula, type Formula, isFormula } from '../../scene/formula.js'

const at = (formula: Formula, x = 0): [number, number] => [...evaluateFormula(formula, x)]
const z: Formula = ['+', 'x', ['*', 'i', 0.7]]

it('functions of complex numbers meet their identities', () => {
  const one = (formula: Formula, x: number): void => {
    const [re, im] = at(formula, x)
    expect(re).toBeCloseTo(1, 12)
    expect(im).toBeCloseTo(0, 12)
  }
  for (const x of [-1.3, -0.2, 0.4, 2.1]) {
    one(['+', ['^', ['sin', z], 2], ['^', ['cos', z], 2]], x)
    one(['-', ['^', ['cosh', z], 2], ['^', ['sinh', z], 2]], x)
    one(['/', ['^', ['sqrt', z], 2], z], x)
    one(['/', ['exp', ['log', z]], z], x)
    one(['/', ['^', z, 3], ['*', z, ['*', z, z]]], x)
    one(['/', ['^', z, 0.5], ['sqrt', z]], x)
    one(['/', ['tan', z], ['/', ['sin', z], ['cos', z]]], x)
    one(['*', ['tanh', z], ['/', ['cosh', z], ['sinh', z]]], x)
    one(['-', ['/', ['+', z, z], z], 1], x)
    one(['/', ['log10', z], ['/', ['log', z], Math.LN10]], x)
  }
})

it('functions of real numbers are those of Math, also where their values are complex', () => {
  for (const name of [
    'exp',
    'sin',
    'cos',
    'tan',
    'sinh',
    'cosh',
    'tanh',
    'asin',
    'acos',
    'atan',
    'sqrt',
    'log',
    'log10',
    'abs',
  ] as const)
    // prettier-ignore
    expect(at([name, 'x'], 0.3), name).toEqual([Math[name](0.3), 0])
  expect(at(['sqrt', -4])).toEqual([0, 2])
  expect(at(['log', -1])).toEqual([0, Math.PI])
  expect(at(['^', -2, 3])).toEqual([-8, 0])
  expect(at(['atan2', 1, -1])).toEqual([Math.atan2(1, -1), 0])
  expect(at(['max', 2, 3])).toEqual([3, 0])
  expect(at(['asin', z])).toEqual([NaN, 0])
})

it('data from outside is a formula when every operation has its numbers', () => {
  expect(isFormula(['/', 'x', ['negative', 2]])).toBe(true)
  let deep: unknown = 1
  for (let i = 0; i < 10_000; i++) deep = ['sqrt', deep]
  for (const data of [
    NaN,
    'y',
    [],
    ['sin'],
    ['+', 1],
    ['sin', 1, 2],
    ['constructor', 1],
    { 0: '+' },
    null,
    deep,
  ])
    expect(isFormula(data)).toBe(false)
  expect(argumentsOf('constructor')).toBe(0)
  // A text of 500 letters may be as deep as that.
  const text = (letters: number): unknown => (letters === 0 ? 'x' : ['negative', text(letters - 1)])
  expect(isFormula(text(500))).toBe(true)
})

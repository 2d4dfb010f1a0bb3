import { describe, expect, it } from 'vitest'
import { type FieldUnit, parseConstant, parseExpression, parseQuantity } from '../../formats/expression.js'
import { InputError } from '../../scene/index.js'
import { evaluateFormula } from '../../scene/formula.js'

const refusal = (text: string, unit: FieldUnit = ''): string => {
  try {
    return `read as ${String(parseConstant(text, unit))}`
  } catch (error) {
    expect(error, text).toBeInstanceOf(InputError)
    return (error as Error).message
  }
}

describe('a text in a field', () => {
  it.each([
    ['2.5 in', 'm', 0.0635],
    ['10 ft + 3 in', 'm', 3.1242],
    ['c / (4 * 10 GHz)', 'm', 299792458 / 4e10],
    ['1/3', 'm', 1 / 3],
    ['7', 'm', 7],
    ['3 rev/s', 'rev/s', 3],
    ['3 rev/s', 'rpm', 180],
    ['180 rpm', 'rev/s', 3],
    ['3 Hz', 'rev/s', 3],
    ['72 deg/s', 'rev/s', 0.2],
    ['10 GHz', 'Hz', 10e9],
    ['1 / (2 us)', 'Hz', 500e3],
    ['5 deg', 'deg', 5],
    ['−5°', 'deg', -5],
    ['30 arcmin', 'deg', 0.5],
    ['(pi/4) rad', 'deg', 45],
    ['atan2(1, 1)', 'deg', 45],
    ['asin(1)', 'deg', 90],
    ['acos(0) + 5°', 'deg', 95],
    ['tan(atan(2))', '', 2],
    ['36 km/h', 'm/s', 10],
    ['9.81 m/s^2', 'm/s^2', 9.81],
    ['10 mS/cm', 'S/m', 1],
    ['0.377 kohm', 'ohm', 377],
  ] as const)('%s in a field of %s is %d', (text, unit, value) => {
    expect(parseQuantity(text, unit)).toBe(value)
  })

  it('is a complex number where one may stand', () => {
    expect(parseConstant('5 - 1.5i', '')).toEqual([5, -1.5])
    expect(parseConstant('5 - 1.5j', '')).toEqual([5, -1.5])
    expect(parseConstant('(30 + 5i) ohm', 'ohm')).toEqual([30, 5])
    expect(() => parseQuantity('5 - 1.5i', 'm')).toThrow('"5 - 1.5i" is complex; give a real length')
  })

  it.each([
    ['5 s', 'm', 'it is no length; give it in m'],
    ['2 m', '', 'it is no plain number'],
    ['1 m + 1 s', 'm', 'it adds what is of different units'],
    ['3 Hz', 'deg/s', 'it is no rate of rotation'],
    ['20 degC', '', '"degC" is a unit of nothing here'],
    ['2 parsnips', 'm', '"parsnips" is not a unit'],
    ['sin(3 m)', '', 'sin takes no unit'],
    ['2^(3 m)', '', 'an exponent has a unit'],
    ['f / GHz', '', 'no function of f stands here'],
    ['2 +', 'm', 'cannot be read'],
    ['5° 30', 'deg', 'a number follows a degree sign'],
    ['asin(0.5)', '', 'it is no plain number'],
    ['mm', 'm', 'a number is missing before the unit'],
    ['', 'm', 'cannot be read'],
    ['1/0', 'm', 'is no finite number'],
  ] as const)('%s in a field of %s is refused: %s', (text, unit, message) => {
    expect(refusal(text, unit)).toContain(message)
  })

  it('can do nothing but arithmetic', () => {
    for (const text of [
      'import("fs")',
      'import({pi: 3}, {override: true})',
      'createUnit("furlong")',
      'f = 3',
      'pi = 3',
      'f(x) = x',
      '2; 3',
      '"abc"',
      '[1, 2; 3, 4]',
      'ones(100000, 100000)',
      'range(1, 1e9)',
      '1:1e9',
      '{a: 1}',
      'a.b',
      'constructor',
      'cos.constructor("return process")()',
      'cos.constructor',
      'toString',
      'hasOwnProperty("x")',
      '__proto__',
      'evaluate("2")',
      'parse("2")',
      'simplify("2")',
      'unit("2 m")',
      'factorial(1e9)',
      '170!',
      'random()',
      'negative(1)',
      'true',
      '1 < 2',
      '1 ? 2 : 3',
      '5 cm to m',
      'f(2)',
      '1e400',
      '9^9^9^9',
    ])
      expect(refusal(text), text).toMatch(/^".*" (cannot be read: .+|is no finite number)$/)
  })

  it('is bounded in length, and read in bounded time', () => {
    expect(refusal(`${'('.repeat(1e6)}1${')'.repeat(1e6)}`)).toContain('has 2000001 letters; give 500')
    expect(refusal(`${'('.repeat(240)}1${')'.repeat(240)}`)).toMatch(/read as 1|nested too deeply/)
    expect(refusal('1'.repeat(600))).toContain('has 600 letters; give 500')
    expect(refusal('9^'.repeat(249) + '9')).toBe(`"${'9^'.repeat(18)}9..." is no finite number`)
    expect(refusal('-'.repeat(499) + '1')).toMatch(/read as -1|nested too deeply/)
  })

  it('may be a function of f or t, of the quantity or of its number', () => {
    for (const text of ['1 + 4 / (1 + i f / (2 GHz))', '1 + 4 / (1 + j f / 2e9)']) {
      expect(evaluateFormula(parseExpression(text, '', 'f'), 2e9)).toEqual([3, -2])
      expect(evaluateFormula(parseExpression(text, '', 'f'), 0)).toEqual([5, 0])
    }
    for (const text of ['20 m/s * t', '20 t', 't * 72 km/h'])
      expect(evaluateFormula(parseExpression(text, 'm', 't'), 1.5)[0]).toBeCloseTo(30, 12)
    for (const text of ['5 deg * sin(3 rev/s * t)', '5 sin(6 pi t)'])
      expect(evaluateFormula(parseExpression(text, 'deg', 't'), 1 / 12)[0]).toBeCloseTo(5, 12)
    expect(() => parseExpression('f + 3 m', '', 'f')).toThrow('it adds what is of different units')
    expect(() => parseExpression('20 m * t', 'm', 'f')).toThrow('no function of t stands here')
  })
})

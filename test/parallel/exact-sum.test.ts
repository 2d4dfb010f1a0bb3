import { expect, test } from 'vitest'
import { addExactly, exactQuantum, staysExact } from '../../math/exact-sum.js'
import { sameBytes } from '../helpers/sbr.js'
import { random } from '../helpers/random.js'

test('sums on the grid are exact: any order and grouping gives the same bytes', () => {
  const next = random(3)
  const bound = 37.5
  const grid = exactQuantum(bound)
  expect(Number.isInteger(Math.log2(grid))).toBe(true)
  const values = Array.from({ length: 3000 }, () =>
    Float64Array.from({ length: 8 }, () => ((next() - 0.5) * bound * 10 ** (-8 * next())) / 100),
  )
  const straight = new Float64Array(8)
  for (const v of values) addExactly(straight, v, grid)
  for (let trial = 0; trial < 20; trial++) {
    const shuffled = values
      .map((v) => ({ v, key: next() }))
      .sort((a, b) => a.key - b.key)
      .map(({ v }) => v)
    const total = new Float64Array(8)
    for (let i = 0; i < shuffled.length;) {
      const part = new Float64Array(8)
      for (const end = i + 1 + Math.floor(200 * next()); i < Math.min(end, shuffled.length); i++)
        addExactly(part, shuffled[i], grid)
      part.forEach((x, c) => (total[c] += x))
    }
    expect(sameBytes(total, straight)).toBe(true)
  }
  for (let c = 0; c < 8; c++) {
    const plain = values.reduce((s, v) => s + v[c], 0)
    expect(Math.abs(straight[c] - plain)).toBeLessThan((3000 / 2) * grid)
  }
})

test('a total that was too large to be exact, or not a number, is told', () => {
  const grid = exactQuantum(1)
  expect(staysExact(Float64Array.of(1, -1.9, 0), grid)).toBe(true)
  expect(staysExact(Float64Array.of(2 ** 53 * grid), grid)).toBe(false)
  expect(staysExact(Float64Array.of(0, NaN), grid)).toBe(false)
  expect(staysExact(Float64Array.of(-Infinity), grid)).toBe(false)
})

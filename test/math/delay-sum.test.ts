import { describe, expect, it, test } from 'vitest'
import { frequency, wavenumber } from '../../scene/index.js'
import { DelaySum } from '../../rays/delay-sum.js'
import { addExactly } from '../../math/exact-sum.js'
import { random } from '../helpers/random.js'
import { SpreadingKernel } from '../../math/chebyshev.js'
import { rows } from '../scene/shapes.js'

describe('DelaySum', () => {
  for (const [width, tolerance] of rows('7 4e-6, 11 2e-9'))
    for (const n of [1, 12, 127, 128, 129])
      it(`equals the sum of exponentials over ${n} frequencies to ${tolerance}, for delays beyond the unambiguous range too`, () => {
        const band = { f0: 9.25e9, df: n > 1 ? 1.5e9 / (n - 1) : 0, n }
        const next = random(n)
        const sum = new DelaySum(band, 4, width)
        const want = new Float64Array(8 * n)
        sum.reset()
        let scale = 0
        for (let i = 0; i < 200; i++) {
          const tau = i === 0 ? 0 : 200 * next() - 100
          const a = Float64Array.from({ length: 8 }, () => 2 * next() - 1)
          scale += 1
          sum.add(tau, a)
          for (let f = 0; f < n; f++) {
            const [c, s] = [
              Math.cos(wavenumber(frequency(band, f)) * tau),
              Math.sin(wavenumber(frequency(band, f)) * tau),
            ]
            for (let p = 0; p < 8; p += 2) {
              want[8 * f + p] += c * a[p] - s * a[p + 1]
              want[8 * f + p + 1] += s * a[p] + c * a[p + 1]
            }
          }
        }
        sum.finish()
        for (let f = 0; f < n; f++)
          for (let p = 0; p < 8; p++)
            expect(Math.abs(sum.values[sum.rowOf(f) + p] * sum.factor(f) - want[8 * f + p])).toBeLessThan(
              tolerance * Math.sqrt(scale),
            )
      })

  it('moves rounded values onto totals, and nothing twice', () => {
    const band = { f0: 9.25e9, df: 1e7, n: 60 }
    const next = random(5)
    const spacing = 2 ** -30
    const sum = new DelaySum(band, 4, 7)
    const total = new Float64Array(sum.values.length)
    const want = new Float64Array(sum.values.length)
    for (let part = 0; part < 3; part++) {
      const alone = new DelaySum(band, 4, 7)
      for (let i = 0; i < 5; i++) {
        const tau = 50 * next()
        const amplitudes = Float64Array.from({ length: 8 }, () => 2 * next() - 1)
        sum.add(tau, amplitudes)
        alone.add(tau, amplitudes)
      }
      sum.drain(total, spacing)
      addExactly(want, alone.values, spacing)
    }
    expect(want.some((x) => x !== 0)).toBe(true)
    expect(total).toEqual(want)
    expect(sum.values.every((x) => x === 0)).toBe(true)
  })

  it('adds shared amplitudes at delays collected before, turned by a quarter or not, as one by one', () => {
    const band = { f0: 9.25e9, df: 1.5e9 / 63, n: 64 }
    const next = random(11)
    const [one, many] = [new DelaySum(band, 4, 7), new DelaySum(band, 4, 7)]
    for (let group = 0; group < 20; group++) {
      const quarter = group % 2 === 1
      const real = Float64Array.from({ length: 4 }, () => 2 * next() - 1)
      const complex = new Float64Array(8)
      real.forEach((a, c) => (complex[2 * c + (quarter ? 1 : 0)] = a))
      for (let i = 0; i < 1 + 3 * group; i++) {
        const tau = 10 * next() + 0.1 * i
        one.add(tau, complex)
        many.collect(tau, quarter)
      }
      many.addCollected(real)
    }
    // Nothing is left to be added twice.
    many.addCollected(new Float64Array(4).fill(1))
    const [a, b] = [one, many].map((sum) => sum.values)
    expect(Math.max(...a)).toBeGreaterThan(1)
    a.forEach((x, i) => expect(Math.abs(x - b[i])).toBeLessThan(1e-12))
    const [total, rest] = [new Float64Array(b.length), new Float64Array(b.length)]
    many.drain(total, 2 ** -40)
    many.drain(rest, 2 ** -40)
    a.forEach((x, i) => expect(Math.abs(x - total[i])).toBeLessThan(2 ** -40))
    expect(rest.every((x) => x === 0)).toBe(true)
  })
})

/** Error of one delay that a width allows, as measured (docs/numerics.md). */
const ALLOWED: [number, number][] = [
  [5, 3.8e-4],
  [6, 3.1e-5],
  [7, 2.7e-6],
  [8, 3.9e-7],
  [11, 8e-10],
]

test.each(ALLOWED)(
  '%s points: the polynomials stay within a thirtieth of %s of the kernel',
  (width, allowed) => {
    const kernel = SpreadingKernel.of(width)
    const next = random(width)
    // Points of the grid, half-way between them, and any.
    for (const position of [0, 0.5, 3, 7.5, ...Array.from({ length: 500 }, () => 40 * next())]) {
      const first = kernel.at(position)
      expect(first - position).toBeGreaterThanOrEqual(-width / 2)
      expect(first - position).toBeLessThan(1 - width / 2)
      for (let i = 0; i < kernel.weight.length; i++) {
        const x = (first + i - position) * (2 / width)
        const want = i < width ? Math.exp(2.3 * width * (Math.sqrt(Math.max(0, 1 - x * x)) - 1)) : 0
        expect(Math.abs(kernel.weight[i] - want)).toBeLessThan(allowed / 30)
      }
    }
  },
)

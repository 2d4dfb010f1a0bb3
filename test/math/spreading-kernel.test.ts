import { expect, test } from 'vitest'
import { SpreadingKernel } from '../../math/chebyshev.js'
import { random } from '../helpers/random.js'

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

import { expect, test } from 'vitest'
import { sincDifference } from '../../math/fresnel.js'

test('differences of sinc keep their digits', () => {
  // Integral of cos(xt) over 0..1: the difference is -2 int sin((2x-d)t/2) sin(dt/2) dt, by Simpson's rule.
  const reference = (x: number, d: number): number => {
    const f = (t: number): number => -2 * Math.sin((x - d / 2) * t) * Math.sin((d * t) / 2)
    const m = 2000
    let sum = f(0) + f(1)
    for (let i = 1; i < m; i++) sum += (i % 2 ? 4 : 2) * f(i / m)
    return sum / (3 * m)
  }
  for (const x of [0, 1e-8, 0.1, 0.499, 0.501, 1.3, Math.PI, 4, -2])
    for (const d of [1e-18, 1e-9, 1e-3, 0.2, -0.7, 2, 2.6]) {
      const want = reference(x, d)
      expect(Math.abs(sincDifference(x, d) - want), `${x}, ${d}`).toBeLessThan(
        1e-11 * Math.abs(d) * (Math.abs(x) + Math.abs(d)),
      )
    }
  expect(sincDifference(1.2, 0)).toBe(0)
})

import { describe, expect, it } from 'vitest'
import { DelaySum } from '../../cpu-diffraction/delay-sum.js'
import { sinc, sincDifference } from '../../cpu-diffraction/sinc.js'
import { frequency, wavenumber } from '../../scene/band.js'
import { random } from './scenes.js'

describe('DelaySum', () => {
  for (const n of [1, 12, 127, 128, 129])
    it(`equals the sum of exponentials over ${n} frequencies, for delays beyond the unambiguous range too`, () => {
      const band = { f0: 9.25e9, df: n > 1 ? 1.5e9 / (n - 1) : 0, n }
      const next = random(n)
      const sum = new DelaySum(band, 4)
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
            2e-9 * Math.sqrt(scale),
          )
    })
})

describe('sinc', () => {
  it('has its known values', () => {
    expect(sinc(0)).toBe(1)
    expect(sinc(Math.PI / 2)).toBeCloseTo(2 / Math.PI, 15)
    expect(sinc(-0.01)).toBeCloseTo(Math.sin(0.01) / 0.01, 15)
    expect(sinc(0.00999)).toBeCloseTo(sinc(0.01001), 6)
  })

  it('has differences that keep their digits', () => {
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
})

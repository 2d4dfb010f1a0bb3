import { describe, expect, it } from 'vitest'
import { frequency, wavenumber } from '../../scene/band.js'
import { DelaySum } from '../../scene/delay-sum.js'
import { addExactly } from '../../scene/exact-sum.js'
import { random } from '../cpu-diffraction/scenes.js'

describe('DelaySum', () => {
  for (const [width, tolerance] of [
    [7, 4e-6],
    [11, 2e-9],
  ])
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
})

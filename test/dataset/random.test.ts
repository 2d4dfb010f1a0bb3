import { describe, expect, it } from 'vitest'
import { gammaCdf, gammaOfNormal, philox, Random } from '../../math/random.js'

describe('counter-based random numbers', () => {
  it('are Philox-4x32-10: the known answers of Random123', () => {
    const hex = (words: number[]): string => words.map((w) => w.toString(16).padStart(8, '0')).join(' ')
    expect(hex(philox([0, 0, 0, 0], [0, 0]))).toBe('6627e8d5 e169c58d bc57ac4c 9b00dbd8')
    const ones = 0xffffffff
    expect(hex(philox([ones, ones, ones, ones], [ones, ones]))).toBe('408f276d 41c83b0e a20bc7c6 6d5451fd')
    expect(hex(philox([0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344], [0xa4093822, 0x299f31d0]))).toBe(
      'd16cfe09 94fdcceb 5001e420 24126ea1',
    )
  })

  it('depend on seed, purpose and place alone', () => {
    const draw = (seed: number, purpose: number, a: number, b: number): number[] => {
      const r = new Random(seed, purpose, a, b)
      return [r.uniform(), r.normal(), r.normal(), r.uniform()]
    }
    expect(draw(7, 1, 2, 3)).toEqual(draw(7, 1, 2, 3))
    for (const other of [
      [8, 1, 2, 3],
      [7, 2, 2, 3],
      [7, 1, 3, 3],
      [7, 1, 2, 4],
      [7 + 2 ** 32, 1, 2, 3],
    ] as const)
      // prettier-ignore
      expect(draw(...(other as [number, number, number, number]))).not.toEqual(draw(7, 1, 2, 3))
  })

  it('have the moments of their distributions', () => {
    const r = new Random(1, 1)
    const n = 40_000
    const u = Array.from({ length: n }, () => r.uniform())
    const z = Array.from({ length: n }, () => r.normal())
    const mean = (x: number[]): number => x.reduce((a, b) => a + b, 0) / x.length
    expect(Math.abs(mean(u) - 0.5)).toBeLessThan(0.006)
    expect(Math.abs(mean(z))).toBeLessThan(0.02)
    expect(Math.abs(mean(z.map((x) => x * x)) - 1)).toBeLessThan(0.03)
    expect(Math.abs(mean(z.map((x) => x ** 4)) - 3)).toBeLessThan(0.2)
    expect(new Random(3, 1).permutation(50).sort((a, b) => a - b)).toEqual([...Array(50).keys()])
  })
})

describe('gamma variables from normal ones', () => {
  it('have the incomplete gamma function’s values', () => {
    // P(1, x) = 1 - exp(-x), P(2, x) = 1 - (1 + x) exp(-x), P(1/2, x) = erf(sqrt x)
    expect(gammaCdf(1, 0.7)).toBeCloseTo(1 - Math.exp(-0.7), 13)
    expect(gammaCdf(2, 5)).toBeCloseTo(1 - 6 * Math.exp(-5), 13)
    expect(gammaCdf(0.5, 1)).toBeCloseTo(0.8427007929497149, 12)
  })

  it.each([0.5, 2, 10])('have mean 1 and variance 1 / shape, for shape %d', (shape) => {
    const toGamma = gammaOfNormal(shape)
    // Expectation over the normal distribution by the trapezoidal rule.
    let [sum, mean, square] = [0, 0, 0]
    for (let z = -6; z <= 6; z += 0.01) {
      const w = Math.exp((-z * z) / 2)
      sum += w
      mean += w * toGamma(z)
      square += w * toGamma(z) ** 2
    }
    expect(mean / sum).toBeCloseTo(1, 3)
    expect((square / sum - (mean / sum) ** 2) * shape).toBeCloseTo(1, 2)
  })
})

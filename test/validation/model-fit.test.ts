import { describe, expect, it } from 'vitest'
import { coverage, fitFactors, type Sample } from '../../reproduction/model-fit.js'

/** Numbers between 0 and 1, the same in every run. */
function random(seed: number): () => number {
  let state = seed
  return () => (state = (16807 * state) % 2147483647) / 2147483647
}

describe('factors of the model error', () => {
  const next = random(7)
  // |error|^2 of a complex Gaussian is exponential, with the mean 2 a + 0.5 b.
  const curves = Array.from({ length: 10 }, () =>
    Array.from({ length: 200 }, (): Sample => {
      const terms: [number, number] = [next() ** 4, 0.2 * next()]
      const error = Math.sqrt(-Math.log(next()) * (2 * terms[0] + 0.5 * terms[1]))
      return { amplitude: 1, error, terms }
    }),
  )

  it('are found again in errors made with them, and cover the share asked for', () => {
    const [a, b] = fitFactors(curves, 0.9)
    // 90 % of exponential numbers lie below ln 10 times their mean.
    expect(a / (2 * Math.LN10)).toBeCloseTo(1, 1)
    expect(b / (0.5 * Math.LN10)).toBeCloseTo(1, 0)
    const covered = curves.map((curve) => coverage(curve, [a, b]).covered)
    expect(covered.reduce((x, y) => x + y) / covered.length).toBeCloseTo(0.9, 3)
  })

  it('count curves the same, however many results they have', () => {
    const long = Array.from({ length: 1000 }, (): Sample => ({ amplitude: 1, error: 1, terms: [1, 0] }))
    const short = long.slice(0, 10).map((s) => ({ ...s, error: 3 }))
    expect(fitFactors([long, short], 0.5)[0]).toBeCloseTo(1, 9)
    expect(fitFactors([long, short], 0.6)[0]).toBeCloseTo(9, 9)
  })

  it('give bars in decibels of the results', () => {
    const { covered, barDb } = coverage([{ amplitude: 1, error: 0.5, terms: [1, 1] }], [0.5, 0.5])
    expect([covered, barDb]).toEqual([1, expect.closeTo(20 * Math.log10(2), 12)])
  })
})

import { describe, expect, it } from 'vitest'
import { complexError, curveErrors, dbErrors, decibels, ZERO_DB } from '../../src/validate/errors.js'
import { readColumns } from '../../src/validate/definition.js'
import { miePec } from '../../src/validate/kinds/sphere.js'
import { coverage, fitFactors, type Sample } from '../../reproduction/model-fit.js'

describe('errors of curves', () => {
  it('are those of a hand calculation', () => {
    const e = dbErrors([1, 2, 3, 10], [0, 2, 5, 10])
    expect(e.rmsDb).toBeCloseTo(Math.sqrt(5 / 4), 12)
    expect(e.medianDb).toBe(0.5)
    expect(e.maxDb).toBe(2)
    expect(e.biasDb).toBe(-0.25)
    expect(e.points).toBe(4)
    // Sums of (x - 4)(y - 4.25) and of the squares.
    expect(e.correlation).toBeCloseTo(51 / Math.sqrt(50 * 56.75), 12)
  })

  it('are nothing below the floor, and of the clipped part above it', () => {
    // Floor at -30: both lie under it.
    expect(dbErrors([0, -80], [0, -35]).maxDb).toBe(0)
    expect(dbErrors([0, -80], [0, -25]).maxDb).toBe(5)
    expect(dbErrors([0, -80], [0, -25], { floorDb: 100 }).maxDb).toBe(55)
  })

  it('are stated at floors of 30, 45 and 60 dB whatever the case’s own', () => {
    // The second and third points are clipped to nothing at 30 dB; to 5 and 0, and to 20 and 10 dB of difference at 45 and 60.
    const { rmsDb, rmsAtFloors } = dbErrors([0, -40, -50], [0, -80, -80], { floorDb: 40 })
    const rms = (...x: number[]): number => Math.hypot(...x) / Math.sqrt(3)
    expect(rmsDb).toBe(0)
    expect(rmsAtFloors).toEqual([0, rms(5), rms(20, 10)].map((x) => expect.closeTo(x, 12) as number))
  })

  it('leave out what is too far below the maximum, and what is stated apart', () => {
    expect(dbErrors([0, 0, 9], [0, -20, -40], { floorDb: 60, withinDb: 25 }).maxDb).toBe(20)
    expect(dbErrors([0, 0, 9], [0, -20, -40], { floorDb: 60, only: (i) => i !== 1 }).maxDb).toBe(49)
  })

  it('have no correlation with a constant', () => {
    expect(dbErrors([1, 1], [0, 5]).correlation).toBeNull()
  })

  it('are refused for what is not finite', () => {
    expect(() => dbErrors([NaN, 0], [0, 0])).toThrow('point 0')
    expect(() => dbErrors([0], [0], { only: () => false })).toThrow('no point')
  })

  it('take zero as -300 dB', () => {
    expect(decibels(0)).toBe(ZERO_DB)
    expect(decibels(100)).toBe(20)
    expect(complexError([1, 1], [1, 0])).toBe(1)
  })

  it('of amplitudes are in dB with a floor of 30 dB, and complex without one', () => {
    const a = Float64Array.of(1, 0, 0, 0.5, 0.01, 0)
    expect(curveErrors(a, a)).toEqual({ db: 0, complex: 0 })
    expect(curveErrors(Float64Array.of(0.5, 0), Float64Array.of(1, 0)).complex).toBeCloseTo(0.5, 12)
    // The third point of both lies below the floor.
    expect(curveErrors(Float64Array.of(1, 0, 0, 0.5, 0.003, 0), a).db).toBe(0)
  })
})

it('the Mie series is that of the reference tables, ka = 1 to 200, at every bistatic angle', () => {
  const table = readColumns('test/validation/analytic/a_mie_pec_bistatic.csv')
  const [ka, angle, e, h] = [
    'ka',
    'theta_from_forward_deg',
    'sigma_over_pi_a2_Eplane_db',
    'sigma_over_pi_a2_Hplane_db',
  ].map(table.column)
  expect(new Set(ka)).toEqual(new Set([1, 2, 5, 10, 20, 100, 200]))
  let worst = 0
  for (let i = 0; i < table.rows; i++) {
    const mie = miePec(ka[i], angle[i])
    worst = Math.max(worst, Math.abs(decibels(mie.e) - e[i]), Math.abs(decibels(mie.h) - h[i]))
  }
  // The tables have six decimals; nulls are deepest where the series cancel most.
  expect(worst).toBeLessThan(1e-5)
})

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

import { describe, expect, it } from 'vitest'
import { complexError, curveErrors, dbErrors, decibels, ZERO_DB } from '../../src/validate/errors.js'

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

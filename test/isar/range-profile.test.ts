import { describe, expect, it } from 'vitest'
import { rangeProfile, WINDOWS } from '../../isar/index.js'
import { C0 } from '../../scene/index.js'
import { linspace, pointHistory } from './points.js'

const freq = linspace(9.25e9, 10.75e9, 60)
const oneAspect = (at: [number, number, number], re: number) =>
  pointHistory([{ at, re }], freq, 90, Float64Array.of(0)).f

describe('rangeProfile', () => {
  it.each(WINDOWS)('%s: a point stands at its range with its RCS', (window) => {
    const { profile, rangeM } = rangeProfile(freq, oneAspect([-1.5, 0.7, 0], 2), {
      window,
      rangeM: [-2.5, 2.5],
      count: 250,
    })
    const sigma = Array.from(rangeM, (_, i) => profile[2 * i] ** 2 + profile[2 * i + 1] ** 2)
    const best = sigma.indexOf(Math.max(...sigma))
    expect(rangeM).toHaveLength(250)
    expect(rangeM[best]).toBeCloseTo(1.5, 9) // at x = -1.5, away from a radar on +x
    expect(sigma[best]).toBeCloseTo(16 * Math.PI, 8)
    expect(profile[2 * best]).toBeCloseTo(2 * Math.sqrt(4 * Math.PI), 8)
  })

  it('spans one unambiguous extent by default, four samples to a cell', () => {
    const { rangeM } = rangeProfile(freq, oneAspect([0, 0, 0], 1))
    expect(rangeM.length * (rangeM[1] - rangeM[0])).toBeCloseTo(C0 / (2 * (freq[1] - freq[0])), 9)
    expect(rangeM).toHaveLength(4 * 59)
  })

  it('refuses bad input', () => {
    expect(() => rangeProfile(freq, new Float64Array(4))).toThrow(/2 samples for 60 frequencies/)
    expect(() => rangeProfile(freq, new Float64Array(120).fill(NaN))).toThrow(/sample 0 is NaN/)
  })
})

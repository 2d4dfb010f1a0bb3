import { expect, it } from 'vitest'
import { type Band, frequency, wavenumber } from '../../scene/index.js'
import { bandsOfSteps, boundsOf, frequencies, middleWavelength } from '../../scene/band.js'

const BAND: Band = { f0: 1.5e9, df: 0.11e9, n: 64 }

it('a band has its frequencies in order in its parts, each in its own half octave', () => {
  const parts = bandsOfSteps(BAND)
  expect(parts.length).toBeGreaterThan(5)
  const all = parts.flatMap((part) => Array.from(frequencies(part)))
  expect(all.length).toBe(BAND.n)
  all.forEach((f, i) => expect(f).toBeCloseTo(frequency(BAND, i), 3))
  for (const part of parts) expect(frequency(part, part.n - 1) / part.f0).toBeLessThan(Math.SQRT2)
  // X band in one step: an image there traces each aspect once.
  expect(bandsOfSteps({ f0: 8.5e9, df: 1e7, n: 331 })).toHaveLength(1)
})

it('parts are divided no further', () => {
  for (const part of bandsOfSteps(BAND)) expect(bandsOfSteps(part)).toEqual([part])
})

it('the middle of a step is geometrically between its bounds, which every part lies within', () => {
  for (const part of bandsOfSteps(BAND)) {
    const { lowest, highest } = boundsOf(part)
    const middle = (2 * Math.PI) / middleWavelength(part)
    expect(middle / Math.sqrt(lowest * highest)).toBeCloseTo(1, 12)
    expect(highest / lowest).toBeCloseTo(Math.SQRT2, 12)
    for (const f of frequencies(part)) {
      expect(wavenumber(f)).toBeGreaterThanOrEqual(lowest)
      expect(wavenumber(f)).toBeLessThan(highest)
    }
  }
})

import { expect, test, it } from 'vitest'
import {
  frequency,
  highestFrequency,
  uniformBands,
  wavelength,
  wavenumber,
  type Band,
} from '../../scene/index.js'
import { frequencies, bandsOfSteps, boundsOf, middleWavelength } from '../../scene/band.js'

test('frequencies of a band, its highest, and its wavelength', () => {
  const band = { f0: 9e9, df: 0.25e9, n: 5 }
  expect(Array.from(frequencies(band))).toEqual([9e9, 9.25e9, 9.5e9, 9.75e9, 10e9])
  expect(frequency(band, 2)).toBe(9.5e9)
  expect(highestFrequency(band)).toBe(10e9)
  expect(wavelength(299_792_458)).toBe(1)
  expect(wavenumber(299_792_458)).toBeCloseTo(2 * Math.PI, 14)
})

test('a uniform list is one band, any other one band per frequency', () => {
  expect(uniformBands([])).toEqual([])
  expect(uniformBands([3e9])).toEqual([{ f0: 3e9, df: 0, n: 1 }])
  expect(uniformBands([1e9, 2e9, 3e9])).toEqual([{ f0: 1e9, df: 1e9, n: 3 }])
  // What a reader of decimal text gives: uniform but for rounding.
  const text = Array.from({ length: 128 }, (_, i) => Number((9.25e9 + (i * 1.5e9) / 127).toPrecision(15)))
  expect(uniformBands(text)).toHaveLength(1)
  expect(uniformBands([1e9, 2e9, 3.0001e9])).toEqual([
    { f0: 1e9, df: 0, n: 1 },
    { f0: 2e9, df: 0, n: 1 },
    { f0: 3.0001e9, df: 0, n: 1 },
  ])
})

test('every list is represented by its bands, in order', () => {
  for (const list of [[5e9], [1e9, 1.5e9], [1e9, 3e9, 4e9], [2e9, 2.1e9, 2.2e9, 2.3e9]])
    expect(uniformBands(list).flatMap((b) => Array.from(frequencies(b)))).toEqual(list)
})

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

import { expect, it } from 'vitest'
import { withFrequencies } from '../../run/rcs.js'

const table = (freqHz: number[]): Parameters<typeof withFrequencies>[0] =>
  ({ freqHz, fields: { total: [Float64Array.from({ length: 8 * freqHz.length }, (_, i) => i)] } }) as never

it('rows of a table follow the frequencies that were asked for, in their order and as often', () => {
  const { freqHz, fields } = withFrequencies(table([1e9, 2e9, 3e9]), [3e9, 1e9, 3e9])
  expect(freqHz).toEqual([3e9, 1e9, 3e9])
  expect([0, 8, 16].map((at) => fields.total![0][at])).toEqual([16, 0, 16])
})

// A search of the list for each took 200 s for a million frequencies, deaf to Ctrl-C: this test would time out.
it('half a million frequencies take no search of the list for each', () => {
  const freqHz = Array.from({ length: 500_000 }, (_, i) => 1e9 + 1000 * i)
  const found = withFrequencies(table(freqHz), freqHz).freqHz
  expect(found.length).toBe(freqHz.length)
  expect(found.every((f, i) => f === freqHz[i])).toBe(true)
})

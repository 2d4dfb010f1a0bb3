import { describe, expect, it } from 'vitest'
import { rangeDoppler, rangeProfiles, spectrogram } from '../../isar/index.js'
import { C0 } from '../../scene/index.js'

const n = 33
const freqHz = Float64Array.from({ length: n }, (_, m) => 9.5e9 + (m * 1e9) / (n - 1))
const timeS = Float64Array.from({ length: 256 }, (_, p) => 2 + p / 2000)

/** A point of 1 m^2 whose range over time is R(t) [m], away from the radar. */
const point = (range: (t: number) => number, freq = freqHz): Float64Array => {
  const f = new Float64Array(2 * freq.length * timeS.length)
  freq.forEach((hz, m) =>
    timeS.forEach((t, p) => {
      const angle = ((-4 * Math.PI * hz) / C0) * range(t)
      const at = 2 * (m * timeS.length + p)
      f[at] = Math.cos(angle) / Math.sqrt(4 * Math.PI)
      f[at + 1] = Math.sin(angle) / Math.sqrt(4 * Math.PI)
    }),
  )
  return f
}

/** Row, column and level of the largest sample. */
function peak(map: Float64Array, columns: number): { row: number; column: number; level: number } {
  let [at, level] = [0, -1]
  for (let i = 0; i < map.length / 2; i++) {
    const power = map[2 * i] ** 2 + map[2 * i + 1] ** 2
    if (power > level) [at, level] = [i, power]
  }
  return { row: Math.floor(at / columns), column: at % columns, level }
}

describe('a point that approaches at 3 m/s', () => {
  const f = point((t) => 1.2 - 3 * (t - 2))
  const cell = C0 / 2e9

  it('lies at its range and at the Doppler +2v/lambda, with its RCS', () => {
    const { maps, rangeM, dopplerHz } = rangeDoppler({ freqHz, timeS, f }, { pulses: 64, window: 'hann' })
    expect(maps.length).toBe(7)
    const { row, column, level } = peak(maps[0], dopplerHz.length)
    expect(Math.abs(rangeM[row] - (1.2 - 3 * (31.5 / 2000)))).toBeLessThan(cell)
    expect(Math.abs(dopplerHz[column] - (2 * 3 * 10e9) / C0)).toBeLessThan(2000 / 64)
    expect(10 * Math.log10(level)).toBeGreaterThan(-1)
    expect(10 * Math.log10(level)).toBeLessThan(0.01)
  })

  it('moves through range profiles', () => {
    const { profiles, rangeM } = rangeProfiles({ freqHz, timeS, f })
    for (const p of [0, 255]) {
      const column = Float64Array.from({ length: 2 * rangeM.length }, (_, i) => profiles[2 * ((i >> 1) * 256 + p) + (i % 2)]) // prettier-ignore
      expect(Math.abs(rangeM[peak(column, 1).row] - (1.2 - (3 * p) / 2000))).toBeLessThan(cell)
    }
  })

  it('is a line of its RCS in the spectrogram of one frequency', () => {
    const one = Float64Array.of(10e9)
    const history = { freqHz: one, timeS, f: point((t) => -3 * t, one) }
    const { power, dopplerHz, timeS: middles } = spectrogram(history, { pulses: 50, overlap: 0.8 })
    expect(middles.length).toBe(21)
    expect(middles[0]).toBeCloseTo(2 + 24.5 / 2000, 12)
    for (let c = 0; c < middles.length; c++) {
      const column = dopplerHz.map((_, i) => power[i * middles.length + c])
      const most = column.reduce((a, b) => Math.max(a, b))
      expect(Math.abs(dopplerHz[column.indexOf(most)] - (2 * 3 * 10e9) / C0)).toBeLessThan(2000 / 50)
      expect(most).toBeGreaterThan(0.7)
      expect(most).toBeLessThan(1.0001)
    }
  })
})

describe('slow time that makes no sense is refused', () => {
  const f = point(() => 0)
  it.each([
    [{ freqHz, timeS, f: f.subarray(2) }, {}, 'do not fit|samples for'],
    [{ freqHz, timeS: timeS.map((t, i) => t + (i === 9 ? 1e-4 : 0)), f }, {}, 'not uniformly spaced'],
    [{ freqHz, timeS, f }, { pulses: 300 }, 'does not fit 256'],
    [{ freqHz, timeS, f }, { overlap: 1 }, 'overlap 1 is out of range'],
  ])('%#', (history, options, message) => {
    expect(() => spectrogram(history, options)).toThrow(new RegExp(message))
  })
})

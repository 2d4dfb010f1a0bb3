import { describe, expect, it } from 'vitest'
import { coherentGain, WINDOWS, windowSamples, type WindowName } from '../../isar/index.js'
import { db, linspace } from './points.js'

/** |W(x)|^2 relative to its peak, x in cells of 1 / (n - 1) (nominal resolution cells), by direct summation. */
function response(w: Float64Array, cells: number): number {
  let re = 0
  let im = 0
  w.forEach((a, i) => {
    re += a * Math.cos((2 * Math.PI * cells * i) / (w.length - 1))
    im += a * Math.sin((2 * Math.PI * cells * i) / (w.length - 1))
  })
  return (re * re + im * im) / w.reduce((s, a) => s + a, 0) ** 2
}

describe('windows', () => {
  it.each<[WindowName, number, number]>([
    ['none', -13.26, 0.886],
    ['taylor', -35, 1.19],
    ['hamming', -42.7, 1.3],
    ['hann', -31.5, 1.44],
  ])('%s has its sidelobe level %f dB and width %f cells', (name, sidelobeDb, width) => {
    const w = windowSamples(name, 201)
    const at = linspace(0, 30, 6001)
    const levels = Array.from(at, (x) => db(response(w, x)))
    const half = at[levels.findIndex((l) => l < -3.0103)]
    expect(2 * half).toBeCloseTo(width, 1)
    const firstMinimum = levels.findIndex((l, i) => i > 0 && l < levels[i + 1] && l < -10)
    expect(Math.abs(Math.max(...levels.slice(firstMinimum)) - sidelobeDb)).toBeLessThan(0.35)
  })

  it('are positive and symmetric at any length', () => {
    for (const name of WINDOWS)
      for (const n of [1, 2, 3, 8, 33]) {
        const w = windowSamples(name, n)
        expect(Math.min(...w)).toBeGreaterThan(0)
        w.forEach((x, i) => expect(x).toBeCloseTo(w[n - 1 - i], 12))
      }
  })

  it('hamming has its textbook samples', () => {
    expect(Array.from(windowSamples('hamming', 5), (x) => +x.toFixed(12))).toEqual([
      0.08, 0.54, 1, 0.54, 0.08,
    ])
  })

  it('taylor agrees with SciPy (signal.windows.taylor(12, nbar=5, sll=35, norm=False))', () => {
    const half = [
      0.30166374687931563, 0.5205352317076866, 0.853385578482698, 1.1977819561991812, 1.4824029748917973,
      1.6442305118393215,
    ]
    const w = windowSamples('taylor', 12)
    half.forEach((x, i) => expect(w[i]).toBeCloseTo(x, 12))
  })

  it('coherent gain is the mean', () => {
    expect(coherentGain(windowSamples('none', 9))).toBe(1)
    expect(coherentGain(windowSamples('taylor', 40))).toBeCloseTo(1, 12) // its cosines sum to nothing
    expect(coherentGain(windowSamples('hamming', 5))).toBeCloseTo(2.24 / 5, 12)
  })

  it('refuses an unknown name', () => {
    expect(() => windowSamples('kaiser' as WindowName, 8)).toThrow(/unknown window 'kaiser'.*hamming/)
  })
})

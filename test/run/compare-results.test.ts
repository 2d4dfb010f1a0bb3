import { describe, expect, it } from 'vitest'
import {
  AXES,
  type Comparable,
  compareResults,
  formatErrors,
  comparedCurves,
} from '../../src/compare-results.js'

/** Amplitudes F [m] of a level [dBsm] and a phase [degrees]. */
const f = (dbsm: number, degrees = 0): [number, number] => {
  const size = Math.sqrt(10 ** (dbsm / 10) / (4 * Math.PI))
  return [size * Math.cos((degrees * Math.PI) / 180), size * Math.sin((degrees * Math.PI) / 180)]
}

/** A cut over φ; levels [frequency][φ]. */
function cut(
  name: string,
  phi: number[],
  freqHz: number[],
  layers: Record<string, [number, number][]>,
): Comparable {
  return {
    name,
    kind: 'directions',
    unit: 'dBsm',
    scale: 4 * Math.PI,
    freqHz,
    axes: [
      { name: 'theta_deg', ...AXES.theta_deg, values: phi.map(() => 90) },
      { name: 'phi_deg', ...AXES.phi_deg, values: phi },
    ],
    points: phi.length,
    layers: Object.entries(layers).map(([layer, values]) => ({ name: layer, data: values.flat() })),
  }
}

describe('a result compared with another', () => {
  const bare = cut('bare', [0, 10, 20], [1e9], { vv: [f(20), f(0), f(-40)], vh: [f(-290), f(-299), f(-280)] })
  const coated = cut('coated', [0, 10, 20], [1e9], { vv: [f(8), f(-2), f(-60)], vh: [f(-280), f(-285), f(-290)] }) // prettier-ignore

  it('gives rms, the largest difference and its place, mean powers and the complex difference', () => {
    const { differences } = compareResults(bare, coated, 30)
    const [vv] = differences
    // Of -12 and -2 dB: the third point lies below the floor of -10 dBsm in both.
    expect(vv).toMatchObject({ channel: 'vv', freq_hz: 1e9, counted: 2, points: 3 })
    expect(vv.rms_db).toBeCloseTo(Math.sqrt((144 + 4) / 2), 9)
    expect(vv.max!.db).toBeCloseTo(-12, 9)
    expect([vv.max!.reference, vv.max!.result]).toEqual([expect.closeTo(20, 9), expect.closeTo(8, 9)])
    expect(vv.max!.at).toEqual({ freq_hz: 1e9, theta_deg: 90, phi_deg: 0 })
    expect(vv.mean.reference).toBeCloseTo(10 * Math.log10((100 + 1 + 1e-4) / 3), 9)
    expect(vv.mean.db).toBeCloseTo(10 * Math.log10((10 ** 0.8 + 10 ** -0.2 + 1e-6) / 101.0001), 9)
    const amplitude = (db: number): number => 10 ** (db / 20)
    const change = [[20, 8], [0, -2], [-40, -60]].map(([a, b]) => amplitude(a) - amplitude(b)) // prettier-ignore
    expect(vv.complex).toBeCloseTo(Math.hypot(...change) / Math.hypot(10, 1, 0.01), 9)
  })

  it('clips both at the floor, and a deeper floor counts more', () => {
    const deep = compareResults(bare, coated, 70).differences[0]
    expect(deep.counted).toBe(3)
    // Of the third point -40 against the floor of -50 dBsm, at which its -60 is clipped.
    expect(deep.rms_db).toBeCloseTo(Math.sqrt((144 + 4 + 100) / 3), 9)
  })

  it('takes cross-polarisation far below everything for rounding', () => {
    const vh = compareResults(bare, coated, 30).differences[1]
    expect(vh).toMatchObject({ channel: 'vh', counted: 0, rms_db: 0, max: null, complex: null })
    expect(formatErrors(compareResults(bare, coated, 30))).toMatch(/^vh .* – /m)
  })

  it('states phase where levels agree', () => {
    const turned = cut('turned', [0], [1e9], { vv: [f(20, 60)] })
    const [vv] = compareResults(cut('still', [0], [1e9], { vv: [f(20)] }), turned, 30).differences
    expect(vv.rms_db).toBeCloseTo(0, 9)
    expect(vv.complex).toBeCloseTo(1, 9) // 2 sin 30°
  })

  it('compares what both have, each frequency and all together', () => {
    const one = cut('one', [0, 10, 20], [1e9, 2e9], { vv: [f(1), f(2), f(3), f(4), f(5), f(6)] })
    const two = cut('two', [20, 10], [2e9, 3e9, 1e9], { vv: [f(8), f(5), f(0), f(0), f(3), f(3)] })
    const compared = compareResults(one, two, 30)
    expect(compared).toMatchObject({ frequencies: [1e9, 2e9], points: 2, of: { frequencies: 2, points: 3 } })
    const places = compared.differences.map(({ freq_hz, max }) => [freq_hz, Number(max!.db.toFixed(9)), max!.at.phi_deg]) // prettier-ignore
    expect(places).toEqual([
      [null, 2, 20],
      [1e9, 1, 10],
      [2e9, 2, 20],
    ])
    expect(formatErrors(compared)).toContain('2 of 3 directions x 2 frequencies')
  })

  it('refuses what has nothing in common', () => {
    const other = (phi: number, freq: number) => cut('other', [phi], [freq], { vv: [f(0)] })
    expect(() => compareResults(bare, other(0, 2e9), 30)).toThrow(/no frequency of other \(2 GHz\) is one of bare \(1 GHz\)/) // prettier-ignore
    expect(() => compareResults(bare, other(5, 1e9), 30)).toThrow(/none of the directions of other .*φ 5°/)
    expect(() => compareResults(bare, coated, 30, ['hh'])).toThrow('--pol hh: bare has vv, vh')
  })

  it('is drawn on a scale that covers every curve, or says what lies below', () => {
    const low = cut('low', [0, 10, 20], [1e9], { vv: [f(-70), f(-72), f(-200)] })
    const figure = comparedCurves([bare, low], [compareResults(bare, low, 30)], 'vv')
    expect(figure.yRange![0]).toBeLessThanOrEqual(-72)
    expect(figure.subtitle).toContain('low: 1 of 3 samples below the picture')
    expect(figure.series.map(({ x }) => Array.from(x))).toEqual([[0, 10, 20], [0, 10, 20]]) // prettier-ignore
    expect(figure.subtitle).toContain('1 GHz, θ 90°')
  })
})

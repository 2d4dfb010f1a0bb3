import { describe, expect, it } from 'vitest'
import { formImage, PointSpread, scatteringCentres, type WindowName } from '../../isar/index.js'
import { linspace, place, type Point, pointAt, pointHistory } from './points.js'

const freqHz = linspace(9.5e9, 10.5e9, 48)
const thetaDeg = 75
const phiDeg = linspace(27, 33, 44)

const setup = (points: Point[], window: WindowName, polarFormat: boolean, odd = false) => {
  const f = odd ? linspace(9.5e9, 10.5e9, 49) : freqHz
  const history = pointHistory(points, f, thetaDeg, phiDeg)
  const image = formImage(history, {
    window,
    polarFormat,
    size: { rows: 60, cols: 56 },
    rangeM: [-2.4, 2.4],
    crossRangeM: [-2.1, 2.1],
  })
  return { image, options: { freqHz: f, thetaDeg, phiDeg, window, polarFormat } }
}

describe('the point-spread function', () => {
  it.each([
    ['taylor', true, false],
    ['none', true, true],
    ['hamming', true, false],
    ['hann', false, false],
  ] as const)('is the image of a point: %s, polar format %s, odd count %s', (window, polar, odd) => {
    // For small angles a point at the phase centre is the one that stays in focus.
    const at: Point['at'] = polar ? pointAt(0.73, -0.41, thetaDeg, 30) : [0, 0, 0]
    const { image, options } = setup([{ at, re: 1 }], window, polar, odd)
    const [r0, c0] = place(at, thetaDeg, 30)
    const left = image.image.slice()
    const amplitude = Math.sqrt(4 * Math.PI)
    // F refers to the phase centre: at the point itself its phase is none.
    new PointSpread(options).subtract(left, image.rangeM, image.crossRangeM, [r0, c0], [amplitude, 0])
    const worst = left.reduce((m, x) => Math.max(m, Math.abs(x)), 0)
    expect(worst / amplitude).toBeLessThan(2e-5)
  })

  it('goes on past one unambiguous range', () => {
    const { options } = setup([{ at: [0, 0, 0], re: 1 }], 'none', true)
    const p = new Float64Array(2)
    const dR = 8.3
    const dc = 0.2
    new PointSpread(options).at(dR, dc, p)
    const sum = [0, 0]
    for (const f of freqHz)
      for (const phi of phiDeg) {
        const d = ((phi - 30) * Math.PI) / 180
        const u = Math.cos(d) * dR - Math.sin((thetaDeg * Math.PI) / 180) * Math.sin(d) * dc
        const phase = ((4 * Math.PI * f) / 299792458) * u
        sum[0] += Math.cos(phase) / (48 * 44)
        sum[1] += Math.sin(phase) / (48 * 44)
      }
    expect(Math.hypot(p[0] - sum[0], p[1] - sum[1])).toBeLessThan(2e-5)
  })
})

describe('scattering centres', () => {
  const points: Point[] = [
    { at: pointAt(-1.213, 0.507, thetaDeg, 30), re: 1, im: 0.3 },
    { at: pointAt(0.111, -0.952, thetaDeg, 30), re: -0.2, im: 0.4 },
    { at: pointAt(1.402, 1.104, thetaDeg, 30), re: 0.05, im: 0 },
  ]

  it('finds isolated points between pixels: place, level and phase', () => {
    const { image, options } = setup(points, 'taylor', true)
    const { centres, residualEnergy } = scatteringCentres(image, options, { count: 3, floorDb: 60 })
    expect(centres).toHaveLength(3)
    points.forEach(({ at, re, im = 0 }, i) => {
      const [r, c] = place(at, thetaDeg, 30)
      expect(Math.hypot(centres[i].rangeM - r, centres[i].crossRangeM - c)).toBeLessThan(0.003)
      const scale = Math.sqrt(4 * Math.PI)
      const level = 20 * Math.log10(Math.hypot(centres[i].re, centres[i].im) / (scale * Math.hypot(re, im)))
      expect(Math.abs(level)).toBeLessThan(0.1)
      // 1 mm of range is 24 degrees of phase: what the place misses the phase makes good.
      const turn = ((4 * Math.PI * 10e9) / 299792458) * (centres[i].rangeM - r)
      const phase = Math.atan2(centres[i].im, centres[i].re) - Math.atan2(im, re) - turn
      expect(Math.abs(Math.atan2(Math.sin(phase), Math.cos(phase)))).toBeLessThan(0.05)
    })
    expect(residualEnergy).toBeLessThan(1e-3)
  })

  it('stops at the floor, and at the count', () => {
    const { image, options } = setup(points, 'taylor', true)
    expect(scatteringCentres(image, options, { count: 50, floorDb: 20 }).centres).toHaveLength(2)
    expect(scatteringCentres(image, options, { count: 1, floorDb: 60 }).centres).toHaveLength(1)
    expect(() => scatteringCentres(image, options, { count: 0, floorDb: 20 })).toThrow(
      /integer of at least 1/,
    )
  })

  it('finds nothing in an empty image', () => {
    const { image, options } = setup(points, 'taylor', true)
    image.image.fill(0)
    expect(scatteringCentres(image, options, { count: 5, floorDb: 20 }).centres).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import {
  boxCorners,
  imageSmear,
  needsPolarFormat,
  formImage,
  imageExtent,
  planSweep,
  type SweepRequest,
} from '../../isar/index.js'
import { C0, InputError } from '../../scene/index.js'
import { rows } from '../scene/shapes.js'
import { db, peak, pointHistory } from './points.js'

const points = boxCorners({ min: [-5.88, -3.7, -1], max: [5.88, 3.7, 2.67] })
const base: SweepRequest = { points, thetaDeg: 80, phiDeg: 0, band: { f0: 9.25e9, f1: 10.75e9 } }
const sin80 = Math.sin((80 * Math.PI) / 180)
const rad = Math.PI / 180

describe('imageExtent', () => {
  it('projects onto range and cross-range about the phase centre', () => {
    const box = boxCorners({ min: [1, 2, 3], max: [4, 6, 9] })
    expect(imageExtent(box, 90, 0)).toEqual({ rangeM: [-4, -1], crossRangeM: [2, 6] })
    expect(imageExtent(box, 90, 90)).toEqual({ rangeM: [-6, -2], crossRangeM: [-4, -1] })
    const shifted = imageExtent(box, 0, 0, [0, 0, 5])
    expect(shifted.rangeM).toEqual([-4, 2])
  })
  it('refuses a target without vertices', () => {
    expect(() => imageExtent(new Float64Array(0), 90, 0)).toThrow(InputError)
  })
})

describe('planSweep', () => {
  it('resolutions as the papers state them: 0.1 m for 1.5 GHz at 10 GHz, equal by default', () => {
    const plan = planSweep(base)
    expect(plan.rangeResolutionM).toBeCloseTo(C0 / 3e9, 12)
    expect(plan.crossRangeResolutionM).toBeCloseTo(plan.rangeResolutionM, 12)
    expect(plan.apertureDeg * rad).toBeCloseTo(C0 / 10e9 / (2 * (C0 / 3e9) * sin80), 12)
    expect(plan.freqHz[0]).toBe(9.25e9)
    expect(plan.freqHz[plan.freqHz.length - 1]).toBeCloseTo(10.75e9, 3)
    expect(plan.phiDeg[plan.phiDeg.length - 1] - plan.phiDeg[0]).toBeCloseTo(plan.apertureDeg, 9)
    expect(plan.phiDeg[plan.phiDeg.length - 1] + plan.phiDeg[0]).toBeCloseTo(0, 9)
    expect(plan.notes).toEqual([])
  })

  it('extents free of ambiguity hold the target with its margin, and no more than one sample too many', () => {
    const plan = planSweep(base)
    const range = plan.extent.rangeM[1] - plan.extent.rangeM[0]
    const need = 1.3 * range + 8 * plan.rangeResolutionM
    const df = plan.freqHz[1] - plan.freqHz[0]
    expect(plan.unambiguousRangeM).toBeCloseTo(C0 / (2 * df), 4)
    expect(plan.unambiguousRangeM).toBeGreaterThanOrEqual(need)
    expect(plan.unambiguousRangeM).toBeLessThan(1.06 * need) // the target turned through the aperture is longer
    const dphi = (plan.phiDeg[1] - plan.phiDeg[0]) * rad
    expect(plan.unambiguousCrossRangeM).toBeCloseTo(C0 / 10.75e9 / (2 * dphi * sin80), 6)
    expect(plan.unambiguousCrossRangeM).toBeGreaterThanOrEqual(1.3 * 7.4 + 0.8)
    expect(plan.window.rangeM[0]).toBeLessThan(plan.extent.rangeM[0])
    expect(plan.window.rangeM[1]).toBeGreaterThan(plan.extent.rangeM[1])
    expect(plan.window.crossRangeM[1]).toBeCloseTo((1.3 * 7.4 + 8 * plan.crossRangeResolutionM) / 2, 9)
  })

  it('takes counts and aperture as given, and says when the target folds', () => {
    const plan = planSweep({
      ...base,
      band: { f0: 9.25e9, f1: 10.75e9, count: 33 },
      angles: 5,
      apertureDeg: 4,
    })
    expect([plan.freqHz.length, plan.phiDeg.length, plan.apertureDeg]).toEqual([33, 5, 4])
    expect(plan.notes).toHaveLength(2)
    expect(plan.notes[0]).toMatch(/33 frequencies are unambiguous over 3.2\d? m/)
    expect(plan.window.rangeM[1] - plan.window.rangeM[0]).toBeCloseTo(plan.unambiguousRangeM, 9)
    const enough = Number(/at least (\d+)/.exec(plan.notes[0])![1])
    const again = (count: number) =>
      planSweep({ ...base, band: { f0: 9.25e9, f1: 10.75e9, count }, apertureDeg: 4 })
    expect(again(enough).notes).toEqual([])
    expect(again(enough - 1).notes).toHaveLength(1)
  })

  it('resolution about a centre frequency gives band and aperture', () => {
    const plan = planSweep({
      ...base,
      band: undefined,
      resolution: { rangeM: 0.15, crossRangeM: 0.3, centreHz: 10e9 },
    })
    expect(plan.bandwidthHz).toBeCloseTo(C0 / 0.3, 3)
    expect((plan.freqHz[0] + plan.freqHz[plan.freqHz.length - 1]) / 2).toBeCloseTo(10e9, 3)
    expect(plan.apertureDeg * rad).toBeCloseTo(C0 / 10e9 / (2 * 0.3 * sin80), 12)
    const equal = planSweep({ ...base, band: undefined, resolution: { rangeM: 0.15, centreHz: 10e9 } })
    expect(equal.crossRangeResolutionM).toBeCloseTo(0.15, 12)
  })

  it('follows an off-centre target and the phase centre', () => {
    const far = boxCorners({ min: [10, -1, 0], max: [12, 1, 0] })
    const plan = planSweep({ ...base, points: far, thetaDeg: 90 })
    expect((plan.window.rangeM[0] + plan.window.rangeM[1]) / 2).toBeCloseTo(-11, 9)
    const moved = planSweep({ ...base, points: far, thetaDeg: 90, phaseCentre: [11, 0, 0] })
    expect((moved.window.rangeM[0] + moved.window.rangeM[1]) / 2).toBeCloseTo(0, 9)
    expect(moved.freqHz.length).toBeLessThanOrEqual(plan.freqHz.length)
  })

  it('a plan images every corner of its box at its place with polar format', () => {
    const box = boxCorners({ min: [-1, -0.6, 0], max: [1, 0.6, 0] })
    const plan = planSweep({ ...base, points: box })
    for (let i = 0; i < 4; i++) {
      const at = Array.from(box.subarray(3 * i, 3 * i + 3)) as [number, number, number]
      const history = pointHistory([{ at, re: 1 }], plan.freqHz, plan.thetaDeg, plan.phiDeg)
      const top = peak(formImage(history, { polarFormat: true, ...plan.window }))
      expect(Math.abs(top.rangeM + at[0] * sin80)).toBeLessThan(0.05)
      expect(Math.abs(top.crossM - at[1])).toBeLessThan(0.05)
      expect(db(top.sigma / (4 * Math.PI))).toBeGreaterThan(-0.25)
    }
  })

  describe('smear of the small-angle image', () => {
    const plan = planSweep({ ...base, points: boxCorners({ min: [-3, -3, 0], max: [3, 3, 0] }) })
    const image = (at: [number, number, number], polarFormat = false) =>
      formImage(pointHistory([{ at, re: 1 }], plan.freqHz, 80, plan.phiDeg), { polarFormat, ...plan.window })
    const loss = (at: [number, number, number], polarFormat = false) =>
      db(peak(image(at, polarFormat)).sigma / (4 * Math.PI))
    const smear = (...at: [number, number, number]) => imageSmear(plan, Float64Array.from(at))

    it('is the walk through range cells and through cross-range cells, whichever is more', () => {
      const [range, cross] = [plan.rangeResolutionM, plan.crossRangeResolutionM]
      const aperture = plan.apertureDeg * rad
      expect(smear(0.7, 0, 0).smallAngle).toBeCloseTo((0.7 * aperture) / cross, 12)
      expect(smear(0, -0.7, 0).smallAngle).toBeCloseTo((0.7 * aperture * sin80) / range, 12)
      expect(smear(0, -0.7, 0).smallAngle).toBeCloseTo((0.7 * plan.bandwidthHz) / 10e9 / cross, 12)
      expect(smear(0.1, -0.7, 0).smallAngle).toBe(smear(0, -0.7, 0).smallAngle)
      expect(imageSmear(plan, Float64Array.of(0.7, 0, 0), [0.7, 0, 0])).toEqual({ smallAngle: 0, polarFormat: 0 }) // prettier-ignore
      const turned = planSweep({
        ...base,
        phiDeg: 90,
        points: boxCorners({ min: [-1, -1, 0], max: [1, 1, 0] }),
      })
      expect(imageSmear(turned, Float64Array.of(0, 0.7, 0)).smallAngle).toBeCloseTo(
        (0.7 * aperture) / cross,
        12,
      )
    })

    it('of half a cell costs a point little, of four cells more than a decibel; polar format is exact', () => {
      for (const at of rows<[number, number, number]>('1 0 0, 0 1 0')) {
        const half = at.map((v) => (v * 0.5) / smear(...at).smallAngle) as typeof at
        expect(loss(half)).toBeGreaterThan(-0.25)
        const many = half.map((v) => 8 * v) as typeof at
        expect(loss(many)).toBeLessThan(-1)
        expect(loss(many, true)).toBeGreaterThan(-0.25)
      }
    })

    it('above half a cell takes polar format, unless that smears more: of points high above the phase centre', () => {
      const edge = 0.5 / smear(1, 0, 0).smallAngle
      expect(needsPolarFormat(smear(0.99 * edge, 0, 0))).toBe(false)
      expect(needsPolarFormat(smear(1.01 * edge, 0, 0))).toBe(true)
      // x = 0 is in focus in the small-angle image at any height; polar format takes it for a point on the ground.
      const high: [number, number, number] = [0, 0, 8]
      expect(smear(...high).smallAngle).toBe(0)
      expect(smear(...high).polarFormat).toBeCloseTo((8 * plan.apertureDeg * rad) / Math.tan(80 * rad) / plan.crossRangeResolutionM, 9) // prettier-ignore
      const far = planSweep({ ...base, points: boxCorners({ min: [-9, -9, -1], max: [9, 9, 9] }) })
      const level = (polarFormat: boolean) =>
        db(peak(formImage(pointHistory([{ at: high, re: 1 }], far.freqHz, 80, far.phiDeg), { polarFormat, ...far.window })).sigma / (4 * Math.PI)) // prettier-ignore
      expect(level(false)).toBeGreaterThan(-0.25)
      expect(level(true)).toBeLessThan(-0.5)
      expect(needsPolarFormat(smear(1.01 * edge, 0, 8))).toBe(false)
    })
  })

  it.each<[string, Partial<SweepRequest>, RegExp]>([
    ['theta on the axis', { thetaDeg: 0 }, /theta = 0 degrees.*no cross-range/],
    ['theta NaN', { thetaDeg: NaN }, /finite/],
    ['no band', { band: undefined }, /give a band/],
    ['band without width', { band: { f0: 1e9, f1: 1e9 } }, /ascending/],
    ['band from zero', { band: { f0: 0, f1: 1e9 } }, /positive/],
    ['band and resolution', { resolution: { rangeM: 0.1, centreHz: 1e10 } }, /not both/],
    ['one frequency', { band: { f0: 9e9, f1: 1e10, count: 1 } }, /1 frequencies/],
    ['one angle', { angles: 1 }, /1 aspects/],
    ['half an angle', { angles: 12.5 }, /12.5 aspects/],
    ['aperture of 180', { apertureDeg: 180 }, /aperture 180 degrees/],
    ['aperture of 0', { apertureDeg: 0 }, /aperture 0 degrees/],
    ['default aperture too wide', { thetaDeg: 1 }, /needs an aperture of 49\d degrees/],
    ['resolution of 0', { band: undefined, resolution: { rangeM: 0, centreHz: 1e10 } }, /both must be positive/],
    ['resolution -1', { band: undefined, resolution: { rangeM: 1, crossRangeM: -1, centreHz: 1e10 } }, /positive/],
    ['centre of 0', { band: undefined, resolution: { rangeM: 1, centreHz: 0 } }, /centre frequency/],
    ['band below zero', { band: undefined, resolution: { rangeM: 0.01, centreHz: 1e9 } }, /does not fit/],
    ['aperture twice', { band: undefined, apertureDeg: 3, resolution: { rangeM: 1, crossRangeM: 1, centreHz: 1e10 } }, /one of the two/],
    [
      'aperture beside a resolution in range',
      { band: undefined, apertureDeg: 3, resolution: { rangeM: 1, centreHz: 1e10 } },
      /one of the two/,
    ],
    ['millimetres as metres', { points: points.map((x) => 1000 * x) }, /check the mesh's units/],
  ])('refuses %s', (_, change, message) => {
    expect(() => planSweep({ ...base, ...change })).toThrow(message)
    expect(() => planSweep({ ...base, ...change })).toThrow(InputError)
  }) // prettier-ignore
})

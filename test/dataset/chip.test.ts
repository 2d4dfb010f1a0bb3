import { describe, expect, it } from 'vitest'
import { type ChipTask, drawMotion, makeChips, moved, shiftPath } from '../../dataset/chip.js'
import { pixelAxes } from '../../dataset/imager.js'
import type { Pose } from '../../dataset/plan.js'
import { chipConfig, chipTask, db, mean, powers } from '../helpers/chips.js'
import { linspace, type Point, pointAt, pointHistory } from '../isar/points.js'

/** The task of a pose at point scatterers given by range and cross-range [m]. */
const taskOf = (change: object, points: [number, number, number][], which = 3): ChipTask =>
  chipTask(chipConfig(change), which, ({ freqHz }, { azimuthDeg }, { thetaDeg, phiDeg }) => {
    const scatterers: Point[] = points.map(([r, c, re]) => ({ at: pointAt(r, c, thetaDeg, azimuthDeg), re }))
    return pointHistory(scatterers, Float64Array.from(freqHz), thetaDeg, phiDeg).f
  })

function brightest(task: ChipTask, image: Float32Array): [number, number, number] {
  const p = powers(image)
  const at = p.indexOf(p.reduce((a, b) => Math.max(a, b)))
  const { rangeM, crossRangeM } = pixelAxes(task.radar)
  return [rangeM[Math.floor(at / 64)], crossRangeM[at % 64], p[at]]
}

describe('images of a pose', () => {
  it('show points at their place with their RCS', () => {
    const task = taskOf({}, [[1.2, -2.4, 0.5]])
    const [r, c, sigma] = brightest(task, makeChips(task).images)
    expect([r, c]).toEqual([expect.closeTo(1.2, 9), expect.closeTo(-2.4, 9)])
    expect(db(sigma)).toBeCloseTo(db(4 * Math.PI * 0.25), 3)
  })

  it('move with the pose’s shift and stay in focus', () => {
    const task = taskOf({}, [[1.2, -2.4, 0.5]])
    const shifted: ChipTask = { ...task, pose: { ...task.pose, offsetM: [-0.8, 1.4] } }
    const [r, c, sigma] = brightest(shifted, makeChips(shifted).images)
    expect([r, c]).toEqual([expect.closeTo(0.4, 9), expect.closeTo(-1, 9)])
    expect(db(sigma)).toBeCloseTo(db(4 * Math.PI * 0.25), 3)
  })

  it('come out the same twice, and otherwise for every realisation and seed', () => {
    const change = {
      realisations: 2,
      nuisance: { snrDb: 10, clutter: { levelDbsm: -20 }, phase: { walkDeg: 20 } },
    }
    const task = taskOf(change, [[0, 0, 1]])
    const { images } = makeChips(task)
    expect(makeChips(task).images).toEqual(images)
    const half = images.length / 2
    expect(images.subarray(0, half)).not.toEqual(images.subarray(half))
    expect(makeChips(taskOf({ ...change, seed: 12 }, [[0, 0, 1]])).images).not.toEqual(images)
  })
})

describe('thermal noise', () => {
  it('has its mean power the given ratio below the brightest pixel', () => {
    const points: [number, number, number][] = [[1.2, -2.4, 0.5]]
    const clean = makeChips(taskOf({}, points)).images
    const noisy = makeChips(taskOf({ nuisance: { snrDb: 13 } }, points)).images
    const noise = mean(powers(noisy.map((x, i) => x - clean[i])))
    const peak = powers(clean).reduce((a, b) => Math.max(a, b))
    // Some 1,500 independent samples: 0.11 dB of standard deviation.
    expect(Math.abs(db(peak / noise) - 13)).toBeLessThan(0.4)
  })
})

describe('clutter', () => {
  it('is K-distributed about its level: moments of its power', () => {
    const shape = 1.5
    let sum = [0, 0]
    let n = 0
    for (let which = 0; which < 15; which++) {
      const change = { realisations: 4, nuisance: { clutter: { levelDbsm: -7, shape, correlationM: 0.5 } } }
      for (const p of powers(makeChips(taskOf(change, [[0, 0, 0]], which)).images)) {
        sum = [sum[0] + p, sum[1] + p * p]
        n++
      }
    }
    expect(Math.abs(db(sum[0] / n) + 7)).toBeLessThan(0.2)
    // <I^2> / <I>^2 = 2 (1 + 1 / shape)
    expect((n * sum[1]) / sum[0] ** 2 / (2 * (1 + 1 / shape))).toBeGreaterThan(0.9)
    expect((n * sum[1]) / sum[0] ** 2 / (2 * (1 + 1 / shape))).toBeLessThan(1.1)
  })

  it('is weaker in cross-polarised channels', () => {
    const change = {
      channels: ['vv', 'vh'],
      nuisance: { clutter: { levelDbsm: 0, crossPolDb: 6, shape: 50 } },
    }
    const task = taskOf(change, [[0, 0, 0]])
    const twice = { total: new Float64Array(2 * task.fields.total.length) }
    const p = powers(makeChips({ ...task, fields: twice }).images)
    expect(Math.abs(db(mean(p.slice(0, 4096)) / mean(p.slice(4096))) - 6)).toBeLessThan(0.6)
  })
})

describe('errors of motion and phase', () => {
  const theta = 75
  const phi = linspace(-3, 3, 61)
  const draw = (nuisance: object, chip = 0) => drawMotion(chipConfig({ nuisance }), chip, theta, phi)
  const span = (x: Float64Array): number => Math.max(...x.map(Math.abs))

  it('stay within their bounds, and are none where none is asked for', () => {
    const none = draw({})
    expect([span(none.pathM), span(none.phaseRad), Math.min(...none.gain)]).toEqual([0, 0, 1])
    for (let chip = 0; chip < 20; chip++) {
      expect(span(draw({ vibration: { amplitudeM: 0.01, cycles: 5 } }, chip).pathM)).toBeLessThanOrEqual(0.01)
      const { phaseRad } = draw({ phase: { quadraticDeg: 90 } }, chip)
      expect(span(phaseRad)).toBeLessThanOrEqual(Math.PI / 2)
      expect(phaseRad[0]).toBeCloseTo(phaseRad[60], 12)
      expect(phaseRad[30]).toBe(0)
      expect(phaseRad[15]).toBeCloseTo(phaseRad[0] / 4, 12)
    }
  })

  it('have random walks and white errors of their deviation', () => {
    const ends = Array.from({ length: 400 }, (_, chip) => draw({ phase: { walkDeg: 30 } }, chip).phaseRad[60])
    const white = Array.from(
      { length: 400 },
      (_, chip) => draw({ phase: { whiteDeg: 30 } }, chip).phaseRad[60],
    )
    for (const list of [ends, white]) {
      const deviation = (Math.sqrt(mean(list.map((x) => x * x))) * 180) / Math.PI
      expect(deviation).toBeGreaterThan(26)
      expect(deviation).toBeLessThan(34)
    }
  })

  it('lose the given part of the aspects in so many runs', () => {
    for (let chip = 0; chip < 20; chip++) {
      const { gain } = draw({ dropout: { fraction: 0.3, blocks: 3 } }, chip)
      expect(gain.filter((g) => g === 0).length).toBe(18)
      let runs = 0
      gain.forEach((g, i) => (runs += g === 0 && gain[i - 1] !== 0 ? 1 : 0))
      expect(runs).toBeGreaterThan(0)
      expect(runs).toBeLessThanOrEqual(3)
    }
  })

  it('turn the phase by 2k times the path', () => {
    const f = Float64Array.of(1, 0, 1, 0)
    const hz = 299792458
    const out = moved(f, [hz], { pathM: Float64Array.of(0.125, 0), phaseRad: Float64Array.of(0, Math.PI / 2), gain: Float64Array.of(1, 2) }) // prettier-ignore
    // A wavelength of 1 m: an eighth of it, there and back, is a quarter turn.
    expect([...out]).toEqual([0, 1, 0, 2].map((x) => expect.closeTo(x, 12)))
  })

  it('displace the image by the error of the rotation’s centre across the line of sight alone', () => {
    const points: [number, number, number][] = [[0, 0, 1]]
    const shifts: [number, number][] = []
    for (let which = 0; which < 12; which++) {
      const task = taskOf({ nuisance: { centreErrorM: 0.5 } }, points, which)
      const [r, c, sigma] = brightest(task, makeChips(task).images)
      shifts.push([r, c])
      expect(db(sigma / (4 * Math.PI))).toBeGreaterThan(-1.5)
    }
    expect(Math.max(...shifts.map(([r]) => Math.abs(r)))).toBeLessThan(0.21)
    expect(Math.max(...shifts.map(([, c]) => Math.abs(c)))).toBeGreaterThan(0.3)
  })

  it('move points in the plane of the turn by the shift asked for', () => {
    const pose: Pick<Pose, 'azimuthDeg'> = { azimuthDeg: 0 }
    const path = shiftPath(theta, Float64Array.of(pose.azimuthDeg), [0.7, 3])
    // Away from the radar by 0.7 m: the path shortens by as much, whatever goes across.
    expect(path[0]).toBeCloseTo(-0.7, 12)
  })
})

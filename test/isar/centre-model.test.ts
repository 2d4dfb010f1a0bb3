import { describe, expect, it } from 'vitest'
import {
  fitCentres,
  type FittedCentres,
  type CentreModel,
  ModelEvaluator,
  type SectorHistory,
} from '../../isar/index.js'
import { C0, direction, dot, type Vec3 } from '../../scene/index.js'

type Field = (f: number, theta: number, phi: number) => [number, number]

const freqHz = Float64Array.from({ length: 41 }, (_, m) => 9.5e9 + m * 25e6)

/** Fields of a function over frequency and direction, [aspect][frequency]. */
function historyOf(angles: [number, number][], fields: Field[]): SectorHistory {
  return {
    freqHz,
    thetaDeg: Float64Array.from(angles, ([t]) => t),
    phiDeg: Float64Array.from(angles, ([, p]) => p),
    fields: fields.map((field) =>
      Float64Array.from(angles.flatMap(([t, p]) => Array.from(freqHz).flatMap((f) => field(f, t, p)))),
    ),
  }
}

function fit(history: SectorHistory, candidates: Vec3[], count: number): FittedCentres {
  const search = fitCentres(history, Float64Array.from(candidates.flat()), count)
  for (;;) {
    const { done, value } = search.next()
    if (done) return value
  }
}

/** |sum a b*| / (|a| |b|) of a model and fields of its first channel at other aspects. */
function correlation(model: CentreModel, { freqHz, thetaDeg, phiDeg, fields }: SectorHistory): number {
  const evaluator = new ModelEvaluator(model)
  const out = new Float64Array(2 * model.channels.length)
  let [re, im, aa, bb] = [0, 0, 0, 0]
  phiDeg.forEach((phi, a) =>
    freqHz.forEach((f, m) => {
      evaluator.field(f, thetaDeg[a], phi, out)
      const at = 2 * (a * freqHz.length + m)
      const [x, y] = [fields[0][at], fields[0][at + 1]]
      re += x * out[0] + y * out[1]
      im += y * out[0] - x * out[1]
      aa += x * x + y * y
      bb += out[0] ** 2 + out[1] ** 2
    }),
  )
  return Math.hypot(re, im) / Math.sqrt(aa * bb)
}

/** F of points, each of an amplitude that goes with frequency and direction. */
const pointsField =
  (points: { at: Vec3; amplitude: (f: number, theta: number, phi: number) => number }[]): Field =>
  (f, theta, phi) => {
    const { r } = direction(theta, phi)
    let [re, im] = [0, 0]
    for (const { at, amplitude } of points) {
      const phase = ((4 * Math.PI * f) / C0) * dot(r, at)
      re += amplitude(f, theta, phi) * Math.cos(phase)
      im += amplitude(f, theta, phi) * Math.sin(phase)
    }
    return [re, im]
  }

const POINTS: { at: Vec3; vv: number; hh: number; exponent: number }[] = [
  { at: [1.203, 0.411, 0.107], vv: 1, hh: 1, exponent: 0 },
  { at: [-0.712, -0.534, 0.213], vv: 0.6, hh: -0.4, exponent: 1 },
  { at: [0.187, 0.902, -0.306], vv: 0.4, hh: 0.5, exponent: -1 },
]
const pointField = (channel: 'vv' | 'hh'): Field =>
  pointsField(
    POINTS.map(({ at, exponent, [channel]: size }) => ({
      at,
      amplitude: (f) => size * (f / 10e9) ** exponent,
    })),
  )

const grid = (thetas: number[], phis: number[]): [number, number][] =>
  thetas.flatMap((t) => phis.map((p): [number, number] => [t, p]))
const steps = (low: number, high: number, n: number): number[] =>
  Array.from({ length: n }, (_, i) => low + ((high - low) * i) / (n - 1))

describe('a model fitted to three points over a solid sector', () => {
  const training = grid(steps(78, 82, 9), steps(-2, 2, 9))
  const history = historyOf(training, [pointField('vv'), pointField('hh')])
  const candidates = POINTS.map(({ at }) => at.map((x, c) => x + [0.02, -0.015, 0.02][c]) as Vec3)
  const fitted = fit(history, candidates, 3)

  it('has their places, matrices and frequency exponents', () => {
    expect(fitted.residualEnergy).toBeLessThan(1e-4)
    const order = [0, 1, 2]
    fitted.centres.forEach((centre, n) => {
      const { at, vv, hh } = POINTS[order[n]]
      centre.positionM.forEach((x, c) => expect(Math.abs(x - at[c])).toBeLessThan(0.01))
      const [[re, im], [hre, him]] = centre.amplitudeM
      expect(Math.hypot(re, im)).toBeCloseTo(vv, 1)
      expect((hre * re + him * im) / (re * re + im * im)).toBeCloseTo(hh / vv, 2)
    })
  })

  it('gives the field at aspects that were not fitted', () => {
    const model: CentreModel = { bandHz: [9.5e9, 10.5e9], thetaDeg: [78, 82], phiDeg: [-2, 2], phaseCentreM: [0, 0, 0], channels: ['vv', 'hh'], centres: fitted.centres } // prettier-ignore
    const others = historyOf([[79.3, 0.77], [80.9, -1.31], [81.6, 1.9]], [pointField('vv')]) // prettier-ignore
    expect(correlation(model, others)).toBeGreaterThan(0.999)
  })
})

it('the search ends where nothing is left', () => {
  const one = pointsField([{ at: [1, 0, 0], amplitude: () => 1 }])
  const history = historyOf(grid([80], steps(-2, 2, 17)), [one])
  expect(fit(history, [[1, 0, 0]], 20).centres).toHaveLength(1)
  history.fields[0].fill(0)
  expect(fit(history, [[1, 0, 0]], 20)).toEqual({ centres: [], residualEnergy: 0 })
})

it('a point seen over a part of a sector has that visibility', () => {
  const at: Vec3 = [0.4, -0.7, 0.2]
  const seen = (_: number, theta: number, phi: number): number =>
    Math.exp(-(((phi - 0.9) / 0.7) ** 2) / 2 - ((theta - 80.4) / 1.1) ** 2 / 2)
  const field = pointsField([{ at, amplitude: seen }])
  const history = historyOf(grid(steps(78, 82, 11), steps(-2, 2, 17)), [field])
  const { centres, residualEnergy } = fit(history, [[0.42, -0.68, 0.2]], 1)
  expect(residualEnergy).toBeLessThan(1e-3)
  const { thetaDeg, phiDeg, thetaWidthDeg, phiWidthDeg } = centres[0].visibility
  expect(Math.abs(thetaDeg - 80.4)).toBeLessThan(0.05)
  expect(Math.abs(phiDeg - 0.9)).toBeLessThan(0.05)
  expect(Math.abs(thetaWidthDeg! - 1.1)).toBeLessThan(0.05)
  expect(Math.abs(phiWidthDeg! - 0.7)).toBeLessThan(0.05)
})

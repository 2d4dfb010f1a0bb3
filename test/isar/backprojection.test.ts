import { describe, expect, it } from 'vitest'
import {
  backproject,
  type BackprojectionJob,
  type BackprojectionOptions,
  compressPulses,
  differentialRange,
  formImage,
  planBackprojection,
  polarFormat,
  profileBins,
  type PulseHistory,
} from '../../isar/index.js'
import { C0, type Vec3 } from '../../scene/index.js'
import { circularPass, pointPulses } from '../../samples/models/gotcha.js'
import { backprojectAll } from '../helpers/pulses.js'
import { linspace, pointAt, pointHistory, random } from './points.js'

/** The sum that backprojection approximates, at one point. */
function directSum(
  history: PulseHistory,
  plan: ReturnType<typeof planBackprojection>,
  p: Vec3,
): [number, number] {
  let [re, im] = [0, 0]
  const { freqHz, pulses, f } = history
  for (let n = 0; n < pulses; n++) {
    const d = differentialRange(history, n, p)
    for (let m = 0; m < freqHz.length; m++) {
      const phase = ((4 * Math.PI * freqHz[m]) / C0) * d
      const weight = plan.frequencyWeights[m] * plan.pulseWeights[n]
      const at = 2 * (m * pulses + n)
      re += weight * (f[at] * Math.cos(phase) - f[at + 1] * Math.sin(phase))
      im += weight * (f[at] * Math.sin(phase) + f[at + 1] * Math.cos(phase))
    }
  }
  return [re, im]
}

const pixel = (plan: ReturnType<typeof planBackprojection>, i: number, l: number): Vec3 =>
  plan.grid.first.map((o, a) => o + i * plan.grid.along[a] + l * plan.grid.across[a]) as Vec3

const options: BackprojectionOptions = { plane: 'ground', window: 'none', acrossM: [-6, 6], alongM: [-5, 5], pixelM: 0.5 } // prettier-ignore

describe.each(['near', 'far'])('backprojection in the %s field', (field) => {
  const freqHz = linspace(9.3e9, 9.9e9, 40)
  const next = random(5)
  const pass = circularPass({ pulses: 150, spanDeg: 3, elevationDeg: 40, rangeM: field === 'near' ? 300 : Infinity }) // prettier-ignore

  it('is the direct sum to 1e-3 of the largest possible pixel, for any data', () => {
    // Samples that are all noise: nothing but the interpolation keeps the sum right, up to the band's ends.
    const f = Float64Array.from({ length: 2 * 40 * 150 }, next)
    const history = { ...pass, freqHz, f }
    const plan = planBackprojection(history, options)
    const image = backprojectAll(history, plan)
    let worst = 0
    let largest = 0
    for (let i = 0; i < plan.grid.rows; i += 3)
      for (let l = 0; l < plan.grid.cols; l += 3) {
        const [re, im] = directSum(history, plan, pixel(plan, i, l))
        const at = 2 * (i * plan.grid.cols + l)
        worst = Math.max(worst, Math.hypot(image[at] - re, image[at + 1] - im))
        largest = Math.max(largest, Math.hypot(re, im))
      }
    expect(worst / largest).toBeLessThan(1e-3)
  })

  it('gives a point its RCS and phase at its place', () => {
    const at: Vec3 = [1.5, -2, 0]
    const history = pointPulses(pass, freqHz, [{ at, re: 0.6, im: -0.8 }])
    const plan = planBackprojection(history, { ...options, window: 'taylor' })
    const image = backprojectAll(history, plan)
    const l = plan.acrossM.findIndex((x) => Math.abs(x - at[0]) < 1e-9)
    const i = plan.alongM.findIndex((y) => Math.abs(y - at[1]) < 1e-9)
    const k = 2 * (i * plan.grid.cols + l)
    expect(image[k] / Math.sqrt(4 * Math.PI)).toBeCloseTo(0.6, 3)
    expect(image[k + 1] / Math.sqrt(4 * Math.PI)).toBeCloseTo(-0.8, 3)
  })

  it('has the same bytes whatever the rows and pulses done together', () => {
    const history = pointPulses(pass, freqHz, [{ at: [1, 1, 0], re: 1 }])
    const plan = planBackprojection(history, options)
    const whole = backprojectAll(history, plan)
    expect(backprojectAll(history, plan, { rows: 3, pulses: 64 })).toEqual(whole)
  })
})

it('on the slant plane at theta = 90 it is the polar-format image', () => {
  const freqHz = linspace(9.5e9, 10.5e9, 32)
  const phiDeg = linspace(-3, 3, 41)
  const points = [
    { at: pointAt(0.7, -0.4, 90, 0), re: 1 },
    { at: pointAt(-0.5, 0.9, 90, 0), re: 0.3, im: 0.4 },
  ]
  const flat = pointHistory(points, freqHz, 90, phiDeg)
  const window: [number, number] = [-1.5, 1.5]
  const polar = formImage(flat, { window: 'taylor', polarFormat: true, rangeM: window, crossRangeM: window, size: { rows: 30, cols: 30 } }) // prettier-ignore
  const history = {
    freqHz,
    pulses: 41,
    antenna: Float64Array.from(
      [...phiDeg].flatMap((p) => [Math.cos((p * Math.PI) / 180), Math.sin((p * Math.PI) / 180), 0]),
    ),
    referenceM: new Float64Array(41),
    farField: true,
    f: flat.f,
  }
  const plan = planBackprojection(history, { plane: 'slant', window: 'taylor', acrossM: window, alongM: window, pixelM: 0.1 }) // prettier-ignore
  const image = backprojectAll(history, plan)
  expect(plan.alongM).toEqual(polar.rangeM)
  const peak = polar.image.reduce((a, b) => Math.max(a, Math.abs(b)), 0)
  expect(image.every((x, i) => Math.abs(x - polar.image[i]) < 1e-3 * peak)).toBe(true)
})

it('interpolates a single frequency at the band’s end to the sum of its images, 6.2e-4', () => {
  const freqHz = linspace(1e9, 1.031e9, 32)
  const f = new Float64Array(64)
  f[0] = 1
  const bins = profileBins(32)
  const compressed = compressPulses(
    freqHz,
    f,
    1,
    new Float64Array(32).fill(1),
    [0, 1],
    new Float64Array(2 * bins),
  )
  const grid = {
    rows: 1,
    cols: 300,
    first: [0, 0, 0] as Vec3,
    across: [0.11, 0, 0] as Vec3,
    along: [0, 1, 0] as Vec3,
  }
  const geometry = { antenna: Float64Array.of(-1, 0, 0), referenceM: Float64Array.of(0), farField: true }
  const job: BackprojectionJob = { grid, geometry, weights: Float64Array.of(1), compressed, pulses: [0, 1] }
  const image = new Float64Array(600)
  backproject(job, 0, image)
  let worst = 0
  for (let l = 0; l < 300; l++) {
    const phase = ((4 * Math.PI * 1e9) / C0) * 0.11 * l
    worst = Math.max(worst, Math.hypot(image[2 * l] - Math.cos(phase), image[2 * l + 1] - Math.sin(phase)))
  }
  expect(worst).toBeLessThan(6.2e-4)
  expect(worst).toBeGreaterThan(1e-5)
})

it.each([Infinity, 9000])(
  'polar format is the image of backprojection, with phases (range %f m, ground plane, antenna that climbs)',
  (rangeM) => {
    const level = circularPass({ pulses: 60, spanDeg: 5, startDeg: 30, elevationDeg: 40, rangeM })
    const climb = (n: number): number => 1e-4 * n * (rangeM === Infinity ? 0 : rangeM)
    const antenna = level.antenna.map((x, i) => (i % 3 === 2 ? x + climb((i - 2) / 3) : x))
    const pass = { ...level, antenna }
    const freqHz = linspace(9.4e9, 9.9e9, 48)
    const history = pointPulses(pass, freqHz, [{ at: [1.1, -0.7, 0], re: 1 }, { at: [-2, 1.5, 0], re: 0.2, im: 0.5 }]) // prettier-ignore
    const plan = planBackprojection(history, { plane: 'ground', window: 'taylor', acrossM: [-4, 4], alongM: [-3, 3], pixelM: 0.1 }) // prettier-ignore
    const [exact, { image, notes }] = [backprojectAll(history, plan), polarFormat(history, plan)]
    const peak = exact.reduce((a, b) => Math.max(a, Math.abs(b)), 0)
    expect(notes).toEqual([])
    expect(image.reduce((worst, x, i) => Math.max(worst, Math.abs(x - exact[i])), 0) / peak).toBeLessThan(
      rangeM === Infinity ? 1e-3 : 5e-3,
    )
  },
)

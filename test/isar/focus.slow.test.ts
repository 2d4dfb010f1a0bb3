import { describe, expect, it } from 'vitest'
import {
  AUTOFOCUS,
  autofocus,
  type AutofocusName,
  imageEntropy,
  planBackprojection,
  type PulseHistory,
} from '../../isar/index.js'
import { carPark, circularPass, pointPulses } from '../../samples/models/gotcha.js'
import { focusedImage } from '../../src/imaging/focus.js'
import { backprojectAll } from '../helpers/pulses.js'
import { linspace, random } from './points.js'

type Image = Parameters<typeof backprojectAll>[1]
const options = {
  algorithm: 'backprojection' as const,
  plane: 'ground' as const,
  window: 'taylor' as const,
  acrossM: [-16, 16] as [number, number],
  alongM: [-12, 12] as [number, number],
  pixelM: 0.15,
}
const device = { image: async (h: PulseHistory, plan: Image) => backprojectAll(h, plan) }

const pulses = 117
const frequencies = linspace(9.288e9, 9.911e9, 90)
/** As the corrected ranges of the Gotcha set: off the middle of the scene by 18 mm rms, another for each pulse. */
const jitter = (n: number): number => 0.025 * Math.sin(2.4 * n * n)
const QUADRATIC = 'a quadratic phase of 20 rad'
const uniform = random(5)
const anyPhase = Float64Array.from({ length: pulses }, () => Math.PI * uniform())
const ERRORS: Record<string, (n: number) => number> = {
  [QUADRATIC]: (n) => 20 * ((2 * n) / (pulses - 1) - 1) ** 2,
  'a phase of high frequency': (n) => 1.5 * Math.sin(0.9 * n),
  'random phases': (n) => anyPhase[n],
}

const pass = (spanDeg: number) => circularPass({ pulses, spanDeg, elevationDeg: 45.7, rangeM: 10_159 })
const { referenceM, ...narrow } = pass(1)
/** Passes, and phase errors that are taken out of them. */
const cases = [
  {
    what: 'a pass whose pulses are each referred to a range of their own',
    given: { ...narrow, referenceM: referenceM.map((r, n) => r + jitter(n)) },
    errors: [QUADRATIC],
  },
  {
    what: 'a wide aperture, over which scatterers move through four range cells',
    given: pass(6),
    errors: Object.keys(ERRORS),
  },
]

const peakDb = (image: Float64Array): number => {
  let most = 0
  for (let i = 0; i < image.length; i += 2) most = Math.max(most, Math.hypot(image[i], image[i + 1]))
  return 20 * Math.log10(most)
}

describe.each(cases)('autofocus of $what', ({ given, errors }) => {
  const clean = { ...pointPulses(given, frequencies, carPark()), channel: 'hh' }
  const imageOf = (f: Float64Array): Float64Array =>
    backprojectAll({ ...clean, f }, planBackprojection(clean, options))
  const sharp = imageOf(clean.f)
  const withPhase = (error: (n: number) => number): Float64Array =>
    clean.f.map((_, i) => {
      const k = i - (i % 2)
      const [cos, sin] = [Math.cos(error((k / 2) % pulses)), Math.sin(error((k / 2) % pulses))]
      return i % 2 ? clean.f[k] * sin + clean.f[k + 1] * cos : clean.f[k] * cos - clean.f[k + 1] * sin
    })

  it.each<[AutofocusName, string]>([
    ['map-drift', QUADRATIC],
    ...errors.flatMap((name): [AutofocusName, string][] => [
      ['entropy', name],
      ['gradient', name],
    ]),
  ])('%s takes %s out: within 0.5 dB of the focused peak', async (method, name) => {
    const f = withPhase(ERRORS[name])
    const { formed, sharpened, entropy, peakDb: said } = await focusedImage({ ...clean, f }, method, options, device) // prettier-ignore
    expect(sharpened).toBe(true)
    const defocused = imageOf(f)
    expect(peakDb(defocused)).toBeLessThan(peakDb(sharp) - 2)
    expect(peakDb(formed.image)).toBeGreaterThan(peakDb(sharp) - 0.5)
    expect(said).toEqual([defocused, formed.image].map((i) => expect.closeTo(peakDb(i), 9) as number))
    expect(entropy).toEqual([imageEntropy(defocused), imageEntropy(formed.image)])
  })

  it.each(AUTOFOCUS)('%s leaves a focused image as it is, or sharpens it', async (method) => {
    const { formed } = await focusedImage(clean, method, options, device)
    expect(peakDb(formed.image)).toBeGreaterThanOrEqual(peakDb(sharp))
    expect(imageEntropy(formed.image)).toBeLessThanOrEqual(imageEntropy(sharp))
  })
})

it('sub-apertures of more than 1,024 pulses are joined to one phase', () => {
  const n = 1200
  const uniform = random(11)
  const error = Float64Array.from({ length: n }, (_, i) => 30 * ((2 * i) / n - 1) ** 2 + 0.4 * uniform())
  const rows = 2
  const profiles = new Float64Array(2 * rows * n)
  for (let r = 0; r < rows; r++)
    for (const [x, level] of [
      [40 * uniform(), 1],
      [200 * uniform(), 0.3],
    ])
      // prettier-ignore
      for (let i = 0; i < n; i++) {
          const phase = (2 * Math.PI * x * i) / n + error[i] + r
          profiles[2 * (r * n + i)] += level * Math.cos(phase)
          profiles[2 * (r * n + i) + 1] += level * Math.sin(phase)
        }
  const { phaseRad } = autofocus({ profiles }, n, 'gradient')
  // What is left, but for a straight line: the coherent gain of the whole aperture.
  let best = 0
  for (let x = -60; x <= 60; x += 0.125) {
    let [re, im] = [0, 0]
    for (let i = 0; i < n; i++) {
      const left = error[i] - phaseRad[i] - (2 * Math.PI * x * i) / n
      re += Math.cos(left) / n
      im += Math.sin(left) / n
    }
    best = Math.max(best, Math.hypot(re, im))
  }
  expect(20 * Math.log10(best)).toBeGreaterThan(-0.5)
})

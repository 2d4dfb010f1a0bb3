import { describe, expect, it } from 'vitest'
import {
  autofocus,
  AUTOFOCUS,
  imageEntropy,
  planBackprojection,
  type PulseHistory,
} from '../../isar/index.js'
import { carPark, circularPass, pointPulses } from '../../samples/models/gotcha.js'
import { focusedImage } from '../../src/imaging/focus.js'
import { backprojectAll } from '../helpers/pulses.js'
import { linspace, random } from './points.js'

describe('autofocus of a wide aperture, over which scatterers move through four range cells', () => {
  const pulses = 160
  const pass = circularPass({ pulses, spanDeg: 6, elevationDeg: 45.7, rangeM: 10_159 })
  const clean = { ...pointPulses(pass, linspace(9.288e9, 9.911e9, 90), carPark()), channel: 'hh' }
  const options = { algorithm: 'backprojection', plane: 'ground', window: 'taylor', acrossM: [-16, 16] as [number, number], alongM: [-12, 12] as [number, number], pixelM: 0.14 } as const // prettier-ignore
  const device = { image: async (h: PulseHistory, plan: Parameters<typeof backprojectAll>[1]) => backprojectAll(h, plan) } // prettier-ignore
  const peakDb = (image: Float64Array): number => {
    let most = 0
    for (let i = 0; i < image.length; i += 2) most = Math.max(most, Math.hypot(image[i], image[i + 1]))
    return 20 * Math.log10(most)
  }
  const sharp = backprojectAll(clean, planBackprojection(clean, options))
  const withPhase = (error: (n: number) => number): Float64Array =>
    clean.f.map((_, i) => {
      const k = i - (i % 2)
      const [cos, sin] = [Math.cos(error((k / 2) % pulses)), Math.sin(error((k / 2) % pulses))]
      return i % 2 ? clean.f[k] * sin + clean.f[k + 1] * cos : clean.f[k] * cos - clean.f[k + 1] * sin
    })
  const uniform = random(5)
  const anyPhase = Float64Array.from({ length: pulses }, () => Math.PI * uniform())
  const errors = {
    'a quadratic phase of 20 rad': (n: number) => 20 * ((2 * n) / (pulses - 1) - 1) ** 2,
    'a phase of high frequency': (n: number) => 1.5 * Math.sin(0.9 * n),
    'random phases': (n: number) => anyPhase[n],
  }

  it.each(
    Object.entries(errors).flatMap(([name, error]) =>
      (['entropy', 'gradient'] as const).map((method) => [method, name, error] as const),
    ),
  )('%s takes %s out: within 0.5 dB of the focused peak', async (method, _, error) => {
    const f = withPhase(error)
    const { formed, sharpened, peakDb: said } = await focusedImage({ ...clean, f }, method, options, device)
    expect(sharpened).toBe(true)
    expect(said[0]).toBeLessThan(peakDb(sharp) - 2)
    expect(peakDb(formed.image)).toBeGreaterThan(peakDb(sharp) - 0.5)
  })

  it('map drift takes a quadratic phase of 20 rad out', async () => {
    const f = withPhase(errors['a quadratic phase of 20 rad'])
    const { formed } = await focusedImage({ ...clean, f }, 'map-drift', options, device)
    expect(peakDb(formed.image)).toBeGreaterThan(peakDb(sharp) - 0.5)
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

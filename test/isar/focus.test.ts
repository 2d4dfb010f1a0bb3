import { describe, expect, it } from 'vitest'
import { AUTOFOCUS, imageEntropy, planBackprojection, type PulseHistory } from '../../isar/index.js'
import { carPark, circularPass, pointPulses } from '../../samples/models/gotcha.js'
import { focused, focusedImage } from '../../src/imaging/focus.js'
import { backprojectAll } from '../helpers/pulses.js'
import { linspace } from './points.js'

it.each([
  ['entropy', 0.5],
  ['gradient', 1],
] as const)(
  'autofocus (%s) takes the phase errors of a pass out: the peak of a trihedral within %f dB of the true one',
  (method, within) => {
    const pass = circularPass({ pulses: 150, spanDeg: 2, elevationDeg: 45, rangeM: 10_000 })
    const clean = { ...pointPulses(pass, linspace(9.3e9, 9.9e9, 200), carPark()), channel: 'hh' }
    const error = (n: number): number => 4 * ((n - 75) / 75) ** 2 + 1.2 * Math.sin(n / 11)
    const f = clean.f.map((_, i) => {
      const k = i - (i % 2)
      const phase = error((k / 2) % 150)
      const [cos, sin] = [Math.cos(phase), Math.sin(phase)]
      return i % 2 ? clean.f[k] * sin + clean.f[k + 1] * cos : clean.f[k] * cos - clean.f[k + 1] * sin
    })
    const peakDb = (data: Float64Array): number => {
      const history = { ...clean, f: data }
      const plan = planBackprojection(history, { plane: 'ground', window: 'taylor', acrossM: [12, 14], alongM: [8, 12], pixelM: 0.1 }) // prettier-ignore
      const image = backprojectAll(history, plan)
      let most = 0
      for (let i = 0; i < image.length; i += 2) most = Math.max(most, Math.hypot(image[i], image[i + 1]))
      return 20 * Math.log10(most)
    }
    const best = peakDb(clean.f)
    expect(peakDb(f)).toBeLessThan(best - 3)
    const area = { plane: 'ground', window: 'taylor', acrossM: [-16, 16], alongM: [-12, 12] } as const
    const { history } = focused({ ...clean, f }, method, {
      ...area,
      acrossM: [...area.acrossM],
      alongM: [...area.alongM],
    })
    expect(peakDb(history.f)).toBeGreaterThan(best - within)
  },
)

describe('autofocus of a pass whose pulses are each referred to a range of their own', () => {
  const pulses = 117
  const cars = carPark().filter(({ at: [x, y] }) => Math.hypot(x, y) < 8 || (x < 0 && y > 9))
  /** As the corrected ranges of the Gotcha set: off the middle of the scene by 18 mm rms, another for each pulse. */
  const pass = circularPass({ pulses, spanDeg: 1, elevationDeg: 45.7, rangeM: 10_159 })
  const jitter = (n: number): number => 0.025 * Math.sin(2.4 * n * n)
  const clean = {
    ...pointPulses(
      { ...pass, referenceM: pass.referenceM.map((r, n) => r + jitter(n)) },
      linspace(9.288e9, 9.911e9, 106),
      cars,
    ),
    channel: 'hh',
  }
  const form = { algorithm: 'backprojection', plane: 'ground', window: 'taylor', acrossM: [-16, 16], alongM: [-12, 12], pixelM: 0.15 } as const // prettier-ignore
  const options = { ...form, acrossM: [...form.acrossM] as [number, number], alongM: [...form.alongM] as [number, number] } // prettier-ignore
  const device = { image: async (h: PulseHistory, plan: Parameters<typeof backprojectAll>[1]) => backprojectAll(h, plan) } // prettier-ignore
  const peakDb = (image: Float64Array): number => {
    let most = 0
    for (let i = 0; i < image.length; i += 2) most = Math.max(most, Math.hypot(image[i], image[i + 1]))
    return 20 * Math.log10(most)
  }
  const imageOf = (f: Float64Array): Float64Array =>
    backprojectAll({ ...clean, f }, planBackprojection(clean, options))
  const withPhase = (error: (n: number) => number): Float64Array =>
    clean.f.map((_, i) => {
      const k = i - (i % 2)
      const [cos, sin] = [Math.cos(error((k / 2) % pulses)), Math.sin(error((k / 2) % pulses))]
      return i % 2 ? clean.f[k] * sin + clean.f[k + 1] * cos : clean.f[k] * cos - clean.f[k + 1] * sin
    })

  it.each(AUTOFOCUS)(
    '%s never lowers the peak or raises the entropy of the image that is written',
    async (method) => {
      const sharp = imageOf(clean.f)
      const { formed } = await focusedImage(clean, method, options, device)
      expect(peakDb(formed.image)).toBeGreaterThanOrEqual(peakDb(sharp))
      expect(imageEntropy(formed.image)).toBeLessThanOrEqual(imageEntropy(sharp))
    },
  )

  it.each(AUTOFOCUS)('%s brings a copy back that a quadratic phase defocused', async (method) => {
    const f = withPhase((n) => 5 * ((2 * n) / (pulses - 1) - 1) ** 2)
    const best = peakDb(imageOf(clean.f))
    expect(peakDb(imageOf(f))).toBeLessThan(best - 2)
    const { formed, sharpened, entropy, peakDb: said } = await focusedImage({ ...clean, f }, method, options, device) // prettier-ignore
    expect(sharpened).toBe(true)
    expect(peakDb(formed.image)).toBeGreaterThan(best - 0.5)
    expect(entropy).toEqual([imageEntropy(imageOf(f)), imageEntropy(formed.image)])
    expect(said[1]).toBeCloseTo(peakDb(formed.image), 9)
  })
})

import { expect, it } from 'vitest'
import { planBackprojection } from '../../isar/index.js'
import { carPark, circularPass, pointPulses } from '../../samples/models/gotcha.js'
import { focused } from '../../src/imaging/focus.js'
import { backprojectAll } from '../helpers/pulses.js'
import { linspace } from '../isar/points.js'

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
    const { history, entropy } = focused({ ...clean, f }, method, 16)
    expect(entropy[1]).toBeLessThan(entropy[0])
    expect(peakDb(history.f)).toBeGreaterThan(best - within)
  },
)

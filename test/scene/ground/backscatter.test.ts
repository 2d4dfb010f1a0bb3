import { expect, test } from 'vitest'
import { backscatter } from '../../../scene/index.js'

const decibels = (x: number): number => 10 * Math.log10(x)

test('sea: the example of a published implementation, HH at sea state 2, 10 degrees, 30 GHz', () => {
  // 2.1555e-4: documentation of seareflectivity, Radar Toolbox R2021a.
  const { hh } = backscatter({ model: 'sea', seaState: 2 }, 30e9, 10)
  expect(Math.abs(decibels(hh / 2.1555e-4))).toBeLessThan(0.01)
})

test('soil: the equations of Oh et al., followed by hand', () => {
  const { vv, hh, cross } = backscatter(
    { model: 'soil', epsReal: 5.46, epsImag: 0.0, rmsHeightM: (0.4 * 0.03) / (2 * Math.PI) },
    299792458 / 0.03,
    50,
  )
  // Gamma(0) = .160480, p = (1 - (4/9)^(1/.481439) exp(-.4))^2, q = .23 .400599 (1 - exp(-.4)), g = .7 (1 - exp(-.65 .4^1.8))
  expect(hh / vv).toBeCloseTo(0.7667051, 6)
  expect(cross / vv).toBeCloseTo(0.03037597, 7)
  // g cos^3 / sqrt(p) (.0906876 + .2415060): -18.53 dB.
  expect(vv).toBeCloseTo(0.0140189458, 9)
})

test('soil: rough surfaces do not depend on polarisation, smooth ones are darker in HH', () => {
  const at = (rmsHeightM: number) =>
    backscatter({ model: 'soil', epsReal: 12, epsImag: 2, rmsHeightM }, 9.6e9, 45)
  const [smooth, rough] = [at(0.002), at(0.025)]
  expect(decibels(rough.hh / rough.vv)).toBeCloseTo(0, 1)
  expect(decibels(smooth.hh / smooth.vv)).toBeLessThan(-0.5)
  expect(rough.vv).toBeGreaterThan(smooth.vv)
})

test('soil: constant gamma below 20 degrees, where there are no measurements', () => {
  const soil = { model: 'soil', epsReal: 6, epsImag: 1, rmsHeightM: 0.01 } as const
  const [at20, at10] = [20, 10].map((grazing) => backscatter(soil, 9.6e9, grazing).hh)
  expect(at10 / at20).toBeCloseTo(Math.sin(Math.PI / 18) / Math.sin(Math.PI / 9), 12)
  expect(() => backscatter(soil, 9.6e9, 85)).toThrow(/grazing angle of 85° is outside/)
})

test('constant gamma follows the sine of the grazing angle', () => {
  const { vv, hh, cross } = backscatter({ model: 'gamma', gammaDb: -10, crossPolDb: 7 }, 10e9, 30)
  expect(decibels(vv)).toBeCloseTo(-13.0103, 4)
  expect(hh).toBe(vv)
  expect(decibels(cross)).toBeCloseTo(-20.0103, 4)
})

test.each([
  [{ model: 'sea', seaState: 7 } as const, 10e9, 10, /sea state 7 is outside .* 0 to 6/],
  [{ model: 'sea', seaState: 3 } as const, 10e9, 70, /grazing angle of 70° is outside/],
  [{ model: 'soil', epsReal: 5, epsImag: 0, rmsHeightM: 1e-5 } as const, 10e9, 45, /rms height/],
])('%o at %s Hz and %s degrees is refused', (surface, freqHz, grazing, message) => {
  expect(() => backscatter(surface, freqHz, grazing)).toThrow(message)
})

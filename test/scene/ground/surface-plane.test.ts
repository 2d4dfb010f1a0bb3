import { expect, it } from 'vitest'
import { seaRmsHeight, surfacePlane } from '../../../scene/ground/mirror-image.js'
import { BUILT_IN } from '../../../scene/materials/index.js'
import { mediumAt } from '../../../scene/materials/medium.js'

it('the sea has the rms height of its Douglas state, linear in between', () => {
  // WMO code table 3700: state 3 has significant heights from 0.5 to 1.25 m.
  expect(4 * seaRmsHeight(3)).toBeCloseTo((0.5 + 1.25) / 2, 12)
  expect(4 * seaRmsHeight(6)).toBeCloseTo(5, 12)
  expect(seaRmsHeight(0)).toBe(0)
  expect(seaRmsHeight(2.5)).toBeCloseTo((seaRmsHeight(2) + seaRmsHeight(3)) / 2, 12)
})

it('soil has its own permittivity and rms height, gamma none', () => {
  expect(surfacePlane({ model: 'soil', epsReal: 8, epsImag: 1.5, rmsHeightM: 0.02 })).toMatchObject({
    roughness: 0.02,
    material: { kind: 'opaque', backing: { eps: [8, -1.5] } },
  })
  expect(surfacePlane({ model: 'gamma', gammaDb: -10, crossPolDb: 8 })).toBeNull()
  expect(surfacePlane({ model: 'sea', seaState: 1 })!.material.name).toBe('sea-water')
})

it('sea water has the permittivity of another model, of T. Meissner and F. J. Wentz (IEEE Trans. GRS 42, 2004), within 2.5 %', () => {
  const { medium } = BUILT_IN.find(({ medium: { name } }) => name === 'sea-water')!
  const out = new Float64Array(5)
  // Their equations at 20 °C and 35 g/kg.
  for (const [ghz, re, im] of [
    [1, 71.595, 89.84],
    [3, 69.978, 39.584],
    [9.6, 56.903, 36.744],
    [16, 42.217, 38.511],
  ]) {
    mediumAt(medium, ghz * 1e9, out)
    expect(Math.hypot(out[0] - re, out[1] + im)).toBeLessThan(0.025 * Math.hypot(re, im))
    expect([out[2], Math.abs(out[3])]).toEqual([1, 0])
  }
})

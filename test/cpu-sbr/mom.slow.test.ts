import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { momCuts, momErrors } from '../../reproduction/mom-cases.js'
import { curveErrors } from '../../src/validate/errors.js'

const folder = new URL('../validation/mom/', import.meta.url).pathname

// Rms difference from the method of moments [dB], VV and HH, that an independent prototype of the same formulation
// reached (physical optics at every bounce with visibility; the rest is diffraction).
test.each([
  ['cube1m_3ghz__th90_phi0-90', 0.38, 1.13],
  ['plate_3lam__phi0_th0-85', 5.71, 3.69],
  ['plate_3lam__phi30_th0-85', 0.33, 0.39],
  ['plate_2x1lam__phi90_th0-85', 8.17, 7.07],
  ['disc_d4lam__phi0_th0-85', 0.63, 0.63],
  ['cyl_d1_L3lam__phi0_th0-180', 2.89, 3.44],
  ['dihedral_3lam__th90_phi-45-45', 1.08, 1.29],
  ['trihedral_sq_3lam__phi45_th0-90', 2.37, 1.34],
  ['trihedral_sq_3lam__th45_phi0-90', 1.14, 1.37],
  ['trihedral_tri_4lam__phi45_th0-90', 0.83, 1.54],
])('%s: rms %s dB VV, %s dB HH against the method of moments', async (file, vv, hh) => {
  const cut = momCuts(file, readFileSync(`${folder}${file}.csv`, 'utf8'))
  const errors = await momErrors(folder, cut, undefined, 0)
  expect(Math.abs(errors.vvDb - vv)).toBeLessThan(0.3)
  expect(Math.abs(errors.hhDb - hh)).toBeLessThan(0.3)
})

test('the measure: a curve against itself, scaled, and below the floor', () => {
  const a = Float64Array.of(1, 0, 0, 0.5, 0.01, 0)
  expect(curveErrors(a, a)).toEqual({ db: 0, complex: 0 })
  const half = curveErrors(
    a.map((x) => x / 2),
    Float64Array.of(1, 0),
  )
  expect(half.complex).toBeCloseTo(0.5, 12)
  // The third point of `a` lies 40 dB down: clipped to -30 dB it equals -50 dB.
  expect(curveErrors(Float64Array.of(1, 0, 0, 0.5, 0.003, 0), a).db).toBe(0)
})

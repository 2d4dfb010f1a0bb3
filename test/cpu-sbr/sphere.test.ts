import { expect, test } from 'vitest'
import { sphere } from '../../samples/models/canonical.js'
import { direction } from '../../scene/index.js'
import { miePec } from '../../src/validate/kinds/sphere.js'
import { facetPo } from '../helpers/po.js'
import {
  amplitude,
  db,
  monostatic,
  oneFrequency,
  relativeDifference,
  rmsMax,
  sbrJob,
  sigma,
  solve,
  testScene,
} from '../helpers/sbr.js'

/** Wavelength at which a sphere of radius 1 m has this ka. */
const lambdaOf = (ka: number): number => (2 * Math.PI) / ka

test('sphere of ka = 31.4 and 20,480 facets: within 5 % of facet PO, within 0.3 dB of Mie', async () => {
  const mesh = sphere(1, 5)
  expect(mesh.triangles.length / 3).toBe(20480)
  const target = testScene(mesh)
  const ka = 31.4
  const band = oneFrequency(lambdaOf(ka))
  const mie = db(Math.PI * miePec(ka, 180).e)
  for (const [theta, phi] of [
    [90, 0],
    [37, 21],
    [118, -70],
  ]) {
    const aspect = monostatic(theta, phi)
    const { field } = await solve(target, sbrJob(aspect, band))
    const error = relativeDifference(field, facetPo(mesh, band.f0, aspect))
    expect(error).toBeLessThan(0.05)
    for (const channel of ['vv', 'hh'] as const)
      expect(Math.abs(db(sigma(field, channel)) - mie)).toBeLessThan(0.3)
  }
})

test('bistatic sphere of ka = 50, up to 90 degrees from backscatter: within 1 dB rms of Mie', async () => {
  const target = testScene(sphere(1, 5))
  const ka = 50
  const band = oneFrequency(lambdaOf(ka))
  const tx = direction(90, 0)
  const errors = { e: [] as number[], h: [] as number[] }
  for (let bistatic = 0; bistatic <= 90; bistatic += 5) {
    // In the plane z = 0 the plane of incidence and observation holds E for H-polarisation and H for V.
    const { field } = await solve(target, sbrJob({ tx, rx: direction(90, bistatic) }, band))
    const { e, h } = miePec(ka, 180 - bistatic)
    errors.e.push(db(sigma(field, 'hh') / (Math.PI * e)))
    errors.h.push(db(sigma(field, 'vv') / (Math.PI * h)))
    // None in a plane of symmetry, but that the facets have no such plane; backscatter is 0.5 m.
    expect(Math.hypot(...amplitude(field, 'vh'))).toBeLessThan(0.02)
  }
  for (const plane of ['e', 'h'] as const) {
    const { rms } = rmsMax(errors[plane])
    expect(rms).toBeLessThan(1)
  }
})

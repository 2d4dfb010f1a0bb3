import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sphere } from '../../samples/models/canonical.js'
import { C0 } from '../../scene/band.js'
import { direction } from '../../scene/direction.js'
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

const rows = (file: string): number[][] =>
  readFileSync(new URL(`../validation/analytic/${file}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => /^\d/.test(line))
    .map((line) => line.split(',').map(Number))

/** Wavelength at which a sphere of radius 1 m has this ka. */
const lambdaOf = (ka: number): number => (2 * Math.PI) / ka

test('the oracle: the Mie series, monostatic and bistatic, is that of the reference tables', () => {
  for (const [ka, power] of rows('a_mie_pec_monostatic.csv')) {
    const { e, h } = miePec(ka, 180)
    expect(Math.abs(e / power - 1)).toBeLessThan(1e-6)
    expect(Math.abs(h / power - 1)).toBeLessThan(1e-6)
  }
  for (const [angle, eDb, hDb] of rows('a_mie_pec_bistatic_ka50.csv')) {
    const { e, h } = miePec(50, angle)
    expect(Math.abs(db(e) - eDb)).toBeLessThan(1e-5)
    expect(Math.abs(db(h) - hDb)).toBeLessThan(1e-5)
  }
})

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

test('sphere of ka = 60 to 66: band-averaged RCS within 0.3 dB of Mie', async () => {
  // 81,920 facets lie within lambda / 1000 of the sphere.
  const target = testScene(sphere(1, 6))
  const n = 16
  const [low, high] = [60, 66].map((ka) => C0 / lambdaOf(ka))
  const band = { f0: low, df: (high - low) / (n - 1), n }
  const { field } = await solve(target, sbrJob(monostatic(65, 10), band))
  const mean = (power: (i: number) => number): number =>
    Array.from({ length: n }, (_, i) => power(i)).reduce((a, b) => a + b) / n
  const mie = mean((i) => Math.PI * miePec(60 + (6 * i) / (n - 1), 180).e)
  for (const channel of ['vv', 'hh'] as const) {
    const error = db(mean((i) => sigma(field, channel, i)) / mie)
    expect(Math.abs(error)).toBeLessThan(0.3)
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

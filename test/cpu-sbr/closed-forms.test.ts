import { expect, test } from 'vitest'
import { Contributor } from '../../cpu-sbr/contribution.js'
import { dihedral, plate, squareTrihedral } from '../../samples/models/canonical.js'
import { fitAperture } from '../../rays/index.js'
import { wavenumber, direction } from '../../scene/index.js'
import { facetPo } from '../helpers/po.js'
import {
  amplitude,
  monostatic,
  norm,
  oneFrequency,
  OPTIONS,
  relativeDifference,
  sbrJob,
  solve,
  testScene,
} from '../helpers/sbr.js'
import { random } from '../helpers/random.js'
import { PARALLELOGRAM } from '../../cpu-sbr/records.js'
import { rows } from '../scene/shapes.js'

const sincOf = (x: number): number => (x === 0 ? 1 : Math.sin(x) / x)

/** Physical optics of a square plate in z = 0 (its Gordon integral is two sincs): F [m] of VV and HH alike. */
function platePo(edge: number, freqHz: number, thetaDeg: number, phiDeg: number): [number, number] {
  const k = wavenumber(freqHz)
  const { r } = direction(thetaDeg, phiDeg)
  const size = edge * edge * sincOf(k * edge * r[0]) * sincOf(k * edge * r[1])
  return [0, (-k / (2 * Math.PI)) * r[2] * size]
}

test('plate amplitude and phase: broadside F = -jk a^2 / 2 pi, from below too', async () => {
  const target = testScene(plate(1))
  const band = oneFrequency(0.2)
  for (const theta of [0, 180]) {
    const { field } = await solve(target, sbrJob(monostatic(theta, 0), band, { subdivisions: 4 }))
    const expected = wavenumber(band.f0) / (2 * Math.PI)
    for (const channel of ['vv', 'hh'] as const) {
      const [re, im] = amplitude(field, channel)
      expect(Math.abs(re)).toBeLessThan(1e-3 * expected)
      expect(Math.abs(im + expected)).toBeLessThan(2e-3 * expected)
    }
  }
})

test('the oracle: facet physical optics of the plate is the product of two sincs', () => {
  const { f0 } = oneFrequency(0.1)
  for (const [theta, phi] of rows('0 0, 12 20, 55 130')) {
    const po = facetPo(plate(1), f0, monostatic(theta, phi))
    const [re, im] = platePo(1, f0, theta, phi)
    for (const at of [0, 2]) {
      expect(po[at]).toBeCloseTo(re, 10)
      expect(po[at + 1]).toBeCloseTo(im, 10)
    }
  }
})

test('bistatic plate: physical optics of every channel', async () => {
  const mesh = plate(1)
  const target = testScene(mesh)
  const band = oneFrequency(0.15)
  for (const [tx, rx] of [
    [direction(30, 0), direction(30, 180)],
    [direction(30, 0), direction(50, 120)],
    [direction(10, 70), direction(75, -20)],
  ]) {
    const { field } = await solve(target, sbrJob({ tx, rx }, band, { subdivisions: 4 }))
    const po = facetPo(mesh, band.f0, { tx, rx })
    const scale = wavenumber(band.f0) / (2 * Math.PI)
    expect(norm(Array.from(field, (x, i) => x - po[i]))).toBeLessThan(1e-3 * scale)
  }
})

test('dihedral of 10 wavelengths at its bisector: F = (k / 4 pi) 2 A sqrt 2, HH against VV in antiphase', async () => {
  const lambda = 0.1
  const band = oneFrequency(lambda)
  const target = testScene(dihedral(10 * lambda))
  const { field } = await solve(target, sbrJob(monostatic(90, 0), band, { subdivisions: 3, onlyBounce: 2 }))
  const expected = (wavenumber(band.f0) / (4 * Math.PI)) * 2 * Math.SQRT2
  const [vv, hh] = [amplitude(field, 'vv'), amplitude(field, 'hh')]
  const error = Math.abs(norm(vv) / expected - 1)
  expect(error).toBeLessThan(1e-4)
  expect(Math.abs(norm(hh) / expected - 1)).toBeLessThan(1e-4)
  expect(norm([vv[0] + hh[0], vv[1] + hh[1]]) / expected).toBeLessThan(1e-4)
})

test('trihedral of 2 wavelengths: 10 tubes per wavelength within 1 % of 60', async () => {
  const band = oneFrequency(0.5)
  const target = testScene(squareTrihedral(1))
  const coarse: number[] = []
  const fine: number[] = []
  for (const [theta, phi] of rows('54.7356 45, 30 45, 70 45, 45 20, 65 75')) {
    const aspect = monostatic(theta, phi)
    coarse.push(...(await solve(target, sbrJob(aspect, band))).field)
    fine.push(
      ...(await solve(target, sbrJob(aspect, band, { raysPerWavelength: 60, subdivisions: 3 }))).field,
    )
  }
  const error = relativeDifference(coarse, fine)
  expect(error).toBeLessThan(0.01)
})

test('in monostatic scattering the exit form of a single bounce is physical optics', () => {
  const next = random(2)
  const { scene } = testScene(plate(1))
  for (let i = 0; i < 50; i++) {
    const aspect = monostatic(180 * next(), 360 * next())
    const { d, u, v } = fitAperture(scene, aspect.tx, 0.01)
    const [x, y] = [next() - 0.5, next() - 0.5]
    const [rx, ry, rz] = aspect.tx.r
    const [exit, po] = (['exit', 'all-bounces'] as const).map((formulation) => {
      const contributor = new Contributor(scene, aspect, { ...OPTIONS, formulation }, d, u, v)
      contributor.add(
        { ox: x + rx, oy: y + ry, oz: rz, side: 0.01 },
        Int32Array.of(0),
        1,
        Uint8Array.of(1),
        null,
      )
      return contributor.parallelograms.data.slice(0, PARALLELOGRAM.size)
    })
    const { amplitudes } = PARALLELOGRAM
    expect(norm(po.subarray(amplitudes, amplitudes + 4))).toBeGreaterThan(0)
    po.forEach((expected, c) => expect(Math.abs(exit[c] - expected)).toBeLessThan(1e-15))
  }
})

test('the exit form gives a right-angled dihedral its double bounce, too', async () => {
  const lambda = 0.1
  const band = oneFrequency(lambda)
  const { field } = await solve(
    testScene(dihedral(10 * lambda)),
    sbrJob(monostatic(90, 0), band, { formulation: 'exit', raysPerWavelength: 40 }),
  )
  const expected = (wavenumber(band.f0) / (4 * Math.PI)) * 2 * Math.SQRT2
  // Tubes across the seam and the rim are dropped, as in the papers.
  for (const channel of ['vv', 'hh'] as const)
    expect(Math.abs(norm(amplitude(field, channel)) / expected - 1)).toBeLessThan(0.03)
})

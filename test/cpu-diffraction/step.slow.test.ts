import { expect, test } from 'vitest'
import { SECOND_ORDER, type SecondOrder } from '../../cpu-diffraction/engine/mechanisms.js'
import { direction } from '../../scene/direction.js'
import { prism } from '../scene/shapes.js'
import { engines } from './meshes.js'
import { BAND } from '../../reproduction/prism.js'

/*
 * The side of the vehicle in samples at 3 GHz, in wavelengths: a hull over a track, whose outer edge is 2.3 wavelengths in front of the wall
 * that it lights. The reference is a method of moments in two dimensions (pulses on du/dn = 0 and u = 0, 22 per wavelength, with points inside
 * against resonances; 14 per wavelength give the same to .1 dB), as sigma = 2 L^2/lambda sigma_2D of L = 22 wavelengths [dB over a square wavelength].
 */
const OUTLINE = [[-5.5, 2.5], [5.5, 2.5], [5.5, 0], [8, 0], [8, 4.6], [5.5, 4.6], [5.5, 7.5], [-5.5, 7.5]] // prettier-ignore
const CAP = [[0, 1, 6], [0, 6, 7], [1, 2, 5], [2, 3, 4], [2, 4, 5], [1, 5, 6]] // prettier-ignore
const LENGTH = 22
/** From the plane of the track's top [degrees]. */
const ELEVATIONS = [30, 25, 20, 15, 10, 5]
const VV = [28.1, 25.29, 19.21, 11.81, 13.39, 21.36].map((dbsm) => dbsm + 20)
const HH = [25.78, 25.0, 23.91, 23.11, 21.93, 25.5].map((dbsm) => dbsm + 20)

async function rms(secondOrder: readonly SecondOrder[]): Promise<[vv: number, hh: number]> {
  const { sbr, edges } = engines(prism(OUTLINE, CAP, LENGTH))
  const errors: [number[], number[]] = [[], []]
  for (const [i, elevation] of ELEVATIONS.entries()) {
    // Across the edges, which run along z: E of phi is across them, that of theta along.
    const towards = direction(90, elevation)
    const aspect = { tx: towards, rx: towards }
    const options = {
      raysPerWavelength: 10,
      maxBounces: 5,
      subdivisions: 2,
      formulation: 'all-bounces',
    } as const
    const rays = (await sbr.field({ aspect, band: BAND, options })).field
    const fringe = (
      await edges.field({ aspect, band: BAND, options: { diffraction: 'tw-ildc', secondOrder } })
    ).field
    const level = (c: number): number =>
      10 * Math.log10(4 * Math.PI * ((rays[c] + fringe[c]) ** 2 + (rays[c + 1] + fringe[c + 1]) ** 2))
    errors[0].push(level(2) - VV[i])
    errors[1].push(level(0) - HH[i])
  }
  return errors.map((list) => Math.hypot(...list) / Math.sqrt(list.length)) as [number, number]
}

test("a track's edge in front of a hull: second order moves the lobes at broadside to those of the method of moments", async () => {
  const [vv, hh] = await rms(SECOND_ORDER)
  const [vv1, hh1] = await rms([])
  expect(vv1).toBeGreaterThan(1.8)
  expect(hh1).toBeGreaterThan(0.8)
  expect(vv).toBeLessThan(0.3)
  expect(hh).toBeLessThan(0.15)
  // The lobe that is moved most is a null between others.
  const reflected = await rms(['reflected'])
  expect(reflected[0]).toBeLessThan(0.5 * vv1)
})

import { expect, test } from 'vitest'
import { cube, dihedral, plate } from '../../samples/models/canonical.js'
import { wavenumber } from '../../scene/index.js'
import { frequencies } from '../../scene/band.js'
import { facetPo } from '../helpers/po.js'
import { norm } from '../helpers/sbr.js'
import { aspectOf, sbrCase, type SbrCase } from './cases.js'
import { facetsOf, nearestHit } from './facets.js'
import { sbrReference } from './sbr.js'

const run = ({ target, aspect, band, options }: SbrCase) => sbrReference(target, aspect, band, options)

test.each([
  ['plate', plate(1), aspectOf(23, 51)],
  ['plate, bistatic', plate(1), aspectOf(34, 12, 71, -108)],
  ['cube', cube(1), aspectOf(63, 27)],
])('%s: fine tubes give physical optics of whole facets', (_, mesh, aspect) => {
  const of = sbrCase(mesh, aspect, { raysPerWavelength: 20 })
  const po = frequencies(of.band).reduce<number[]>((all, f) => [...all, ...facetPo(of.target, f, aspect)], [])
  expect(norm(po)).toBeGreaterThan(1e-3 * of.mirror)
  expect(norm(run(of).field.map((x, i) => x - po[i]))).toBeLessThan(2e-4 * of.mirror)
})

test.each(['all-bounces', 'exit'] as const)(
  'dihedral at its bisector, %s: F = (k / 4 pi) 2 A sqrt 2 of the double bounce, VV and HH in antiphase',
  (formulation) => {
    const of = sbrCase(dihedral(1), aspectOf(90, 1e-3), {
      formulation,
      onlyBounce: 2,
      raysPerWavelength: formulation === 'exit' ? 60 : 10,
    })
    const expected = (wavenumber(of.band.f0) / (4 * Math.PI)) * 2 * Math.SQRT2
    const [vvRe, vvIm, hhRe, hhIm] = run(of).field.subarray(0, 4)
    // The exit form drops the tubes across seam and rim.
    const tolerance = formulation === 'exit' ? 0.05 : 2e-3
    expect(Math.abs(Math.hypot(vvRe, vvIm) / expected - 1)).toBeLessThan(tolerance)
    expect(Math.hypot(vvRe + hhRe, vvIm + hhIm) / expected).toBeLessThan(1e-9)
  },
)

test('a sheet seen edge-on scatters nothing', () => {
  const { field, leaves } = run(sbrCase(plate(1), aspectOf(90, 0)))
  expect(leaves).toBe(0)
  expect(norm(field)).toBe(0)
})

test('facets bent by less than the smooth angle share a surface, also across others', () => {
  const surfaces = (smoothAngleDeg: number): number =>
    new Set(facetsOf(cube(1), smoothAngleDeg).map(({ surface }) => surface)).size
  expect([0.1, 89, 91].map(surfaces)).toEqual([6, 6, 1])
})

test('the nearest hit is the first of those along the ray, and never the facet that it starts on', () => {
  const facets = facetsOf(cube(2), 1)
  const ray = { origin: [0.3, 0.2, 5] as [number, number, number], d: [0, 0, -1] as [number, number, number] }
  const top = nearestHit(facets, ray)!
  expect(top.r).toEqual([0.3, 0.2, 1])
  const bottom = nearestHit(facets, { ...ray, origin: top.r }, top.facet)!
  expect(bottom.r[2]).toBeCloseTo(-1, 14)
  expect(nearestHit(facets, { ...ray, origin: bottom.r }, bottom.facet)).toBeNull()
})

import { describe, expect, it, test } from 'vitest'
import { C0, prepareTarget, backscatter } from '../../scene/index.js'
import { crossing, facetsBelow, isMirror, withMirrorImage, withoutImage } from '../../scene/ground/index.js'
import { dielectric, fresnel, mirror } from '../helpers/ground.js'
import { cube, meshOf, moved, rows } from './shapes.js'
import { seaRmsHeight, surfacePlane } from '../../scene/ground/mirror-image.js'
import { BUILT_IN } from '../../scene/materials/index.js'
import { mediumAt } from '../../scene/materials/medium.js'

describe('the factor of a wave that crosses the ground', () => {
  const at = (...args: [Parameters<typeof crossing>[0], number, number]): number[] => {
    const out = new Float64Array(4)
    crossing(...args, out)
    return Array.from(out)
  }

  it('is 1 for a smooth conductor, else -R_s and R_p', () => {
    expect(at(mirror(), 1e9, 0.3)).toEqual([1, 0, 1, 0].map((x) => expect.closeTo(x, 15)))
    expect([isMirror(mirror()), isMirror({ ...mirror(), roughness: 1e-3 })]).toEqual([true, false])
    const [[sRe, sIm], [pRe, pIm]] = fresnel([4, -1], 0.3)
    expect(at(dielectric([4, -1]), 1e9, 0.3)).toEqual(
      [-sRe, -sIm, pRe, pIm].map((x) => expect.closeTo(x, 12)),
    )
  })

  it('decreases as the square of rms height and cosine in dB: Rayleigh height, 60 degrees', () => {
    // Rayleigh’s criterion, lambda / (8 cos): k sigma cos = pi / 4.
    const lambda = 0.03
    const cosine = 0.5
    const rough = { ...mirror(), roughness: lambda / (8 * cosine) }
    const [, , loss] = at(rough, C0 / lambda, cosine)
    expect(-Math.log(loss)).toBeCloseTo(2 * (Math.PI / 4) ** 2, 12)
  })
})

describe('a mesh with its mirror image', () => {
  it('is closed where its own foot was: a cube becomes a prism of twice the height', () => {
    const standing = prepareTarget(moved(cube(), [0, 0, 2]), { smoothAngleDeg: 20 })
    const both = prepareTarget(withMirrorImage(standing, 2, standing.diagonal), { smoothAngleDeg: 20 })
    expect([both.triangles.length / 3, both.report.components, both.report.boundaryEdges]).toEqual([20, 1, 0])
    expect([both.box.min[2], both.box.max[2], both.area]).toEqual([1, 3, expect.closeTo(10, 12)])
    expect(both.report.flipped).toBe(0)
    // Walls are plane across the ground.
    expect(Math.max(...both.edges.interiorAngle)).toBeCloseTo(180, 9)
    expect(facetsBelow(both, 2).reduce((a, b) => a + b)).toBe(10)
    const own = withoutImage({ ...both, ground: mirror(2) })
    expect([own.triangles.length / 3, own.positions.length / 3]).toEqual([10, 8])
  })

  it('leaves a target that floats as two', () => {
    const both = prepareTarget(withMirrorImage(moved(cube(), [0, 0, 0.5]), 0, 1.7), { smoothAngleDeg: 20 })
    expect([both.triangles.length / 3, both.report.components, both.report.closedComponents]).toEqual([24, 2, 2]) // prettier-ignore
  })

  it('refuses what is below, or nothing above', () => {
    expect(() => withMirrorImage(cube(), 0.25, 1.7)).toThrow(
      'the target reaches 0.25 m below the ground at z = 0.25 m: take a ground height of 0 or less, or raise the mesh',
    )
    const flat = meshOf('0 0 0, 1 0 0, 0 1 0', [[0, 1, 2]])
    expect(() => withMirrorImage(flat, 0, 1)).toThrow(/^all facets lie on the ground at z = 0 m/)
  })
})

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
  for (const [ghz, re, im] of rows('1 71.595 89.84, 3 69.978 39.584, 9.6 56.903 36.744, 16 42.217 38.511')) {
    mediumAt(medium, ghz * 1e9, out)
    expect(Math.hypot(out[0] - re, out[1] + im)).toBeLessThan(0.025 * Math.hypot(re, im))
    expect([out[2], Math.abs(out[3])]).toEqual([1, 0])
  }
})

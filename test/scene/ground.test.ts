import { describe, expect, it } from 'vitest'
import { C0, prepareTarget } from '../../scene/index.js'
import { crossing, facetsBelow, isMirror, withMirrorImage, withoutImage } from '../../scene/ground/index.js'
import { dielectric, fresnel, mirror } from '../helpers/ground.js'
import { cube, meshOf, moved } from './shapes.js'

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

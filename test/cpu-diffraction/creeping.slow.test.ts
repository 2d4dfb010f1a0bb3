import { describe, expect, it } from 'vitest'
import { CornerIntegrals, FockFunctions } from '../../math/fock.js'
import { largestRadius } from '../../cpu-diffraction/mechanisms/creeping/creeping-waves.js'
import { meanRadii } from '../../cpu-diffraction/geometry/edge-scene.js'
import { C0, direction, type Mesh } from '../../scene/index.js'
import { boundsOf } from '../../scene/band.js'
import { sphere } from '../../samples/models/canonical.js'
import { miePec } from '../../src/validate/kinds/sphere.js'
import { monostatic, oneFrequency, sbrJob, at } from '../helpers/sbr.js'
import { cube, meshOf } from '../scene/shapes.js'
import { inThrees, quartered, regularPrism, scenes, target, ogive, engines, edgeOptions } from './meshes.js'
import { models } from '../../samples/models/index.js'

const CREEPING = edgeOptions('creeping')

describe('Fock functions', () => {
  const fock = new FockFunctions()
  const at = (x: number): number[] => {
    const out = new Float64Array(4)
    fock.at(x, out)
    return [...out]
  }

  it('have the tabulated values at the shadow boundary', () => {
    // Logan 1959: g(0) = 1.39938, f(0) = .77582 exp(j pi/3).
    const [gr, gi, fr, fi] = at(0)
    expect(Math.hypot(gr, gi)).toBeCloseTo(1.39938, 4)
    expect(gi).toBeCloseTo(0, 6)
    expect(Math.hypot(fr, fi)).toBeCloseTo(0.77582, 4)
    expect(Math.atan2(fi, fr)).toBeCloseTo(-Math.PI / 6, 5)
  })

  it('go over into physical optics in the light', () => {
    for (const x of [-2.5, -2.9]) {
      const [gr, gi, fr, fi] = at(x)
      const q = -1 / (4 * x ** 3)
      expect(Math.hypot(gr - 2, gi - 2 * q)).toBeLessThan(0.01)
      expect(Math.hypot(fr + 2 * x, fi - 2 * x * q)).toBeLessThan(0.05)
    }
  })

  it('decay in the shadow as the first creeping waves of either polarisation', () => {
    // Zeros of Ai' and Ai, times cos 30 degrees.
    const decay = (c: number): number =>
      Math.log(Math.hypot(at(5)[c], at(5)[c + 1]) / Math.hypot(at(6)[c], at(6)[c + 1]))
    expect(decay(0)).toBeCloseTo(1.01879 * Math.cos(Math.PI / 6), 2)
    expect(decay(2)).toBeCloseTo(2.33811 * Math.cos(Math.PI / 6), 2)
  })
})

describe('integrals of linear amplitudes with linear phases over a triangle', () => {
  it.each([
    ['without phase', 0, 0, 0],
    ['as a series', 0.4, -0.3, 0.2],
    ['where the series ends', 0, 0.9999, 0.5],
    ['beyond it', 0, 1.0001, 0.5],
    ['with two equal phases', 5, -3, 5],
    ['with two almost equal phases', -4, 2, 2.0009],
    ['over many cycles', 25, -16, 3],
  ])('agree with sums over small triangles %s', (_, ...t) => {
    const n = 500
    const sums = [0, 0, 0, 0, 0, 0]
    const add = (u: number, v: number): void => {
      const l = [1 - u - v, u, v]
      const phase = l[0] * t[0] + l[1] * t[1] + l[2] * t[2]
      for (let i = 0; i < 3; i++) {
        sums[2 * i] += (l[i] * Math.cos(phase)) / (n * n)
        sums[2 * i + 1] += (l[i] * Math.sin(phase)) / (n * n)
      }
    }
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n - i; j++) {
        add((i + 1 / 3) / n, (j + 1 / 3) / n)
        if (i + j < n - 1) add((i + 2 / 3) / n, (j + 2 / 3) / n)
      }
    const integrals = new CornerIntegrals()
    integrals.set(t[0], t[1], t[2])
    for (const [i, x] of sums.entries()) expect(integrals.values[i]).toBeCloseTo(x, 5)
  })
})

/** Pipe along z of n plane strips, its wall between two radii. */
function tube(n: number, outer: number, inner: number, length: number): Mesh {
  const points: number[][] = []
  const facets: number[][] = []
  for (let i = 0; i < n; i++) {
    const [x, y] = [Math.cos((2 * Math.PI * i) / n), Math.sin((2 * Math.PI * i) / n)]
    for (const [r, z] of [
      [outer, 0],
      [outer, length],
      [inner, length],
      [inner, 0],
    ])
      // prettier-ignore
      points.push([r * x, r * y, z])
    for (let c = 0; c < 4; c++) {
      const [a, b] = [4 * i + c, 4 * i + ((c + 1) % 4)]
      const [d, e] = [(a + 4) % (4 * n), (b + 4) % (4 * n)]
      facets.push([a, d, e], [a, e, b])
    }
  }
  return meshOf(points, facets)
}

describe('mean radii of surfaces', () => {
  const radiiOf = (mesh: Mesh): number[] => [...meanRadii(target(mesh))]

  it("are a cylinder's own, and infinite for its ends", () => {
    const [radius, ...ends] = radiiOf(regularPrism(96, 3, 0.7)).sort((a, b) => a - b)
    expect(radius).toBeCloseTo(0.7, 3)
    expect(ends).toEqual([Infinity, Infinity])
  })

  it('are 0 where no edge ends the surface, infinite where it is hollow or open', () => {
    expect(radiiOf(sphere(2, 3))).toEqual([0])
    const pipe = radiiOf(tube(96, 1, 0.5, 3)).sort((a, b) => a - b)
    expect(pipe[0]).toBeCloseTo(1, 3)
    expect(pipe.slice(1)).toEqual([Infinity, Infinity, Infinity])
    const { triangles, ...rest } = sphere(2, 3)
    expect(radiiOf({ ...rest, triangles: triangles.slice(3) })).toEqual([Infinity])
  })
})

describe('creeping waves', () => {
  it('leave a third of the error of physical optics on a sphere of ka 8, all around to the forward direction', async () => {
    const ka = 8
    const { sbr, fieldOf } = engines(sphere(1, 4))
    const band = at((ka * C0) / (2 * Math.PI))
    const squares = { without: [0, 0], with: [0, 0] }
    const phis = [0, 30, 60, 90, 110, 130, 150, 165, 180]
    for (const phi of phis) {
      const aspect = { tx: direction(90, 0), rx: direction(90, phi) }
      const { field } = await sbr.field(sbrJob(aspect, band, { raysPerWavelength: 12 }))
      const added = await fieldOf(aspect, band, CREEPING)
      const { e, h } = miePec(ka, 180 - phi)
      for (const [c, expected] of [h, e].entries())
        for (const [which, part] of [
          ['without', 0],
          ['with', 1],
        ] as const) {
          const [re, im] = [0, 1].map((i) => field[2 * c + i] + part * added[2 * c + i])
          squares[which][c] += (10 * Math.log10((4 * (re * re + im * im)) / expected)) ** 2 / phis.length
        }
    }
    for (const c of [0, 1]) expect(squares.with[c]).toBeLessThan(squares.without[c] / 9)
  })

  it('are none on planar faces', async () => {
    const field = await engines(cube()).partOf(monostatic(60, 25), oneFrequency(0.3), CREEPING)
    expect(field.every((x) => x === 0)).toBe(true)
  })

  it('are none on surfaces between edges from the radius on at which half a percent of a wave gets half around', async () => {
    const radius = scenes(regularPrism(48, 3)).edges.meanRadii.reduce((a, b) => Math.min(a, b))
    const { partOf } = engines(regularPrism(48, 3))
    const added = async (lambda: number): Promise<boolean> =>
      (await partOf(monostatic(60, 25), oneFrequency(lambda), CREEPING)).some((x) => x !== 0)
    // The lower bound of the step of half an octave that a frequency lies in says so.
    const counts = (lambda: number): boolean => radius < largestRadius(boundsOf(oneFrequency(lambda)).lowest)
    const lambdas = [0.8, 0.6, 0.5, 0.42, 0.36, 0.3, 0.2]
    expect(new Set(lambdas.map(counts))).toEqual(new Set([true, false]))
    expect(await Promise.all(lambdas.map(added))).toEqual(lambdas.map(counts))
    // A sphere has no edges.
    const round = await engines(sphere(1, 3)).partOf(monostatic(60, 25), oneFrequency(0.1), CREEPING)
    expect(round.some((x) => x !== 0)).toBe(true)
    const fock = new FockFunctions()
    const out = new Float64Array(4)
    fock.at(Math.PI * Math.cbrt(largestRadius(1) / 2), out)
    // Of the 2 in the light; E along the surface has decayed further.
    expect(Math.hypot(out[0], out[1]) / 2).toBeLessThan(0.005)
    expect(Math.hypot(out[0], out[1]) / 2).toBeGreaterThan(0.004)
    expect(Math.hypot(out[2], out[3])).toBeLessThan(1e-5)
  })

  const bodies: [string, Mesh, number][] = [
    ['a cylinder', regularPrism(24, 1, 0.1), 0.02],
    ['an ogive', ogive(24, 48), 0.03],
    ['the missile', models.missile.make(), 0.03],
  ]
  it.each(bodies)(
    'are those of the surface however the plane facets of %s are cut',
    async (_, mesh, limit) => {
      const aspects = [4, 40, 85, 121, 157].map((phi) => monostatic(75, phi + 0.3))
      const fields = (of: Mesh): Promise<Float64Array[]> => {
        const { partOf } = engines(of)
        return Promise.all(aspects.map((aspect) => partOf(aspect, oneFrequency(0.1), CREEPING)))
      }
      const plain = await fields(mesh)
      const peak = [0, 2, 4, 6].map((c) =>
        Math.max(...plain.map((field) => Math.hypot(field[c], field[c + 1]))),
      )
      for (const cut of [quartered, inThrees])
        for (const [i, field] of (await fields(cut(mesh))).entries())
          for (let c = 0; c < 8; c++)
            expect(Math.abs(field[c] - plain[i][c])).toBeLessThan(limit * peak[Math.floor(c / 2)])
    },
  )
})

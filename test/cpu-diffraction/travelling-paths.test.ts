import { describe, expect, it } from 'vitest'
import {
  findTips,
  GeodesicLaunch,
  Geodesics,
} from '../../cpu-diffraction/mechanisms/travelling/travelling-waves.js'
import { direction, type Vec3, type Mesh } from '../../scene/index.js'
import { random } from '../helpers/random.js'
import { cube, sphere } from '../scene/shapes.js'
import { grid, regularPrism, scenes, cone, ogive, revolve, spheroid } from './meshes.js'
import { relativeDifference } from '../helpers/sbr.js'

const DEG = Math.PI / 180

describe('tips', () => {
  it('an ogive has two, with its half angle and axis', () => {
    const tips = findTips(scenes(ogive(48, 48)).edges)
    expect(tips.map((t) => Math.round(t.axis[2]))).toEqual([-1, 1])
    for (const { halfAngle, axis } of tips) {
      expect(halfAngle / DEG).toBeCloseTo(22.6, 0)
      expect(Math.abs(axis[2])).toBeCloseTo(1, 10)
    }
  })

  it('a cone on a flat base has one, with sharp edges around it none', () => {
    expect(findTips(scenes(cone(1, 48)).edges)).toHaveLength(1)
    expect(findTips(scenes(cone(1, 4)).edges)).toHaveLength(0)
  })

  it('blunt cones, round bodies, boxes, prisms and sheets have none', () => {
    for (const mesh of [
      cone(6, 48),
      sphere(24, 24),
      spheroid(16, 24),
      cube(),
      regularPrism(48, 1),
      grid(3, 3),
    ])
      expect(findTips(scenes(mesh).edges)).toHaveLength(0)
  })

  it('a conical dent has none', () => {
    const dent = revolve([[0, 0.1], [1, 3], [2, 3], [2, 0]], 48) // prettier-ignore
    expect(findTips(scenes(dent).edges)).toHaveLength(0)
  })
})

describe('geodesics', () => {
  it('are straight lines on the unfolded cone: their distance from its apex follows the law of cosines', () => {
    const { edges } = scenes(cone(1, 64))
    const [tip] = findTips(edges)
    const o = tip.outgoing[5]
    const face = edges.outlineFace[o]
    const e = [0, 1, 2].map((c) => edges.outlineFrames[6 * o + c])
    const slant = Math.hypot(1, 3)
    // n x e leads from the face's edge into it.
    const inwards = [0, 1, 2].map((c) => edges.outlineFrames[6 * o + 3 + c])
    for (const [from, gamma] of [
      [0.3, 0.1],
      [0.2, 0.9],
      [0.4, Math.PI / 2],
      [0.9, 2.5],
    ] as const) {
      const start = e.map((x, c) => tip.point[c] + from * slant * x) as Vec3
      const u = e.map((x, c) => Math.cos(gamma) * x + Math.sin(gamma) * inwards[c]) as Vec3
      let length = 0
      let faces = 0
      const geodesics = new Geodesics(edges)
      geodesics.walk.point.set(start)
      geodesics.walk.u.set(u)
      geodesics.follow(face, u.map((x) => -x) as Vec3, (_, p, d, l) => {
        length += l
        faces++
        const distance = Math.hypot(...tip.point.map((x, c) => p[c] + l * d[c] - x))
        const a = from * slant
        expect(distance).toBeCloseTo(Math.sqrt(a * a + length * length + 2 * a * length * Math.cos(gamma)), 9)
      })
      expect(faces).toBeGreaterThan(gamma > 0.5 ? 10 : 2)
    }
  })

  it('from a tip are two, opposite each other; on a cone they are its generators, on an ogive arcs', () => {
    const lengths = (mesh: Mesh, s: Vec3, ends = true): number[] => {
      const { edges } = scenes(mesh)
      const [tip] = findTips(edges)
      const sums: number[] = []
      let sum = 0
      const end = (sharp: boolean): void => {
        expect(sharp).toBe(ends)
        sums.push(sum)
        sum = 0
      }
      new Geodesics(edges).fromTip(tip, s, (_, __, ___, l) => (sum += l), end)
      return sums
    }
    for (const phi of [0, 1.2, 77]) {
      const { r } = direction(120, phi)
      const [a, b, ...more] = lengths(cone(1, 64), r)
      expect(more).toEqual([])
      expect(a).toBeCloseTo(b, 9)
      expect(a).toBeGreaterThan(Math.hypot(3, Math.cos(Math.PI / 64)) - 1e-9)
      expect(a).toBeLessThan(Math.hypot(3, 1) + 1e-9)
      const arc = 2 * 7.8 * Math.asin(3 / 7.8)
      for (const l of lengths(ogive(64, 64), r, false)) expect(Math.abs(l / arc - 1)).toBeLessThan(2e-3)
    }
    expect(lengths(cone(1, 64), [0, 0, -1])).toEqual([])
  })
})

describe('the launch integral', () => {
  it('agrees with a quadrature at all wavenumbers up to the highest', () => {
    const next = random(7)
    const shortest = 0.02
    const launch = new GeodesicLaunch(shortest)
    const parts: number[][] = []
    let u = 0
    for (let i = 0; i < 12; i++) {
      const [length, path, slope, v, h] = [next() ** 3, next(), 2 * next() - 1, next(), next()]
      if (i % 4 !== 3) {
        parts.push([u, length, path, slope, v, h])
        launch.add(u, u + length, { path, slope, v, h }, () => true)
      }
      u += length
    }
    for (const k of [1, 10, 50]) {
      const f = new Float64Array(4)
      launch.at(k, 0.3, f)
      const exact = new Float64Array(4)
      for (const [u0, length, path, slope, v, h] of parts) {
        const steps = 20000
        for (let i = 0; i < steps; i++) {
          const x = ((i + 0.5) / steps) * length
          const size = ((k * length) / steps) * (1 + k * (u0 + x)) ** -0.3
          const phase = k * (path + slope * x - (u0 + x) + 0.3)
          for (const [c, e] of [v, h].entries()) {
            exact[2 * c] += e * size * Math.cos(phase)
            exact[2 * c + 1] += e * size * Math.sin(phase)
          }
        }
      }
      expect(relativeDifference(f, exact)).toBeLessThan(2e-3)
    }
  })

  it('is half as large along a geodesic that grazing light enters over a sharp edge, and as large far off grazing', () => {
    const size = (slope: number, edge: number): number => {
      const launch = new GeodesicLaunch(0.01)
      launch.add(0, 3, { path: 0, slope, v: 1, h: 0 }, () => true)
      launch.end(edge)
      const f = new Float64Array(4)
      launch.at(100, 0, f)
      return Math.hypot(f[0], f[1])
    }
    expect(size(1, 3) / size(1, Infinity)).toBeCloseTo(0.5, 9)
    expect(size(-1, 3) / size(-1, Infinity)).toBeCloseTo(1, 1)
  })

  it('takes the parts alone that are lit', () => {
    const [whole, near, far] = [new GeodesicLaunch(0.1), new GeodesicLaunch(0.1), new GeodesicLaunch(0.1)]
    whole.add(0, 3, { path: 0, slope: 0.5, v: 1, h: 0 }, () => true)
    near.add(0, 3, { path: 0, slope: 0.5, v: 1, h: 0 }, (l) => l < 1)
    far.add(0, 3, { path: 0, slope: 0.5, v: 1, h: 0 }, (l) => l >= 1)
    const [a, b, c] = [whole, near, far].map((launch) => {
      const f = new Float64Array(4)
      launch.at(10, 0, f)
      return f
    })
    expect(
      relativeDifference(
        b.map((x, i) => x + c[i]),
        a,
      ),
    ).toBeLessThan(1e-12)
    expect(relativeDifference(b, a)).toBeGreaterThan(0.1)
  })
})

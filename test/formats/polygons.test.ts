import { describe, expect, test } from 'vitest'
import { readObj } from '../../formats/obj.js'
import { readPly } from '../../formats/ply.js'
import { cross, dot, InputError, type Mesh, type Vec3 } from '../../scene/index.js'
import { random } from '../helpers/random.js'
import { bytesOf } from './shapes.js'
import { rows } from '../scene/shapes.js'

type Point = [number, number, number]

const objOf = (points: Point[]): Mesh =>
  readObj(
    bytesOf(
      `${points.map((p) => `v ${p.join(' ')}\n`).join('')}f ${points.map((_, i) => i + 1).join(' ')}\n`,
    ),
  )

const plyOf = (points: Point[]): Mesh =>
  readPly(
    bytesOf(
      `ply\nformat ascii 1.0\nelement vertex ${points.length}\nproperty double x\nproperty double y\nproperty double z
element face 1\nproperty list int int vertex_indices\nend_header\n${points.map((p) => `${p.join(' ')}\n`).join('')}` +
        `${points.length} ${points.map((_, i) => i).join(' ')}\n`,
    ),
  )

/** Areas of the facets along a normal [m^2]. */
function areas({ positions, triangles }: Mesh, normal: Vec3): number[] {
  const corner = (i: number): Vec3 => [0, 1, 2].map((c) => positions[3 * triangles[i] + c]) as Vec3
  const minus = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
  return Array.from({ length: triangles.length / 3 }, (_, t) => {
    const [a, b, c] = [corner(3 * t), corner(3 * t + 1), corner(3 * t + 2)]
    return dot(cross(minus(b, a), minus(c, a)), normal) / 2
  })
}

const sum = (list: number[]): number => list.reduce((a, b) => a + b, 0)

// A star of 12 points, its inner corners first: seen from none of its corners is all of it.
const star = Array.from({ length: 24 }, (_, i): Point => {
  const r = i % 2 ? 1 : 0.5
  return [r * Math.cos((Math.PI * i) / 12), r * Math.sin((Math.PI * i) / 12), 0]
})
const lShape: Point[] = rows('0 0 0, 2 0 0, 2 1 0, 1 1 0, 1 2 0, 0 2 0')
const rotated = (points: Point[], by: number): Point[] =>
  points.map((_, i) => points[(i + by) % points.length])

describe('concave polygons', () => {
  test.each([
    ['OBJ', objOf],
    ['PLY', plyOf],
  ])('%s: facets of a star cover it once', (_, read) => {
    for (const by of [0, 1, 7]) {
      const found = areas(read(rotated(star, by)), [0, 0, 1])
      expect(found).toHaveLength(22)
      expect(Math.min(...found)).toBeGreaterThan(0)
      expect(sum(found)).toBeCloseTo(12 * 0.5 * Math.sin(Math.PI / 12), 12)
    }
  })

  test('an L from any corner, either way round, tilted and far from the origin', () => {
    const [n, u, v]: Vec3[] = rows('0 -0.6 0.8, 1 0 0, 0 0.8 0.6')
    const tilted = lShape.map(([x, y]) => [0, 1, 2].map((c) => 1000 + x * u[c] + y * v[c]) as Point)
    for (let by = 0; by < 6; by++) {
      const there = areas(objOf(rotated(tilted, by)), n)
      const back = areas(objOf(rotated(tilted, by).reverse()), n)
      expect(Math.min(...there)).toBeGreaterThan(-1e-9)
      expect(Math.max(...back)).toBeLessThan(1e-9)
      for (const all of [sum(there), -sum(back)]) expect(all).toBeCloseTo(3, 9)
    }
  })

  test('a frame whose hole is joined to its rim by a cut, and corners along straight sides', () => {
    const outer: Point[] = [[0, 0, 0], [2, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0], [0, 0, 0]] // prettier-ignore
    const hole: Point[] = [[1, 1, 0], [1, 3, 0], [3, 3, 0], [3, 1, 0], [1, 1, 0]] // prettier-ignore
    const found = areas(objOf([...outer, ...hole]), [0, 0, 1])
    expect(Math.min(...found)).toBeGreaterThan(-1e-12)
    expect(sum(found)).toBeCloseTo(12, 12)
  })

  test('random star-shaped polygons', () => {
    const next = random(7)
    for (let trial = 0; trial < 50; trial++) {
      const n = 4 + Math.floor(60 * next())
      const points = Array.from({ length: n }, (_, i): Point => {
        const r = 0.1 + next()
        return [r * Math.cos((2 * Math.PI * i) / n), r * Math.sin((2 * Math.PI * i) / n), 0]
      })
      const expected = sum(
        points.map(([x, y], i) => (x * points[(i + 1) % n][1] - y * points[(i + 1) % n][0]) / 2),
      )
      const found = areas(objOf(points), [0, 0, 1])
      expect(Math.min(...found)).toBeGreaterThan(-1e-5)
      expect(sum(found.map(Math.abs))).toBeCloseTo(expected, 4)
    }
  })

  test('a convex polygon and one that crosses itself keep the fan of their first corner', () => {
    const fan = [0, 1, 2, 0, 2, 3]
    const square: Point[] = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]] // prettier-ignore
    const crossed: Point[] = [[0, 0, 0], [1, 1, 0], [1, 0, 0], [0, 1, 0]] // prettier-ignore
    expect(Array.from(objOf(square).triangles)).toEqual(fan)
    expect(Array.from(objOf(crossed).triangles)).toEqual(fan)
  })

  test('one of very many corners is refused', () => {
    const many = Array.from({ length: 5000 }, (_, i): Point => {
      const r = 1 + (i % 2)
      return [r * Math.cos((Math.PI * i) / 2500), r * Math.sin((Math.PI * i) / 2500), 0]
    })
    expect(() => objOf(many)).toThrow(InputError)
    expect(() => objOf(many)).toThrow('a concave face with 5000 vertices; split it')
    const round = Array.from({ length: 20_000 }, (_, i): Point => {
      const angle = (2 * Math.PI * i) / 20_000
      return [Math.cos(angle), Math.sin(angle), 0]
    })
    expect(() => objOf(round)).toThrow(
      'a face with 20000 vertices; split it into triangles, or faces of at most 16384',
    )
  })
})

import { describe, expect, test } from 'vitest'
import { InputError } from '../../scene/index.js'
import { weld } from '../../scene/repair.js'
import { random } from '../helpers/random.js'
import { cube, meshOf, soup, sphere } from './shapes.js'

describe('weld', () => {
  test('joins the corners of a facet soup and keeps the facets', () => {
    const mesh = weld(soup(cube()))
    expect(mesh.positions.length / 3).toBe(8)
    expect(mesh.triangles.length / 3).toBe(12)
    const corner = (v: number, m = mesh): number[] => Array.from(m.positions.subarray(3 * v, 3 * v + 3))
    const original = cube()
    mesh.triangles.forEach((v, i) => expect(corner(v)).toEqual(corner(original.triangles[i], original)))
  })

  test('is undone by no jitter below the tolerance and moves no kept vertex', () => {
    const next = random(3)
    for (let trial = 0; trial < 20; trial++) {
      const whole = sphere(5 + trial, 7 + trial)
      const clean = soup(whole)
      // Two jittered copies of a corner are then at most 0.87e-4 apart.
      const jittered = { ...clean, positions: clean.positions.map((x) => x + 0.5e-4 * (next() - 0.5)) }
      const mesh = weld(jittered, 1e-4)
      expect(mesh.positions.length).toBe(whole.positions.length)
      const before = new Set(jittered.positions)
      expect(mesh.positions.every((x) => before.has(x))).toBe(true)
    }
  })

  test('agrees with a search over all pairs on random clouds, and is idempotent', () => {
    const next = random(17)
    for (const tolerance of [0, 0.003, 0.03, 0.1, 0.4, 3]) {
      const points = Array.from({ length: 300 }, () => [next() - 0.5, next(), 5 + next()])
      points.push(...points.slice(0, 30))
      const mesh = meshOf(
        points,
        Array.from({ length: 110 }, (_, i) => [3 * i, 3 * i + 1, 3 * i + 2]),
      )
      const kept: number[] = []
      const keeper = points.map((p, v) => {
        const near = kept.find(
          (w) => Math.hypot(points[w][0] - p[0], points[w][1] - p[1], points[w][2] - p[2]) <= tolerance,
        )
        if (near === undefined) kept.push(v)
        return near ?? v
      })
      const welded = weld(mesh, tolerance)
      expect(Array.from(welded.positions)).toEqual(kept.flatMap((v) => points[v]))
      expect(Array.from(welded.triangles)).toEqual(keeper.map((v) => kept.indexOf(v)))
      expect(weld(welded, tolerance)).toEqual(welded)
    }
  })

  test('default tolerance is a millionth of the diagonal', () => {
    const pair = (gap: number): number =>
      weld(meshOf(`0 0 0, 3 0 0, 3 4 0, ${3 + gap} 4 0`, '0 1 2, 0 3 1')).positions.length / 3
    expect(pair(4.9e-6)).toBe(3)
    expect(pair(5.1e-6)).toBe(4)
  })

  test('drops unused vertices and keeps groups', () => {
    const mesh = meshOf('9 9 9, 0 0 0, 1 0 0, 0 1 0', [[1, 2, 3]])
    const welded = weld({ ...mesh, facetGroup: Uint32Array.of(1), groupNames: ['a', 'b'] })
    expect(Array.from(welded.triangles)).toEqual([0, 1, 2])
    expect(Array.from(welded.positions)).toEqual([0, 0, 0, 1, 0, 0, 0, 1, 0])
    expect(Array.from(welded.facetGroup!)).toEqual([1])
    expect(welded.groupNames).toEqual(['a', 'b'])
  })

  test('refuses what it cannot weld', () => {
    const bad = cube()
    bad.positions[4] = NaN
    expect(() => weld(bad)).toThrow(InputError)
    expect(() => weld(bad)).toThrow('coordinate y of vertex 1 is NaN')
    expect(() => weld(cube(), -1)).toThrow('weld tolerance is -1')
    expect(() => weld(cube(), NaN)).toThrow(InputError)
    expect(() => weld({ ...cube(), triangles: Uint32Array.of(0, 1, 8) })).toThrow('uses vertex 8')
    expect(weld({ positions: new Float64Array(3), triangles: new Uint32Array(0) }).positions.length).toBe(0)
  })
})

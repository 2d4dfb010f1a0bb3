import { describe, expect, test } from 'vitest'
import { InputError, prepareTarget, scaleMesh, UNITS } from '../../scene/index.js'
import { cube, flipFacets, join, meshOf, moved, soup, sphere } from './shapes.js'

describe('prepareTarget', () => {
  test('cube from a facet soup with turned and repeated facets', () => {
    const raw = flipFacets(soup(cube()), (t) => t % 3 === 0)
    const input = join(raw, { ...raw, triangles: raw.triangles.slice(0, 6) })
    const before = structuredClone(input)
    const target = prepareTarget(input, { smoothAngleDeg: 20 })
    expect(input).toEqual(before)
    expect(target.positions.length / 3).toBe(8)
    expect(target.triangles.length / 3).toBe(12)
    expect(target.report).toMatchObject({ duplicate: 2, flipped: 4, closedComponents: 1 })
    expect(target.surfaceCount).toBe(6)
    expect(target.edges.interiorAngle.length).toBe(18)
    expect(target.area).toBeCloseTo(6, 12)
    expect(target.centroid.map((x) => x.toFixed(12))).toEqual(
      ['0.5', '0.5', '0.5'].map((x) => x.padEnd(14, '0')),
    )
    expect(target.diagonal).toBeCloseTo(Math.sqrt(3), 12)
    expect(target.box).toEqual({ min: [0, 0, 0], max: [1, 1, 1] })
    for (let t = 0; t < 12; t++) {
      expect(target.areas[t]).toBeCloseTo(0.5, 12)
      const n = target.normals.subarray(3 * t, 3 * t + 3)
      expect(Math.hypot(...n)).toBeCloseTo(1, 12)
      // Outwards: away from the cube's centre.
      const v = target.triangles[3 * t]
      const out = [0, 1, 2].map((i) => (target.positions[3 * v + i] - 0.5) * n[i])
      expect(out[0] + out[1] + out[2]).toBeCloseTo(0.5, 12)
    }
  })

  test('a fine sphere: area and centre tend to the closed forms', () => {
    const centre = [3, -2, 7] as [number, number, number]
    const target = prepareTarget(moved(sphere(60, 120), centre), { smoothAngleDeg: 20 })
    expect(target.area).toBeGreaterThan(4 * Math.PI * 0.998)
    expect(target.area).toBeLessThan(4 * Math.PI)
    target.centroid.forEach((x, i) => expect(x).toBeCloseTo(centre[i], 12))
    expect(target.surfaceCount).toBe(1)
  })

  test('keeps groups', () => {
    const mesh = { ...cube(), facetGroup: new Uint32Array(12).fill(1), groupNames: ['wing', 'hull'] }
    const target = prepareTarget(mesh, { smoothAngleDeg: 20 })
    expect(target.facetGroup).toEqual(mesh.facetGroup)
    expect(target.groupNames).toEqual(mesh.groupNames)
  })

  test('refuses a mesh with nothing in it', () => {
    const flat = meshOf('0 0 0, 1 0 0, 2 0 0', [[0, 1, 2]])
    expect(() => prepareTarget(flat, { smoothAngleDeg: 20 })).toThrow(InputError)
    expect(() => prepareTarget(flat, { smoothAngleDeg: 20 })).toThrow('no facets left after cleaning')
    const none = { ...flat, triangles: new Uint32Array(0) }
    expect(() => prepareTarget(none, { smoothAngleDeg: 20 })).toThrow('no facets')
    const point = meshOf([[1, 1, 1]], [[0, 0, 0]])
    expect(() => prepareTarget(point, { smoothAngleDeg: 20 })).toThrow('no facets left')
  })
})

test('units', () => {
  expect(UNITS).toEqual({ m: 1, cm: 0.01, mm: 0.001, in: 0.0254, ft: 0.3048 })
  const mesh = scaleMesh(cube(), 'ft')
  expect(Math.max(...mesh.positions)).toBe(0.3048)
  expect(Math.max(...cube().positions)).toBe(1)
})

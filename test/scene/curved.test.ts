import { describe, expect, it } from 'vitest'
import { cube, sphere } from '../../samples/models/canonical.js'
import { circle, type Point, stack, Surface } from '../../samples/models/surface.js'
import { buildEdgeScene } from '../../cpu-diffraction/index.js'
import { InputError, type Mesh, prepareTarget, type Target } from '../../scene/index.js'

const bend = (mesh: Mesh, sagitta: number, angleDeg = 20): Target =>
  prepareTarget(mesh, { smoothAngleDeg: 20, curved: { angleDeg, sagitta } })
const vertices = ({ positions: p }: Mesh): Point[] =>
  Array.from({ length: p.length / 3 }, (_, v) => [p[3 * v], p[3 * v + 1], p[3 * v + 2]])
const greatest = (x: number[]): number => Math.max(...x.map(Math.abs))
/** Every edge with two facets, the surface of one piece without handles: nothing torn open. */
function expectClosed(t: Target): void {
  expect(t.edges.valence.every((n) => n === 2)).toBe(true)
  expect(t.positions.length / 3 - t.edges.valence.length + t.triangles.length / 3).toBe(2)
}

describe('curveMesh', () => {
  it('makes a sphere of 320 facets round, its vertices where they were', () => {
    const given = prepareTarget(sphere(1, 2), { smoothAngleDeg: 20 })
    const t = bend(sphere(1, 2), 2e-3)
    expect(t.positions.subarray(0, given.positions.length)).toEqual(given.positions)
    expectClosed(t)
    // The facets' middles lay 1.8e-2 inside; now all is within a sagitta and the error of the patch.
    const points = vertices(t)
    expect(greatest(points.map((p) => Math.hypot(...p) - 1))).toBeLessThan(2e-4)
    const middles = Array.from({ length: t.triangles.length / 3 }, (_, f) => {
      const corners = [0, 1, 2].map((i) => points[t.triangles[3 * f + i]])
      return Math.hypot(...[0, 1, 2].map((a) => corners.reduce((s, c) => s + c[a] / 3, 0))) - 1
    })
    expect(greatest(middles)).toBeLessThan(3e-3)
    expect(t.surfaceCount).toBe(1)
    expect(buildEdgeScene(t, 160).count).toBe(0)
  })

  it('rounds a cylinder and, in their planes, its caps', () => {
    const t = bend(stack([circle([0, 0, -1], 1, 2, 24), circle([0, 0, 1], 1, 2, 24)]), 1e-3)
    expectClosed(t)
    expect(t.surfaceCount).toBe(3)
    const inside = vertices(t).filter(([x, y]) => Math.hypot(x, y) < 0.9)
    expect(inside.every(([, , z]) => Math.abs(z) === 1)).toBe(true)
    const wall = vertices(t).filter(([x, y]) => Math.hypot(x, y) > 0.9)
    expect(greatest(wall.map(([x, y]) => Math.hypot(x, y) - 1))).toBeLessThan(2e-4)
    // Of the closed cylinder: 2 pi a (a + L); the prism has 1.1 % less on its caps.
    expect(Math.abs(t.area / (6 * Math.PI) - 1)).toBeLessThan(1e-3)
    const rims = buildEdgeScene(t, 160)
    expect(Math.abs(rims.length - 4 * Math.PI)).toBeLessThan(0.01)
  })

  it('leaves plane bodies as they are', () => {
    const given = prepareTarget(cube(1), { smoothAngleDeg: 20 })
    const t = bend(cube(1), 1e-4, 60)
    expect(t.positions).toEqual(given.positions)
    expect(t.triangles).toEqual(given.triangles)
  })

  it('keeps the tip of a cone, and its sides straight', () => {
    const t = bend(stack([circle([0, 0, 0], 1, 2, 36), circle([0, 0, 3], 0, 2, 36)]), 1e-3)
    expectClosed(t)
    const off = vertices(t)
      .filter(([, , z]) => z > 1e-6)
      .map(([x, y, z]) => Math.hypot(x, y) - (1 - z / 3))
    expect(greatest(off)).toBeLessThan(1e-3)
  })

  it('keeps a panel beside a fillet plane', () => {
    // A quarter tube of radius 0.1 between two panels of 1 m.
    const at = Array.from({ length: 7 }, (_, i) => (i * Math.PI) / 12)
    const profile = [[-1, 0.1], ...at.map((a) => [0.1 * Math.sin(a), 0.1 * Math.cos(a)]), [0.1, -1]]
    const surface = new Surface()
    for (let i = 1; i < profile.length; i++) {
      const [[a, b], [c, d]] = [profile[i - 1], profile[i]]
      surface.quad([a, 0, b], [a, 1, b], [c, 1, d], [c, 0, d])
    }
    const t = bend(surface.mesh(), 1e-4)
    const points = vertices(t)
    expect(points.length).toBeGreaterThan(40)
    for (const [x, , z] of points)
      if (x < 0) expect(z).toBeCloseTo(0.1, 12)
      else if (z < 0) expect(x).toBeCloseTo(0.1, 12)
      else expect(Math.abs(Math.hypot(x, z) - 0.1)).toBeLessThan(2e-5)
  })

  it('turns no piece over where a rim bows into narrow facets', () => {
    // A hole of 18 sides in a square sheet, between rings so close that the bows (0.0077) would cross the next.
    const ring = (r: number): Point[] => circle([0, 0, 0], r, 2, 18)
    const surface = new Surface()
    const tube = circle([0, 0, -1], 0.5, 2, 18)
    surface.strip(tube, ring(0.5), true)
    surface.strip(ring(0.5), ring(0.503), true)
    surface.strip(ring(0.503), ring(1), true)
    const t = bend(surface.mesh(), 1e-4)
    const sides = new Set<number>()
    for (let f = 0; f < t.triangles.length / 3; f++)
      if ([0, 1, 2].every((i) => t.positions[3 * t.triangles[3 * f + i] + 2] === 0))
        sides.add(Math.sign(t.normals[3 * f + 2]))
    expect(sides.size).toBe(1)
  })

  it('hands groups down and refuses what cannot be', () => {
    const mesh = sphere(1, 2)
    const facetGroup = Uint32Array.from({ length: 320 }, (_, t) => t % 2)
    const t = bend({ ...mesh, facetGroup, groupNames: ['a', 'b'] }, 5e-3)
    expect(t.facetGroup).toHaveLength(t.triangles.length / 3)
    expect(t.facetGroup!.reduce((a, b) => a + b)).toBe(t.triangles.length / 6)
    expect(() => bend(mesh, 1e-3, 0)).toThrow(InputError)
    expect(() => bend(mesh, 1e-3, 91)).toThrow('at most 90')
    expect(() => bend(mesh, 1e-7)).toThrow(/more than 2000000 facets; check the units/)
  })
})

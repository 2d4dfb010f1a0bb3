import { describe, expect, it } from 'vitest'
import { boxDiameter, middle, perturbed, scaled, yawed } from '../../dataset/material-state.js'
import { joinMeshes, type Mesh, prepareTarget, rotatePart, splitGroup } from '../../scene/index.js'
import { cube, sphere } from '../scene/shapes.js'

/** The mesh as files without shared vertices have it. */
const unshared = (mesh: Mesh): Mesh => ({
  positions: Float64Array.from(
    [...mesh.triangles].flatMap((v) => [...mesh.positions.subarray(3 * v, 3 * v + 3)]),
  ),
  triangles: Uint32Array.from(mesh.triangles, (_, i) => i),
})

describe('articulation', () => {
  it('turns by the right-hand rule about an axis through its pivot', () => {
    const part: Mesh = { positions: Float64Array.of(2, 1, 5), triangles: new Uint32Array(0) }
    const turned = rotatePart(part, { pivot: [1, 1, 0], axis: [0, 0, 3], angleDeg: 90 })
    expect([...turned.positions]).toEqual([1, 2, 5].map((x) => expect.closeTo(x, 12)))
    const tilted = rotatePart(part, { pivot: [1, 1, 0], axis: [1, 0, 0], angleDeg: 90 })
    expect([...tilted.positions]).toEqual([2, -4, 0].map((x) => expect.closeTo(x, 12)))
  })

  it('takes a group of the file for the part, or names those there are', () => {
    const mesh: Mesh = { ...cube(), facetGroup: Uint32Array.of(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1), groupNames: ['hull', 'turret'] } // prettier-ignore
    const { part, remainder } = splitGroup(mesh, 'turret')
    expect([part.triangles.length / 3, remainder.triangles.length / 3]).toEqual([4, 8])
    expect(joinMeshes(remainder, part).triangles.length).toBe(36)
    expect(() => splitGroup(mesh, 'gun')).toThrow(/no group "gun"; it has hull, turret/)
    expect(() => splitGroup(cube(), 'gun')).toThrow(/has no groups/)
  })
})

describe('perturbed copies', () => {
  const none = { scale: 0, facetM: 0, tiltDeg: 0 }
  const mesh = unshared(sphere(12, 24))

  it('stay closed when their vertices move along the normals', () => {
    const rough = perturbed(mesh, { ...none, facetM: 0.02 }, [0, 0, 0], 1, 0, 0)
    const { report } = prepareTarget(rough, { smoothAngleDeg: 20 })
    const smooth = prepareTarget(mesh, { smoothAngleDeg: 20 }).report
    expect({ ...report }).toEqual({ ...smooth })
    const shifts: number[] = []
    for (let i = 0; i < rough.positions.length; i += 3)
      shifts.push(Math.hypot(rough.positions[i], rough.positions[i + 1], rough.positions[i + 2]) - 1)
    const rms = Math.sqrt(shifts.reduce((s, x) => s + x * x, 0) / shifts.length)
    expect(rms).toBeGreaterThan(0.016)
    expect(rms).toBeLessThan(0.024)
  })

  it('are scaled and tilted about the centre, each copy otherwise, and the same every time', () => {
    const of = (copy: number) =>
      perturbed(mesh, { ...none, scale: 0.05, tiltDeg: 3 }, [0.5, 0, 0], 9, 2, copy)
    expect(of(1).positions).toEqual(of(1).positions)
    expect(of(1).positions).not.toEqual(of(2).positions)
    const radii = Array.from({ length: 60 }, (_, copy) => boxDiameter(of(copy)) / boxDiameter(mesh) - 1)
    const rms = Math.sqrt(radii.reduce((s, x) => s + x * x, 0) / radii.length)
    expect(rms).toBeGreaterThan(0.03)
    expect(rms).toBeLessThan(0.07)
    expect(perturbed(mesh, none, [0, 0, 0], 1, 0, 0)).toBe(mesh)
  })

  it('scale and yaw as they say', () => {
    expect(middle(scaled(cube(), 2))).toEqual([1, 1, 1])
    const turned = yawed(cube(), 90, [0.5, 0.5, 0.5])
    expect(middle(turned)).toEqual([0.5, 0.5, 0.5].map((x) => expect.closeTo(x, 12)))
    // The first vertex (0, 0, 0) goes to (1, 0, 0).
    expect([...turned.positions.subarray(0, 3)]).toEqual([1, 0, 0].map((x) => expect.closeTo(x, 12)))
  })
})

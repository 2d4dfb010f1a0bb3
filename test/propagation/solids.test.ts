import { describe, expect, it } from 'vitest'
import { boxMesh, buildPropagation, joinMeshes, polygonMesh } from '../../propagation/scene/build.js'
import { insideSolids } from '../../propagation/scene/solids.js'
import { sphere } from '../../samples/models/canonical.js'
import type { Mesh, Vec3 } from '../../scene/index.js'
import { tunnelScene } from './scenes.js'
import { rows } from '../scene/shapes.js'

function inside(mesh: Mesh, points: Vec3[], transmitter: Vec3 = [-50, -40, 30]): number[] {
  const receivers = Float64Array.from(points.flat())
  const { setup, target } = buildPropagation(tunnelScene(1, points, { mesh, transmitter, receivers }))
  return Array.from(insideSolids(target, setup.scene, transmitter, receivers))
}

const ground = polygonMesh(rows('-100 -100 0, 100 -100 0, 100 100 0, -100 100 0'))
const POINTS: Vec3[] = [
  [10, 10, 5], // Above a corner of the box's facets' diagonal too.
  [3, 17, 0.5],
  [10, 10, 19.9],
  [10, 10, 20.1],
  [-0.1, 10, 5],
  [10, 10, -1],
  [20.1, 20.1, 5],
]

describe('receivers inside solids', () => {
  it('a house without a floor on the ground is a solid, one in the air is not', () => {
    const house = boxMesh([0, 0, 0], [20, 20, 20], ['-z'])
    expect(inside(joinMeshes([ground, house]), POINTS)).toEqual([1, 1, 1, 0, 0, 0, 0])
    expect(inside(joinMeshes([boxMesh([0, 0, 0], [20, 20, 20]), ground]), POINTS)).toEqual([
      1, 1, 1, 0, 0, 0, 0,
    ])
    const raised = boxMesh([0, 0, 0.4], [20, 20, 20], ['-z'])
    expect(inside(joinMeshes([ground, raised]), POINTS)).toEqual([0, 0, 0, 0, 0, 0, 0])
  })

  it('a tube open at its ends is none, nor is what the transmitter stands in itself', () => {
    expect(inside(boxMesh([0, 0, 0], [20, 20, 20], ['-x', '+x']), POINTS)).toEqual([0, 0, 0, 0, 0, 0, 0])
    expect(inside(boxMesh([0, 0, 0], [20, 20, 20]), POINTS, [1, 2, 3])).toEqual([0, 0, 0, 0, 0, 0, 0])
  })

  it('houses wall to wall and one apart: each is a solid, the yard between is none', () => {
    const houses = [boxMesh([0, 0, 0], [20, 20, 20], ['-z']), boxMesh([20, 0, 0], [40, 20, 20], ['-z']), boxMesh([60, 0, 0], [70, 20, 20], ['-z'])] // prettier-ignore
    const points: Vec3[] = rows('10 10 5, 19.9 10 5, 20.1 10 5, 30 5 12, 50 10 5, 65 10 5')
    expect(inside(joinMeshes([ground, ...houses]), points)).toEqual([1, 1, 1, 1, 0, 1])
  })

  it('a sphere of facets: odd crossings agree with the radius, also in line with its vertices', () => {
    const mesh = sphere(10, 3)
    const points: Vec3[] = []
    for (let i = 0; i < 400; i++) {
      const [a, b, r] = [i * 2.399963, Math.acos(1 - (2 * (i + 0.5)) / 400), i % 2 ? 9.5 : 10.5]
      points.push([r * Math.sin(b) * Math.cos(a), r * Math.sin(b) * Math.sin(a), r * Math.cos(b)])
    }
    for (let v = 0; v < 60; v++)
      points.push([0, 1, 2].map((k) => 0.9 * mesh.positions[3 * v + k]) as Vec3, [0, 1, 2].map((k) => 1.1 * mesh.positions[3 * v + k]) as Vec3) // prettier-ignore
    expect(inside(mesh, points)).toEqual(points.map((p) => (Math.hypot(...p) < 10 ? 1 : 0)))
  })
})

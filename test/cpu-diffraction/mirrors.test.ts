import { expect, it } from 'vitest'
import { areaOf } from '../../cpu-diffraction/geometry/edge-scene.js'
import { mirrorsOf } from '../../cpu-diffraction/light/mirrors.js'
import { cube } from '../../samples/models/canonical.js'
import type { Mesh } from '../../scene/index.js'
import { lBlock, quartered, scenes } from './meshes.js'

const found = (mesh: Mesh) => {
  const { edges, rays } = scenes(mesh)
  const largest: number[] = []
  edges.faceOf.forEach((face, f) => (largest[face] ??= f))
  return mirrorsOf(edges, rays, largest)
}
const area = ({ vertices, facets }: ReturnType<typeof found>): number =>
  facets.reduce((sum, _, m) => sum + areaOf(vertices, 9 * m), 0)

it('a face with a convex outline has as many mirrors as its corners need, however it is cut', () => {
  for (const mesh of [cube(1), quartered(cube(1)), quartered(quartered(cube(1)))]) {
    const mirrors = found(mesh)
    expect(mirrors.facets.length).toBe(12)
    expect(area(mirrors)).toBeCloseTo(6, 12)
  }
  expect(found(cube(1)).outlined).toBe(0)
  expect(found(quartered(cube(1))).outlined).toBe(12)
})

it('a face whose outline is not convex has its facets', () => {
  const body = quartered(quartered(lBlock()))
  const mirrors = found(body)
  // Two triangles on each of the six sides; the ends are L-shaped.
  expect(mirrors.outlined).toBe(12)
  expect(mirrors.facets.length).toBe(12 + body.triangles.length / 3 - 6 * 32)
  expect(area(mirrors)).toBeCloseTo(area(found(lBlock())), 12)
})

it('all facets are mirrors where outlines do not halve their number', () => {
  const { facets, outlined } = found(quartered(lBlock()))
  expect([facets.length, outlined]).toEqual([80, 0])
})

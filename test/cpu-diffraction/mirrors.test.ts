import { expect, it } from 'vitest'
import { areaOf, findMirrors } from '../../cpu-diffraction/light/mirrors.js'
import { cube } from '../../samples/models/canonical.js'
import type { Mesh } from '../../scene/index.js'
import { lBlock, quartered, scenes } from './meshes.js'

const mirrorsOf = (mesh: Mesh) => {
  const { edges, rays } = scenes(mesh)
  const largest: number[] = []
  edges.faceOf.forEach((face, f) => (largest[face] ??= f))
  return findMirrors(edges, rays, largest)
}
const area = ({ vertices, facets }: ReturnType<typeof mirrorsOf>): number =>
  facets.reduce((sum, _, m) => sum + areaOf(vertices, 9 * m), 0)

it('a face with a convex outline has as many mirrors as its corners need, however it is cut', () => {
  for (const mesh of [cube(1), quartered(cube(1)), quartered(quartered(cube(1)))]) {
    const mirrors = mirrorsOf(mesh)
    expect(mirrors.facets.length).toBe(12)
    expect(area(mirrors)).toBeCloseTo(6, 12)
  }
  expect(mirrorsOf(cube(1)).outlined).toBe(0)
  expect(mirrorsOf(quartered(cube(1))).outlined).toBe(12)
})

it('a face whose outline is not convex has its facets', () => {
  const body = quartered(quartered(lBlock()))
  const mirrors = mirrorsOf(body)
  // Two triangles on each of the six sides; the ends are L-shaped.
  expect(mirrors.outlined).toBe(12)
  expect(mirrors.facets.length).toBe(12 + body.triangles.length / 3 - 6 * 32)
  expect(area(mirrors)).toBeCloseTo(area(mirrorsOf(lBlock())), 12)
})

it('all facets are mirrors where outlines do not halve their number', () => {
  const { facets, outlined } = mirrorsOf(quartered(lBlock()))
  expect([facets.length, outlined]).toEqual([80, 0])
})

import { expect, test } from 'vitest'
import { cube, plate, sphere, squareTrihedral } from '../../samples/models/canonical.js'
import { models } from '../../samples/models/index.js'
import { findFlats } from '../../scene/flats.js'
import type { Mesh } from '../../scene/mesh.js'
import { prepareTarget } from '../../scene/target.js'

const flatsOf = (mesh: Mesh, smoothAngleDeg = 20) => findFlats(prepareTarget(mesh, { smoothAngleDeg }))
const countOf = (flats: { rimStart: Uint32Array }): number => flats.rimStart.length - 1

test.each([
  ['plate', plate(1), 1, 4],
  ['cube', cube(2), 6, 24],
  ['square trihedral', squareTrihedral(1), 3, 12],
])('%s: a flat for each face, with the edges around it', (_, mesh, count, edges) => {
  const flats = flatsOf(mesh)
  expect(countOf(flats)).toBe(count)
  expect(flats.rim).toHaveLength(2 * edges)
  expect(Array.from(flats.curved)).not.toContain(1)
})

test('every facet of a sphere is a flat of its own, of a curved surface', () => {
  const flats = flatsOf(sphere(1, 3))
  expect(countOf(flats)).toBe(flats.flat.length)
  expect(new Set(flats.curved)).toEqual(new Set([1]))
})

test('a wall that stands on a deck parts the deck, so that its foot is a rim', () => {
  const wall: Mesh = {
    positions: Float64Array.from([0, 0, 0, 1, 0, 0, 1, 1, 0, -1, 1, 0, -1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1]),
    triangles: Uint32Array.from([0, 1, 2, 0, 2, 5, 0, 5, 3, 0, 3, 4, 0, 6, 7, 0, 7, 5]),
  }
  const flats = flatsOf(wall)
  expect(countOf(flats)).toBe(3)
  expect(flats.flat[0]).toBe(flats.flat[1])
  expect(flats.flat[1]).not.toBe(flats.flat[2])
})

test('shells: closed bodies outward, turned inside out inward, sheets neither', () => {
  expect(new Set(flatsOf(cube(1)).shell)).toEqual(new Set([1]))
  expect(new Set(flatsOf(plate(1)).shell)).toEqual(new Set([0]))
  const target = prepareTarget(cube(1), { smoothAngleDeg: 20 })
  const triangles = target.triangles.slice()
  for (let t = 0; t < triangles.length; t += 3) {
    triangles[t] = target.triangles[t + 1]
    triangles[t + 1] = target.triangles[t]
  }
  expect(new Set(findFlats({ ...target, triangles }).shell)).toEqual(new Set([-1]))
})

test('facets of a flat lie in one plane, and every edge between two flats is in both rims', () => {
  const target = prepareTarget(models.deckhouse.make(), { smoothAngleDeg: 20 })
  const flats = findFlats(target)
  const { flat, rimStart, rim } = flats
  expect(countOf(flats)).toBeLessThan(flat.length)
  const rims = new Set<string>()
  for (let f = 0; f < countOf(flats); f++)
    for (let e = rimStart[f]; e < rimStart[f + 1]; e++) rims.add(`${f} ${rim[2 * e]} ${rim[2 * e + 1]}`)
  for (let e = 0; e < target.edges.valence.length; e++) {
    const [a, b] = target.edges.facets.subarray(2 * e, 2 * e + 2)
    if (b < 0 || flat[a] === flat[b]) continue
    const pair = target.edges.vertices.subarray(2 * e, 2 * e + 2).join(' ')
    expect(rims.has(`${flat[a]} ${pair}`) && rims.has(`${flat[b]} ${pair}`)).toBe(true)
  }
  const first = new Map<number, number>()
  for (let t = 0; t < flat.length; t++) {
    const seed = first.get(flat[t]) ?? t
    first.set(flat[t], seed)
    const n = target.normals.subarray(3 * seed, 3 * seed + 3)
    const [a, b] = [3 * target.triangles[3 * seed], 3 * target.triangles[3 * t]]
    const height = [0, 1, 2].reduce(
      (h, c) => h + n[c] * (target.positions[b + c] - target.positions[a + c]),
      0,
    )
    expect(Math.abs(height)).toBeLessThan(3e-7 * target.diagonal)
  }
})

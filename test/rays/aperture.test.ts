import { expect, test } from 'vitest'
import { models } from '../../samples/models/index.js'
import { fitAperture, subGrids, TILE, tubeCount } from '../../rays/index.js'
import { extentAlong } from '../../rays/aperture.js'
import { cross, direction, dot, type Vec3 } from '../../scene/index.js'
import { testScene } from '../helpers/sbr.js'
import { moved, rows } from '../scene/shapes.js'

const aspects: [number, number][] = rows('0 0, 90 0, 71 33, 140 -120, 230 10')

test.each(['plate', 'cube', 'missile'])('the aperture of %s covers its projection and no more', (name) => {
  const { scene } = testScene(models[name].make())
  for (const [theta, phi] of aspects)
    for (const h of [0.004, 0.3]) {
      const tx = direction(theta, phi)
      const a = fitAperture(scene, tx, h)
      const lattice = (p: ArrayLike<number>): [number, number] => {
        const q = Array.from(p) as Vec3
        return [dot(q, a.u) / h - a.offset[0], dot(q, a.v) / h - a.offset[1]]
      }
      const rows = { i: [Infinity, -Infinity], j: [Infinity, -Infinity] }
      const ahead = [Infinity, -Infinity]
      for (let v = 0; v < scene.points.length; v += 3) {
        const p = scene.points.subarray(v, v + 3)
        const [i, j] = lattice(p)
        rows.i = [Math.min(rows.i[0], i), Math.max(rows.i[1], i)]
        rows.j = [Math.min(rows.j[0], j), Math.max(rows.j[1], j)]
        const before = dot(a.base, tx.r) - dot(Array.from(p) as Vec3, tx.r)
        ahead[0] = Math.min(ahead[0], before)
        ahead[1] = Math.max(ahead[1], before)
      }
      // The launch plane lies in front of every vertex, close by.
      expect(ahead[0]).toBeGreaterThan(0)
      expect(ahead[1]).toBeLessThan(1.01 * scene.diagonal)
      // Vertices from edge to edge, and in the outermost tiles on every side.
      expect(Math.floor(rows.i[0] / TILE)).toBe(a.tileI0)
      expect(Math.floor(rows.i[1] / TILE)).toBe(a.tileI0 + a.tilesI - 1)
      expect(Math.floor(rows.j[0] / TILE)).toBe(a.tileJ0)
      expect(Math.floor(rows.j[1] / TILE)).toBe(a.tileJ0 + a.tilesJ - 1)
      expect(tubeCount(a)).toBe(a.tilesI * a.tilesJ * TILE * TILE)
    }
})

test('lattice axes are orthonormal and across the incidence, u x v towards the radar', () => {
  const { scene } = testScene(models.cube.make())
  for (const [theta, phi] of aspects) {
    const tx = direction(theta, phi)
    const { d, u, v } = fitAperture(scene, tx, 0.1)
    cross(u, v).forEach((x, a) => expect(x).toBeCloseTo(tx.r[a], 14))
    d.forEach((x, a) => expect(x).toBe(-tx.r[a]))
    for (const axis of [u, v]) expect(dot(axis, axis)).toBeCloseTo(1, 14)
    expect(dot(u, v)).toBeCloseTo(0, 14)
  }
})

test('sub-grids tile the aperture without gap or overlap, whatever their side', () => {
  const { scene } = testScene(models.missile.make())
  const a = fitAperture(scene, direction(64, 20), 0.003)
  expect(a.tilesI * a.tilesJ).toBeGreaterThan(50)
  for (const side of [1, 16, 40, 64, 100, 256, 2048]) {
    const seen = new Map<string, number>()
    for (const part of subGrids(a, side)) {
      expect(Math.max(part.ni, part.nj)).toBeLessThanOrEqual(Math.max(1, Math.floor(side / TILE)))
      for (let j = part.j0; j < part.j0 + part.nj; j++)
        for (let i = part.i0; i < part.i0 + part.ni; i++)
          seen.set(`${i},${j}`, (seen.get(`${i},${j}`) ?? 0) + 1)
    }
    for (let j = 0; j < a.tilesJ; j++)
      for (let i = 0; i < a.tilesI; i++) expect(seen.get(`${a.tileI0 + i},${a.tileJ0 + j}`)).toBe(1)
    expect(seen.size).toBe(a.tilesI * a.tilesJ)
  }
})

test('the lattice belongs to the target: a moved mesh has the same one', () => {
  const mesh = models.cube.make()
  const tx = direction(64, 20)
  const a = fitAperture(testScene(mesh).scene, tx, 0.05)
  const b = fitAperture(testScene(moved(mesh, [8, -4, 2])).scene, tx, 0.05)
  expect(b).toEqual(a)
})

test('extent along an axis is that of the mesh as it stands in its file', () => {
  const mesh = moved(models.cube.make(), [3, 0, -7])
  const { scene } = testScene(mesh)
  const [x, z] = [extentAlong(scene, [1, 0, 0]), extentAlong(scene, [0, 0, 1])]
  for (const [value, expected] of [
    [x[0], 2.5],
    [x[1], 3.5],
    [z[0], -7.5],
    [z[1], -6.5],
  ])
    expect(value).toBeCloseTo(expected, 12)
})

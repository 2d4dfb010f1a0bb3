import { expect, test, describe, it } from 'vitest'
import { SECOND_ORDER, type SecondOrder } from '../../cpu-diffraction/index.js'
import { BAND, complexError } from '../../reproduction/prism.js'
import type { Mesh } from '../../scene/index.js'
import type { Material } from '../../scene/materials/index.js'
import { sphere, cube } from '../../samples/models/canonical.js'
import { CONDUCTOR, layer, made, sheet } from '../helpers/materials.js'
import { meshOf, rows } from '../scene/shapes.js'
import { scenes, dihedral, edgeOptions, engines } from './meshes.js'
import { findMeetings } from '../../cpu-diffraction/mechanisms/meeting-edges.js'
import { monostatic, at } from '../helpers/sbr.js'

/*
 * Mechanisms of second order on targets that do not conduct everywhere: at conductors alone.
 */

const glass = sheet(layer([6.3, -0.1], 0.02))
const rectangle = (corners: number[][]): Mesh => meshOf(corners, '0 1 2, 0 2 3')
const floor = rectangle(rows('0 0 0, 5 0 0, 5 4 0, 0 4 0'))
const wall = rectangle(rows('0 0 0, 0 4 0, 0 4 5, 0 0 5'))
/** Far below, where nothing sees it but from beneath. */
const pane = rectangle(rows('-6 0 -6, -5.7 0 -6, -5.7 0.3 -6, -6 0.3 -6'))

/** What mechanisms add to first order. */
const added = async (mesh: Mesh, secondOrder: readonly SecondOrder[] = SECOND_ORDER): Promise<number[]> => [
  ...(await engines(mesh).addedOf(monostatic(55, 20), BAND, edgeOptions(...secondOrder))),
]

const corner = (ofFloor: Material, ofWall: Material): Mesh => made([floor, ofFloor], [wall, ofWall])

test('a pane of glass far away leaves the mechanisms of a dihedral', async () => {
  const alone = await added(corner(CONDUCTOR, CONDUCTOR))
  expect(Math.hypot(...alone)).toBeGreaterThan(0.1)
  const besideMetal = await added(made([floor, CONDUCTOR], [wall, CONDUCTOR], [pane, CONDUCTOR]))
  const besideGlass = await added(made([floor, CONDUCTOR], [wall, CONDUCTOR], [pane, glass]))
  expect(complexError(besideGlass, alone)).toBeLessThan(0.01)
  expect(complexError(besideGlass, besideMetal)).toBeLessThan(0.01)
})

test('a facet astray does not make a target large', async () => {
  const alone = await added(corner(CONDUCTOR, CONDUCTOR))
  const stray = rectangle(rows('-200 0 -300, -199.999 0 -300, -199.999 0.001 -300, -200 0.001 -300'))
  const beside = await added(made([floor, CONDUCTOR], [wall, CONDUCTOR], [stray, glass]))
  expect(complexError(beside, alone)).toBeLessThan(0.01)
})

test('facets of glass neither reflect nor carry waves of second order', async () => {
  const metal = await added(corner(CONDUCTOR, CONDUCTOR), ['reflected', 'wall'])
  const half = await added(corner(CONDUCTOR, glass), ['reflected', 'wall'])
  expect(Math.hypot(...metal)).toBeGreaterThan(0.1)
  expect(half.every((x) => x === 0)).toBe(true)
  // The floor's own edges still send waves across it.
  expect(Math.hypot(...(await added(corner(CONDUCTOR, glass), ['double'])))).toBeGreaterThan(1e-3)
  expect((await added(corner(glass, glass))).every((x) => x === 0)).toBe(true)
})

test('smooth bodies of glass have no creeping waves', async () => {
  const of = async (material: Material): Promise<number[]> =>
    added(made([sphere(1, 3), material], [pane, CONDUCTOR]), ['creeping'])
  expect(Math.hypot(...(await of(CONDUCTOR)))).toBeGreaterThan(1e-3)
  expect((await of(glass)).every((x) => x === 0)).toBe(true)
})

describe('edges that meet', () => {
  it('are the rims of both sheets where the seam of a dihedral ends', () => {
    const { edges } = scenes(dihedral())
    const meetings = findMeetings(edges, 0.5).flatMap((list, e) => list.map((m) => ({ e, ...m })))
    expect(meetings).toHaveLength(4)
    for (const { azimuth, sin, along, onward } of meetings) {
      // Across the other sheet, from either side of it.
      expect(Math.abs(Math.sin(azimuth))).toBeCloseTo(1, 10)
      expect(sin).toBeCloseTo(1, 12)
      for (const v of [along, onward]) expect(Math.hypot(...v)).toBeCloseTo(1, 12)
    }
    expect(findMeetings(edges, 1.1).flat()).toHaveLength(0)
  })

  it('are none of a convex solid, whose edges have a face in common', () => {
    expect(findMeetings(scenes(cube(1)).edges, 0).flat()).toHaveLength(0)
  })

  it('take the side of a boundary that reflected light takes', async () => {
    const { partOf } = engines(dihedral())
    for (const phi of [30, 55]) {
      const [on, beside] = await Promise.all(
        [90, 89.99].map((theta) => partOf(monostatic(theta, phi), at(9e8), edgeOptions('reflected'))),
      )
      const norm = Math.hypot(...on)
      // The reflected wave lacks the factor of the first edge's end: .12; with the other side .5.
      expect(Math.hypot(...on.map((x, i) => x - beside[i])) / norm).toBeLessThan(0.2)
    }
  })
})

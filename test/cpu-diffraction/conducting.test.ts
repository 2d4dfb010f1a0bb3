import { expect, test } from 'vitest'
import { createEdgeEngine, SECOND_ORDER, type SecondOrder } from '../../cpu-diffraction/index.js'
import { BAND, complexError } from '../../reproduction/prism.js'
import { direction, type Mesh } from '../../scene/index.js'
import type { Material } from '../../scene/materials/index.js'
import { sphere } from '../../samples/models/canonical.js'
import { CONDUCTOR, layer, made, sheet } from '../helpers/materials.js'
import { meshOf, rows } from '../scene/shapes.js'
import { scenes } from './meshes.js'

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
async function added(mesh: Mesh, secondOrder: readonly SecondOrder[] = SECOND_ORDER): Promise<number[]> {
  const { edges, rays } = scenes(mesh)
  const engine = createEdgeEngine(edges, rays, { workers: 0 })
  const aspect = { tx: direction(55, 20), rx: direction(55, 20) }
  const field = async (list: readonly SecondOrder[]): Promise<Float64Array> =>
    (await engine.field({ aspect, band: BAND, options: { diffraction: 'tw-ildc', secondOrder: list } })).field
  const [first, all] = [await field([]), await field(secondOrder)]
  return [...all].map((x, i) => x - first[i])
}

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

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { SECOND_ORDER } from '../../cpu-diffraction/index.js'
import { models } from '../../samples/models/index.js'
import type { Vec3, Mesh } from '../../scene/index.js'
import { writeBinaryStl } from '../../formats/index.js'
import { readStl } from '../../formats/stl.js'
import { moved, rows, meshOf } from '../scene/shapes.js'
import { engines, regular, centredSheet, edgeOptions, mapped } from './meshes.js'
import { movePhaseCentre } from '../../run/sweep/rows.js'
import { peakDifference, at, monostatic } from '../helpers/sbr.js'

const ASPECTS = rows('63.7 27.3, 84.1 141.9, 118.3 -71.7')

/** Amplitudes of SBR and edge diffraction of all aspects, phase referred to `centre`, and how many edges may diffract. */
async function solve(
  mesh: Mesh,
  freqHz: number,
  centre: Vec3,
  aspects = ASPECTS,
): Promise<{ f: number[]; edges: number }> {
  const { wholeOf, edgeCount } = engines(mesh)
  const f: number[] = []
  for (const [theta, phi] of aspects) {
    const aspect = monostatic(theta, phi)
    const total = await wholeOf(aspect, at(freqHz))
    movePhaseCentre(total, at(freqHz), aspect, centre)
    f.push(...total)
  }
  return { f, edges: edgeCount }
}

const disc = (rim: number): Mesh =>
  meshOf(
    [[0, 0, 0], ...regular(rim, 0.5).map(([x, y]) => [x, y, 0])],
    Array.from({ length: rim }, (_, i) => [0, 1 + i, 1 + ((i + 1) % rim)]),
  )

/** An oblique sheet of n x n squares, 1 m wide. */
const obliqueSheet = (n: number): Mesh =>
  mapped(centredSheet(1, 1, n, n), ([x, y]) => [0.88 * x, y + 0.1 * x, 0.48 * x + 0.3 * y])

const PLACES: Vec3[] = [
  [100, -70, 30],
  [10_000, 7000, -3000],
  // Map coordinates.
  [500_000, 4_000_000, 100],
]

describe('a target off the origin scatters as it does there, its phase moved', () => {
  const FREQUENCY: Record<string, number> = {
    'aircraft-a': 3e8,
    'aircraft-b': 3e8,
    sphere: 3e8,
    deckhouse: 1e8,
  }
  const cases: [string, Mesh, number][] = [
    ['a disc of 360 rim edges', disc(360), 3e9],
    ...Object.keys(models).map((name): [string, Mesh, number] => [
      name,
      models[name].make(),
      FREQUENCY[name] ?? 1e9,
    ]),
  ]
  for (const [name, mesh, freqHz] of cases)
    it(name, async () => {
      const here = await solve(mesh, freqHz, [0, 0, 0])
      for (const place of PLACES) {
        const there = await solve(moved(mesh, place), freqHz, place)
        expect(there.edges).toBe(here.edges)
        expect(peakDifference(there.f, here.f)).toBeLessThan(1e-6)
      }
    })
})

/** As a binary STL file holds it. */
const stored = (mesh: Mesh, at: Vec3): Mesh => readStl(writeBinaryStl(moved(mesh, at)))

describe('a mesh whose file rounds its coordinates far from the origin', () => {
  it('keeps the four rims of a fine oblique sheet, in the light, as far as its roughness goes', async () => {
    const sheet = obliqueSheet(60)
    const here = await solve(stored(sheet, [0, 0, 0]), 3e9, [0, 0, 0])
    expect(here.edges).toBe(4)
    for (const [x, most] of rows('20 1e-3, 100 1e-2, 1000 5e-2')) {
      const place: Vec3 = [x, 0.7 * x, -0.3 * x]
      const there = await solve(stored(sheet, place), 3e9, place)
      expect(there.edges).toBe(4)
      expect(peakDifference(there.f, here.f)).toBeLessThan(most)
    }
  })
})

describe('all mechanisms of a mesh that a binary STL rounds 5 and 50 m from the origin', () => {
  /** Field of all mechanisms; at angles where faces are edge-on, and at others. */
  async function all(
    mesh: Mesh,
    freqHz: number,
    theta: number,
    phis: number[],
    place: Vec3,
  ): Promise<number[]> {
    const { fieldOf } = engines(stored(mesh, place))
    const f: number[] = []
    for (const phi of phis) {
      const aspect = monostatic(theta, phi)
      const field = await fieldOf(aspect, at(freqHz), edgeOptions(...SECOND_ORDER))
      movePhaseCentre(field, at(freqHz), aspect, place)
      f.push(...field)
    }
    return f
  }
  // Rounding turns phases by up to 4 pi sqrt(3) 1.9e-6 m / lambda at 50 m: 4e-4 of the dihedral, 7e-4 of the ship. There the ship's file warns, and
  // footprints move where faces are edge-on: 1.2e-2 of the peak at 4.3 and 5.6 GHz, at phi 180.
  it.each([
    ['dihedral', 3e9, 70, [0, 22.5, 45, 60, 135, 157.5, 180, 225, 270, 315], [5e-4, 5e-4]],
    ['ship-0.9m', 5e9, 75, [0, 33, 90, 180, 270], [3e-4, 1.5e-2]],
    ['ship-0.9m', 5.6e9, 75, [0, 33, 90, 180, 270], [3e-4, 1.5e-2]],
  ] as const)('is that of %s at the origin, %f Hz', async (name, freqHz, theta, phis, most) => {
    const mesh = readStl(readFileSync(`samples/${name}.stl`))
    const here = await all(mesh, freqHz, theta, [...phis], [0, 0, 0])
    for (const [i, x] of [5, 50].entries()) {
      const there = await all(mesh, freqHz, theta, [...phis], [x, 0.7 * x, -0.3 * x])
      expect(peakDifference(there, here)).toBeLessThan(most[i])
    }
  })
})

describe('a disc scatters alike however fine its rim is', () => {
  it('converges from 90 to 13,000 edges', async () => {
    const of = (rim: number): Promise<{ f: number[]; edges: number }> => solve(disc(rim), 3e9, [0, 0, 0])
    const finest = await of(13_000)
    expect(finest.edges).toBeGreaterThan(1000)
    for (const rim of [90, 360, 1440])
      expect(peakDifference((await of(rim)).f, finest.f)).toBeLessThan((0.03 * 90) / rim)
  })
})

import { describe, expect, it } from 'vitest'
import { blockCount, type EdgeJob } from '../../cpu-diffraction/index.js'
import { EdgeTaskRunner } from '../../cpu-diffraction/engine/task.js'
import type { Aspect, Mesh } from '../../scene/index.js'
import { monostatic, oneFrequency, relativeDifference } from '../helpers/sbr.js'
import { cube, join, meshOf, sphere, rows } from '../scene/shapes.js'
import { grid, regularPrism, scenes, cone, ogive, spheroid, engines, edgeOptions } from './meshes.js'

const TRAVELLING = edgeOptions('travelling')

const field = (
  mesh: Mesh,
  aspect: Aspect,
  band = oneFrequency(1),
  options = TRAVELLING,
): Promise<Float64Array> => engines(mesh).fieldOf(aspect, band, options)

describe('travelling waves', () => {
  const aspects = [20, 35, 60].map((theta) => monostatic(theta, 7))

  it('add to an ogive what its tip behind reflects, in the plane of incidence', async () => {
    for (const aspect of aspects) {
      const f = await field(ogive(48, 48), aspect)
      expect(Math.hypot(f[0], f[1])).toBeGreaterThan(0.05)
      expect(Math.hypot(f[2], f[3])).toBeLessThan(0.01 * Math.hypot(f[0], f[1]))
    }
  })

  it('depend little on the mesh: 20 to 96 facets around', async () => {
    let [d, n] = [0, 0]
    for (const theta of [12, 18, 25, 32, 40, 55]) {
      const fine = await field(ogive(96, 96), monostatic(theta, 3))
      for (const [rings, around] of rows('16 20, 24 48, 48 24, 48 48')) {
        const f = await field(ogive(rings, around), monostatic(theta, 3))
        d += (20 * Math.log10(Math.hypot(f[0], f[1]) / Math.hypot(fine[0], fine[1]))) ** 2
        n++
      }
    }
    expect(Math.sqrt(d / n)).toBeLessThan(0.3)
  })

  it('of a band are those of its frequencies', async () => {
    const band = { f0: 2.5e8, df: 2.5e7, n: 9 }
    for (const aspect of aspects) {
      const all = await field(ogive(32, 32), aspect, band)
      for (const i of [0, 4, 8]) {
        const one = await field(ogive(32, 32), aspect, { f0: band.f0 + i * band.df, df: 0, n: 1 })
        expect(relativeDifference(all.subarray(8 * i, 8 * i + 2), one.subarray(0, 2))).toBeLessThan(3e-3)
      }
    }
  })

  it('are cut off by what shadows them', async () => {
    const screen = meshOf('3 -4 5, 3 4 5, 6 4 1, 6 -4 1', '0 1 2, 0 2 3')
    const aspect = monostatic(45, 0)
    const bare = await field(ogive(32, 32), aspect)
    const added = await engines(join(ogive(32, 32), screen)).addedOf(aspect, oneFrequency(1), TRAVELLING)
    expect(Math.hypot(added[0], added[1])).toBeLessThan(0.5 * Math.hypot(bare[0], bare[1]))
  })

  it('are exactly zero without a tip behind', async () => {
    const first = edgeOptions()
    for (const mesh of [sphere(24, 24), spheroid(16, 24), cube(), grid(3, 3), regularPrism(48, 1)])
      for (const aspect of aspects)
        expect(await field(mesh, aspect)).toEqual(await field(mesh, aspect, oneFrequency(1), first))
    // The cone's tip points at the radar.
    const front = monostatic(30, 0)
    expect(await field(cone(1, 48), front)).toEqual(await field(cone(1, 48), front, oneFrequency(1), first))
  })

  it('of a body without edges are one block', () => {
    const { edges, rays } = scenes(ogive(24, 32))
    expect(edges.count).toBe(0)
    expect(blockCount(0)).toBe(0)
    const job: EdgeJob = { aspect: aspects[0], band: oneFrequency(1), options: TRAVELLING }
    const { data } = new EdgeTaskRunner({ edges, rays }).run({ kind: 'whole', job })
    expect(Math.hypot(data[0], data[1])).toBeGreaterThan(0.05)
  })
})

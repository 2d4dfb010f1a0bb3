import { describe, expect, it } from 'vitest'
import { metalEdges } from '../../rays/raster-scene.js'
import { cube, plate } from '../../samples/models/canonical.js'
import { direction, type Aspect } from '../../scene/index.js'
import { type Material, PERFECT_CONDUCTOR, slab } from '../../scene/materials/index.js'
import { coating, layer, made } from '../helpers/materials.js'
import { drawOnCpu, onlyPart, testRaster } from '../helpers/gpueco.js'
import { monostatic, relativeDifference, sbrJob, solve, testScene } from '../helpers/sbr.js'
import { moved } from '../scene/shapes.js'

const absorber = coating(layer([6, -1.2], 0.004), layer([12, -0.6], 0.001, [2.2, -1.6]))
const BAND = { f0: 2e9, df: 1e9, n: 3 }

/** Against one bounce of rays on a fine lattice, relative. */
async function offRays(mesh: Parameters<typeof testRaster>[0], aspect: Aspect): Promise<number> {
  const job = sbrJob(aspect, BAND, { maxBounces: 1, raysPerWavelength: 24, subdivisions: 4 })
  const rays = (await solve(testScene(mesh), job)).field
  return relativeDifference(await drawOnCpu(testRaster(mesh), 64, onlyPart(job, 'facets')), rays)
}

describe('rasterised physical optics of materials', () => {
  it('in backscatter is the conductor times R_s and R_p, at every frequency', async () => {
    for (const theta of [0, 35, 70]) {
      const job = onlyPart(sbrJob(monostatic(theta, 0), BAND), 'facets')
      const bare = await drawOnCpu(testRaster(plate(0.3)), 64, job)
      const coated = await drawOnCpu(testRaster({ ...plate(0.3), groupMaterials: [absorber] }), 64, job)
      const out = new Float64Array(8)
      const expected = bare.slice()
      for (let f = 0; f < BAND.n; f++) {
        slab(absorber, BAND.f0 + f * BAND.df, Math.cos((theta * Math.PI) / 180), out)
        // V is p at phi 0, H is s; a conductor has R_p = 1, R_s = -1.
        for (const [at, re, im] of [
          [0, out[2], out[3]],
          [2, -out[0], -out[1]],
        ]) {
          const i = 8 * f + at
          expected[i] = bare[i] * re - bare[i + 1] * im
          expected[i + 1] = bare[i] * im + bare[i + 1] * re
        }
      }
      expect(relativeDifference(coated, expected)).toBeLessThan(1e-12)
    }
  })

  it.each([
    ['plate, monostatic', plate(0.5), monostatic(25, 30)],
    ['plate, bistatic', plate(0.5), { tx: direction(25, 30), rx: direction(60, 140) }],
    ['cube, monostatic', cube(0.4), monostatic(60, 25)],
    ['cube, bistatic', cube(0.4), { tx: direction(60, 25), rx: direction(40, 80) }],
  ])('%s: one bounce of rays', async (_, mesh, aspect) => {
    const coated = { ...mesh, groupMaterials: [absorber] }
    const [bare, off] = [await offRays(mesh, aspect), await offRays(coated, aspect)]
    // What the lattice leaves is of the rim, alike for metal.
    expect(off).toBeLessThan(Math.max(2 * bare, 0.005))
    expect(off).toBeLessThan(0.03)
  })

  it('edges of metal diffract, those of other facets stay dark', async () => {
    const top = { ...absorber, name: 'top' } as Material
    const lid = made([plate(0.3), PERFECT_CONDUCTOR], [moved(plate(0.3), [2, 0, 0]), top])
    const { scene, edges } = testRaster(lid)
    const metal = metalEdges(edges)
    expect([edges.count, metal.count]).toEqual([8, 4])
    const job = onlyPart(sbrJob(monostatic(40, 10), BAND), 'edges')
    const alone = await drawOnCpu(testRaster(plate(0.3)), 64, job)
    expect(relativeDifference(await drawOnCpu({ scene, edges: metal }, 64, job), alone)).toBeLessThan(1e-9)
    expect(metalEdges(testRaster(plate(0.3)).edges).count).toBe(4)
  })

  it('knows the back of a facet that is coated on its front alone, and facets of several materials', async () => {
    const front: Material = { ...absorber, sides: 'front' } as Material
    const sheet = { ...plate(0.3), groupMaterials: [front] }
    const at = async (theta: number, mesh: Parameters<typeof testRaster>[0]) =>
      drawOnCpu(testRaster(mesh), 64, onlyPart(sbrJob(monostatic(theta, 10), BAND), 'facets'))
    expect(relativeDifference(await at(160, sheet), await at(160, plate(0.3)))).toBeLessThan(1e-12)
    expect(relativeDifference(await at(20, sheet), await at(20, plate(0.3)))).toBeGreaterThan(0.3)
    // Side by side, far enough to hide nothing.
    const other = moved(plate(0.3), [1, 0, 0])
    const both = made([plate(0.3), absorber], [other, PERFECT_CONDUCTOR])
    const [sum, one, two] = [
      await at(30, both),
      await at(30, { ...plate(0.3), groupMaterials: [absorber] }),
      await at(30, other),
    ]
    expect(relativeDifference(sum, one.map((x, i) => x + two[i]))).toBeLessThan(1e-9) // prettier-ignore
  })
})

import { expect, test } from 'vitest'
import { workList } from '../../gpu/gpueco/kernels.js'
import { GpuecoEngine, type GpuecoOptions } from '../../gpu/gpueco/engine.js'
import { plate, sphere } from '../../samples/models/canonical.js'
import { models } from '../../samples/models/index.js'
import { C0, direction, type Aspect } from '../../scene/index.js'
import { rasterImage } from '../../rays/raster-scene.js'
import { sharedGpu } from '../helpers/gpu.js'
import { drawOnCpu, onlyPart, testRaster, type TestRaster } from '../helpers/gpueco.js'
import { facetPo } from '../helpers/po.js'
import { bandUpTo, monostatic, relativeDifference, sbrJob } from '../helpers/sbr.js'
import { join, moved } from '../scene/shapes.js'

const context = await sharedGpu()

const engine = ({ scene, edges }: TestRaster, options: GpuecoOptions): GpuecoEngine =>
  new GpuecoEngine(context, scene, edges, options)

const bistatic: Aspect = { tx: direction(70, 20), rx: direction(50, 95) }

test.each([
  ['cube', () => models.cube.make()],
  ['plate', () => plate(1)],
  ['missile', () => models.missile.make()],
  ['ship', () => models['ship-1m'].make()],
])('%s: single precision is double precision to 1e-4', async (_, make) => {
  const raster = testRaster(make())
  const top = (15 * C0) / raster.scene.radius
  const gpu = engine(raster, { size: 128 })
  const worst: number[] = []
  for (const aspect of [monostatic(80, 25), monostatic(140, -100), bistatic])
    for (const job of [sbrJob(aspect, bandUpTo(top)), onlyPart(sbrJob(aspect, bandUpTo(top)), 'edges')])
      worst.push(relativeDifference((await gpu.field(job)).field, await drawOnCpu(raster, 128, job)))
  expect(Math.max(...worst)).toBeLessThan(1e-4)
})

test('facets of a convex body are the closed form of physical optics', async () => {
  const mesh = sphere(1, 2)
  const raster = testRaster(mesh)
  const job = onlyPart(sbrJob(bistatic, { f0: 1e9, df: 0, n: 3 }), 'facets')
  const { field, statistics } = await engine(raster, { size: 100 }).field(job)
  const error = relativeDifference(field.subarray(0, 8), facetPo(mesh, 1e9, bistatic))
  expect(error).toBeLessThan(1e-5)
  expect(statistics.leaves).toBeGreaterThan(100)
})

test('strips between the samples are seen, in as many entries as they have', async () => {
  // 2 mm wide on pixels of 5 mm (single precision loses 6e-8 of a facet times its length over its width).
  const strips = join(
    ...[0, 1, 2, 3].map((i) => {
      const strip = plate(1)
      const positions = strip.positions.map((x, a) => (a % 3 === i % 2 ? 2e-3 * x : x))
      return moved({ ...strip, positions }, [0, 0, 0.2 * i])
    }),
  )
  const raster = testRaster(strips)
  const job = onlyPart(sbrJob(monostatic(20, 35), bandUpTo(3e9)), 'facets')
  const pixel = rasterImage(raster.scene.radius, 256).pixel
  expect(pixel).toBeGreaterThan(4e-3)
  expect(workList(raster.scene, rasterImage(raster.scene.radius, 256)).length).toBeGreaterThan(
    2 * raster.scene.count,
  )
  const { field } = await engine(raster, { size: 256 }).field(job)
  expect(relativeDifference(field, await drawOnCpu(raster, 256, job))).toBeLessThan(1e-4)
  expect(relativeDifference(field.subarray(0, 8), facetPo(strips, 2.7e9, monostatic(20, 35)))).toBeLessThan(
    0.1,
  )
})

test('tiles and batches never change a byte', async () => {
  const raster = testRaster(models['ship-1m'].make())
  const jobs = [0, 25, 50, 140, 222].map((phi) => sbrJob(monostatic(75, phi), bandUpTo(10e9)))
  const run = async (options: GpuecoOptions): Promise<number[][]> => {
    const gpu = engine(raster, options)
    const results = await Promise.all(jobs.map((job) => gpu.field(job)))
    return results.map(({ field, statistics }) => [...field, statistics.leaves, statistics.contributions])
  }
  const whole = await run({ size: 160 })
  expect(Math.max(...whole[0].map(Math.abs))).toBeGreaterThan(0)
  expect(await run({ size: 160, batch: 2 })).toEqual(whole)
  expect(await run({ size: 160, tile: 64 })).toEqual(whole)
})

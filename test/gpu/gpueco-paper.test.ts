import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildEdgeScene } from '../../cpu-diffraction/edge-scene.js'
import { createRasterEngine } from '../../raster/engine.js'
import type { GpuContext } from '../../gpu/device.js'
import { PaperPipeline } from '../../gpu/gpueco/paper.js'
import { models } from '../../samples/models/index.js'
import { buildRasterScene } from '../../raster/raster-scene.js'
import { buildRayScene } from '../../rays/ray-scene.js'
import { prepareTarget } from '../../scene/target.js'
import { openTestGpu } from '../helpers/gpu.js'
import { monostatic, relativeDifference, sbrJob } from '../helpers/sbr.js'

let context: GpuContext
beforeAll(async () => {
  context = await openTestGpu()
})
afterAll(() => context?.device.destroy())

test('the paper’s pixel pipeline: its variants agree, and facet-exact fields are what it tends to', async () => {
  const target = prepareTarget(models.cube.make(), { smoothAngleDeg: 20 })
  const rays = buildRayScene(target)
  const scene = buildRasterScene(target, rays)
  const edges = buildEdgeScene(target, 160, rays.origin)
  const aspect = monostatic(80, 12)
  const job = sbrJob(aspect, { f0: 1e9, df: 0, n: 1 })
  const exact = (await createRasterEngine(scene, edges, 0, 512).aspect(job)).field
  const field = (size: number, variant: 'plain' | 'reduced', target: 'attributes' | 'numbers') =>
    new PaperPipeline(context, scene, edges, { size, variant, target }).aspect(aspect, 1e9)
  const plain = await field(192, 'plain', 'attributes')
  expect(relativeDifference(await field(192, 'reduced', 'attributes'), plain)).toBeLessThan(1e-5)
  // Interpolated positions are as coarse as the rasteriser's sub-pixels; a plane's are exact.
  expect(relativeDifference(await field(192, 'reduced', 'numbers'), plain)).toBeLessThan(5e-3)
  const coarse = relativeDifference(await field(48, 'reduced', 'numbers'), exact)
  const fine = relativeDifference(plain, exact)
  expect(fine).toBeLessThan(0.05)
  expect(fine).toBeLessThan(coarse)
})

import { expect, test } from 'vitest'
import { PaperPipeline } from '../../reproduction/papers/greco.js'
import { models } from '../../samples/models/index.js'
import { sharedGpu } from '../helpers/gpu.js'
import { drawOnCpu, testRaster } from '../helpers/gpueco.js'
import { monostatic, relativeDifference, sbrJob } from '../helpers/sbr.js'

const context = await sharedGpu()

test('the paper’s pixel pipeline: its variants agree, and facet-exact fields are what it tends to', async () => {
  const raster = testRaster(models.cube.make())
  const aspect = monostatic(80, 12)
  const job = sbrJob(aspect, { f0: 1e9, df: 0, n: 1 })
  const exact = await drawOnCpu(raster, 512, job)
  const field = (size: number, variant: 'plain' | 'reduced', target: 'attributes' | 'numbers') =>
    new PaperPipeline(context, raster.scene, raster.edges, { size, variant, target }).aspect(aspect, 1e9)
  const plain = await field(192, 'plain', 'attributes')
  expect(relativeDifference(await field(192, 'reduced', 'attributes'), plain)).toBeLessThan(1e-5)
  // Interpolated positions are as coarse as the rasteriser's sub-pixels; a plane's are exact.
  expect(relativeDifference(await field(192, 'reduced', 'numbers'), plain)).toBeLessThan(5e-3)
  const coarse = relativeDifference(await field(48, 'reduced', 'numbers'), exact)
  const fine = relativeDifference(plain, exact)
  expect(fine).toBeLessThan(0.05)
  expect(fine).toBeLessThan(coarse)
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import type { GpuContext } from '../../gpu/index.js'
import { GpuSbrEngine, warmKernels } from '../../gpu/index.js'
import { direction } from '../../scene/index.js'
import { openTestGpu } from '../helpers/gpu.js'
import { cube } from '../../samples/models/canonical.js'
import { testScene } from '../helpers/sbr.js'

let gpu: GpuContext
beforeAll(async () => {
  gpu = await openTestGpu()
})
afterAll(() => gpu.device.destroy())

const options = { raysPerWavelength: 4, maxBounces: 2, subdivisions: 1, formulation: 'all-bounces' } as const
const d = direction(60, 25)

it('kernels that do not depend on the scene are compiled before there is one, and not again', async () => {
  const { device } = gpu
  const compiled: string[] = []
  const create = device.createShaderModule.bind(device)
  device.createShaderModule = (descriptor) => {
    compiled.push(descriptor.label!)
    return create(descriptor)
  }
  await warmKernels(device, options, 128, false)
  const early = [...compiled]
  const { scene, area } = testScene(cube(1))
  const engine = new GpuSbrEngine(gpu, scene, area, { subGrid: 256, traversal: 'lists' })
  // Fewer frequencies, but as many as make for the same kernels.
  await engine.field({ aspect: { tx: d, rx: d }, band: { f0: 3e8, df: 1e6, n: 64 }, options })
  expect(new Set(compiled).size).toBe(compiled.length)
  expect(early.length).toBeGreaterThan(4)
  expect(compiled.slice(early.length).toSorted()).toEqual(['search_facets', 'trace_children', 'trace_tiles'])
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import type { GpuContext } from '../../gpu/index.js'
import { GpuSbrEngine, warmKernels } from '../../gpu/index.js'
import { direction } from '../../scene/index.js'
import { openTestGpu } from '../helpers/gpu.js'
import { coating, layer, made } from '../helpers/materials.js'
import { cube } from '../../samples/models/canonical.js'
import { testScene } from '../helpers/sbr.js'

let gpu: GpuContext
beforeAll(async () => {
  gpu = await openTestGpu()
})
afterAll(() => gpu.device.destroy())

const options = { raysPerWavelength: 4, maxBounces: 2, subdivisions: 1, formulation: 'all-bounces' } as const
const d = direction(60, 25)

it.each([
  { what: 'of a conductor', materials: false },
  { what: 'of a coated target', materials: true },
])(
  'kernels $what that do not depend on the scene are compiled before there is one, and not again',
  async ({ materials }) => {
    const { device } = gpu
    const compiled: string[] = []
    const create = device.createShaderModule.bind(device)
    device.createShaderModule = (descriptor) => {
      compiled.push(descriptor.label!)
      return create(descriptor)
    }
    // Kernels are kept by device: other bounces than those of the case before.
    const of = { ...options, maxBounces: materials ? 3 : 2 }
    await warmKernels(device, of, 128, false, materials)
    const early = [...compiled]
    const mesh = materials ? made([cube(1), coating(layer([4, -0.3], 0.03))]) : cube(1)
    const { scene, area } = testScene(mesh)
    const engine = new GpuSbrEngine(gpu, scene, area, { subGrid: 256, traversal: 'lists' })
    // Fewer frequencies, but as many as make for the same kernels.
    await engine.field({ aspect: { tx: d, rx: d }, band: { f0: 3e8, df: 1e6, n: 64 }, options: of })
    device.createShaderModule = create
    expect(new Set(compiled).size).toBe(compiled.length)
    expect(early.length).toBeGreaterThan(3)
    expect(early.includes('material_amplitudes')).toBe(materials)
    // search_facets is the same for both.
    const late = ['trace_children', 'trace_tiles']
    expect(compiled.slice(early.length).toSorted()).toEqual(materials ? late : ['search_facets', ...late])
  },
)

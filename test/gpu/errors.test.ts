import { expect, test, afterAll, beforeAll, it } from 'vitest'
import { GpuError, openDevice } from '../../gpu/device.js'
import { compileKernel } from '../../gpu/kernel.js'
import { SBR_KERNELS } from '../../gpu/sbr/kernels.js'
import { models } from '../../samples/models/index.js'
import { findAdapter } from '../../run/node-gpu.js'
import { openTestGpu } from '../helpers/gpu.js'
import { monostatic, sbrJob, testScene } from '../helpers/sbr.js'
import { type GpuContext, GpuSbrEngine, warmKernels } from '../../gpu/index.js'
import { direction } from '../../scene/index.js'
import { coating, layer, made } from '../helpers/materials.js'
import { cube } from '../../samples/models/canonical.js'

const { scene, area } = testScene(models.plate.make())
const job = sbrJob(monostatic(30, 20), { f0: 2e9, df: 0, n: 1 })

test('an error that nobody caught rejects the aspect in flight and all later ones with GpuError', async () => {
  const context = await openTestGpu()
  const engine = new GpuSbrEngine(context, scene, area, { subGrid: 2048 })
  const running = engine.field(job)
  context.device.createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.STORAGE })
  await expect(running).rejects.toBeInstanceOf(GpuError)
  await expect(engine.field(job)).rejects.toThrow(/^GPU error: \S/)
  context.device.destroy()
})

test('memory that the device does not have rejects with GpuError', async () => {
  const context = await openTestGpu()
  const engine = new GpuSbrEngine(context, scene, area, { subGrid: 2048 })
  const { maxBufferSize } = context.device.limits
  const hoard = []
  // As much as it takes; a device that has it all is asked for more than it may give.
  for (let i = 0; i < 4; i++)
    hoard.push(
      context.device.createBuffer({ size: maxBufferSize + 4 * 1024 ** 3, usage: GPUBufferUsage.STORAGE }),
    )
  await expect(engine.field(job)).rejects.toBeInstanceOf(GpuError)
  for (const buffer of hoard) buffer.destroy()
  context.device.destroy()
})

test('a device that goes away under an aspect rejects it', async () => {
  const context = await openTestGpu()
  const engine = new GpuSbrEngine(context, scene, area, { subGrid: 2048 })
  await engine.field(job)
  const running = engine.field(job)
  await Promise.resolve()
  context.device.destroy()
  // Not the AbortError of an interrupted run, which the waits for a lost device end in.
  await expect(running).rejects.toBeInstanceOf(GpuError)
})

/** An adapter that hands out what a test gives it. */
function fakeAdapter(lost: Promise<unknown>, limits: Partial<GPUSupportedLimits> = {}): GPUAdapter {
  return {
    limits: { maxStorageBuffersPerShaderStage: 10, maxBufferSize: 1024, ...limits },
    info: { vendor: 'maker', architecture: '', device: '', description: 'model', isFallbackAdapter: false },
    features: new Set<string>(),
    requestDevice: async () => ({ lost }) as unknown as GPUDevice,
  } as unknown as GPUAdapter
}

test('a lost device is told by name; one that was closed on purpose is no failure', async () => {
  const context = await openDevice(
    fakeAdapter(Promise.resolve({ reason: 'unknown', message: 'the driver was reset' })),
  )
  await expect(context.failure).rejects.toThrow(new GpuError('the GPU device was lost: the driver was reset'))
  expect(context).toMatchObject({ name: 'maker model', isSoftware: false, hasTimestamps: false })

  const closed = await openDevice(fakeAdapter(Promise.resolve({ reason: 'destroyed', message: '' })))
  const outcome = await Promise.race([
    closed.failure.catch(() => 'failed'),
    new Promise((resolve) => setImmediate(resolve, 'quiet')),
  ])
  expect(outcome).toBe('quiet')
})

test('an adapter that binds too few buffers is refused with GpuError', async () => {
  const poor = fakeAdapter(new Promise(() => {}), { maxStorageBuffersPerShaderStage: 4 })
  await expect(openDevice(poor)).rejects.toThrow(
    new GpuError('the GPU binds 4 storage buffers, 8 are needed'),
  )
})

test('a kernel that does not compile is told by name', async () => {
  const context = await openTestGpu()
  await expect(compileKernel(context.device, SBR_KERNELS.traceTiles, {})).rejects.toThrow(
    /^kernel trace_tiles does not compile: /,
  )
  await expect(compileKernel(context.device, SBR_KERNELS.traceTiles, {})).rejects.toBeInstanceOf(GpuError)
  context.device.destroy()
})

test('a software adapter is known as one', async () => {
  const context = await openTestGpu()
  const adapter = await findAdapter()
  expect(context.isSoftware).toBe(/swiftshader|llvmpipe/i.test(adapter!.info.description))
  context.device.destroy()
})

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

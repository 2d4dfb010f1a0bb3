import { afterAll, afterEach, expect, it, vi } from 'vitest'
import { cube } from '../../samples/models/canonical.js'
import type { EngineRequest } from '../../run/solver.js'
import type { FacetEngine } from '../../run/sweep/index.js'
import { openNodeGpu } from '../../run/node-gpu.js'
import { direction } from '../../scene/direction.js'
import { sharedGpu } from '../helpers/gpu.js'

const verdict = { exact: false }
// The software adapter of the tests, taken for hardware whose shader compiler simplifies two-float arithmetic. Files of this project share modules:
// this one loads its own, and keeps what holds the devices of either: Dawn's object has to outlive them.
const kept = ((globalThis as { kept?: unknown[] }).kept ??= [])
kept.push(openNodeGpu, sharedGpu)
vi.resetModules()
vi.doMock('../../gpu/self-test.js', () => ({ twoFloatIsExact: () => Promise.resolve(verdict.exact) }))
vi.doMock('../../gpu/device.js', async (original) => ({
  ...(await original<typeof import('../../gpu/device.js')>()),
  isSoftwareAdapter: () => false,
}))
const { InputError } = await import('../../scene/errors.js')
const { estimateRun } = await import('../../run/estimate.js')
const { openEngines } = await import('../../run/solver.js')
const { targetOf } = await import('../../src/validate/meshes.js')
kept.push((await import('../../run/node-gpu.js')).openNodeGpu)
afterAll(() => {
  for (const name of ['self-test', 'device']) vi.doUnmock(`../../gpu/${name}.js`)
  vi.resetModules()
})

const request = (device: EngineRequest['device']): EngineRequest => ({
  device,
  sbr: { raysPerWavelength: 10, maxBounces: 2, subdivisions: 1, formulation: 'all-bounces' },
  diffraction: 'none',
  maxWedgeAngleDeg: 160,
  mechanisms: false,
  schedule: 'overlapped',
  workers: 0,
  subGrid: 2048,
})
const loaded = targetOf(cube(0.1), 'cube')

afterEach(() => {
  verdict.exact = false
})

it('passes over a GPU that fails the arithmetic test, with one line', async () => {
  const engines = await openEngines(loaded, request('auto'))
  expect(engines.facets.describe().device).toBe('cpu')
  expect(engines.reason).toBe('the GPU was refused')
  expect(engines.warnings).toHaveLength(1)
  expect(engines.warnings[0]).toMatch(/fails the arithmetic test.*SBR runs on the cpu$/)
  await engines.close()
})

it('refuses it where a GPU is asked for', async () => {
  const opened = openEngines(loaded, request('gpu'))
  await expect(opened).rejects.toThrow(InputError)
  await expect(opened).rejects.toThrow(/^--device gpu: .*fails the arithmetic test.*; use --device cpu/)
})

it('uses one that passes; with --device cpu there is neither a search nor a warning', async () => {
  verdict.exact = true
  const gpu = await openEngines(loaded, request('auto'))
  expect([gpu.facets.describe().device, gpu.reason, gpu.warnings]).toEqual([
    'gpu',
    'a hardware GPU was found',
    [],
  ])
  await gpu.close()
  verdict.exact = false
  const cpu = await openEngines(loaded, request('cpu'))
  expect([cpu.facets.describe().device, cpu.reason, cpu.warnings]).toEqual(['cpu', 'requested', []])
  await cpu.close()
})

it('estimates by the kind of device', async () => {
  const engines = await openEngines(loaded, request('cpu'))
  const r = direction(90, 0)
  const seconds = (device: 'gpu' | 'cpu', isSoftware: boolean): number =>
    estimateRun(
      loaded.scene,
      loaded.target.box,
      { aspects: [{ tx: r, rx: r }], bands: [{ f0: 3e11, df: 0, n: 1 }], phaseCentre: [0, 0, 0] },
      {
        ...engines,
        facets: {
          ...engines.facets,
          describe: () => ({ ...engines.facets.describe(), device, isSoftware }),
        } as FacetEngine,
      },
      2,
    ).seconds
  // Rates of hardware and software GPUs are thousands apart where rays, not an aspect's launches, take the time; the cpu's is measured.
  expect(seconds('gpu', true) / seconds('gpu', false)).toBeGreaterThan(1000)
  expect(seconds('cpu', false)).toBeGreaterThan(seconds('gpu', false))
  await engines.close()
})

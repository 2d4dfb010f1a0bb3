import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { buildEdgeScene } from '../../../cpu-diffraction/index.js'
import { readMesh } from '../../../formats/index.js'
import { buildRayScene } from '../../../rays/index.js'
import { resolveSettings } from '../../../run/settings/settings.js'
import { prepareTarget } from '../../../scene/index.js'
import { DEFAULTS, type SolveOptions } from '../../../views/viewer/solver/messages.js'
import { deviceOf, planOf } from '../../../views/viewer/solver/plan.js'
import type { OpenedTarget } from '../../../views/viewer/solver/engines.js'

const OPTIONS: SolveOptions = {
  device: 'auto',
  raysPerWavelength: 10,
  maxBounces: 50,
  edges: true,
  secondOrder: false,
}
const HARDWARE = { name: 'hardware', isSoftware: false }

let cube: Omit<OpenedTarget, 'gpu'>
beforeAll(async () => {
  vi.stubGlobal('navigator', { hardwareConcurrency: 2, deviceMemory: 1 })
  const target = prepareTarget(await readMesh('samples/cube.stl'), { smoothAngleDeg: 20 })
  const scene = buildRayScene(target)
  const edgeScene = buildEdgeScene(target, 160, scene.origin)
  cube = {
    target,
    scene,
    edgeScene,
    groups: [],
    materialNames: [],
    mediumNames: [],
    warnings: [],
    radiusM: 1,
  }
})
afterAll(() => vi.unstubAllGlobals())

/** What computes a cut of the cube of so many directions. */
function device(
  gpu: OpenedTarget['gpu'],
  directions: number,
  options: Partial<SolveOptions> = {},
  started = false,
  freqHz = 3e9,
) {
  const [prepared, given] = [
    { ...cube, gpu },
    { ...OPTIONS, ...options },
  ]
  const phiDeg = Array.from({ length: directions }, (_, i) => i)
  const { job } = planOf(prepared, { what: 'rcs', freqHz, thetaDeg: 70, phiDeg }, given)
  return deviceOf(prepared, job, given, started)
}

it('a run goes to the GPU where it is done sooner there, the start of the GPU included', () => {
  expect(device(HARDWARE, 1)).toBe('cpu')
  expect(device(HARDWARE, 361)).toBe('gpu')
  // One that has started takes small runs too.
  expect(device(HARDWARE, 1, {}, true)).toBe('gpu')
})

it('a software GPU computes only where it is asked for', () => {
  const software = { name: 'software', isSoftware: true }
  expect(device(software, 361)).toBe('cpu')
  expect(device(software, 361, {}, true)).toBe('cpu')
  expect(device(software, 1, { device: 'gpu' })).toBe('gpu')
  expect(device(HARDWARE, 361, { device: 'cpu' })).toBe('cpu')
})

it('without a GPU the CPU computes, and one that is asked for is refused', () => {
  expect(device(null, 361)).toBe('cpu')
  expect(() => device(null, 1, { device: 'gpu' })).toThrow('this browser gives no GPU to the page')
})

it('small full wave goes to the CPU, large to the GPU', () => {
  expect(device(HARDWARE, 1, { method: 'mom' }, false, 1e8)).toBe('cpu')
  expect(device(HARDWARE, 1, { method: 'mom' }, false, 3e9)).toBe('gpu')
})

it('the page takes the defaults of the command line', () => {
  const { sbr, ...others } = resolveSettings({})
  expect({ ...others, ...sbr }).toMatchObject(DEFAULTS)
})

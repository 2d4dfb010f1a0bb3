import { expect, test } from 'vitest'
import { createCpuEngine } from '../../cpu-sbr/index.js'
import { models } from '../../samples/models/index.js'
import { direction } from '../../scene/index.js'
import type { SbrJob } from '../../rays/index.js'
import { sharedGpu, sharedEngines } from '../helpers/gpu.js'
import { relativeDifference, sbrJob, testScene, type TestScene } from '../helpers/sbr.js'

const context = await sharedGpu()
const make = sharedEngines(context)

const at = (phi: number) => direction(75, phi)
const lookJob = (n: number): SbrJob => ({
  ...sbrJob({ tx: at(40), rx: at(40) }, { f0: 0.9e9, df: 0.1e9 / (n - 1), n }),
  extrapolation: { directions: [38, 39, 39.5, 40, 43].map(at) },
})

test.each([
  ['trihedral-square', 3],
  // Interpolation between nodes of the band, on both engines.
  ['trihedral-square', 52],
  ['sphere', 3],
] as const)('extrapolation to the %s at %i frequencies is that of double precision', async (name, n) => {
  const target: TestScene = testScene(models[name].make())
  const job = lookJob(n)
  const cpu = await createCpuEngine(target.scene, target.area, 0).field(job)
  const engine = make(target)
  const gpu = await engine.field(job)
  expect(gpu.field).toHaveLength(8 * n * 5)
  for (let m = 0; m < 5; m++) {
    const part = (a: Float64Array): Float64Array => a.subarray(8 * n * m, 8 * n * (m + 1))
    expect(relativeDifference(part(gpu.field), part(cpu.field)), `direction ${m}`).toBeLessThan(2e-4)
  }
  expect(gpu.statistics.tubes).toBe(cpu.statistics.tubes)
  // An aspect of its own in between changes nothing, nor do batches.
  const alone = await engine.field({ ...job, extrapolation: undefined })
  expect(relativeDifference(alone.field, gpu.field.subarray(8 * n * 3, 8 * n * 4))).toBeLessThan(1e-6)
  ;(engine as unknown as { store: { batchLimit: number } }).store.batchLimit = 3
  expect((await engine.field(job)).field).toEqual(gpu.field)
})

import { expect, test } from 'vitest'
import { models } from '../../samples/models/index.js'
import type { Band } from '../../scene/index.js'
import type { FrequencySum } from '../../rays/index.js'
import { sharedGpu, sharedEngines } from '../helpers/gpu.js'
import { monostatic, norm, sbrJob, testScene } from '../helpers/sbr.js'

const context = await sharedGpu()
const engineOf = sharedEngines(context)

const job = (theta: number, phi: number, band: Band, frequencySum: FrequencySum) =>
  sbrJob(monostatic(theta, phi), band, { frequencySum })

// Groups in one piece, groups across edges with parts far apart in delay, grazing tubes, curved facets (quadrilaterals);
// bands that take one pass of the kernel, and two.
test.each([
  ['ship-1m', 78, 75, { f0: 1.4e9, df: 0.2e9 / 63, n: 64 }],
  ['ship-1m', 63, 141, { f0: 1e9, df: 0.6e9 / 149, n: 150 }],
  ['ship-1m', 90, 2, { f0: 1.4e9, df: 0.2e9 / 39, n: 40 }],
  ['sphere', 90, 0, { f0: 0.9e9, df: 0.1e9 / 39, n: 40 }],
])('%s from %s, %s: sums between nodes agree with the direct ones', async (name, theta, phi, band) => {
  const engine = engineOf(testScene(models[name].make()))
  const direct = await engine.field(job(theta, phi, band, 'direct'))
  const fast = await engine.field(job(theta, phi, band, 'fast'))
  expect(fast.statistics).toEqual(direct.statistics)
  const difference = norm(fast.field.map((x, i) => x - direct.field[i])) / norm(direct.field)
  expect(difference).toBeLessThan(1e-5)
  // The sums are not the direct ones.
  expect(difference).toBeGreaterThan(0)
})

test('the bytes do not depend on sub-grids', async () => {
  const target = testScene(models['ship-1m'].make())
  const fast = job(78, 75, { f0: 1.4e9, df: 5e6, n: 40 }, 'fast')
  const whole = await engineOf(target).field(fast)
  const parts = await engineOf(target, { subGrid: 32 }).field(fast)
  expect(parts.field).toEqual(whole.field)
})

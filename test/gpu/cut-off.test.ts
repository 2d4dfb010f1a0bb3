import { expect, test } from 'vitest'
import { models } from '../../samples/models/index.js'
import { subGrids, jobAperture } from '../../rays/index.js'
import { sharedGpu, sharedEngines } from '../helpers/gpu.js'
import { pipe } from '../helpers/pipe.js'
import { monostatic, oneFrequency, sbrJob, solve, testScene } from '../helpers/sbr.js'

const context = await sharedGpu()
const make = sharedEngines(context)

test.each([
  ['pipe', pipe(0.5, 5), 30, 10, 0.1],
  ['missile', models.missile.make(), 60, 140, 0.15],
] as const)(
  'the power cut off by the bounce limit is that of double precision, and the same in any parts: %s',
  async (_, mesh, theta, phi, lambda) => {
    const target = testScene(mesh)
    const job = sbrJob(monostatic(theta, phi), oneFrequency(lambda))
    const { statistics } = await make(target).field(job)
    const { lit, cutOff } = (await solve(target, job)).statistics
    expect(cutOff! / lit!).toBeGreaterThan(0.01)
    expect(Math.abs(statistics.lit! / lit! - 1)).toBeLessThan(1e-3)
    expect(Math.abs(statistics.cutOff! - cutOff!) / lit!).toBeLessThan(1e-3)
    expect((await make(target, { subGrid: 64, listMemory: 1 }).field(job)).statistics).toEqual(statistics)
    const parts = await Promise.all(
      subGrids(jobAperture(target.scene, job), 48).map((tiles) => make(target).field({ ...job, tiles })),
    )
    expect(parts.length).toBeGreaterThan(1)
    for (const key of ['lit', 'cutOff', 'leaves'] as const)
      expect(parts.reduce((sum, part) => sum + part.statistics[key]!, 0)).toBe(statistics[key])
  },
)

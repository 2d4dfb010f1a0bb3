import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GpuContext } from '../../gpu/device.js'
import { GpuSbrEngine } from '../../gpu/sbr/engine.js'
import { models } from '../../samples/models/index.js'
import { C0 } from '../../scene/constants.js'
import { openTestGpu } from '../helpers/gpu.js'
import { monostatic, norm, sbrJob, testScene } from '../helpers/sbr.js'

let context: GpuContext
beforeAll(async () => {
  context = await openTestGpu()
})
afterAll(() => context.device.destroy())

const ASPECTS = [
  [80, 25],
  [118, -160],
]

/** Kernels are compiled once per traversal. */
const kernels = { lists: new Map(), stack: new Map(), ropes: new Map() }

test.each(['plate', 'dihedral', 'missile'])(
  '%s: candidate lists, stack and ropes give the same bytes',
  async (name) => {
    const { scene, area } = testScene(models[name].make())
    const top = (8 * C0) / scene.diagonal
    const run = async (traversal: 'lists' | 'stack' | 'ropes') => {
      const engine = new GpuSbrEngine(context, { ...scene, depth: 40 }, area, { subGrid: 2048, traversal })
      Object.assign(engine, { kernels: kernels[traversal] })
      const results = []
      for (const [theta, phi] of ASPECTS)
        results.push(
          await engine.field(sbrJob(monostatic(theta, phi), { f0: 0.9 * top, df: 0.05 * top, n: 2 })),
        )
      return results
    }
    const lists = await run('lists')
    for (const other of [await run('stack'), await run('ropes')])
      lists.forEach((result, i) => {
        expect(norm(result.field)).toBeGreaterThan(0)
        expect(other[i].statistics).toEqual(result.statistics)
        expect(Buffer.from(other[i].field.buffer).equals(Buffer.from(result.field.buffer))).toBe(true)
      })
  },
)

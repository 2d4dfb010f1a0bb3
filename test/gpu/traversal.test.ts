import { expect, test } from 'vitest'
import { models } from '../../samples/models/index.js'
import { C0 } from '../../scene/index.js'
import { sharedGpu, sharedEngines } from '../helpers/gpu.js'
import { bandUpTo, monostatic, norm, sbrJob, testScene } from '../helpers/sbr.js'

const make = sharedEngines(await sharedGpu())

const ASPECTS = [
  [80, 25],
  [118, -160],
]

test.each(['plate', 'dihedral', 'missile'])(
  '%s: candidate lists, stack and ropes give the same bytes',
  async (name) => {
    const target = testScene(models[name].make())
    const top = (8 * C0) / target.scene.diagonal
    const run = async (traversal: 'lists' | 'stack' | 'ropes') => {
      const engine = make(target, { traversal })
      const results = []
      for (const [theta, phi] of ASPECTS)
        results.push(await engine.field(sbrJob(monostatic(theta, phi), bandUpTo(top, 2))))
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

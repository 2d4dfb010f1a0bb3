import { expect, it } from 'vitest'
import { createCpuPropagation } from '../../propagation/engines.js'
import type { Vec3 } from '../../scene/index.js'
import { setupOf, streetScene } from './scenes.js'

// Threads load compiled modules: `npm run build` makes them.
const built = (await import(
  new URL('../../dist/propagation/engines.js', import.meta.url).href
)) as typeof import('../../propagation/engines.js')

it('threads give a receiver the bytes that the calling thread gives', async () => {
  const receivers = Array.from({ length: 40 }, (_, i): Vec3 => [22 + 0.1 * i, -30 + 2 * i, 1.5])
  const setup = setupOf(streetScene(receivers, { diffraction: true }))
  const one = await createCpuPropagation(setup, 0).run({ subdivision: 30 })
  expect(one.statistics.paths).toBeGreaterThan(150)
  expect(one.statistics.diffracted).toBeGreaterThan(20)
  const threads = built.createCpuPropagation(setup, 2)
  expect((await threads.run({ subdivision: 30 })).sums).toEqual(one.sums)
  await threads.close()
})

it('a run of a hundred thousand batches ends at once when its signal fires', async () => {
  const interrupt = new AbortController()
  const engine = built.createCpuPropagation(setupOf(streetScene([[22, 0, 1.5]], {})), 2)
  const run = engine.run({ subdivision: 10_000 }, () => interrupt.abort(new Error('ended')), interrupt.signal)
  await expect(run).rejects.toThrow('ended')
  await engine.close()
})

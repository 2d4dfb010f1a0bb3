import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import type { createCpuEngine } from '../../cpu-sbr/index.js'
import { models } from '../../samples/models/index.js'
import { C0 } from '../../scene/index.js'
import { monostatic, norm, oneFrequency, sameBytes, sbrJob, solve, testScene } from '../helpers/sbr.js'

// Threads load compiled modules: `npm run build` makes them.
const engines = (await import(new URL('../../dist/cpu-sbr/engine.js', import.meta.url).href)) as {
  createCpuEngine: typeof createCpuEngine
}
const { scene, area } = testScene(models['ship-1m'].make())

test('0, 1 and 2 worker threads give the same bytes', async () => {
  const job = sbrJob(monostatic(80, 20), { f0: 9.9e9, df: 0.1e9, n: 3 })
  const results = []
  for (const workers of [0, 1, 2]) {
    const engine = engines.createCpuEngine(scene, area, workers)
    results.push(await engine.field(job))
    await engine.close()
  }
  const here = await solve({ scene, area }, job)
  for (const { field, statistics } of results) {
    expect(norm(field)).toBeGreaterThan(0)
    expect(sameBytes(field, here.field)).toBe(true)
    expect(statistics).toEqual(here.statistics)
  }
})

test('an aborted aspect rejects with an AbortError', async () => {
  const engine = engines.createCpuEngine(scene, area, 1)
  // The thread is loaded, and computes as soon as it is given something.
  await engine.field(sbrJob(monostatic(80, 20), oneFrequency(1)))
  const abort = new AbortController()
  const running = engine.field(sbrJob(monostatic(80, 20), oneFrequency(C0 / 30e9)), abort.signal)
  // Its many tasks all listen to the one signal, without a warning of a leak.
  const warnings: Error[] = []
  const listen = (w: Error): number => warnings.push(w)
  process.on('warning', listen)
  // More than Node takes for no leak.
  expect(getEventListeners(abort.signal, 'abort').length).toBeGreaterThan(10)
  abort.abort()
  await expect(running).rejects.toMatchObject({ name: 'AbortError' })
  await engine.close()
  process.off('warning', listen)
  expect(warnings).toEqual([])
})

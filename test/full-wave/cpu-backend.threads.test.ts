import { expect, test } from 'vitest'
import type * as FullWave from '../../full-wave/index.js'
import { direction } from '../../scene/index.js'
import { sphere } from './meshes.js'

// Threads load compiled modules: `npm run build` makes them.
const { cpuBackend, prepareFullWave } = (await import(
  new URL('../../dist/full-wave/index.js', import.meta.url).href
)) as typeof FullWave

test('0, 1 and 2 worker threads give the same bytes', async () => {
  const aspects = Array.from({ length: 40 }, (_, i) => ({ tx: direction(60, i), rx: direction(60, i) }))
  const answers: string[] = []
  for (const workers of [0, 1, 2]) {
    const backend = cpuBackend(workers)
    const wave = await prepareFullWave({ mesh: sphere(5), k: 2, backend })
    const { fields } = await wave.solve(aspects)
    answers.push(`${wave.condition} ${Buffer.from(fields.buffer).toString('hex')}`)
    await backend.close()
  }
  expect(new Set(answers).size).toBe(1)
})

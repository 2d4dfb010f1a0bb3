import { expect, test } from 'vitest'
import type * as FullWave from '../../full-wave/index.js'
import { direction } from '../../scene/index.js'
import { patch, sphere, welded } from './meshes.js'

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

test('a singular matrix is an error on threads too: a panel that failed half done is not factored again', async () => {
  const uniform = [0, 0.25, 0.5, 0.75, 1]
  const { positions, triangles } = welded(patch([0, 0, 0], [1, 0, 0], [0, 1, 0], uniform, uniform))
  const once = positions.length / 3
  const mesh = {
    positions: Float64Array.of(...positions, ...positions),
    triangles: Uint32Array.from([...triangles, ...triangles.map((v) => v + once)]),
  }
  const backend = cpuBackend(2)
  await expect(prepareFullWave({ mesh, k: 4, backend })).rejects.toThrow(
    /condition number of .* above|singular/,
  )
  await backend.close()
})

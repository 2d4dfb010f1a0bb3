import { expect, test } from 'vitest'
import { cpuBackend, prepareFullWave } from '../../full-wave/index.js'
import { direction } from '../../scene/index.js'
import { miePec } from '../../src/validate/mie.js'
import { sphere } from './meshes.js'

test('x', async () => {
  for (const [ka, n] of [
    [2.744, 6],
    [4.493, 10],
  ]) {
    const t0 = performance.now()
    const s = await prepareFullWave({ mesh: sphere(n), k: ka, backend: cpuBackend(0) })
    const tx = direction(0, 0)
    const angles = [0, 30, 60, 90, 120, 150, 180]
    const { fields, residual, powerError } = await s.solve(angles.map((a) => ({ tx, rx: direction(a, 0) })))
    const db = angles.map((a, i) => {
      const { e, h } = miePec(ka, 180 - a)
      const [v, w] = [8 * i, 8 * i + 2].map((q) => 4 * (fields[q] ** 2 + fields[q + 1] ** 2))
      return [10 * Math.log10(v / e), 10 * Math.log10(w / h)].map((x) => x.toFixed(3)).join('/')
    })
    console.log(
      ka,
      s.unknowns,
      'per λ²',
      s.unknowns / ((4 * Math.PI) / ((2 * Math.PI) / ka) ** 2),
      s.condition,
      residual,
      powerError,
      s.seconds,
      performance.now() - t0,
      db.join(' '),
    )
  }
  expect(1).toBe(1)
})

import { describe, expect, it } from 'vitest'
import { cpuBackend, type Factors, type MomentBackend, prepareFullWave } from '../../full-wave/index.js'
import { direction } from '../../scene/index.js'
import { patch, welded } from './meshes.js'

const uniform = [0, 0.25, 0.5, 0.75, 1]
const sheet = patch([0, 0, 0], [1, 0, 0], [0, 1, 0], uniform, uniform)
const mesh = welded(sheet)
const aspects = [20, 50].map((thetaDeg) => {
  const d = direction(thetaDeg, 10)
  return { tx: d, rx: d }
})

/** The processor's backend with other factors. */
function changed(change: (factors: Factors) => Partial<Factors>): {
  backend: MomentBackend
  freed: () => number
} {
  const cpu = cpuBackend(0)
  let freed = 0
  const factor: MomentBackend['factor'] = async (...args) => {
    const factors = await cpu.factor(...args)
    return { ...factors, ...change(factors), destroy: () => void freed++ }
  }
  return { backend: { ...cpu, factor }, freed: () => freed }
}

const solved = async (backend: MomentBackend) =>
  (await prepareFullWave({ mesh, k: 4, backend })).solve(aspects)

describe('a solution that cannot be trusted is an error', () => {
  it('a condition number of 1e10 or more, or none, and the factors are freed', async () => {
    for (const condition of [1e10, Infinity, NaN]) {
      const { backend, freed } = changed(() => ({ condition }))
      await expect(solved(backend)).rejects.toThrow(/the matrix of \d+ unknowns has a condition number of/)
      expect(freed()).toBe(1)
    }
    await solved(changed(() => ({ condition: 0.99e10 })).backend)
  })

  it('the matrix of a sheet that is there twice', async () => {
    const once = mesh.positions.length / 3
    const twice = {
      positions: Float64Array.of(...mesh.positions, ...mesh.positions),
      triangles: Uint32Array.from([...mesh.triangles, ...mesh.triangles.map((v) => v + once)]),
    }
    await expect(prepareFullWave({ mesh: twice, k: 4, backend: cpuBackend(0) })).rejects.toThrow(
      /condition number of .* above 1e\+10|is singular/,
    )
  })

  it('a residual of 1e-5 or more, or none', async () => {
    const withResidual = (residual: number): MomentBackend =>
      changed(({ solve }) => ({ solve: async (b, signal) => ({ ...(await solve(b, signal)), residual }) }))
        .backend
    for (const residual of [1.01e-5, NaN])
      await expect(solved(withResidual(residual))).rejects.toThrow(/the solution's residual is .* above/)
    await solved(withResidual(0.99e-5))
  })

  it('a scattered power 5 % off the power that is taken from the wave', async () => {
    // Scattered power goes with the square of the currents, extinction with the currents.
    const scaled = (by: number): MomentBackend =>
      changed(({ solve }) => ({
        solve: async (b, signal) => {
          const { x, residual } = await solve(b, signal)
          return { x: x.map((value) => by * value), residual }
        },
      })).backend
    await expect(solved(scaled(1.06))).rejects.toThrow(/scattered power differs .* by 6\.\d %, more than 5 %/)
    await expect(solved(scaled(0.94))).rejects.toThrow(
      /scattered power differs .* by [56]\.\d %, more than 5 %/,
    )
    expect((await solved(scaled(1.04))).powerError).toBeGreaterThan(0.03)
  })
})

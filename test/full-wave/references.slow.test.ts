import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cpuBackend, type CurrentMesh, prepareFullWave } from '../../full-wave/index.js'
import { direction } from '../../scene/index.js'
import { graded, patch, welded } from './meshes.js'

const LAMBDA = 0.1

/** Lines along an edge of so many wavelengths. */
const lines = (length: number, perWavelength = 8): number[] =>
  graded(1 / 70 / length, 1.5, 1 / perWavelength / length)

/** Difference [dB], rms over the cut, of VV and of HH with a floor 30 dB below the peak; every so many rows. */
async function difference(mesh: CurrentMesh, cut: string, every: number): Promise<number[]> {
  const text = readFileSync(new URL(`../validation/mom/${cut}.csv`, import.meta.url), 'utf8')
  const rows = text
    .split('\n')
    .filter((line) => /^[\d.]/.test(line) || line.startsWith('-'))
    .map((line) => line.split(',').map(Number))
    .filter((_, i) => i % every === 0)
  const system = await prepareFullWave({ mesh, k: (2 * Math.PI) / LAMBDA, backend: cpuBackend(0) })
  const aspects = rows.map(([theta, phi]) => ({ tx: direction(theta, phi), rx: direction(theta, phi) }))
  const { fields, powerError } = await system.solve(aspects)
  expect(powerError).toBeLessThan(0.001)
  return [0, 2].map((c) => {
    const dB = (f: (i: number) => number[]): number[] => {
      const power = rows.map((_, i) => f(i).reduce((sum, x) => sum + x * x, 0))
      const floor = 1e-3 * Math.max(...power)
      return power.map((p) => 10 * Math.log10(Math.max(p, floor)))
    }
    const ours = dB((i) => [fields[8 * i + c], fields[8 * i + c + 1]])
    const theirs = dB((i) => [rows[i][6 + c], rows[i][7 + c]])
    return Math.sqrt(ours.reduce((sum, x, i) => sum + (x - theirs[i]) ** 2, 0) / rows.length)
  })
}

test.each(['phi0', 'phi90'])('a plate of 2 x 1 wavelengths is its reference, %s', async (phi) => {
  const [x, y] = [2 * LAMBDA, LAMBDA]
  const mesh = welded(patch([-x / 2, -y / 2, 0], [x, 0, 0], [0, y, 0], lines(2), lines(1)))
  const rms = await difference(mesh, `plate_2x1lam__${phi}_th0-85`, 5)
  expect(Math.max(...rms)).toBeLessThan(0.2)
})

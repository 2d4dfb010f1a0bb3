import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { isar, temporaryFolder } from './cli.js'
import { words } from '../helpers/words.js'

it('theta beyond 180 continues through the pole, and the run reports the equivalent direction', async () => {
  const folder = temporaryFolder()
  const rcs = async (name: string, ...options: string[]) => {
    const out = join(folder, name)
    const args = words`rcs ${resolve('samples/plate.stl')} --freq 4e8 --device cpu --rays-per-wavelength 50 --out ${out}`
    const { code, stderr } = await isar`${args} ${options}`
    expect(code).toBe(0)
    const [, line] = readFileSync(out, 'utf8').trim().split('\n')
    return {
      stderr,
      amplitudes: line
        .split(',')
        .slice(options.includes('--rx-theta') ? 9 : 7)
        .map(Number),
    }
  }
  const beyond = await rcs('a.csv', '--theta', '200,340', '--phi', '-140')
  expect(beyond.stderr).toContain('theta     --theta 200 continues beyond the pole: the direction of theta 160 at phi + 180, V and H opposite to those there (and 1 more value likewise)\n') // prettier-ignore
  const plain = await rcs('b.csv', '--theta', '160', '--phi', '40')
  expect(plain.stderr).not.toMatch(/beyond/)
  const scale = Math.max(...plain.amplitudes.map(Math.abs))
  // The lattice of tubes is rotated with the vectors: equal up to its density.
  plain.amplitudes.forEach((x, i) => expect(Math.abs(beyond.amplitudes[i] - x) / scale).toBeLessThan(0.01))
  // Both vectors of one end change sign: every amplitude changes its sign.
  const receiver = ['--rx-theta', '120', '--rx-phi', '10']
  const turned = await rcs('c.csv', '--theta', '-160', '--phi', '220', ...receiver)
  const straight = await rcs('d.csv', '--theta', '160', '--phi', '40', ...receiver)
  const most = Math.max(...straight.amplitudes.map(Math.abs))
  straight.amplitudes.forEach((x, i) => expect(Math.abs(turned.amplitudes[i] + x) / most).toBeLessThan(0.01))
})

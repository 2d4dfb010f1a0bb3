import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { isar, temporaryFolder } from './cli.js'

const plate = resolve('samples/plate.stl')
const CUT = ['--freq', '3e9', '--theta', '0:60:20', '--phi', '20', '--diffraction', 'none']

test('rcs --adaptive: the exact field of a plate, the option in meta.json', async () => {
  const folder = temporaryFolder()
  const out = join(folder, 'a.csv')
  const { code, stderr } = await isar(['rcs', plate, ...CUT, '--adaptive', '--out', out])
  expect(code, stderr).toBe(0)
  const meta = JSON.parse(readFileSync(join(folder, 'a.meta.json'), 'utf8')) as {
    device: string
    options: { sbr: { adaptive: boolean } }
    counts: { tubes: number; leaves: number }
  }
  expect(meta.options.sbr.adaptive).toBe(true)
  expect(meta.device).toMatch(/^cpu/)
  // Two facets an aspect and no tube.
  expect(meta.counts).toMatchObject({ tubes: 0, leaves: 8 })
  const [head, first] = readFileSync(out, 'utf8').split('\n')
  const sigma = Number(first.split(',')[head.split(',').indexOf('sigma_vv_dbsm')])
  // 4 pi A^2 / lambda^2 at broadside.
  expect(sigma).toBeCloseTo(10 * Math.log10((4 * Math.PI) / (299792458 / 3e9) ** 2), 6)
})

test.each([['the exit formulation', ['--formulation', 'exit'], /--adaptive.*exit/]])(
  '--adaptive with %s: exit 2 and one line that says why',
  async (_, options, says) => {
    const out = join(temporaryFolder(), 'a.csv')
    const { code, stderr } = await isar(['rcs', plate, ...CUT, '--adaptive', ...options, '--out', out])
    expect(code).toBe(2)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(stderr).toMatch(says)
  },
)

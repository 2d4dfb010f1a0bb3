import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isar, readCsv, temporaryFolder, readJson } from './cli.js'
import { expectRefusal } from './refusal.js'

const dihedral = resolve('samples/dihedral.stl')
const table = ['rcs', dihedral, '--freq', '3e8', '--theta', '80', '--phi', '30', '--device', 'cpu']

describe('--second-order', () => {
  it('changes the field of a dihedral and is recorded', async () => {
    const folder = temporaryFolder()
    const [a, b] = [join(folder, 'a.csv'), join(folder, 'b.csv')]
    expect((await isar`${table} --second-order none --out ${a}`).code).toBe(0)
    expect((await isar`${table} --second-order double,reflected --out ${b}`).code).toBe(0)
    expect(readFileSync(b, 'utf8')).not.toBe(readFileSync(a, 'utf8'))
    const { options } = readJson<{
      options: { secondOrder: string[] }
    }>(join(folder, 'b.meta.json'))
    expect(options.secondOrder).toEqual(['reflected', 'double'])
  })

  it('has each mechanism apart with --mechanisms, first order as without it, and parts that sum to the total', async () => {
    const folder = temporaryFolder()
    const names = ['reflected', 'wall', 'double', 'edge-wave', 'corner']
    const rowOf = async (file: string, ...options: string[]) => {
      const out = join(folder, file)
      expect((await isar`${table} --mechanisms --max-bounces 2 --out ${out} ${options}`).code).toBe(0)
      return readCsv(out)[0]
    }
    const all = await rowOf('all.csv', '--second-order', names.join())
    const first = await rowOf('first.csv', '--second-order', 'none')
    const added = Object.keys(all).filter((name) => !(name in first))
    expect(added.filter((name) => name.startsWith('f_hh_re'))).toEqual(names.map((name) => `f_hh_re_${name}`))
    for (const c of ['vv', 'hh', 'vh', 'hv'])
      for (const part of ['re', 'im']) {
        const of = (name: string): number => Number(all[`f_${c}_${part}${name}`])
        const parts = ['b1', 'b2', 'edge', ...names].map((name) => of(`_${name}`))
        expect(Math.abs(parts.reduce((a, b) => a + b) - of(''))).toBeLessThan(1e-9)
        expect(all[`f_${c}_${part}_edge`]).toBe(first[`f_${c}_${part}_edge`])
      }
    for (const name of names)
      expect(Math.hypot(...['vv', 'hh', 'hv'].map((c) => Number(all[`f_${c}_re_${name}`])))).toBeGreaterThan(
        1e-4,
      )
  })

  it('refuses what it does not know or cannot do, in one line', async () => {
    const folder = temporaryFolder()
    for (const [args, part] of [
      [['--second-order', 'twice'], /"twice" is not a mechanism/],
      [['--second-order', 'reflected', '--diffraction', 'none'], /--diffraction none/],
    ] as const)
      await expectRefusal([...table, ...args, '--out', join(folder, 'x.csv')], part, folder)
  })
})

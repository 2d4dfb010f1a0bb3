import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isar, temporaryFolder } from './cli.js'

const dihedral = resolve('samples/dihedral.stl')
const table = ['rcs', dihedral, '--freq', '3e8', '--theta', '80', '--phi', '30', '--device', 'cpu']

describe('--second-order', () => {
  it('changes the field of a dihedral and is recorded', async () => {
    const folder = temporaryFolder()
    const [a, b] = [join(folder, 'a.csv'), join(folder, 'b.csv')]
    expect((await isar([...table, '--second-order', 'none', '--out', a])).code).toBe(0)
    expect((await isar([...table, '--second-order', 'double,reflected', '--out', b])).code).toBe(0)
    expect(readFileSync(b, 'utf8')).not.toBe(readFileSync(a, 'utf8'))
    const { options } = JSON.parse(readFileSync(join(folder, 'b.meta.json'), 'utf8')) as {
      options: { secondOrder: string[] }
    }
    expect(options.secondOrder).toEqual(['reflected', 'double'])
  })

  it('refuses what it does not know or cannot do, in one line', async () => {
    const out = join(temporaryFolder(), 'x.csv')
    for (const [args, part] of [
      [['--second-order', 'twice'], '"twice" is not a mechanism'],
      [['--second-order', 'reflected', '--diffraction', 'none'], '--diffraction none'],
    ] as const) {
      const run = await isar([...table, ...args, '--out', out])
      expect(run.code).toBe(2)
      expect(run.stderr.trim().split('\n')).toHaveLength(1)
      expect(run.stderr).toContain(part)
      expect(existsSync(out)).toBe(false)
    }
  })
})

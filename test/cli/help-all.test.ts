import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { COMMANDS, createProgram } from '../../src/cli/program.js'
import { isar, temporaryFolder } from './cli.js'
import { words } from '../helpers/words.js'

/** Runs the parser in this process: exit code and what it printed. */
async function parse(args: string[]): Promise<{ code: string; text: string }> {
  const program = await createProgram((name) => name === args[0])
  let text = ''
  const write = (part: string): void => void (text += part)
  for (const c of [program, ...program.commands])
    c.configureOutput({ writeOut: write, writeErr: write }).exitOverride()
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    return { code: (error as { code: string }).code, text }
  }
  return { code: '', text }
}

it.each(Object.keys(COMMANDS))('isar %s --help-all shows its help', async (name) => {
  const { code, text } = await parse([name, '--help-all'])
  expect(code).toMatch(/^commander\.help/)
  expect(text).toContain(`Usage: isar ${name}`)
})

it.each([
  ['compare', ['--schedule', '--resume', '--cluster', '--distribute', 'mom']],
  ['doppler', ['--units', '--phase-centre', '--mechanisms', '--cluster', '--distribute', 'Cluster:']],
  ['dataset', ['--units', '--phase-centre', '--mechanisms', '--pol ']],
])('isar %s offers no option that it refuses', async (name, refused) => {
  const { text } = await parse([name, '--help-all'])
  for (const option of refused) expect(text).not.toMatch(new RegExp(`(^|[\\s,])${option}(?![-a-z])`, 'm'))
})

it('--second-order all gives the table of the default', async () => {
  const folder = temporaryFolder()
  const args = words`rcs ${resolve('samples/cube.stl')} --freq 1GHz --theta 60 --phi 30 --device cpu --json`
  const given = await isar`${args} --second-order all --out ${join(folder, 'a.csv')}`
  const standard = await isar`${args} --out ${join(folder, 'b.csv')}`
  expect([given.code, standard.code]).toEqual([0, 0])
  expect(readFileSync(join(folder, 'a.csv'), 'utf8')).toBe(readFileSync(join(folder, 'b.csv'), 'utf8'))
})

it('frequencies in the wrong option are refused with the right one', async () => {
  const file = join(temporaryFolder(), 'scene.json')
  writeFileSync(file, '{}')
  for (const [command, place] of [
    ['propagate', 'scene file'],
    ['doppler', 'motion file'],
    ['dataset', 'configuration'],
  ])
    // prettier-ignore
    expect((await parse(words`${command} ${file} --freq 1e9`)).text).toContain(`unknown option '--freq'; the ${place} has the frequencies`)
  const run = await isar`rcs ${resolve('samples/cube.stl')} --freq 9e9:10e9:1e8`
  expect([run.code, run.stderr]).toEqual([2, expect.stringMatching(/--freq "9e9:10e9:1e8" is a range; .*--band/)]) // prettier-ignore
})

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/program.js'
import { describeProgram, everyCommand } from '../../src/cli/shell/describe.js'
import { manPage } from '../../src/cli/shell/man.js'
import { parsed } from '../helpers/help.js'
import { isar, temporaryFolder } from './cli.js'

const there = (program: string): boolean => spawnSync(program, ['--version']).error === undefined
const folder = temporaryFolder()
afterAll(() => rmSync(folder, { recursive: true }))

const script = async (shell: string): Promise<string> => {
  const { code, stdout, stderr } = await isar`completion ${shell}`
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}

describe.runIf(there('bash'))('bash', () => {
  const file = join(folder, 'isar.bash')
  beforeAll(async () => {
    writeFileSync(file, await script('bash'))
    mkdirSync(join(folder, 'models'))
    writeFileSync(join(folder, 'model a.stl'), '')
  })

  /** What bash offers for a line that ends at the cursor, cut into words as bash cuts it. */
  const offers = (...words: string[]): string[] => {
    const program = `source ${file}
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
      _isar
      printf '%s\\n' "\${COMPREPLY[@]}"`
    const text = execFileSync('bash', ['-c', program, 'bash', 'isar', ...words], {
      cwd: folder,
      encoding: 'utf8',
    })
    return text.split('\n').filter(Boolean)
  }

  it('offers the commands, and those of commands', () => {
    expect(offers('')).toEqual(expect.arrayContaining(Object.keys(COMMANDS)))
    expect(offers('re')).toEqual(['render'])
    expect(offers('dataset', 'v')).toEqual(['verify'])
    expect(offers('cluster', 'p')).toEqual(['plot'])
    expect(offers('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']))
  })

  it('offers the options of the command, and their values', () => {
    expect(offers('-')).toEqual(['--version', '--help'])
    expect(offers('render', '--ba')).toEqual(['--band'])
    expect(offers('rcs', '--ba')).toEqual(['--band'])
    expect(offers('devices', '--')).toEqual(['--json', '--help'])
    expect(offers('rcs', 'model.stl', '--device', '')).toEqual(['auto', 'gpu', 'cpu'])
    expect(offers('rcs', 'model.stl', '--device', '=', 'c')).toEqual(['cpu'])
    expect(offers('rcs', 'model.stl', '--device', '=')).toEqual(['auto', 'gpu', 'cpu'])
    expect(offers('render', '--window', 'h')).toEqual(['hamming', 'hann'])
    expect(offers('dataset', 'verify', '--q')).toEqual(['--quiet'])
    // Nobody knows the number that is wanted.
    expect(offers('render', '--theta', '')).toEqual([])
  })

  it('offers files where files are wanted', () => {
    expect(offers('render', 'mod').sort()).toEqual(['model a.stl', 'models'])
    expect(offers('render', '')).not.toContain('--band')
    expect(offers('devices', '')).toEqual(['--json', '--help'])
    expect(offers('render', '--out', 'mod')).toEqual(expect.arrayContaining(['models']))
    expect(offers('devices', 'mod')).toEqual([])
  })

  it('serves the complete command of an interactive shell', () => {
    const program = `source ${file}; complete -p isar`
    expect(execFileSync('bash', ['-c', program], { encoding: 'utf8' })).toBe('complete -F _isar isar\n')
  })
})

it.each(['zsh', 'fish'])('%s: every command and option is there, and the shell reads it', async (shell) => {
  const text = await script(shell)
  for (const name of Object.keys(COMMANDS)) expect(text).toContain(name)
  expect(text).toMatch(shell === 'zsh' ? /'--band:frequencies/ : /-l band -x -d 'frequencies/)
  if (!there(shell)) return
  const file = join(folder, `isar.${shell}`)
  writeFileSync(file, text)
  expect(spawnSync(shell, ['-n', file], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
})

it.each(Object.keys(COMMANDS))('isar %s --help-all shows its help', async (name) => {
  const { code, text } = await parsed([name, '--help-all'])
  expect(code).toMatch(/^commander\.help/)
  expect(text).toContain(`Usage: isar ${name}`)
})

it.each([
  ['compare', ['--schedule', '--resume', '--cluster', '--distribute', 'mom']],
  ['doppler', ['--units', '--phase-centre', '--mechanisms', '--cluster', '--distribute', 'Cluster:']],
  ['dataset', ['--units', '--phase-centre', '--mechanisms', '--pol ']],
])('isar %s offers no option that it refuses', async (name, refused) => {
  const { text } = await parsed([name, '--help-all'])
  for (const option of refused) expect(text).not.toMatch(new RegExp(`(^|[\\s,])${option}(?![-a-z])`, 'm'))
})

it('the page of the package is the one that the definitions make', async () => {
  expect(readFileSync('man/isar.1', 'utf8')).toBe(manPage(await describeProgram()))
})

it.runIf(there('groff'))('groff sets it without a warning, with every command and option', async () => {
  const { status, stdout, stderr } = spawnSync('groff', ['-man', '-Tascii', '-P-cbou', '-ww', 'man/isar.1'], {
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([0, ''])
  for (const { path, options } of everyCommand(await describeProgram())) {
    expect(stdout).toContain(`isar ${path}`.trim())
    for (const { long } of options) expect(stdout).toContain(long)
  }
  expect(stdout).toMatch(/--band f0:f1\[:n\]\n/)
  expect(stdout).toMatch(/--curved \[deg\]\n/)
})

import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { isar, temporaryFolder } from '../cli/cli.js'
import { octave, runOctave } from '../helpers/octave.js'
import { pythonWith } from '../helpers/python.js'

/** What does not depend on the machine and its load. */
const STEADY = /^(target|plan|edges|check) /

it('the first command of the guide prints what the guide says', async () => {
  const [, command, printed] = /```sh\nnpx isar (.*)\n```\n\n```text\n([\s\S]*?)```/.exec(
    readFileSync('docs/guide.md', 'utf8'),
  )!
  const words = command.split(' ')
  words[words.indexOf('--out') + 1] = join(temporaryFolder(), 'look.csv')
  const { code, stderr } = await isar`${words} --device cpu`
  expect(code).toBe(0)
  const steady = (text: string): string[] => text.split('\n').filter((line) => STEADY.test(line))
  expect(steady(stderr)).toEqual(steady(printed))
  expect(steady(printed)).toHaveLength(6)
})

const page = readFileSync('docs/python.md', 'utf8')
const block = (language: string): string => new RegExp('```' + language + '\\n([\\s\\S]*?)```').exec(page)![1]
const python = pythonWith('numpy', 'h5py')
const octaveCli = octave()
// Debian has no Julia: nothing says that it is missing.
const julia = process.env.ISAR_JULIA ?? 'julia'
const juliaReads = spawnSync(julia, ['-e', 'using HDF5']).status === 0

describe('docs/python.md prints what it says', () => {
  const folder = temporaryFolder()

  beforeAll(async () => {
    const [, words] = /^npx isar (.*)$/m.exec(block('sh'))!
    const given = words.split(' ').map((word) => (word.startsWith('samples/') ? resolve(word) : word))
    const { code, stderr } = await isar([...given, '--device', 'cpu'], { cwd: folder })
    expect(code, stderr).toBe(0)
  })

  it.skipIf(!python)('in Python', () => {
    const env = { ...process.env, PYTHONPATH: resolve('python'), PYTHONDONTWRITEBYTECODE: '1' }
    expect(execFileSync(python!, ['-c', block('python')], { cwd: folder, env, encoding: 'utf8' })).toBe(
      block('text'),
    )
  })

  it.skipIf(!octaveCli)('in Octave', () => {
    expect(runOctave(octaveCli!, block('octave'), folder)).toBe(block('text'))
  })

  it.skipIf(!juliaReads)('in Julia', () => {
    expect(execFileSync(julia, ['-e', block('julia')], { cwd: folder, encoding: 'utf8' })).toBe(block('text'))
  })

  it('names results that are there', () => {
    for (const ending of ['npz', 'h5', 'mat']) expect(() => readFileSync(join(folder, `cube/image.${ending}`))).not.toThrow() // prettier-ignore
  })
})

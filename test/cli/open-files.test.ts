import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from './cli.js'

const folder = temporaryFolder()
const run = (files: number, name: string, ...args: string[]) =>
  spawnSync(
    'bash',
    ['-c', 'ulimit -n "$1"; shift; exec "$@"', 'bash', String(files), process.execPath, resolve('dist/src/cli/main.js'), 'rcs', resolve('samples/cube.stl'), '--device', 'cpu', '--out', join(folder, name), ...args], // prettier-ignore
    { encoding: 'utf8' },
  )

it.skipIf(process.platform !== 'linux')(
  'a limit of 700 open files is enough for a run, units and plots',
  () => {
    const { status, stderr } = run(700, 'enough', '--freq', '3GHz', '--plot')
    expect(stderr).not.toMatch(/EMFILE/)
    expect(status).toBe(0)
  },
)

it.skipIf(process.platform !== 'linux')('a limit that is too low is named, in one line', () => {
  const { status, stderr } = run(28, 'few', '--freq', '3e9')
  expect(stderr).toMatch(
    /^isar: too many open files: the limit is 28; raise it with ulimit -n \d+ and try again\n$/,
  )
  expect(status).toBe(1)
})

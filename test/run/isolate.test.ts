import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { besides, isolated } from '../../src/cli/cluster.js'
import { temporaryFolder } from '../cli/cli.js'

const run = ([command, ...args]: string[]): string =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

/** Containers may forbid namespaces; docs/cluster.md says what to do there. */
function mayUnshare(): boolean {
  try {
    run(isolated(['/dev/zero'], ['true']))
    return true
  } catch {
    process.stderr.write('mount namespaces are forbidden here: the test of isolated workers is skipped\n')
    return false
  }
}

it('hides the device files of all other GPUs', () => {
  expect(besides(1, [0, 1, 3])).toEqual(['/dev/nvidia0', '/dev/nvidia3'])
  expect(isolated(besides(0, [0]), ['node', 'x'])).toEqual(['node', 'x'])
})

it.skipIf(!mayUnshare())('covers them for one process and its children alone', () => {
  const folder = temporaryFolder()
  const [seen, hidden] = ['seen', 'hidden'].map((name) => join(folder, name))
  writeFileSync(seen, 'seen')
  writeFileSync(hidden, 'hidden')
  expect(run(isolated([hidden], ['cat', seen, hidden]))).toBe('seen')
  expect(run(['cat', seen, hidden])).toBe('seenhidden')
})

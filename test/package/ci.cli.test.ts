import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../cli/cli.js'
import { leftOut } from '../helpers/left-out.js'

afterEach(() => vi.unstubAllEnvs())

/** `.ci/run` on a machine without redis-server where nothing can be installed; npm ends it. */
function ci(env: Record<string, string>): { status: number | null; stderr: string } {
  const bin = join(temporaryFolder(), 'bin')
  mkdirSync(bin)
  for (const name of ['bash', 'dirname']) symlinkSync(`/usr/bin/${name}`, join(bin, name))
  for (const [name, code] of [
    ['apt-get', 100],
    ['npm', 9],
  ]) {
    writeFileSync(join(bin, String(name)), `#!/usr/bin/bash\nexit ${code}\n`)
    chmodSync(join(bin, String(name)), 0o755)
  }
  return spawnSync('/usr/bin/bash', [resolve('.ci/run')], { encoding: 'utf8', env: { PATH: bin, ...env } })
}

it.skipIf(process.platform !== 'linux')('CI fails where what tests need cannot be installed', () => {
  const { status, stderr } = ci({})
  expect(stderr).toContain('redis-server is missing and could not be installed (ISAR_MAY_SKIP=1')
  expect(status).toBe(1)
})

it.skipIf(process.platform !== 'linux')('ISAR_MAY_SKIP lets it go on, and says what is left out', () => {
  const { status, stderr } = ci({ ISAR_MAY_SKIP: '1' })
  expect(stderr).toContain('redis-server is missing and could not be installed: its tests are skipped')
  expect(status).toBe(9)
})

it('tests that would be left out fail where all are wanted', () => {
  vi.stubEnv('ISAR_ALL_TESTS', '1')
  expect(() => leftOut('no such server here')).toThrow('no such server here; ISAR_ALL_TESTS is set')
})

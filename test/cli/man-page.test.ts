import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { describeProgram, everyCommand } from '../../src/cli/shell/describe.js'
import { manPage } from '../../src/cli/shell/man.js'

it('the page of the package is the one that the definitions make', async () => {
  expect(readFileSync('man/isar.1', 'utf8')).toBe(manPage(await describeProgram()))
})

const groff = spawnSync('groff', ['--version']).error === undefined

it.runIf(groff)('groff sets it without a warning, with every command and option', async () => {
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

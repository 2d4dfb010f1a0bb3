import { readdirSync } from 'node:fs'
import { CommanderError } from 'commander'
import { expect, vi } from 'vitest'
import { InputError, oneLine } from '../../scene/index.js'
import { createProgram } from '../../src/cli/program.js'

/**
 * Runs a command line in this process, from the sources, and expects it to end as bad input does: with one line that matches, nothing
 * on stdout, and no file made where it runs or in `folder`. What the process of `isar` makes of it is in the first test of bad-input.
 */
export async function expectRefusal(
  args: readonly string[],
  says: RegExp | string,
  folder: string,
): Promise<void> {
  const lines: string[] = []
  const catches = (to: string[]) => (text: unknown) => to.push(String(text)) > 0
  const stdout: string[] = []
  const spies = [
    vi.spyOn(process.stderr, 'write').mockImplementation(catches(lines)),
    vi.spyOn(process.stdout, 'write').mockImplementation(catches(stdout)),
  ]
  const files = (): string[] => [folder, '.'].flatMap((place) => readdirSync(place))
  const before = files()
  const error: unknown = await createProgram((name) => args.includes(name))
    .then((program) => program.parseAsync(['node', 'isar', ...args]))
    .then(
      () => null,
      (reason: unknown) => reason,
    )
    .finally(() => spies.forEach((spy) => spy.mockRestore()))
  if (error instanceof InputError) lines.push(`isar: ${oneLine(error.message.split('\n')[0])}\n`)
  else expect(error).toBeInstanceOf(CommanderError)
  const text = lines.join('')
  expect(text).toMatch(says)
  expect(text).toMatch(/^isar: .*\n$/)
  expect(stdout).toEqual([])
  expect(files()).toEqual(before)
}

import { readdirSync } from 'node:fs'
import { expect } from 'vitest'
import { isar } from './cli.js'

/**
 * Runs a command line and expects it to end as bad input does: with exit code 2, one line that matches, nothing on
 * stdout, and no file made where it runs or in `folder`.
 */
export async function expectRefusal(
  args: readonly string[],
  says: RegExp | string,
  folder: string,
): Promise<void> {
  const files = (): string[] => [folder, '.'].flatMap((place) => readdirSync(place))
  const before = files()
  const { code, stdout, stderr } = await isar(args)
  expect(stderr).toMatch(says)
  expect(stderr).toMatch(/^isar: .*\n$/)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(files()).toEqual(before)
}

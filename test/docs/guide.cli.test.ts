import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isar, temporaryFolder } from '../cli/cli.js'

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

import { readFileSync, rmSync } from 'node:fs'
import { afterAll, expect, it } from 'vitest'
import { runScript, userFolder } from './run-script.js'

/** A program of docs/library.md, and what the page says that it prints. */
interface Example {
  heading: string
  code: string
  output: string
}

const page = readFileSync('docs/library.md', 'utf8')
const examples: Example[] = [...page.matchAll(/```js\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/g)].map(
  ({ index, 1: code, 2: output }) => ({
    heading: [...page.slice(0, index).matchAll(/^## (.*)$/gm)].at(-1)![1],
    code,
    output,
  }),
)
const folder = userFolder()
afterAll(() => rmSync(folder, { recursive: true }))

it('every program of the page is followed by its output', () => {
  expect(examples.length).toBe(page.match(/^```js$/gm)!.length)
  expect(examples.length).toBeGreaterThan(4)
})

it.each(examples)('$heading', async ({ heading, code, output }) => {
  const { code: exit, stdout, stderr } = await runScript(folder, heading.replace(/\W+/g, '-'), code)
  expect([exit, stderr, stdout]).toEqual([0, '', output])
})

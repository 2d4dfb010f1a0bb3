import { rmSync } from 'node:fs'
import { afterAll, expect, it } from 'vitest'
import { examples, libraryPage } from './examples.js'
import { runScript, userFolder } from './run-script.js'

const folder = userFolder()
afterAll(() => rmSync(folder, { recursive: true }))

it('every program of the page is followed by its output', () => {
  expect(examples.length).toBe(libraryPage.match(/^```js$/gm)!.length)
  expect(examples.length).toBeGreaterThan(4)
})

it.each(examples)('$heading', async ({ heading, code, output }) => {
  const { code: exit, stdout, stderr } = await runScript(folder, heading.replace(/\W+/g, '-'), code)
  expect([exit, stderr, stdout]).toEqual([0, '', output])
})

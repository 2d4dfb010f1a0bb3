import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { handWritten } from './markdown.js'

it('the documents that people write fit in 155 kB together and 15 kB each', () => {
  // Sources of quoted numbers are not shown (reproduction/docs/quoted.ts).
  const shown = (file: string): string => readFileSync(file, 'utf8').replace(/<!-- from: .+? -->/g, '')
  const sizes = new Map(handWritten().map((file) => [file, Buffer.byteLength(shown(file))]))
  expect([...sizes.values()].reduce((sum, size) => sum + size, 0)).toBeLessThan(155_000)
  expect([...sizes].filter(([, size]) => size > 15_000)).toEqual([])
})

it('the decisions, which only developers read, fit in 40 kB', () => {
  const files = readdirSync('docs/decisions').map((file) => readFileSync(join('docs/decisions', file)))
  expect(files.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(40_000)
})

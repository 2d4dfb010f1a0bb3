import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** Written by npm run docs; docs/tables is written by benchmarks. */
const GENERATED = new Set(['options.md'])
const written = readdirSync('docs').filter((file) => file.endsWith('.md') && !GENERATED.has(file))
const bytes = (file: string): number => statSync(join('docs', file)).size

it('documents without generated tables come to at most 150 kB', () => {
  expect(written.reduce((sum, file) => sum + bytes(file), 0)).toBeLessThanOrEqual(150_000)
})

it('each document can be read in one sitting: at most 15 kB', () => {
  expect(written.filter((file) => bytes(file) > 15_000)).toEqual([])
})

import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/** Functions and classes that a text names, each with the file that the next brackets or comma give. */
function namedFunctions(text: string): { name: string; file: string }[] {
  const pattern = /((?:`\w+`(?:,| and)?\s+)+)\(?`([\w/.-]+\.(?:ts|wgsl))`/g
  return [...text.matchAll(pattern)].flatMap(([, names, file]) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name]) => ({ name, file })),
  )
}

/** Whether a source file defines the name; a kernel is called like its file. */
const defines = (file: string, name: string): boolean =>
  file.endsWith('.wgsl')
    ? file.endsWith(`/${name}.wgsl`) && existsSync(file)
    : new RegExp(`^(export )?(async )?(function|class|const) ${name}\\b`, 'm').test(
        readFileSync(file, 'utf8'),
      )

it('every step of a run that CONTRIBUTING names is a function in the file that it names', () => {
  const text = readFileSync('CONTRIBUTING.md', 'utf8')
  const section = text.split('## A run, step by step')[1].split('\n## ')[0]
  const steps = namedFunctions(section)
  expect(steps.length).toBeGreaterThan(35)
  expect(steps.filter(({ name, file }) => !defines(file, name))).toEqual([])
})

it('a step that is no function of its file is found', () => {
  const steps = namedFunctions('`run` (`run/run.ts`) and `walk` and `fly`\n   (`run/run.ts`)')
  expect(steps.map(({ name, file }) => defines(file, name))).toEqual([true, false, false])
})

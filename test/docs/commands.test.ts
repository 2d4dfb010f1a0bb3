import { describe, expect, it } from 'vitest'
import { commandLines, dryParse } from './command-lines.js'
import { markdownFiles, readMarkdown, splitMarkdown } from './markdown.js'

const calls = markdownFiles().flatMap((file) =>
  commandLines(readMarkdown(file)).map((line) => ({ file, line, text: line.text })),
)

describe('command lines of the documents parse', () => {
  it.each(calls)('$file: $text', async ({ line }) => {
    await dryParse(line)
  })

  it('are found in blocks and in the text', () => {
    const found = new Set(calls.map(({ file }) => file))
    for (const file of ['README.md', 'docs/viewer.md', 'docs/dataset.md']) expect(found).toContain(file)
    expect(calls.filter(({ line }) => !line.pattern).length).toBeGreaterThan(20)
  })
})

describe('what is wrong with a command line', () => {
  const wrong = async (text: string): Promise<string> => {
    const [line] = commandLines(splitMarkdown(['Text', '', '```sh', text, '```'].join('\n')))
    return dryParse(line).then(
      () => '',
      (error: Error) => error.message,
    )
  }

  it.each([
    ['isar rander x.stl --band 1e9:2e9', 'no command "rander"'],
    ['npx isar render x.stl --bend 1e9:2e9', 'no option --bend'],
    ['npx isar render MESH --bend f0:f1', 'no option --bend'],
    ['isar rcs x.stl --freq 3GHz --device tpu', 'tpu'],
    ['isar rcs x.stl --freq 3GHz --pol xx', '--pol'],
    ['isar rcs x.stl --freq 3GHx', '--freq'],
    ['isar rcs x.stl --freq 3GHz --phi 0-90', '--phi'],
    ['isar compare --band 1GHz:2GHz', "missing required argument 'mesh'"],
    ['isar plot a b c', 'too many arguments'],
    ['isar dataset verify a b', 'too many arguments'],
  ])('%s', async (text, message) => {
    expect(await wrong(text)).toContain(message)
  })

  it.each([
    'npm ci && npx isar rcs x.stl --freq 3GHz --phi 0:90:1 --json > table.json # a comment --with words',
    'isar view a b          two results',
    'isar dataset verify quick-dataset --json',
    'isar workers --redis URL --gpus all|0,2 [--cpus N]',
  ])('nothing: %s', async (text) => {
    expect(await wrong(text)).toBe('')
  })
})

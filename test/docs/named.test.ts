import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  anchorsOf,
  handWritten,
  linksOf,
  markdownFiles,
  readMarkdown,
  resolveFrom,
  splitMarkdown,
} from './markdown.js'

const files = markdownFiles()
const isOutside = (target: string): boolean => /^[a-z]+:/i.test(target)

/** What is wrong with the links of a file's prose; nothing where all is well. */
function badLinks(file: string, prose: string): string[] {
  return linksOf(prose).flatMap(({ target }) => {
    if (isOutside(target)) return []
    const [path, anchor] = target.split('#')
    const place = path === '' ? file : resolveFrom(file, path)
    if (path !== '' && !existsSync(place)) return [`${target}: no ${place}`]
    if (anchor === undefined) return []
    if (!place.endsWith('.md')) return [`${target}: an anchor in what is no Markdown`]
    const text = path === '' ? prose : readMarkdown(place).prose
    return anchorsOf(text).has(anchor) ? [] : [`${target}: no such heading in ${place}`]
  })
}

describe('links of the documents', () => {
  it.each(files)('%s', (file) => {
    expect(badLinks(file, readMarkdown(file).prose)).toEqual([])
  })

  it('are found, and those that lead nowhere are told', () => {
    const text = ['# One `two` – three', '[a](#one-two--three) [b](#four) `[c](d)`', '![e](f.png)', '[g](docs/none.md)'] // prettier-ignore
    const { prose } = splitMarkdown(text.join('\n'))
    expect(linksOf(prose)).toHaveLength(4)
    expect(badLinks('x.md', prose)).toEqual([
      '#four: no such heading in x.md',
      'f.png: no f.png',
      'docs/none.md: no docs/none.md',
    ])
  })
})

describe('files that documents name', () => {
  /** Paths of documents, benchmarks and samples as the prose and its code name them, from the root. */
  const named = (text: string): string[] => [
    ...[
      ...text.matchAll(/\b((?:docs|samples|test|reproduction)\/[\w./-]+\.(?:md|json|stl|ts|py|csv))\b/g),
    ].map(([, path]) => path),
    ...[...text.matchAll(/\bdist\/((?:reproduction|samples)\/[\w/-]+)\.js\b/g)].map(
      ([, path]) => `${path}.ts`,
    ),
  ]

  it.each(files)('%s', (file) => {
    const missing = named(readFileSync(file, 'utf8')).filter(
      (path) => !/NAME/.test(path) && !existsSync(path) && !existsSync(resolveFrom(file, path)),
    )
    expect(missing).toEqual([])
  })

  // The changes of earlier versions name scripts of theirs.
  it.each(files.filter((file) => file !== 'CHANGELOG.md'))('scripts of npm run in %s', (file) => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      scripts: Record<string, string>
    }
    const called = [...readFileSync(file, 'utf8').matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name]) => name)
    expect(called.filter((name) => !(name in scripts))).toEqual([])
  })
})

describe('docs/README.md', () => {
  it('lists every document of the folder', () => {
    const listed = new Set(linksOf(readMarkdown('docs/README.md').prose).map(({ target }) => target))
    const others = files
      .filter((file) => /^docs\/[^/]+\.md$/.test(file) && file !== 'docs/README.md')
      .map((file) => file.slice('docs/'.length))
    expect(others.filter((file) => !listed.has(file))).toEqual([])
  })
})

const LEFT_OUT = /^(node_modules|dist|coverage|docs-api)$|^\./

/** Sources of the repository, as paths from its root. */
function sources(folder = '.'): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (LEFT_OUT.test(entry.name)) return []
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return sources(path)
    return /(?<!\.gen)\.(ts|mjs|wgsl|py)$/.test(entry.name) ? [path] : []
  })
}

/** Documents that a source names, each with the sections in quotation marks behind it: docs/theory.md, "3. Hit" and "Ray tubes". */
function citations(text: string): { document: string; sections: string[] }[] {
  const lines = text.replace(/\n[ \t]*(\*(?!\/)|\/\/|#)?[ \t]*/g, ' ')
  return [...lines.matchAll(/\bdocs\/[\w/-]+\.md((?:(?:,| and) "[^"]+")*)/g)].map(([all, sections]) => ({
    document: all.slice(0, all.indexOf('.md') + 3),
    sections: [...sections.matchAll(/"([^"]+)"/g)].map(([, section]) => section),
  }))
}

const headings = (document: string): string[] =>
  [...readMarkdown(document).prose.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading)

const cited = sources()
  .filter((path) => !path.startsWith(join('test', 'docs')))
  .flatMap((path) => citations(readFileSync(path, 'utf8')).map((c) => ({ path, ...c })))

it('documents and sections that comments of the code cite exist', () => {
  const wrong = cited.flatMap(({ path, document, sections }) => {
    if (!existsSync(document)) return [`${path}: no ${document}`]
    const known = headings(document)
    return sections.filter((s) => !known.includes(s)).map((s) => `${path}: no section "${s}" in ${document}`)
  })
  expect(wrong).toEqual([])
})

it('citations are found, over the ends of lines too', () => {
  expect(cited.filter(({ sections }) => sections.length > 0).length).toBeGreaterThan(20)
  expect(citations(' * (docs/theory.md, "Hit",\n * "Foot\n * print" and "Current")')).toEqual([
    { document: 'docs/theory.md', sections: ['Hit', 'Foot print', 'Current'] },
  ])
})

it('decisions are numbered without gaps, and each is cited by code, benchmarks or documents', () => {
  const numbers = readdirSync('docs/decisions').map((file) => /^(\d{3})-[\w-]+\.md$/.exec(file)?.[1])
  expect(numbers).toEqual(numbers.map((_, k) => String(k + 1).padStart(3, '0')))
  const texts = [...sources(), 'docs/theory.md', 'docs/numerics.md', 'docs/cluster.md']
  const named = texts
    .filter((path) => !path.startsWith(join('test', 'docs')))
    .flatMap((path) => [...readFileSync(path, 'utf8').matchAll(/\bdecision (\d{3})\b/gi)])
    .map(([, number]) => number)
  expect([...new Set(named)].sort()).toEqual(numbers)
})

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

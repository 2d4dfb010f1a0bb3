import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { anchorsOf, linksOf, markdownFiles, readMarkdown, resolveFrom, splitMarkdown } from './markdown.js'

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

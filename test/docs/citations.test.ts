import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readMarkdown } from './markdown.js'

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

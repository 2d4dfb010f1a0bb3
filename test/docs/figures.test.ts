import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FIGURES, figuresReadme, groupOf } from '../../reproduction/figures/table.js'
import { linksOf, markdownFiles, readMarkdown, resolveFrom } from './markdown.js'

const PLACE = 'docs/figures'
const drawn = (readdirSync(PLACE, { recursive: true }) as string[]).filter((f) => /\.(png|svg)$/.test(f))
const shown = new Set(
  markdownFiles().flatMap((file) =>
    linksOf(readMarkdown(file).prose)
      .filter(({ target }) => /\.(png|svg)$/.test(target) && !/^[a-z]+:/i.test(target))
      .map(({ target }) => resolveFrom(file, target)),
  ),
)

describe('figures of the documents', () => {
  it('are there', () => {
    expect([...shown].filter((path) => !existsSync(path))).toEqual([])
    expect(shown.size).toBeGreaterThan(30)
  })

  it('are drawn by a group of the table, every one', () => {
    expect(drawn.filter((picture) => !groupOf(picture))).toEqual([])
  })

  it('are shown in a document, every one', () => {
    expect(drawn.filter((picture) => !shown.has(join(PLACE, picture)))).toEqual([])
  })

  it('of the table are there, each in one group', () => {
    const listed = FIGURES.flatMap(({ pictures }) => Object.keys(pictures))
    expect(listed.toSorted()).toEqual(drawn.toSorted())
  })

  it('stand in the table that the command writes', () => {
    expect(readFileSync(join(PLACE, 'README.md'), 'utf8')).toBe(figuresReadme())
  })
})

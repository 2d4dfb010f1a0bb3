import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FIGURES, figuresReadme, groupOf, picturesOf } from '../../reproduction/figures/table.js'
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
    expect(shown.size).toBeGreaterThan(80)
  })

  it('are drawn by a group of the table, every one', () => {
    expect(drawn.filter((picture) => !groupOf(picture))).toEqual([])
  })

  it('are shown in a document, every one', () => {
    expect(drawn.filter((picture) => !shown.has(join(PLACE, picture)))).toEqual([])
  })

  it.each(FIGURES)('of group $name are there, under each of its names', (group) => {
    for (const pattern of Object.keys(group.pictures)) {
      const [start, end = ''] = pattern.split('*')
      const own = drawn.filter((p) => p.startsWith(start) && p.endsWith(end) && groupOf(p)!.group === group)
      expect([pattern, own.length]).not.toEqual([pattern, 0])
    }
  })

  it('stand in the table that the command writes', () => {
    expect(readFileSync(join(PLACE, 'README.md'), 'utf8')).toBe(figuresReadme())
  })

  it('go by the first group that names them', () => {
    expect(groupOf('validation/aircraft-a-100ghz.png')!.group.name).toBe('validation-long')
    expect(groupOf('validation/strip-3lam.png')).toMatchObject({
      file: 'validation/figures/validation/strip-3lam.png',
    })
    expect(groupOf('validation/isar-aircraft-a-sbr.png')!.group.name).toBe('validation-long')
    expect(groupOf('validation/isar-aircraft-a-deeper/sbr.png')).toBeNull()
    expect(groupOf('validation/cube-1m.png')).toBeNull()
    const validation = FIGURES.find((g) => g.name === 'validation')!
    const left = ['aircraft-a-100ghz', 'strip-3lam'].map((c) => `validation/figures/validation/${c}.png`)
    expect(picturesOf(validation, [...left, 'validation/validation.md'])).toEqual([
      { picture: 'validation/strip-3lam.png', file: left[1] },
    ])
  })
})

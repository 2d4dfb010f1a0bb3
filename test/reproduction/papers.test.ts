import { describe, expect, test } from 'vitest'
import { PAPERS } from '../../reproduction/docs/texts.js'
import { keptData, paperPage } from '../../reproduction/papers/kit.js'

/** What each paper numbers: its last figure, its tables and algorithms. */
const NUMBERED: Record<string, { figures: number; others: string[] }> = {
  '000': { figures: 7, others: ['Table 1', 'Table 2'] },
  '001': { figures: 11, others: ['Table 1'] },
  '002': { figures: 8, others: ['Table 1', 'Table 2'] },
  '003': { figures: 9, others: ['Table 1', 'Table 2', 'Algorithm 1'] },
  '004': { figures: 10, others: ['Table I'] },
}

/** Cells of the rows of a page's first table, after its head. */
const rowsOf = (page: string): string[][] =>
  page
    .split('\n| --- | --- | --- | --- | --- |\n')[1]
    .split('\n\n')[0]
    .trim()
    .split('\n')
    .map((line) => line.slice(2, -2).split(' | '))

describe.each(PAPERS)('page of paper $number', (paper) => {
  const page = paperPage(paper, keptData(paper.number))
  const rows = rowsOf(page)

  test('has every figure and table of the paper by its number', () => {
    const items = rows.map(([item]) => item).join('; ')
    const figures = new Set(
      [...items.matchAll(/Figures? (\d+(?:, \d+)*)/g)].flatMap(([, numbers]) =>
        numbers.split(', ').map(Number),
      ),
    )
    const { figures: last, others } = NUMBERED[paper.number]
    expect([...figures].sort((a, b) => a - b)).toEqual(Array.from({ length: last }, (_, i) => i + 1))
    // "Tables 1 and 2", "Tables 1, 2": one row for both.
    const named = items.replace(/Tables (\d)(?:, | and )(\d)/g, 'Table $1, Table $2')
    expect(others.filter((other) => !named.includes(other))).toEqual([])
  })

  test('says in every row what the paper has, what is here, a verdict and a command or a place', () => {
    for (const row of rows) {
      expect(row).toHaveLength(5)
      expect(row.filter((cell) => cell.trim() === '')).toEqual([])
    }
  })

  test('has less than 12 kB', () => expect(Buffer.byteLength(page)).toBeLessThan(12_000))

  test('has no number that is none', () => expect(page).not.toMatch(/NaN|Infinity|undefined|null/))
})

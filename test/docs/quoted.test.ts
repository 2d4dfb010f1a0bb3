import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { markdownFiles, readMarkdown } from './markdown.js'
import {
  plain,
  quotedNumbers,
  recomputed,
  requoted,
  unmarkedNumbers,
} from '../../reproduction/docs/quoted.js'

describe('numbers quoted by hand', () => {
  const marked = markdownFiles().filter((file) => readMarkdown(file).prose.includes('<!-- from: '))

  it('are marked where a source for them is kept', () => {
    expect(marked).toEqual(expect.arrayContaining(['README.md', 'docs/error-estimate.md']))
  })

  it.each(marked)('are those of their sources: %s', (file) => {
    const quoted = quotedNumbers(readMarkdown(file).prose)
    expect(quoted.map(({ number, source }) => [source, plain(number)])).toEqual(
      quoted.map((q) => [q.source, recomputed(q)]),
    )
  })

  it('of accuracy, time and counts all have a marker in README.md', () => {
    expect(unmarkedNumbers(readMarkdown('README.md').prose)).toEqual([])
  })

  it('are the numbers before their markers, and a changed one is seen', () => {
    const text =
      'A: [119 cases](x-2.md)<!-- from: cases full --> of .84 dB<!-- from: default subdivisions -->, 3 s.'
    expect(quotedNumbers(text)).toEqual([
      { number: '119', source: 'cases full', at: 4 },
      { number: '.84', source: 'default subdivisions', at: text.indexOf('.84') },
    ])
    const facets = '5 (1,000 facets)<!-- from: facets sphere -->, .84 dB<!-- from: worst edges edge-waves -->'
    expect(requoted(facets)).toMatch(/^5 \(20,480 facets\)<!-- from: facets sphere -->, \d?\.\d\d dB<!-- /)
    expect(requoted(requoted(facets))).toBe(requoted(facets))
    expect(unmarkedNumbers(text)).toEqual(['3 s'])
    expect(unmarkedNumbers('in `2 s`, 0.9 m (30 wavelengths), 12 % and 1,024 facets')).toEqual(['12 %', '1,024 facets']) // prettier-ignore
    expect(recomputed({ number: '2.0', source: 'default subdivisions' })).toBe('2.0')
    expect([plain('.84'), plain('20,480'), plain('−1')]).toEqual(['0.84', '20480', '-1'])
    expect(() => quotedNumbers('none <!-- from: cases full -->')).toThrow('no number before')
    expect(() => recomputed({ number: '1', source: 'hearsay' })).toThrow('no source is called hearsay')
  })
})

it('samples/README.md has the facets of its files', () => {
  const rows = [
    ...readFileSync('samples/README.md', 'utf8').matchAll(/^\| (`[^|]*\.stl`) .*\| ([\d, ]+) \|$/gm),
  ]
  expect(rows.length).toBeGreaterThan(10)
  for (const [, files, counts] of rows) {
    const names = [...files.matchAll(/`([\w.-]+)\.stl`/g)].map(([, name]) => name)
    const own = names.map((name) => recomputed({ number: '1', source: `facets ${name}` }))
    // Several files of one row have their counts with commas and spaces between.
    expect(names.length > 1 ? counts.trim().split(', ') : [plain(counts.trim())], files).toEqual(own)
  }
})

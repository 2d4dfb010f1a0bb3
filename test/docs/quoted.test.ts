import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { handWritten, markdownFiles, readMarkdown } from './markdown.js'
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

  it.each(['README.md', ...handWritten()])('of accuracy, time and counts all have a marker in %s', (file) => {
    expect(unmarkedNumbers(readMarkdown(file).prose)).toEqual([])
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
    const small =
      'to −1 dB<!-- from: constant propagation/results/table.ts NOTHING_DB --> and 3e-5 dB<!-- from: constant full-wave/full-wave.ts MOST_RESIDUAL -->'
    expect(unmarkedNumbers(small)).toEqual([])
    expect(unmarkedNumbers('and 1e-9 dB')).toEqual(['1e-9 dB'])
    expect(unmarkedNumbers('.3 / 2 dB<!-- from: default subdivisions -->, 2 to 4 s')).toEqual([
      '.3 / § dB',
      '2 to 4 s',
    ])
    expect(requoted(small)).toMatch(/^to −300 dB<.* and 1e-5 dB<!--/)
    expect([plain('.84'), plain('20,480'), plain('−1'), plain('2e-5')]).toEqual([
      '0.84',
      '20480',
      '-1',
      '2e-5',
    ])
    expect(() => quotedNumbers('none <!-- from: cases full -->')).toThrow('no number before')
    expect(() => recomputed({ number: '1', source: 'hearsay' })).toThrow('no source is called hearsay')
  })
})

describe('sources of quoted numbers', () => {
  it.each([
    ['constants', 'constant run/mesh-source.ts MOST_FACETS_KEPT', '2000000'],
    ['constants, in other units', 'constant src/imaging/cphd.ts PULSE_S 1000', '1'],
    ['constants of power, in dB', 'constant cpu-sbr/materials/path-fields.ts LEAST_BRANCH dB', '-30'],
    ['numbers of an object', 'constant isar/levels.ts RANGE.most', '60'],
    ['numbers of a list', 'constant run/error-estimate.ts COARSER[1]', '0.5'],
    ['what a test asserts', 'after test/propagation/utd.test.ts "worstWedge).toBeLessThan(" 100', '1'],
    ['what a decision measured', 'table docs/decisions/014-fans-of-reflected.md "found-a, 10 GHz, 1.2 m" now 2', '0.145'],
    // A rectangle: the first sidelobe of sin(x)/x, and 2.78/π.
    ['the highest sidelobe of a window', 'window none sidelobe', '13.3'],
    ['the width of a window', 'window none width', '0.886'],
    ['full wave in the report', 'validation full-wave-ship-5ghz-phi0 VV full floor', '30'],
    ['a row of the report by its name', 'validation sphere-bistatic-1ghz "HH, to 90 degrees" creeping points', '91'],
  ])('%s', (_, source, number) => {
    expect(recomputed({ number, source })).toBe(number)
  }) // prettier-ignore

  it.each([
    ['constant run/mesh-source.ts NONE', 'run/mesh-source.ts has no NONE'],
    ['constant isar/levels.ts RANGE.none', 'isar/levels.ts has no RANGE.none'],
    ['constant run/error-estimate.ts COARSER[2]', 'has no number'],
    ['after test/propagation/utd.test.ts "nobody wrote this"', 'does not say'],
  ])('that are none are refused: %s', (source, message) => {
    expect(() => recomputed({ number: '1', source })).toThrow(message)
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

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { claimLocation, filesAt, folderLocation } from '../../run/results.js'
import { writeFigure } from '../../src/write-figure.js'
import { PAPER } from '../../views/figures/axes.js'
import { lineFigure, polarFigure } from '../../views/figures/line-figure.js'
import { encodeFigure, linePlot } from '../../views/figures/node.js'

it('a place that has figures as PDF has one beside each PNG, claimed as the other files are', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'isar-test-'))
  const place = { ...folderLocation(folder), pdf: true }
  const names = ['plot.svg', 'plot.png', 'meta.json']
  expect(filesAt(place, names)).toEqual(['plot.svg', 'plot.png', 'plot.pdf', 'meta.json'])
  expect(filesAt(folderLocation(folder), names)).toEqual(names)
  const plot = linePlot({
    title: 't',
    xTitle: 'x',
    yTitle: 'y',
    series: [{ name: 'a', x: [0, 1], y: [0, 1] }],
  })
  await writeFigure(place, 'plot', plot)
  const start = (ending: string): string => readFileSync(join(folder, `plot.${ending}`), 'latin1').slice(0, 5)
  expect(['svg', 'png', 'pdf'].map(start)).toEqual(['<svg ', '\x89PNG\r', '%PDF-'])
  for (const ending of ['svg', 'png']) rmSync(join(folder, `plot.${ending}`))
  const claim = (pdf: boolean) => claimLocation({ ...place, pdf }, names, { resume: false, force: false })
  expect(() => claim(true)).toThrow(/plot\.pdf exists; give --force/)
  expect(() => claim(false)).not.toThrow()
  await writeFigure(folderLocation(folder), 'picture', plot, ['png'])
  expect(['svg', 'png', 'pdf'].map((ending) => existsSync(join(folder, `picture.${ending}`)))).toEqual([false, true, false]) // prettier-ignore
})

it('letters with a halo are filled over it in a PDF', async () => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30"><text x="9" y="20" fill="#3ad1ff" stroke="#000" stroke-width="2.4" paint-order="stroke">7</text></svg>`
  const pdf = Buffer.from((await encodeFigure(svg, 'pdf', 't')) as Uint8Array).toString('latin1')
  const modes = [...pdf.matchAll(/stream\r?\n([\s\S]*?)\r?\nendstream/g)].flatMap(([, data]) => {
    try {
      const stream = inflateSync(Buffer.from(data, 'latin1')).toString('latin1')
      return [...stream.matchAll(/\b(\d) Tr\b/g)].map(([, mode]) => mode)
    } catch {
      return []
    }
  })
  // Filled and stroked, then filled.
  expect(modes).toEqual(['2', '0'])
})

it('a title wider than its figure goes to several lines, all inside of the figure', () => {
  const title = 'A rather long title for a small figure of fifty millimetres'
  const curves = [{ name: 'a', x: [0, 1], y: [0, 1] }]
  const spec = { title, subtitle: 's', xTitle: 'x', yTitle: 'y', curves, low: 0, high: 1 }
  const ofLine = lineFigure(spec, 189, 300, PAPER).markup
  const ofPolar = polarFigure(spec, 189, 300, PAPER).markup
  for (const markup of [ofLine, ofPolar]) {
    const lines = [...markup.matchAll(/<text x="([\d.]+)"[^>]*font-size="15"[^>]*>([^<]*)</g)]
    expect(lines.map(([, , words]) => words).join(' ')).toBe(title)
    expect(lines.length).toBeGreaterThan(2)
    for (const [, x, words] of lines) expect(Number(x) + 7 * words.length).toBeLessThan(189)
  }
})

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { claimLocation, filesAt, folderLocation } from '../../run/results.js'
import { writeFigure } from '../../src/write-figure.js'
import { linePlot } from '../../views/figures/node.js'

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

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isar, readCsv, readJson, temporaryFolder } from './cli.js'

const cube = resolve('samples/cube.stl')
const common = ['--method', 'gpueco', '--device', 'cpu', '--pixels', '96', '--quiet']

describe('--method gpueco', () => {
  it('rcs: facets and edges sum to the total; the method stands in the metadata', async () => {
    const folder = temporaryFolder()
    const out = join(folder, 'x.csv')
    const run =
      await isar`rcs ${cube} --freq 1e9,1.1e9 --theta 80 --phi 0:30:15 --mechanisms --out ${out} ${common}`
    expect([run.code, run.stderr]).toEqual([0, ''])
    const rows = readCsv(out)
    expect(rows.length).toBe(6)
    let edges = 0
    for (const text of rows) {
      const row = Object.fromEntries(Object.entries(text).map(([name, x]) => [name, Number(x)]))
      for (const part of ['re', 'im']) {
        const [b1, edge] = [row[`f_hh_${part}_b1`], row[`f_hh_${part}_edge`]]
        expect(b1 + edge).toBeCloseTo(row[`f_hh_${part}`], 8)
        edges = Math.max(edges, Math.abs(edge))
      }
    }
    expect(edges).toBeGreaterThan(0.01)
    const meta = readJson<{ options: object }>(join(folder, 'x.meta.json'))
    expect(meta.options).toMatchObject({ method: 'gpueco', diffraction: 'eec', pixels: 96 })
  })

  it('render: images as with rays', async () => {
    const out = join(temporaryFolder(), 'image')
    const run = await isar`render ${cube} --band 1e9:1.2e9:8 --angles 6 --pol vv --out ${out} ${common}`
    expect([run.code, run.stderr]).toEqual([0, ''])
    expect(existsSync(join(out, 'image-vv.png'))).toBe(true)
  })

  it('edges by TW-ILDC where asked for', async () => {
    const out = join(temporaryFolder(), 'x.csv')
    const run = await isar`rcs ${cube} --freq 1e9 --phi 20 --diffraction tw-ildc --out ${out} ${common}`
    expect([run.code, run.stderr]).toEqual([0, ''])
    expect(
      readJson<{ counts: { edge_segments: number } }>(out.replace('.csv', '.meta.json')).counts.edge_segments,
    ).toBeGreaterThan(0)
  })
})

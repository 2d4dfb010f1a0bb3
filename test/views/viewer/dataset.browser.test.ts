import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { readNpz } from '../../../formats/index.js'
import { openDataset } from '../../../views/server/dataset.js'
import type { ArrayRef, DatasetData, Manifest, Sent, ServedResult } from '../../../views/server/manifest.js'
import { openSource } from '../../../views/server/source.js'
import type { Source } from '../../../views/server/http.js'
import { hasBrowser } from '../../helpers/browser.js'
import { expectGolden } from '../../helpers/golden.js'
import { done, viewPages, violations } from './page.js'

/** Twelve aspects of two targets in shards of five, by azimuth to learn from and to test with. */
const CONFIG = {
  name: 'twelve',
  seed: 1,
  targets: [
    { label: 'box', mesh: 'cube.stl', scale: 0.6 },
    { label: 'ship', mesh: 'ship-1m.stl' },
  ],
  aspects: { azimuth: { from: 0, to: 360, step: 30 }, elevation: [10] },
  radar: { centreHz: '1.5 GHz', resolutionM: 0.3 },
  image: { size: [24, 24], spacingM: 0.12 },
  trace: 'own',
  channels: ['vv', 'hh'],
  splits: { by: 'azimuth', parts: { train: 2, test: 1 } },
  labels: ['layers', 'centres', 'mask', 'facets'],
  centres: { count: 6 },
  formats: ['npz'],
  shardChips: 5,
  solver: { 'rays-per-wavelength': 4, 'max-bounces': 2 },
}

const text = (source: Source, path: string): unknown => JSON.parse(String(source(`/result/${path}`)))
const bytes = (source: Source, { path }: ArrayRef): ArrayBuffer =>
  Uint8Array.from(source(`/result/${path}`) as Uint8Array).buffer

describe('a dataset', () => {
  const { folder, troubles, show } = viewPages()
  const set = join(folder, 'set')
  let source: Source
  let view: Sent<DatasetData>

  beforeAll(async () => {
    for (const mesh of ['cube.stl', 'ship-1m.stl']) copyFileSync(join('samples', mesh), join(folder, mesh))
    writeFileSync(join(folder, 'config.json'), JSON.stringify(CONFIG))
    await done`dataset ${join(folder, 'config.json')} --device cpu --out ${set}`
    source = await openSource([set])
    view = (text(source, 'manifest.json') as Manifest).dataset!
  })

  it('is listed as chips.csv has it, and its images are those of the shards', () => {
    expect(view).toMatchObject({ name: 'twelve', classes: ['box', 'ship'], size: [24, 24] })
    const chips = new Uint32Array(bytes(source, view.chip))
    const azimuths = new Float64Array(bytes(source, view.azimuthDeg))
    const labels = new Uint32Array(bytes(source, view.label))
    const lines = readFileSync(join(set, 'chips.csv'), 'utf8').trim().split('\n').slice(1)
    expect(lines.length).toBeGreaterThan(8)
    lines.forEach((line, i) => {
      const [chip, , shard, label, , , , , , azimuth] = line.split(',')
      expect([chips[i], azimuths[i], view.classes[labels[i]]]).toEqual([Number(chip), Number(azimuth), label])
      const arrays = readNpz(readFileSync(join(set, 'npz', `${shard}.npz`)))
      const row = arrays.chip.data.indexOf(Number(chip))
      const image = (text(source, `${view.at}${i}.json`) as Sent<ServedResult>).image!
      const { mask, centres } = image.labels!
      const layer = (name: string): Float64Array =>
        new Float64Array(bytes(source, image.layers.find((l) => l.name === name)!.data))
      const size = 2 * 24 * 24
      for (const [c, channel] of ['vv', 'hh'].entries()) {
        const own = layer(channel)
        const at = size * (2 * row + c)
        expect(own).toEqual(Float64Array.from(arrays.image.data.subarray(at, at + size)))
        // Without nuisances the layers add up to the image.
        const top = own.reduce((most, x) => Math.max(most, Math.abs(x)), 0)
        const parts = [0, 1, 2].map((l) => layer(`${channel}_l${l}`))
        own.forEach((x, j) => expect(Math.abs(parts[0][j] + parts[1][j] + parts[2][j] - x)).toBeLessThan(1e-5 * top)) // prettier-ignore
      }
      const cover = new Uint8Array(bytes(source, mask!))
      expect(cover).toEqual(arrays.mask.data.subarray(576 * row, 576 * (row + 1)))
      expect(centres).toHaveLength(arrays.centre_count.data[row])
      const [range, cross, re, im] = arrays.centres.data.subarray(54 * row)
      expect(centres![0]).toMatchObject({ rangeM: range, crossRangeM: cross })
      expect(centres![0].level).toBeCloseTo(10 * Math.log10(re * re + im * im), 6)
      expect(['first bounce', 'later bounces', 'edges']).toContain(centres![0].mechanism)
    })
  })

  it('has nothing but its images: no path of a request leads elsewhere', () => {
    for (const path of ['chip/99.json', 'chip/0/layers', 'chip/0/../1/vv', 'chip/-1.json', 'chip/1e1.json', 'dataset.json', 'chip/0/constructor', 'npz/train/shard-00000.npz'])
      expect(source(`/result/${path}`), path).toBeUndefined() // prettier-ignore
  })

  it('says in one line why it is not shown', async () => {
    const other = join(folder, 'other')
    const changed = (change: () => void): void => {
      rmSync(other, { recursive: true, force: true })
      cpSync(set, other, { recursive: true })
      change()
    }
    const refused = (): string => {
      try {
        openDataset(other)
      } catch (error) {
        return (error as Error).message
      }
      return 'opened'
    }
    changed(() => rmSync(join(other, 'npz'), { recursive: true }))
    expect(refused()).toContain('make it with "npz" among its formats')
    changed(() => rmSync(join(other, 'npz/train/shard-00000.npz')))
    expect(refused()).toMatch(/chips.csv, line \d+: npz\/train\/shard-00000.npz is missing/)
    changed(() => rmSync(join(other, 'chips.csv')))
    expect(refused()).toContain('finish the dataset first')
    changed(() => writeFileSync(join(other, 'dataset.json'), '{'))
    expect(refused()).toContain('cannot open dataset.json')
    changed(() => writeFileSync(join(other, 'dataset.json'), '{"config":{"product":"history"}}'))
    expect(refused()).toContain('a dataset of sweeps')
    await expect(openSource([set, set])).rejects.toThrow('opened alone')
    // A shard that was exchanged for another is found when its image is asked for.
    changed(() =>
      copyFileSync(join(set, 'npz/test/shard-00000.npz'), join(other, 'npz/train/shard-00000.npz')),
    )
    const mixed = await openSource([other])
    expect(() => mixed(`/result/${view.at}0.json`)).toThrow('do not match')
  })

  it('of 10,000 images opens by its list alone', async () => {
    const large = join(folder, 'large')
    mkdirSync(join(large, 'npz'), { recursive: true })
    copyFileSync(join(set, 'dataset.json'), join(large, 'dataset.json'))
    const [head, line] = readFileSync(join(set, 'chips.csv'), 'utf8').split('\n')
    const cells = line.split(',')
    const rows = Array.from({ length: 10_000 }, (_, i) =>
      [i, '', `shard-${String(Math.floor(i / 64)).padStart(5, '0')}`, ...cells.slice(3)].join(),
    )
    writeFileSync(join(large, 'chips.csv'), [head, ...rows, ''].join('\n'))
    // All shards but the first are no archives: nothing reads them now.
    const [, , shard] = cells
    copyFileSync(join(set, 'npz', `${shard}.npz`), join(large, 'npz/shard-00000.npz'))
    for (let s = 1; s < 157; s++)
      writeFileSync(join(large, `npz/shard-${String(s).padStart(5, '0')}.npz`), '')
    const opened = await openSource([large])
    const { dataset } = text(opened, 'manifest.json') as Manifest
    expect(new Uint32Array(bytes(opened, dataset!.chip))).toHaveLength(10_000)
    expect((opened(`/result/${dataset!.at}0/grey`) as Uint8Array).length).toBe(576)
    expect(() => opened(`/result/${dataset!.at}64/grey`)).toThrow('is not a readable .npz file')
  })

  describe.skipIf(!hasBrowser)('on the page', () => {
    let page: Page

    beforeAll(async () => {
      page = await show(source, 'body[data-chip]')
      await page.waitForSelector('#chips[data-ready=yes]')
    })

    const images = (): Promise<number> => page.locator('#chips button').count()

    it('shows its images, and one of them with its labels', async () => {
      const all = new Uint32Array(bytes(source, view.chip)).length
      expect(await images()).toBe(all)
      expect(await page.locator('#chip-count').innerText()).toBe(`${all} of ${all} images`)
      expect(await page.locator('#plot circle').count()).toBeGreaterThan(0)
      expect(await page.locator('#centres tr').count()).toBeGreaterThan(1)
      expectGolden('dataset', await page.screenshot())
      // Rings and outline go when they are not wanted.
      await page.locator('#show-centres').uncheck()
      expect(await page.locator('#plot circle').count()).toBe(0)
      const outlines = page.locator('#plot path[stroke="#3ad1ff"]')
      expect(await outlines.count()).toBe(2)
      await page.locator('#show-mask').uncheck()
      expect(await outlines.count()).toBe(0)
      await page.locator('#show-mask').check()
      await page.locator('#show-centres').check()
    })

    it('filters by split, class and azimuth', async () => {
      const labels = new Uint32Array(bytes(source, view.label))
      const splits = new Uint32Array(bytes(source, view.split))
      const azimuths = new Float64Array(bytes(source, view.azimuthDeg))
      const wanted = (of: (i: number) => boolean): number => Array.from(labels.keys()).filter(of).length
      await page.locator('#chip-class').selectOption('ship')
      expect(await images()).toBe(wanted((i) => view.classes[labels[i]] === 'ship'))
      await page.locator('#chip-split').selectOption('test')
      expect(await images()).toBe(
        wanted((i) => view.classes[labels[i]] === 'ship' && view.splits[splits[i]] === 'test'),
      )
      await page.locator('#chip-split').selectOption('')
      await page.locator('#chip-class').selectOption('')
      // Through north.
      await page.locator('#chip-from').fill('-100')
      await page.locator('#chip-to').fill('40')
      const through = wanted((i) => azimuths[i] >= 260 || azimuths[i] <= 40)
      expect(through).toBeGreaterThan(0)
      expect(await images()).toBe(through)
      await page.locator('#chip-from').fill('')
      await page.locator('#chip-to').fill('')
    })

    it('goes from image to image with the keyboard, and opens one', async () => {
      await page.locator('#chips button').first().focus()
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('Enter')
      await page.waitForSelector('body[data-chip="2"]')
      const line = readFileSync(join(set, 'chips.csv'), 'utf8').split('\n')[3].split(',')
      expect(await page.locator('#plot > svg').innerHTML()).toContain(`2 ${line[3]}, VV`)
      await page.locator('#facts summary').click()
      const facts = await page.locator('#facts').innerText()
      expect(facts).toContain(line[3])
      expect(facts).toContain(`${Number(line[9])}°`)
      await page.locator('#facts summary').click()
      await page.locator('#plot').focus()
      await page.keyboard.press('ArrowRight')
      expect(await page.locator('#readout').innerText()).toMatch(/range \S+ m .* dBsm/)
    })

    it('has names for all controls, enough contrast in both colours, and no errors', async () => {
      expect(await violations(page)).toEqual([])
      await page.locator('#theme').click()
      expect(await violations(page)).toEqual([])
      expect(troubles).toEqual([])
    })
  })
})

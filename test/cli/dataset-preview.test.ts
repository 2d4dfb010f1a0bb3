import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { decode } from 'fast-png'
import { expect, it } from 'vitest'
import { expectRefusal } from './refusal.js'
import { isar, temporaryFolder } from './cli.js'
import { writeConfig } from './dataset-config.js'

const leftovers = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('isar-preview-'))

it('--preview draws one image of each class and writes nothing else', async () => {
  const folder = temporaryFolder()
  const path = writeConfig(folder, { realisations: 3, nuisance: { snrDb: 20 }, labels: ['mask', 'lit'], ground: { surface: { model: 'gamma', gammaDb: -20 } } }) // prettier-ignore
  const out = join(folder, 'sheet.png')
  const before = leftovers()
  const run = await isar`dataset ${path} --preview --out ${out} --json`
  expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('2 of 2 images')])
  expect(JSON.parse(run.stdout)).toMatchObject({ preview: out, classes: ['corner', 'cube'] })
  expect(readdirSync(folder).sort()).toEqual(['config.json', 'sheet.png'])
  expect(leftovers()).toEqual(before)
  const sheet = readFileSync(out)
  const { width, height, data } = decode(sheet)
  expect([width > 600, height > 200, new Set(data).size > 50]).toEqual([true, true, true])
  const again = await isar`dataset ${path} --preview --out ${out}`
  expect([again.code, again.stderr.trim().split('\n').length]).toEqual([2, 1])
  expect(again.stderr).toContain('--force')
  expect((await isar`dataset ${path} --preview --out ${out} --force`).code).toBe(0)
  expect(readFileSync(out).equals(sheet)).toBe(true)
})

it('--preview draws a chip of each class of spectrograms', async () => {
  const folder = temporaryFolder()
  const config = {
    name: 'tiny',
    product: 'spectrograms',
    targets: ['slow', 'fast'].map((label, i) => ({
      label,
      name: label,
      motion: { mesh: resolve('samples/cube.stl'), motion: { velocity_m_s: [3 * i, 0, 0] } },
    })),
    aspects: { azimuth: [0, 200], elevation: [20] },
    radar: { freqHz: '150 MHz', prfHz: '80 Hz' },
    spectrogram: { pulses: 16, columns: 12 },
    solver: { 'max-bounces': 2, device: 'cpu' },
  }
  writeFileSync(join(folder, 'c.json'), JSON.stringify(config))
  const out = join(folder, 'tiny-preview.png')
  const run = await isar`dataset ${join(folder, 'c.json')} --preview --out ${out}`
  expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('2 of 2 chips')])
  expect(readdirSync(folder).sort()).toEqual(['c.json', 'tiny-preview.png'])
})

it.each([
  [['--shard', '1/2'], {}, '--shard: --preview draws one image of each class'],
  [['--resume'], {}, '--resume: --preview draws'],
  [['--plan'], {}, '--plan: --preview draws'],
  [['--cluster', 'redis://127.0.0.1:1'], {}, '--cluster: --preview draws'],
  [
    ['--out', 'sheet.svg'],
    {},
    '--out sheet.svg: a preview is one picture; give a name like tiny-preview.png',
  ],
  [
    [],
    {
      product: 'history',
      formats: ['npz'],
      radar: { band: ['1.5 GHz', '2.5 GHz'], frequencies: 8 },
    },
    '--preview: a dataset of whole sweeps has no images to draw',
  ],
])('--preview with %j %j is refused in one line', async (args, change, message) => {
  const folder = temporaryFolder()
  const config = writeConfig(folder, change)
  await expectRefusal(['dataset', config, '--preview', ...args], message, folder)
})

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readNpz } from '../../formats/index.js'
import { imageCorrelation } from '../../isar/index.js'
import { isar, temporaryFolder, readJson } from './cli.js'
import { expectRefusal } from './refusal.js'
import { words } from '../helpers/words.js'

const IMAGE = ['render', 'samples/ship-1m.stl', '--band', '2.775e9:3.225e9:9', '--angles', '7', '--phi', '20']
const CHEAP = ['--device', 'cpu', '--workers', '1', '--rays-per-wavelength', '5', '--pol', 'vv']

const imageOf = (folder: string): Float64Array =>
  readNpz(readFileSync(join(folder, 'image.npz'))).image_vv.data as Float64Array

describe('render --fast', () => {
  it('writes the files of render, reports that it is approximate, and resembles the full image', async () => {
    const folder = join(temporaryFolder(), 'fast')
    const run = await isar`${IMAGE} ${CHEAP} --fast --json --out ${folder}`
    expect(run.stderr).toMatch(
      /fast {6}approximate: rays traced at [2-6] of 7 aspects, the others extrapolated\n/,
    )
    expect(run.code).toBe(0)
    for (const file of ['image-vv.png', 'image.npz', 'phase-history.npz', 'timing.json'])
      expect(existsSync(join(folder, file)), file).toBe(true)
    const full = join(temporaryFolder(), 'full')
    expect((await isar`${IMAGE} ${CHEAP} --out ${full}`).code).toBe(0)
    const alike = imageCorrelation(imageOf(folder), imageOf(full))
    expect(alike).toBeGreaterThan(0.95)
    expect(alike).toBeLessThan(1)
    const meta = readJson<Record<string, unknown>>(join(folder, 'meta.json'))
    expect(meta.approximate).toMatch(/rays traced at [2-6] of 7 aspects/)
    expect((meta.options as { sbr: { raysPerWavelength: number } }).sbr.raysPerWavelength).toBe(5)
  })

  it('traces every aspect where more reference aspects are requested, and warns of a likely wrong unit', async () => {
    const folder = join(temporaryFolder(), 'fast')
    const run = await isar`${IMAGE} ${CHEAP} --units cm --fast 1000 --out ${folder}`
    expect(run.stderr).toMatch(/rays traced at 7 of 7 aspects/)
    expect(run.stderr).toContain('is the file in another unit?')
    expect(run.code).toBe(0)
    await expectRefusal(
      [...IMAGE, ...CHEAP, '--band', '1e15:1.1e15:9', '--fast', '--quiet'],
      /--units mm/,
      dirname(folder),
    )
  })

  it.each([
    [['--fast', '--mechanisms'], '--mechanisms'],
    [['--fast', '0'], '--fast'],
    [['--fast', '--curved', '0'], '--curved'],
  ])('%s is refused, naming %s', async (args, option) => {
    const folder = temporaryFolder()
    await expectRefusal(
      words`${IMAGE} ${CHEAP} ${args} --out ${join(folder, 'fast')}`,
      new RegExp(option),
      folder,
    )
  })
})

describe('--frequency-tolerance', () => {
  it('0 sums directly; else it changes the result by less than the tolerance, and is recorded', async () => {
    const folder = temporaryFolder()
    const args = words`rcs samples/ship-1m.stl --band 3e9:3.4e9:20 --theta 80 --phi 20 ${CHEAP}`
    const amplitudes = (name: string): number[] =>
      readFileSync(join(folder, name), 'utf8')
        .trim()
        .split('\n')
        .slice(1)
        .flatMap((line) => line.split(',').slice(7, 9).map(Number))
    for (const [how, tolerance] of [
      ['direct', '0'],
      ['fast', '1e-5'],
    ]) {
      const run = await isar(
        words`${args} --frequency-tolerance ${tolerance} --out ${join(folder, `${how}.csv`)}`,
      )
      expect(run.code).toBe(0)
    }
    const direct = amplitudes('direct.csv')
    const fast = amplitudes('fast.csv')
    expect(direct).toHaveLength(40)
    expect(fast).not.toEqual(direct)
    const peak = Math.max(...direct.map(Math.abs))
    fast.forEach((x, i) => expect(Math.abs(x - direct[i])).toBeLessThan(1e-5 * peak))
    const meta = readJson<{
      options: { sbr: { sumTolerance: number } }
    }>(join(folder, 'fast.meta.json'))
    expect(meta.options.sbr).toMatchObject({ sumTolerance: 1e-5 })
    await expectRefusal([...args, '--frequency-tolerance', '2'], /--frequency-tolerance/, folder)
  })
})

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isar, temporaryFolder } from './cli.js'

const IMAGE = ['render', 'samples/ship-1m.stl', '--band', '2.775e9:3.225e9:9', '--angles', '7', '--phi', '20']
const CHEAP = ['--device', 'cpu', '--workers', '1', '--rays-per-wavelength', '5', '--pol', 'vv']

describe('render --fast', () => {
  it('writes what render writes, says that it is approximate, and compares itself when asked', async () => {
    const folder = join(temporaryFolder(), 'fast')
    const run = await isar([...IMAGE, ...CHEAP, '--fast', '--compare-full', '--json', '--out', folder])
    expect(run.stderr).toMatch(/fast {6}approximate: 7 aspects from the rays of [2-6]\n/)
    expect(run.code).toBe(0)
    for (const file of ['image-vv.png', 'image.npz', 'phase-history.npz', 'timing.json'])
      expect(existsSync(join(folder, file)), file).toBe(true)
    const summary = JSON.parse(run.stdout) as { correlation_with_full_image: { vv: number } }
    expect(summary.correlation_with_full_image.vv).toBeGreaterThan(0.95)
    expect(summary.correlation_with_full_image.vv).toBeLessThan(1)
    const meta = JSON.parse(readFileSync(join(folder, 'meta.json'), 'utf8')) as Record<string, unknown>
    expect(meta.approximate).toMatch(/7 aspects from the rays of [2-6]/)
    expect((meta.options as { sbr: { raysPerWavelength: number } }).sbr.raysPerWavelength).toBe(5)
    expect(meta.correlation_with_full_image).toEqual(summary.correlation_with_full_image)
  })

  it('looks from every aspect where more looks are asked for, and says whether the unit looks wrong', async () => {
    const folder = join(temporaryFolder(), 'fast')
    const run = await isar([...IMAGE, ...CHEAP, '--units', 'cm', '--fast', '1000', '--out', folder])
    expect(run.stderr).toMatch(/7 aspects from the rays of 7\n/)
    expect(run.stderr).toContain('is the file in another unit?')
    expect(run.code).toBe(0)
    const huge = await isar([...IMAGE, ...CHEAP, '--band', '1e15:1.1e15:9', '--fast'])
    expect(huge.code).toBe(2)
    expect(huge.stderr).toContain('--units mm')
  })

  it.each([
    [['--compare-full'], '--fast'],
    [['--fast', '--mechanisms'], '--mechanisms'],
    [['--fast', '--gpu-edges', 'auto'], '--gpu-edges'],
    [['--fast', '0'], '--fast'],
    [['--fast', '--curved', '0'], '--curved'],
  ])('%s is refused, naming %s', async (args, option) => {
    const folder = join(temporaryFolder(), 'fast')
    const run = await isar([...IMAGE, ...CHEAP, ...args, '--out', folder])
    expect(run.code).toBe(2)
    expect(run.stderr).toContain(option)
    expect(existsSync(folder)).toBe(false)
  })
})

describe('--frequency-sum', () => {
  it('changes the result by less than the tolerance, and is recorded', async () => {
    const folder = temporaryFolder()
    const args = [
      'rcs',
      'samples/ship-1m.stl',
      '--band',
      '2.8e9:3.2e9:20',
      '--theta',
      '80',
      '--phi',
      '20',
      ...CHEAP,
    ]
    const amplitudes = (name: string): number[] =>
      readFileSync(join(folder, name), 'utf8')
        .trim()
        .split('\n')
        .slice(1)
        .flatMap((line) => line.split(',').slice(7, 9).map(Number))
    for (const how of ['direct', 'fast'])
      expect((await isar([...args, '--frequency-sum', how, '--out', join(folder, `${how}.csv`)])).code).toBe(
        0,
      )
    const direct = amplitudes('direct.csv')
    const fast = amplitudes('fast.csv')
    expect(direct).toHaveLength(40)
    expect(fast).not.toEqual(direct)
    const peak = Math.max(...direct.map(Math.abs))
    fast.forEach((x, i) => expect(Math.abs(x - direct[i])).toBeLessThan(1e-5 * peak))
    const meta = JSON.parse(readFileSync(join(folder, 'fast.meta.json'), 'utf8')) as {
      options: { sbr: { frequencySum: string; sumTolerance: number } }
    }
    expect(meta.options.sbr).toMatchObject({ frequencySum: 'fast', sumTolerance: 1e-5 })
    const bad = await isar([...args, '--frequency-tolerance', '2'])
    expect(bad.code).toBe(2)
    expect(bad.stderr).toContain('--frequency-tolerance')
  })
})

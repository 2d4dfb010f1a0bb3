import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type NpyArray, readNpz } from '../../formats/index.js'
import { isar, temporaryFolder } from './cli.js'
import { expectRefusal } from './refusal.js'
import { writeConfig } from './dataset-config.js'
import { words } from '../helpers/words.js'

const SOLVER = ['--rays-per-wavelength', '4', '--max-bounces', '2', '--device', 'cpu']
const cube = { targets: [{ label: 'cube', mesh: resolve('samples/cube.stl') }], channels: ['vv'] }

async function shardOf(change: object): Promise<Record<string, NpyArray>> {
  const folder = temporaryFolder()
  const out = join(folder, 'out')
  const run = await isar(['dataset', writeConfig(folder, { ...cube, ...change }), '--out', out, '--quiet'])
  expect(run.stderr).toBe('')
  return readNpz(readFileSync(join(out, 'npz/shard-00000.npz')))
}

describe('images of a dataset', () => {
  it('are those of isar render', async () => {
    const folder = temporaryFolder()
    const { image, range_m, cross_range_m, freq_hz } = await shardOf({
      aspects: { azimuth: [20], elevation: [10] },
      radar: { band: [1.8e9, 2.2e9], apertureDeg: 10, frequencies: 12, angles: 10 },
      image: { size: [24, 20], spacingM: 0.2, window: 'hamming' },
    })
    expect([...freq_hz.data.subarray(0, 2)]).toEqual([1.8e9, expect.closeTo(1.8e9 + 0.4e9 / 11, 3)])
    const sweep = words`--band 1.8e9:2.2e9:12 --theta 80 --phi 20 --aperture 10 --angles 10`
    const run =
      await isar`render ${resolve('samples/cube.stl')} ${sweep} ${SOLVER} --second-order none --pol vv --polar-format --out ${join(folder, 'r')} --quiet`
    expect(run.code).toBe(0)
    const rendered = readNpz(readFileSync(join(folder, 'r/image.npz')))
    // Both grids hold the phase centre.
    const at = (picture: NpyArray, range: NpyArray, cross: NpyArray): number[] => {
      const zero = (axis: NpyArray): number => axis.data.findIndex((x) => Math.abs(x) < 1e-9)
      const i = 2 * (zero(range) * cross.data.length + zero(cross))
      return [picture.data[i], picture.data[i + 1]]
    }
    const [re, im] = at(rendered.image_vv, rendered.range_m, rendered.cross_range_m)
    expect(Math.hypot(re, im)).toBeGreaterThan(0.01)
    expect(at(image, range_m, cross_range_m)).toEqual([expect.closeTo(re, 6), expect.closeTo(im, 6)])
  })

  it('are the same from shared aspects as from their own', async () => {
    const shared = await shardOf({
      trace: 'shared',
      aspects: { azimuth: { from: 0, to: 30, step: 10 }, elevation: [10] },
    })
    const azimuth = [...shared.azimuth_deg.data]
    const own = await shardOf({ trace: 'own', aspects: { azimuth, elevation: [10] } })
    expect(own.image.data.length).toBe(shared.image.data.length)
    let [peak, apart] = [0, 0]
    own.image.data.forEach((x, i) => {
      peak = Math.max(peak, Math.abs(x))
      apart = Math.max(apart, Math.abs(x - shared.image.data[i]))
    })
    expect(apart / peak).toBeLessThan(1e-5)
  })

  it('refuse what the configuration says already', async () => {
    const folder = temporaryFolder()
    const args = ['dataset', writeConfig(folder, cube), '--out', join(folder, 'x'), '--pol', 'vv']
    await expectRefusal(args, /--pol.*set channels there/, folder)
  })
})

import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readNpz } from '../../formats/index.js'
import { isar, temporaryFolder } from './cli.js'
import { fileHashes } from './dataset-config.js'
import { words } from '../helpers/words.js'

const folder = temporaryFolder()
const target = {
  mesh: resolve('samples/cube.stl'),
  motion: { velocity_m_s: [3, 0, 0] },
  parts: [{ mesh: resolve('samples/plate.stl'), pivot_m: [0, 0, 1.5], axis: [0, 1, 0], rate_rev_s: 2 }],
  interaction: false,
}
const flapping = { ...target, parts: [{ ...target.parts[0], swing_deg: 30 }] }
const config = {
  name: 'tiny',
  product: 'spectrograms',
  seed: 5,
  targets: [
    { label: 'rotor', motion: target },
    { label: 'wing', name: 'flapper', motion: flapping },
  ],
  aspects: { azimuth: [0, 200], elevation: [20] },
  radar: { freqHz: '150 MHz', prfHz: [60, 100], snrDb: 20 },
  rateFactor: [0.5, 2],
  realisations: 3,
  spectrogram: { pulses: 16, columns: 12 },
  splits: { by: 'azimuth', parts: { train: 1, test: 1 }, blockDeg: 180 },
  formats: ['npz', 'hdf5', 'png'],
  shardChips: 3,
  solver: { 'max-bounces': 2, device: 'cpu' },
}
/** Writes a configuration and returns its path. */
const write = (name: string, change: object = {}): string => {
  const path = join(folder, `${name}.json`)
  writeFileSync(path, JSON.stringify({ ...config, ...change }))
  return path
}

const keysOf = (value: unknown): string[] =>
  value !== null && typeof value === 'object'
    ? Object.entries(value).flatMap(([key, v]) => [...(Array.isArray(value) ? [] : [key]), ...keysOf(v)])
    : []

describe('isar dataset of spectrograms', () => {
  const path = write('whole')
  const out = (name: string): string => join(folder, name)

  it('has chips with labels', async () => {
    const whole = await isar(['dataset', path, '--out', out('a'), '--json'])
    expect([whole.code, whole.stderr]).toEqual([
      0,
      expect.stringContaining('12 chips of 32 x 12 in 4 shards'),
    ])
    expect(JSON.parse(whole.stdout)).toMatchObject({ images: 12, shards: 4, finished: true })
    const { spectrogram: power, label, rotor_count, wing_count, rate_hz, blade_length_m, prf_hz, azimuth_deg } = readNpz(readFileSync(join(out('a'), 'npz/train/shard-00000.npz'))) // prettier-ignore
    expect(power.shape).toEqual([3, 1, 32, 12])
    expect([...label.data, ...rotor_count.data, ...wing_count.data]).toEqual([0, 0, 0, 1, 1, 1, 0, 0, 0])
    expect(new Set(azimuth_deg.data).size).toBe(1)
    for (let i = 0; i < 3; i++) {
      expect(prf_hz.data[i]).toBeGreaterThan(60)
      expect(rate_hz.data[i]).toBeGreaterThan(1)
      expect(rate_hz.data[i]).toBeLessThan(4)
      // The farthest corner of the plate from an axis along y, 1.5 m above its middle.
      expect(blade_length_m.data[i]).toBeCloseTo(Math.hypot(0.5, 1.5), 9)
    }
    expect(new Set(rate_hz.data).size).toBe(3)
    const card = readFileSync(join(out('a'), 'README.md'), 'utf8')
    for (const key of keysOf(config)) expect(card, key).toContain(`"${key}"`)
    expect((await isar(['dataset', 'verify', out('a')])).code).toBe(0)
  })

  it('has the same bytes with one thread and after an interruption', async () => {
    const stopped = await isar(['dataset', path, '--out', out('b'), '--workers', '1'], {
      at: { message: /\d+ of \d+ chips/ },
    })
    expect([stopped.code, stopped.stderr]).toEqual([130, expect.stringContaining('continue with --resume')])
    expect((await isar(['dataset', path, '--out', out('b')])).code).toBe(2)
    expect((await isar(['dataset', path, '--out', out('b'), '--resume'])).code).toBe(0)
    expect(fileHashes(out('b'))).toEqual(fileHashes(out('a')))
  })

  it('has the same bytes by shards', async () => {
    for (const share of ['1/2', '2/2'])
      expect((await isar(['dataset', path, '--out', out('c'), '--shard', share])).code).toBe(0)
    expect((await isar(['dataset', path, '--out', out('c'), '--resume'])).code).toBe(0)
    const { [`timing-1-of-2.json`]: _1, ...sharded } = fileHashes(out('c'))
    expect(sharded).toEqual(fileHashes(out('a')))
  })

  it('has the spectrogram of isar doppler where nothing is drawn', async () => {
    const radar = { freqHz: 150e6, prfHz: 80 }
    const motion = { ...flapping, interaction: true }
    const targets = [{ label: 'wing', motion }]
    const same = { aspects: { azimuth: [30], elevation: [20] }, splits: undefined, targets, radar, rateFactor: [1, 1], start: [0, 0], realisations: 1, formats: ['npz'] } // prettier-ignore
    const seen = { freq_hz: 150e6, prf_hz: 80, pulses: 16 + 11 * 4, theta_deg: 70, phi_deg: 30 }
    writeFileSync(join(folder, 'exact.json'), JSON.stringify({ ...motion, radar: seen }))
    const exact = words`doppler ${join(folder, 'exact.json')} --exact --pol vv --device cpu --max-bounces 2 --stft 16`
    expect((await isar(['dataset', write('same', same), '--out', join(folder, 'same')])).code).toBe(0)
    expect((await isar`${exact} --out ${join(folder, 'exact')}`).code).toBe(0)
    const { spectrogram: power } = readNpz(readFileSync(join(folder, 'same/npz/shard-00000.npz')))
    const { spectrogram_vv: solved } = readNpz(readFileSync(join(folder, 'exact/products.npz')))
    const peak = Math.max(...solved.data)
    // Chips interpolate between solutions; the reference solves every pulse.
    let most = 0
    solved.data.forEach((p, i) => (most = Math.max(most, Math.abs(Math.sqrt(p) - Math.sqrt(power.data[i])))))
    expect(solved.shape).toEqual(power.shape.slice(2))
    expect(most / Math.sqrt(peak)).toBeLessThan(0.05)
  })
})

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readNpz } from '../../formats/index.js'
import { isar, readJson, temporaryFolder } from './cli.js'
import { TURNING, write } from './fixtures.js'

const folder = temporaryFolder()
const motion = join(folder, 'turn.json')
const solver = ['--pol', 'vv', '--device', 'cpu', '--second-order', 'none']
const args = ['doppler', motion, ...solver]

write(folder, 'turn.json', { ...TURNING, noise: { snr_db: 20 } })

it('writes pulses, maps and pictures, the same after an interruption and with one thread', async () => {
  const whole =
    await isar`${args} --out ${join(folder, 'a')} --image --autofocus gradient --film --formats npz,hdf5,mat --json`
  expect([whole.code, whole.stderr.includes('accuracy')]).toEqual([0, true])
  expect(whole.stderr).toMatch(/^estimate {2}about [\d.]+ (ms|s), \d+ MiB of memory$/m)
  expect(whole.stderr).not.toContain('another unit')
  const { error, pulses } = JSON.parse(whole.stdout) as { error: { total: number }; pulses: number }
  expect(pulses).toBe(200)
  expect(error.total).toBeLessThan(0.1)
  const files = readdirSync(join(folder, 'a'), { recursive: true }) as string[]
  expect(files.sort()).toEqual(
    ['frames-vv', 'frames-vv/0001.png', 'image-vv.png', 'image.npz', 'meta.json', 'products.h5', 'products.mat', 'products.npz', 'pulses.h5', 'pulses.mat', 'pulses.npz', 'range-doppler-vv.png', 'range-time-vv.png', 'spectrogram-vv.png', 'target.npz', 'timing.json'], // prettier-ignore
  )
  const { f_vv, time_s, freq_hz } = readNpz(readFileSync(join(folder, 'a/pulses.npz')))
  expect([f_vv.shape, time_s.data[199], freq_hz.data[7]]).toEqual([[8, 200], 1.99, 4e8])

  const stopped = await isar([...args, '--out', join(folder, 'b'), '--workers', '1'], {
    at: { message: /\d+ of \d+ aspects/ },
  })
  // One thread takes about twice as long as two, or all.
  const stated = (text: string): number => {
    const [, time, unit] = /^estimate {2}about ([\d.]+) (ms|s)/m.exec(text)!
    return Number(time) * (unit === 's' ? 1000 : 1)
  }
  expect(stated(stopped.stderr)).toBeGreaterThanOrEqual(stated(whole.stderr))
  expect([stopped.code, stopped.stderr]).toEqual([130, expect.stringMatching(/aspects are kept/)])
  expect((await isar`${args} --out ${join(folder, 'b')}`).code).toBe(2)
  const resumed = await isar`${args} --out ${join(folder, 'b')} --resume`
  expect([resumed.code, resumed.stderr]).toEqual([0, expect.stringMatching(/resuming/)])
  for (const name of ['pulses.npz', 'products.npz', 'spectrogram-vv.png'])
    expect(readFileSync(join(folder, 'b', name)).equals(readFileSync(join(folder, 'a', name)))).toBe(true)
})

it('render --motion writes the image of doppler --image, and a phase history that image reads', async () => {
  const dwell = write(folder, 'dwell.json', { ...TURNING, parts: [] })
  const image = [...solver, '--autofocus', 'entropy', '--dynamic-range', '50']
  const [rendered, beside] = await Promise.all([
    isar`render --motion ${dwell} ${image} --formats hdf5 --json --out ${join(folder, 'r')}`,
    isar`doppler ${dwell} ${image} --image --out ${join(folder, 'd')}`,
  ])
  expect([rendered.code, beside.code]).toEqual([0, 0])
  expect(JSON.parse(rendered.stdout)).toMatchObject({ command: 'render', aspects: 200, frequencies: 8 })
  expect(readdirSync(join(folder, 'r')).sort()).toEqual(
    ['image-vv.png', 'image.h5', 'image.npz', 'meta.json', 'phase-history.h5', 'phase-history.npz', 'target.npz', 'timing.json'], // prettier-ignore
  )
  for (const name of ['image-vv.png', 'image.npz'])
    expect(readFileSync(join(folder, 'r', name)).equals(readFileSync(join(folder, 'd', name)))).toBe(true)
  await isar`render --motion ${dwell} ${image} --no-outline --out ${join(folder, 'n')}`
  const alike = (name: string): boolean =>
    readFileSync(join(folder, 'r', name)).equals(readFileSync(join(folder, 'n', name)))
  expect(['image.npz', 'image-vv.png'].map(alike)).toEqual([true, false])
  const { f_vv, phi_deg } = readNpz(readFileSync(join(folder, 'r/phase-history.npz')))
  expect(f_vv.shape).toEqual([8, 200])
  // The target yaws by 5 degrees a second: the radar goes round it the other way.
  expect(phi_deg.data[199]).toBeCloseTo(10 - 5 * 1.99, 9)
  const own =
    await isar`image ${join(folder, 'r/phase-history.npz')} --plane slant --json --out ${join(folder, 'i')}`
  expect(own.code).toBe(0)
  const { image_peak_dbsm: peaks } = JSON.parse(rendered.stdout) as { image_peak_dbsm: { vv: number } }
  expect(own.stderr).toMatch(new RegExp(`peak ${peaks.vv.toFixed(0)}`))
  expect((await isar`centres ${join(folder, 'r')}`).stderr).toContain('this target moved')
})

it('a motion with units has the pulses of the same numbers, byte for byte, and meta.json keeps the text', async () => {
  const doppler = async (name: string, s: boolean) => {
    const file = write(folder, `${name}.json`, {
      mesh: TURNING.mesh,
      radar: { freq_hz: 150e6, prf_hz: s ? '0.1 kHz' : 100, pulses: 64, theta_deg: s ? '1.2 rad' : (1.2 * 180) / Math.PI }, // prettier-ignore
      motion: { velocity_m_s: [s ? '18 km/h' : 5, 0, 0], rates_deg_s: [0, 0, s ? '0.1 rev/s' : 36] },
    })
    const out = join(folder, name)
    expect((await isar`doppler ${file} ${solver} --rays-per-wavelength 4 --out ${out}`).code).toBe(0)
    const { motion } = readJson<{ motion: object }>(join(out, 'meta.json'))
    return { motion, pulses: readFileSync(join(out, 'pulses.npz'), 'latin1') }
  }
  const [numbers, units] = [await doppler('m0', false), await doppler('m1', true)]
  expect(units.pulses).toBe(numbers.pulses)
  expect(units.motion).toMatchObject({ expressions: { 'motion.velocity_m_s.0': '18 km/h', 'radar.theta_deg': '1.2 rad' } }) // prettier-ignore
  expect(numbers.motion).not.toHaveProperty('expressions')
})

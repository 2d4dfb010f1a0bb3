import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { readNpz } from '../../formats/index.js'
import { expectRefusal } from './refusal.js'
import { isar, temporaryFolder, readJson } from './cli.js'

const folder = temporaryFolder()
const motion = join(folder, 'turn.json')
const args = ['doppler', motion, '--pol', 'vv', '--device', 'cpu']

/** Eight frequencies of a plate on which a second one turns, seen while both turn. */
beforeAll(() =>
  writeFileSync(
    motion,
    JSON.stringify({
      mesh: resolve('samples/cube.stl'),
      radar: { band: [2.5e8, 4e8, 8], prf_hz: 100, pulses: 200, theta_deg: 70, phi_deg: 10 },
      motion: { rates_deg_s: [0, 0, 5], velocity_m_s: [1, 0, 0] },
      parts: [{ mesh: resolve('samples/plate.stl'), pivot_m: [0, 0, 1.5], axis: [0, 1, 0], rate_rev_s: 2 }],
      noise: { snr_db: 20 },
    }),
  ),
)

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
  const stated = (text: string): number => parseFloat(/^estimate {2}about ([\d.]+)/m.exec(text)![1])
  expect(stated(stopped.stderr)).toBeGreaterThanOrEqual(stated(whole.stderr))
  expect([stopped.code, stopped.stderr]).toEqual([130, expect.stringMatching(/aspects are kept/)])
  expect((await isar`${args} --out ${join(folder, 'b')}`).code).toBe(2)
  const resumed = await isar`${args} --out ${join(folder, 'b')} --resume`
  expect([resumed.code, resumed.stderr]).toEqual([0, expect.stringMatching(/resuming/)])
  for (const name of ['pulses.npz', 'products.npz', 'spectrogram-vv.png'])
    expect(readFileSync(join(folder, 'b', name)).equals(readFileSync(join(folder, 'a', name)))).toBe(true)
})

it('render --motion writes the image of doppler --image, and a phase history that image reads', async () => {
  const dwell = join(folder, 'dwell.json')
  const given = readJson<{ noise?: object }>(motion)
  writeFileSync(dwell, JSON.stringify({ ...given, noise: undefined, parts: [] }))
  const solver = ['--pol', 'vv', '--device', 'cpu', '--autofocus', 'entropy', '--dynamic-range', '50']
  const [rendered, beside] = await Promise.all([
    isar`render --motion ${dwell} ${solver} --formats hdf5 --json --out ${join(folder, 'r')}`,
    isar`doppler ${dwell} ${solver} --image --out ${join(folder, 'd')}`,
  ])
  expect([rendered.code, beside.code]).toEqual([0, 0])
  expect(JSON.parse(rendered.stdout)).toMatchObject({ command: 'render', aspects: 200, frequencies: 8 })
  expect(readdirSync(join(folder, 'r')).sort()).toEqual(
    ['image-vv.png', 'image.h5', 'image.npz', 'meta.json', 'phase-history.h5', 'phase-history.npz', 'target.npz', 'timing.json'], // prettier-ignore
  )
  for (const name of ['image-vv.png', 'image.npz'])
    expect(readFileSync(join(folder, 'r', name)).equals(readFileSync(join(folder, 'd', name)))).toBe(true)
  await isar`render --motion ${dwell} ${solver} --no-outline --out ${join(folder, 'n')}`
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

it.each([
  [['render', '--motion', motion, '--theta', '80'], '--theta: the motion file says it'],
  [['render', 'x.stl', '--motion', motion], 'the motion file names the target’s mesh'],
  [['render', 'x.stl', '--band', '1e9:2e9', '--autofocus', 'entropy'], 'give --motion FILE'],
  [['render', '--band', '1e9:2e9'], 'give a mesh, or --motion FILE'],
])('refuses %j with one line', (given, message) => expectRefusal(given, message, folder))

it('refuses an image of pulses without rotation before it solves any', async () => {
  const still = join(folder, 'still.json')
  const given = readJson<object>(motion)
  writeFileSync(still, JSON.stringify({ ...given, motion: { velocity_m_s: [1, 0, 0] } }))
  const { code, stderr } = await isar`doppler ${still} --image --out ${join(folder, 'still')}`
  expect([code, stderr.trim()]).toEqual([
    2,
    expect.stringMatching(/^isar: the radar sees one aspect alone.*$/),
  ])
  expect(existsSync(join(folder, 'still'))).toBe(false)
})

it.each([
  [['--units', 'mm'], 'set "units" there'],
  [['--stft', '300'], '--stft 300: there are 200 pulses'],
  [['--autofocus', 'entropy'], 'give --image too'],
  [['--formats', 'csv'], '--formats: "csv" is not a format'],
])('refuses %j with one line', (given, message) =>
  expectRefusal([...args, '--out', join(folder, 'c'), ...given], message, folder),
)

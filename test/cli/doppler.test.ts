import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { readNpz } from '../../formats/index.js'
import { isar, temporaryFolder } from './cli.js'

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
  const whole = await isar([...args, '--out', join(folder, 'a'), '--image', '--autofocus', 'gradient', '--film', '--formats', 'npz,hdf5,mat', '--json']) // prettier-ignore
  expect([whole.code, whole.stderr.includes('accuracy')]).toEqual([0, true])
  const { error, pulses } = JSON.parse(whole.stdout) as { error: { total: number }; pulses: number }
  expect(pulses).toBe(200)
  expect(error.total).toBeLessThan(0.1)
  const files = readdirSync(join(folder, 'a'), { recursive: true }) as string[]
  expect(files.sort()).toEqual(
    ['frames-vv', 'frames-vv/0001.png', 'image-vv.png', 'image.npz', 'meta.json', 'products.h5', 'products.mat', 'products.npz', 'pulses.h5', 'pulses.mat', 'pulses.npz', 'range-doppler-vv.png', 'range-time-vv.png', 'spectrogram-vv.png', 'target.npz', 'timing.json'], // prettier-ignore
  )
  const { f_vv, time_s, freq_hz } = readNpz(readFileSync(join(folder, 'a/pulses.npz')))
  expect([f_vv.shape, time_s.data[199], freq_hz.data[7]]).toEqual([[8, 200], 1.99, 4e8])

  let signalled = false
  const stopped = await isar([...args, '--out', join(folder, 'b'), '--workers', '1'], {
    onStderr: (text, kill) => {
      if (!signalled && /\d+ of \d+ aspects/.test(text)) kill('SIGINT')
      signalled ||= /\d+ of \d+ aspects/.test(text)
    },
  })
  expect([stopped.code, stopped.stderr]).toEqual([130, expect.stringMatching(/aspects are kept/)])
  expect((await isar([...args, '--out', join(folder, 'b')])).code).toBe(2)
  const resumed = await isar([...args, '--out', join(folder, 'b'), '--resume'])
  expect([resumed.code, resumed.stderr]).toEqual([0, expect.stringMatching(/resuming/)])
  for (const name of ['pulses.npz', 'products.npz', 'spectrogram-vv.png'])
    expect(readFileSync(join(folder, 'b', name)).equals(readFileSync(join(folder, 'a', name)))).toBe(true)
})

it('refuses an image of pulses without rotation before it solves any', async () => {
  const still = join(folder, 'still.json')
  const given = JSON.parse(readFileSync(motion, 'utf8')) as object
  writeFileSync(still, JSON.stringify({ ...given, motion: { velocity_m_s: [1, 0, 0] } }))
  const { code, stderr } = await isar(['doppler', still, '--image', '--out', join(folder, 'still')])
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
])('refuses %j with one line', async (given, message) => {
  const { code, stderr } = await isar([...args, '--out', join(folder, 'c'), ...given])
  expect([code, stderr.trim().split('\n').length]).toEqual([2, 1])
  expect(stderr).toContain(message)
})

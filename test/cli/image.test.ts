import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type MatArray, readHdf5, readMat5, readNpz } from '../../formats/index.js'
import { isar, temporaryFolder, readJson } from './cli.js'
import { expectRefusal } from './refusal.js'
import { words } from '../helpers/words.js'

const folder = temporaryFolder()
const pass = join(folder, 'pass')
const SMALL = ['--resolution', '0.5', '--extent', '30x24', '--quiet']

beforeAll(() => {
  execFileSync(process.execPath, [resolve('dist/samples/generate.js'), '--gotcha', pass])
})

describe('isar image of a synthetic Gotcha pass', () => {
  it('shows the trihedrals where they stand, and writes images, profiles and pictures', async () => {
    const out = join(folder, 'image')
    const run = await isar`image ${pass} ${SMALL} --formats hdf5,mat --out ${out} --json`
    expect([run.code, run.stderr]).toEqual([0, ''])
    const { channels } = JSON.parse(run.stdout) as { channels: { hh: { peak: number } } }
    // Trihedrals of amplitude 3: 4 pi 9.
    expect(channels.hh.peak).toBeCloseTo(20.5, 0)
    const { image_hh: image, x_m: x, y_m: y } = readNpz(readFileSync(join(out, 'image.npz')))
    expect(image.shape).toEqual([y.data.length, x.data.length])
    let [best, at] = [0, [NaN, NaN]]
    for (let i = 0; i < y.data.length; i++)
      for (let l = 0; l < x.data.length; l++) {
        const k = 2 * (i * x.data.length + l)
        const power = image.data[k] ** 2 + image.data[k + 1] ** 2
        if (power > best) [best, at] = [power, [x.data[l], y.data[i]]]
      }
    expect(Math.abs(Math.abs(at[0]) - 13)).toBeLessThan(0.15)
    expect(Math.abs(Math.abs(at[1]) - 10)).toBeLessThan(0.15)
    const { profile_hh: profiles, range_m_hh: range } = readNpz(readFileSync(join(out, 'range-profiles.npz')))
    expect(profiles.shape[1]).toBe(range.data.length)
    for (const name of ['image-hh.png', 'profiles-hh.png'])
      expect(readFileSync(join(out, name)).subarray(1, 4).toString()).toBe('PNG')
    const meta = readJson<{ options: { plane: string } }>(join(out, 'meta.json'))
    expect(meta.options.plane).toBe('ground')
    const tree = [
      readMat5(readFileSync(join(out, 'image.mat'))),
      await readHdf5(readFileSync(join(out, 'image.h5'))),
    ]
    for (const found of tree) expect((found.get('image_hh') as MatArray).data).toEqual(image.data)
    // The trihedrals are its strongest centres, on the ground where they stand.
    const centres = await isar`centres ${out} --count 4 --pdf --quiet`
    expect([centres.code, centres.stderr]).toEqual([0, ''])
    const rows = readFileSync(join(out, 'centres-hh.csv'), 'utf8').trim().split('\n').slice(1).map((row) => row.split(',').map(Number)) // prettier-ignore
    expect(rows).toHaveLength(4)
    for (const [, , , sigma, , , , x, y] of rows) {
      expect(Math.hypot(Math.abs(x) - 13, Math.abs(y) - 10)).toBeLessThan(0.01)
      expect(sigma).toBeCloseTo(20.53, 1)
    }
    expect(readFileSync(join(out, 'centres-hh.pdf'), 'latin1')).toMatch(/^%PDF-/)
    const again = await isar`image ${pass} ${SMALL} --out ${out}`
    expect([again.code, again.stderr]).toEqual([2, expect.stringMatching(/exists; give --force/)])
  })

  it('compared with itself: no shift, no gain, all alike', async () => {
    const out = join(folder, 'compared')
    const one = join(pass, 'data_3dsar_pass1_az001_HH.mat')
    const run = await isar`image ${one} --compare ${one} --extent 10 --pixel 0.25 --out ${out} --json --quiet`
    expect([run.code, run.stderr]).toEqual([0, ''])
    const [head, row] = readFileSync(join(out, 'compare.csv'), 'utf8').split('\n')
    expect(head).toBe('channel,range_shift_m,gain_db,profile_correlation,image_correlation,rms_difference_db')
    const [channel, shift, gain, profile, image, rms] = row.split(',')
    expect(channel).toBe('hh')
    expect([Number(shift), Number(gain), Number(profile), Number(image), Number(rms)].map((v) => Math.round(1e4 * v) / 1e4)).toEqual([0, 0, 1, 1, 0]) // prettier-ignore
    for (const name of ['simulated-hh.png', 'difference-hh.png'])
      expect(readFileSync(join(out, name)).subarray(1, 4).toString()).toBe('PNG')
  })
})

describe('isar image of what isar render writes', () => {
  it('is its picture again: the same axes, peaks within 0.3 dB', async () => {
    const out = join(folder, 'cube-render')
    const mesh = resolve('samples/cube.stl')
    const args = words`--band 2e9:3e9 --theta 90 --phi 20 --pol vv --diffraction none --polar-format --out ${out} --quiet`
    expect((await isar`render ${mesh} ${args}`).code).toBe(0)
    const images = join(folder, 'cube-image')
    const run = await isar`image ${out} --window hamming --extent 3 --out ${images} --json --quiet`
    expect([run.code, run.stderr]).toEqual([0, ''])
    const peak = (path: string): number => {
      const {
        image_vv: image,
        range_m: range,
        cross_range_m: cross,
      } = readNpz(readFileSync(join(path, 'image.npz')))
      expect(image.shape).toEqual([range.data.length, cross.data.length])
      return Math.max(...Array.from({ length: image.data.length / 2 }, (_, i) => Math.hypot(image.data[2 * i], image.data[2 * i + 1]))) // prettier-ignore
    }
    expect(20 * Math.abs(Math.log10(peak(images) / peak(out)))).toBeLessThan(0.3)
    const polar =
      await isar`image ${out} --algorithm polar-format --window hamming --out ${join(folder, 'polar')} --quiet`
    expect([polar.code, polar.stderr]).toEqual([0, ''])
    expect(20 * Math.abs(Math.log10(peak(join(folder, 'polar')) / peak(out)))).toBeLessThan(0.3)
    // Another window: the same axes on either plane and by either algorithm.
    for (const algorithm of ['backprojection', 'polar-format']) {
      const compared = await isar(
        words`image ${out} --compare ${out} --algorithm ${algorithm} --out ${join(folder, `with-${algorithm}`)} --quiet`,
      )
      expect([compared.code, compared.stderr]).toEqual([0, ''])
      const [, row] = readFileSync(join(folder, `with-${algorithm}`, 'compare.csv'), 'utf8').split('\n')
      expect(Number(row.split(',')[4])).toBeCloseTo(1, 4)
    }
    // The target that render keeps is outlined, and kept for what draws it after.
    const plain = join(folder, 'cube-plain')
    await isar`image ${out} --window hamming --extent 3 --no-outline --out ${plain} --quiet`
    const alike = (name: string): boolean =>
      readFileSync(join(images, name)).equals(readFileSync(join(plain, name)))
    expect(['image.npz', 'target.npz', 'image-vv.png'].map(alike)).toEqual([true, true, false])
    expect(readFileSync(join(images, 'target.npz')).equals(readFileSync(join(out, 'target.npz')))).toBe(true)
    // What reads results of render reads these too.
    const centres = await isar`centres ${join(folder, 'polar')} --count 3 --json --quiet`
    expect([centres.code, centres.stderr]).toEqual([0, ''])
    const plot = await isar`plot ${images} --kind image,waterfall --out ${join(folder, 'plot')} --quiet`
    expect([plot.code, plot.stderr]).toEqual([0, ''])
  })
})

it('writes CPHD, SICD and KML, and reads the first two again as the same image', async () => {
  const out = join(folder, 'field')
  const form = ['--extent', '30x22', '--resolution', '0.6', '--pixel', '0.3', '--quiet']
  const made =
    await isar`image ${pass} ${form} --autofocus gradient --formats cphd,sicd,kml --location 39.8,-84.1,240 --out ${out}`
  expect([made.code, made.stderr]).toEqual([0, ''])
  // The pass is focused: autofocus leaves it as it is, and SICD says so.
  expect(readFileSync(join(out, 'image-hh.nitf'), 'latin1')).toContain('<AzAutofocus>NO</AzAutofocus>')
  const imageAt = (path: string): Float64Array => readNpz(readFileSync(join(path, 'image.npz'))).image_hh.data as Float64Array // prettier-ignore
  const whole = imageAt(out)
  const peak = whole.reduce((a, b) => Math.max(a, Math.abs(b)), 0)
  for (const [name, options] of [
    ['phase-history.cphd', form.filter((o) => !/resolution|^0\.6$/.test(o))],
    ['image-hh.nitf', ['--pdf', '--quiet']],
  ] as const) {
    // prettier-ignore
    const again = join(folder, `again-${name}`)
    const run = await isar`image ${join(out, name)} ${options} --out ${again}`
    expect([run.code, run.stderr]).toEqual([0, ''])
    expect(readFileSync(join(again, 'image-hh.png')).subarray(1, 4).toString()).toBe('PNG')
    expect(existsSync(join(again, 'image-hh.pdf'))).toBe(name === 'image-hh.nitf')
    const other = imageAt(again)
    expect(other.length).toBe(whole.length)
    expect(other.reduce((worst, x, i) => Math.max(worst, Math.abs(x - whole[i])), 0) / peak).toBeLessThan(
      1e-6,
    )
  }
  expect(readFileSync(join(out, 'image.kml'), 'utf8')).toContain('<name>HH: ')
  const lost = await isar`image ${pass} ${form} --formats kml --out ${join(folder, 'lost')}`
  expect([lost.code, lost.stderr]).toEqual([2, expect.stringMatching(/give --location LAT,LON\n$/)])
})

it('bad input is refused in one line before anything is written', async () => {
  for (const [args, message] of [
    ['--pol vv', /--pol: there is no channel vv .*there is hh/],
    ['--resolution 0.01', /--resolution: 0\.01 m in range is finer/],
    ['--reference x.mat', /--reference and --reference-known belong together/],
    ['--extent 4xx', /--extent/],
    ['--plane slant --height 2', /--height is of the ground plane/],
  ] as const)
    await expectRefusal(
      words`image ${pass} ${args.split(' ')} --quiet --out ${folder}/refused`,
      message,
      folder,
    )
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { readNpz, type NpyArray } from '../../formats/index.js'
import { isar, temporaryFolder, readJson } from './cli.js'
import { pythonWith, runPython } from '../helpers/python.js'
import { words } from '../helpers/words.js'

const sphere = 'samples/sphere.stl'

/** Position and level of the brightest pixel. */
function peak(image: NpyArray, range: NpyArray, cross: NpyArray): { r: number; c: number; sigma: number } {
  const [rows, cols] = image.shape
  let best = -1
  let at = 0
  for (let i = 0; i < rows * cols; i++) {
    const sigma = image.data[2 * i] ** 2 + image.data[2 * i + 1] ** 2
    if (sigma > best) [best, at] = [sigma, i]
  }
  return { r: range.data[Math.floor(at / cols)], c: cross.data[at % cols], sigma: best }
}

describe('isar render of a sphere of 1 m', () => {
  const folder = temporaryFolder()
  // The specular point moves with the aspect: it stays at one range, as the plain transform takes it, not at one place of the body.
  const args = words`render ${sphere} --band 1e9:1.6e9 --theta 70 --phi 30 --pol vv --second-order none --polar-format off`
  let arrays: Record<string, NpyArray>
  let history: Record<string, NpyArray>

  beforeAll(async () => {
    const run = await isar`${args} --out ${join(folder, 'r')} --size 256x200 --json`
    expect(run.code).toBe(0)
    arrays = readNpz(readFileSync(join(folder, 'r/image.npz')))
    history = readNpz(readFileSync(join(folder, 'r/phase-history.npz')))
  })

  it('focuses at the specular point within half a cell', () => {
    expect(arrays.image_vv.shape).toEqual([256, 200])
    const { r, c } = peak(arrays.image_vv, arrays.range_m, arrays.cross_range_m)
    const cell = 299792458 / (2 * 0.6e9)
    expect(Math.abs(r + 1)).toBeLessThan(cell / 2)
    expect(Math.abs(c)).toBeLessThan(cell / 2)
  })

  it('has the amplitudes of isar rcs, and their window-weighted mean for its peak', async () => {
    const [nf, na] = history.f_vv.shape
    const out = join(folder, 'rcs.npz')
    const band = `${history.freq_hz.data[0]}:${history.freq_hz.data[nf - 1]}:${nf}`
    const some = [0, na >> 1, na - 1]
    const phi = some.map((a) => history.phi_deg.data[a]).join()
    const rcs =
      await isar`rcs ${sphere} --band ${band} --theta 70 --phi ${phi} --pol vv --second-order none --out ${out}`
    expect(rcs.code).toBe(0)
    readNpz(readFileSync(out)).f_vv.data.forEach((x, i) => {
      const at = 2 * (Math.floor(i / 6) * na + some[(i >> 1) % 3]) + (i & 1)
      expect(Math.abs(x - history.f_vv.data[at])).toBeLessThan(1e-9)
    })
    // The sphere's amplitude hardly varies: its echo adds up in phase at the specular point.
    const hamming = (n: number, i: number): number => 0.54 - 0.46 * Math.cos((2 * Math.PI * i) / (n - 1))
    let sum = 0
    let weight = 0
    for (let f = 0; f < nf; f++)
      for (let a = 0; a < na; a++) {
        const i = 2 * (f * na + a)
        const w = hamming(nf, f) * hamming(na, a)
        sum += w * 4 * Math.PI * (history.f_vv.data[i] ** 2 + history.f_vv.data[i + 1] ** 2)
        weight += w
      }
    const { sigma } = peak(arrays.image_vv, arrays.range_m, arrays.cross_range_m)
    expect(Math.abs(10 * Math.log10(sigma / (sum / weight)))).toBeLessThan(0.1)
    // and that is the cross-section of its disc
    expect(Math.abs(10 * Math.log10(sigma / Math.PI))).toBeLessThan(0.3)
  })

  it('writes every file of the contract', () => {
    const meta = readJson<Record<string, unknown>>(join(folder, 'r/meta.json'))
    expect(Object.keys(meta)).toEqual(
      expect.arrayContaining(['version', 'device', 'mesh', 'options', 'counts']),
    )
    const timing = readJson<{ steps: object }>(join(folder, 'r/timing.json'))
    expect(Object.keys(timing.steps)).toHaveLength(5)
    expect(readFileSync(join(folder, 'r/image-vv.png')).subarray(1, 4).toString()).toBe('PNG')
  })

  it('takes polar format by itself where the plain transform smears, and as the option says; the outline is in the picture alone', async () => {
    const small = words`--band 3e9:3.1e9:5 --theta 90 --pol vv --diffraction none --rays-per-wavelength 3 --size 16x16`
    const polar = async (name: string, ...more: string[]): Promise<[boolean, boolean]> => {
      const out = join(folder, name)
      // The mesh behind the option: without a value it means on.
      const run = await isar`render ${more} ${sphere} ${small} --out ${out}`
      expect(run.code).toBe(0)
      const { options } = readJson<{ options: { polarFormat: boolean } }>(join(out, 'meta.json')) // prettier-ignore
      return [options.polarFormat, run.stderr.includes('smears by up to')]
    }
    // A sphere of 1 m: 1 m of walk per radian of the aperture's 1.9 degrees; cells of 1.5 m.
    expect(await polar('auto')).toEqual([false, false])
    expect(await polar('on', '--polar-format')).toEqual([true, false])
    const wide = ['--aperture', '60', '--angles', '9']
    expect(await polar('wide', ...wide)).toEqual([true, true])
    expect(await polar('off', ...wide, '--polar-format', 'off')).toEqual([false, true])
    await polar('bare', '--no-outline')
    const same = (name: string): boolean =>
      readFileSync(join(folder, 'auto', name)).equals(readFileSync(join(folder, 'bare', name)))
    const files = ['image.npz', 'phase-history.npz', 'target.npz', 'image-vv.png']
    expect(files.map(same)).toEqual([true, true, true, false])
  })

  it('resolves what --resolution asks for', async () => {
    const run =
      await isar`render ${sphere} --freq 1.3GHz --resolution 0.25,0.3 --theta 70 --pol hh --diffraction none --out ${join(folder, 's')} --polar-format`
    expect(run.code).toBe(0)
    const { options } = readJson<{
      options: { sweep: { rangeResolutionM: number; crossRangeResolutionM: number; f0: number; f1: number } }
    }>(join(folder, 's/meta.json'))
    expect(options.sweep.rangeResolutionM).toBeCloseTo(0.25, 9)
    expect(options.sweep.crossRangeResolutionM).toBeCloseTo(0.3, 9)
    expect((options.sweep.f0 + options.sweep.f1) / 2).toBeCloseTo(1.3e9, 0)
  })
})

const python = pythonWith('numpy', 'h5py', 'scipy.io')

/** Holds X.h5 and X.mat against X.npz for every X, and returns the phase centre that each says. */
const SCRIPT = `
import h5py, json, numpy as np, scipy.io, sys
seen = {}
for path in sys.argv[1:]:
    n = np.load(path + '.npz'); h = h5py.File(path + '.h5'); m = scipy.io.loadmat(path + '.mat')
    assert sorted(n.files) == sorted(h.keys()), (n.files, list(h.keys()))
    for k in n.files:
        assert h[k].dtype == n[k].dtype and np.array_equal(h[k][()], n[k]), k
        assert m[k].dtype == n[k].dtype and np.array_equal(m[k], np.atleast_2d(n[k])), k
    assert h.attrs['polarisation'] == m['attributes'][0, 0]['polarisation'][0]
    seen[path.split('/')[-1]] = [len(n.files), h.attrs['phase_centre_m'].tolist(), m['attributes'][0, 0]['phase_centre_m'][0].tolist()]
print(json.dumps(seen))`

describe('npz, HDF5 and MATLAB files of a result', () => {
  it.skipIf(!python)(
    'of render and centres hold the same arrays, and say where the phase centre is',
    async () => {
      const folder = temporaryFolder()
      const out = join(folder, 'r')
      const sweep = words`--band 2e9:2.5e9:8 --angles 8 --pol vv,vh --phase-centre 0.1,0,-0.2`
      const render = await isar`render samples/cube.stl ${sweep} --device cpu --out ${out} --formats hdf5,mat`
      expect(render.code, render.stderr).toBe(0)
      expect((await isar`centres ${out} --count 5 --formats npz,hdf5,mat`).code).toBe(0)
      const files = ['image', 'phase-history', 'centres-vv', 'centres-vh'].map((name) => join(out, name))
      const centre = [0.1, 0, -0.2]
      expect(runPython(python!, SCRIPT, files)).toEqual({
        image: [4, centre, centre],
        'phase-history': [5, centre, centre],
        'centres-vv': [7, centre, centre],
        'centres-vh': [7, centre, centre],
      })
    },
  )

  it.skipIf(!python)('of rcs hold the same arrays', async () => {
    const folder = temporaryFolder()
    const args = [
      'rcs',
      'samples/cube.stl',
      '--freq',
      '1e9,0.5e9',
      '--phi',
      '0:40:20',
      '--device',
      'cpu',
      '--mechanisms',
    ]
    for (const ending of ['npz', 'h5', 'mat'])
      expect(
        (await isar(words`${args} --second-order reflected --out ${join(folder, `x.${ending}`)}`)).code,
      ).toBe(0)
    const seen = runPython<Record<string, [number, number[], number[]]>>(python!, SCRIPT, [join(folder, 'x')])
    expect(seen.x.slice(1)).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ])
    expect(seen.x[0]).toBeGreaterThan(20)
  })
})

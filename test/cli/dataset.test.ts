import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { decode } from 'fast-png'
import { type NpyArray, readNpz } from '../../formats/index.js'
import { pythonWith, runPython } from '../helpers/python.js'
import { isar, temporaryFolder, readJson } from './cli.js'
import { writeConfig } from './dataset-config.js'

const scipy = pythonWith('numpy', 'scipy.io')
const h5py = pythonWith('numpy', 'h5py')
const numpy = pythonWith('numpy')

const readShard = (folder: string, name: string): Record<string, NpyArray> =>
  readNpz(readFileSync(join(folder, `npz/${name}.npz`)))

describe('isar dataset with every format and label', () => {
  const folder = temporaryFolder()
  const out = join(folder, 'out')
  const config = writeConfig(folder, {
    formats: ['npz', 'hdf5', 'mat', 'webdataset', 'sample', 'png', 'magnitude'],
    labels: ['layers', 'centres', 'mask', 'facets', 'convergence'],
    centres: { count: 12 },
    jitter: { azimuthDeg: 2, elevationDeg: 1, offsetM: 0.2 },
    nuisance: { snrDb: 25 },
    realisations: 2,
    aspects: { azimuth: [0, 35, 50], elevation: [10] },
  })
  let summary: Record<string, unknown>

  beforeAll(async () => {
    const run = await isar`dataset ${config} --out ${out} --json`
    expect(run.stderr).toContain('12 images in 3 shards')
    expect(run.code).toBe(0)
    summary = JSON.parse(run.stdout) as Record<string, unknown>
  })

  it('says what it made, and verifies', async () => {
    expect(summary).toMatchObject({ images: 12, shards: 3, finished: true, computed: 12 })
    expect((await isar`dataset verify ${out}`).code).toBe(0)
    expect(Object.keys(readJson<object>(join(out, 'timing.json')))).toEqual(
      expect.arrayContaining(['steps', 'total', 'gpu_busy', 'cpu_busy', 'wait']),
    )
    expect(readFileSync(join(out, 'README.md'), 'utf8')).toMatch(/\| corner \| 6 \|/)
  })

  it('has layers whose sum is the image without noise, and realisations that differ by noise alone', () => {
    const { image, layers, label, chip, realisation } = readShard(out, 'shard-00000')
    expect(image.shape).toEqual([4, 2, 24, 20])
    expect(layers.shape).toEqual([4, 3, 2, 24, 20])
    expect([...chip.data]).toEqual([0, 1, 2, 3])
    expect([...realisation.data]).toEqual([0, 1, 0, 1])
    // Classes in alphabetical order: corner, cube.
    expect([...label.data]).toEqual([1, 1, 1, 1])
    const size = 2 * 2 * 24 * 20
    let [noise, apart, peak] = [0, 0, 0]
    for (let i = 0; i < size; i++) {
      const sum = layers.data[i] + layers.data[size + i] + layers.data[2 * size + i]
      noise += (image.data[i] - sum) ** 2
      apart += (image.data[i] - image.data[size + i]) ** 2
      if (i % 2 === 0) peak = Math.max(peak, image.data[i] ** 2 + image.data[i + 1] ** 2)
    }
    expect(apart / noise).toBeGreaterThan(1.4)
    expect(apart / noise).toBeLessThan(2.6)
    expect(10 * Math.log10(peak / (noise / (size / 2)))).toBeGreaterThan(23)
    expect(10 * Math.log10(peak / (noise / (size / 2)))).toBeLessThan(27)
  })

  it('has centres on the target, and statistics of what is seen', () => {
    const { centres, centre_count, visible_facets, facets, convergence, mask } = readShard(out, 'shard-00000')
    expect(centres.shape).toEqual([4, 12, 9])
    expect(Math.min(...centre_count.data)).toBeGreaterThan(0)
    expect([...facets.data]).toEqual([12, 12, 12, 12])
    for (const n of visible_facets.data) expect([4, 6]).toContain(n)
    for (const x of convergence.data) {
      expect(x).toBeGreaterThan(0)
      expect(x).toBeLessThan(1)
    }
    const [range, cross, , , x, y, z, mechanism, id] = centres.data
    expect(Math.hypot(range, cross)).toBeLessThan(1.3)
    expect([0, 1, 2]).toContain(mechanism)
    expect(id).toBeGreaterThanOrEqual(0)
    for (const v of [x, y, z]) expect(Math.abs(v)).toBeLessThanOrEqual(0.5 + 1e-6)
    expect(new Set(mask.data)).toEqual(new Set([0, 1, 2]))
  })

  it('has 8-bit magnitudes that are those of the image by the factor in the labels', () => {
    const { image, chip, label, magnitude_factor_m } = readShard(out, 'shard-00001')
    const columns = readFileSync(join(out, 'chips.csv'), 'utf8').trim().split('\n').map((l) => l.split(',')) // prettier-ignore
    const factorAt = columns[0].indexOf('magnitude_factor_m')
    for (let n = 0; n < 4; n++) {
      const name = ['corner', 'cube'][label.data[n]]
      const file = join(out, `magnitude/${name}/${String(chip.data[n]).padStart(6, '0')}.png`)
      const { data, width, height, channels, depth } = decode(readFileSync(file))
      expect([width, height, channels, depth]).toEqual([20, 24, 1, 8])
      const factor = magnitude_factor_m.data[n]
      expect(Number(columns[chip.data[n] + 1][factorAt])).toBeCloseTo(factor, 8)
      let off = 0
      data.forEach((level, i) => {
        const at = 2 * (n * 2 * 480 + i)
        off = Math.max(off, Math.abs(level - Math.hypot(image.data[at], image.data[at + 1]) / factor))
      })
      expect(Math.max(...data)).toBe(255)
      expect(off).toBeLessThan(0.5 + 1e-6)
    }
  })

  it('has the azimuth also clockwise from the nose, and the depression', () => {
    const { azimuth_deg, elevation_deg, target_azimuth_deg, depression_deg } = readShard(out, 'shard-00000')
    target_azimuth_deg.data.forEach((clockwise, i) => {
      expect(clockwise).toBeGreaterThanOrEqual(0)
      expect(clockwise).toBeLessThan(360)
      expect(Math.cos(((clockwise + azimuth_deg.data[i]) * Math.PI) / 180)).toBeCloseTo(1, 12)
    })
    expect(depression_deg.data).toEqual(elevation_deg.data)
  })

  it.skipIf(!numpy)('opens in numpy', () => {
    const script = `
import json, sys, numpy as np
a = np.load(sys.argv[1])
print(json.dumps([str(a['image'].dtype), list(a['image'].shape), float(abs(a['image']).max()), a['label'].tolist()]))`
    const { image, label } = readShard(out, 'shard-00001')
    let peak = 0
    for (let i = 0; i < image.data.length; i += 2) peak = Math.max(peak, Math.hypot(image.data[i], image.data[i + 1])) // prettier-ignore
    const seen = runPython<[string, number[], number, number[]]>(numpy!, script, [
      join(out, 'npz/shard-00001.npz'),
    ])
    expect(seen).toEqual(['complex64', [4, 2, 24, 20], expect.closeTo(peak, 5), [...label.data]])
  })

  it.skipIf(!h5py)('opens in h5py with the values of the npz', () => {
    const script = `
import json, sys, h5py, numpy as np
n = np.load(sys.argv[1]); h = h5py.File(sys.argv[2])
assert sorted(n.files) == sorted(h.keys()), (n.files, list(h.keys()))
for k in n.files:
    assert h[k].shape == n[k].shape and h[k].dtype == n[k].dtype, (k, h[k].dtype, n[k].dtype)
    assert np.array_equal(h[k][()], n[k]), k
print(json.dumps(dict(h.attrs)))`
    for (const shard of ['shard-00000', 'shard-00002'])
      expect(
        runPython(h5py!, script, [join(out, `npz/${shard}.npz`), join(out, `hdf5/${shard}.h5`)]),
      ).toMatchObject({ channels: 'vv,hv' })
  })

  it.skipIf(!scipy)('opens as MATLAB shards in scipy with the values of the npz', () => {
    const script = `
import json, sys, scipy.io, numpy as np
n = np.load(sys.argv[1]); m = scipy.io.loadmat(sys.argv[2])
for k in n.files:
    assert m[k].dtype == n[k].dtype and np.array_equal(m[k], np.atleast_2d(n[k])), (k, m[k].dtype, n[k].dtype)
print(json.dumps([sorted(n.files) == sorted(k for k in m if k[0] != '_' and k not in ('attributes', 'units')), m['attributes'][0, 0]['channels'][0]]))`
    expect(
      runPython(scipy!, script, [join(out, 'npz/shard-00002.npz'), join(out, 'mat/shard-00002.mat')]),
    ).toEqual([true, 'vv,hv'])
  })

  it.skipIf(!numpy)('opens as WebDataset shards with tarfile, with the values of the npz', () => {
    const script = `
import io, json, sys, tarfile, numpy as np
n = np.load(sys.argv[1]); t = tarfile.open(sys.argv[2])
files = {m.name: t.extractfile(m).read() for m in t.getmembers()}
keys = sorted({k.split('.')[0] for k in files})
for i, k in enumerate(keys):
    about = json.loads(files[k + '.json'])
    assert np.array_equal(np.load(io.BytesIO(files[k + '.npy'])), n['image'][i])
    for name in ('mask', 'layers', 'centres'):
        assert np.array_equal(np.load(io.BytesIO(files[f'{k}.{name}.npy'])), n[name][i])
    assert int(files[k + '.cls']) == n['label'][i] == about['class']
    assert about['azimuth_deg'] == n['azimuth_deg'][i] and about['chip'] == n['chip'][i]
    assert files[k + '.png'][1:4] == b'PNG'
print(json.dumps(keys))`
    expect(runPython(numpy!, script, [join(out, 'npz/shard-00001.npz'), join(out, 'webdataset/shard-00001.tar')])).toEqual(['000004', '000005', '000006', '000007']) // prettier-ignore
  })

  it.skipIf(!scipy)(
    'opens as a SAMPLE-like tree in scipy with the documented fields, equal to the npz',
    () => {
      const script = `
import glob, json, sys, numpy as np, scipy.io
shards = [np.load(f) for f in sorted(glob.glob(sys.argv[1] + '/npz/*.npz'))]
image, azimuth, elevation = (np.concatenate([s[k] for s in shards]) for k in ('image', 'azimuth_deg', 'elevation_deg'))
names = []
for f in sorted(glob.glob(sys.argv[1] + '/sample/mat_files/synth/*/*.mat')):
    m = scipy.io.loadmat(f); i = int(m['chip'][0, 0])
    assert np.array_equal(m['complex_img'], image[i, 0]) and np.array_equal(m['complex_img_hv'], image[i, 1])
    assert m['azimuth'][0, 0] == azimuth[i] and m['elevation'][0, 0] == elevation[i]
    names.append(m['target_name'][0])
    last = {k: float(m[k][0, 0]) for k in ('bandwidth', 'center_freq', 'range_resolution', 'xrange_resolution', 'range_pixel_spacing', 'xrange_pixel_spacing')}
    last['weights'] = list(m['taylor_weights'].shape)
print(json.dumps(dict(names=sorted(names), pngs=len(glob.glob(sys.argv[1] + '/sample/png_images/*/synth/*/*.png')), **last)))`
      const bandwidth = 299792458 / 0.6
      expect(runPython(scipy!, script, [out])).toEqual({
        names: [...Array(6).fill('corner'), ...Array(6).fill('cube')],
        pngs: 24,
        bandwidth: expect.closeTo(bandwidth, 0),
        center_freq: 2e9,
        range_resolution: expect.closeTo(0.3, 9),
        xrange_resolution: expect.closeTo(0.3, 9),
        range_pixel_spacing: expect.closeTo(0.2, 9),
        xrange_pixel_spacing: expect.closeTo(0.2, 9),
        weights: [readShard(out, 'shard-00000').freq_hz.data.length, 1],
      })
    },
  )

  it('finds changed, missing and cut files', async () => {
    const copy = join(folder, 'copy')
    cpSync(out, copy, { recursive: true })
    const png = readFileSync(join(copy, 'contact-sheet.png'))
    png[100] ^= 1
    writeFileSync(join(copy, 'contact-sheet.png'), png)
    rmSync(join(copy, 'npz/shard-00001.npz'))
    appendFileSync(join(copy, 'hdf5/shard-00000.h5'), 'x')
    const run = await isar`dataset verify ${copy} --json`
    expect(run.code).toBe(1)
    expect((JSON.parse(run.stdout) as { problems: string[] }).problems).toEqual([
      'contact-sheet.png: has changed since it was written',
      expect.stringMatching(/^hdf5\/shard-00000\.h5: has \d+ bytes, not \d+$/),
      'npz/shard-00001.npz: is missing',
    ])
    // Each once, the first in the line that ends the run.
    const lines = run.stderr.split('\n').filter((line) => /^(isar|problem)/.test(line))
    expect(lines).toEqual([
      expect.stringMatching(/^problem {3}hdf5\/shard-00000\.h5: /),
      'problem   npz/shard-00001.npz: is missing',
      `isar: ${copy}: 3 problems, the first: contact-sheet.png: has changed since it was written`,
    ])
  })
})

describe('isar dataset of whole sweeps', () => {
  it.skipIf(!scipy || !h5py)('writes CVDomes-like files that scipy reads', async () => {
    const folder = temporaryFolder()
    const config = writeConfig(folder, {
      product: 'history',
      formats: ['cvdomes', 'npz', 'hdf5'],
      aspects: { azimuth: { from: 0, to: 360, step: 20 }, elevation: [30, 40] },
      radar: { band: ['1 GHz', '1.5 GHz'], frequencies: 6 },
      channels: ['hh', 'hv', 'vv'],
    })
    expect((await isar`dataset ${config} --out ${join(folder, 'out')} --quiet`).code).toBe(0)
    const script = `
import h5py, json, sys, numpy as np, scipy.io
h = h5py.File(sys.argv[1] + '/hdf5/cube/cube_el30.0000.h5')
assert np.allclose(h.attrs['phase_centre_m'], 0) and h['f_hh'].attrs['units'] == 'm' and h.attrs['time_factor'] == 'exp(+j w t)'
d = scipy.io.loadmat(sys.argv[1] + '/cvdomes/cube/cube_el30.0000.mat')['data'][0, 0]
n = np.load(sys.argv[1] + '/npz/cube/cube_el30.0000.npz')
for c in ('hh', 'hv', 'vv'): assert np.array_equal(d[c], np.conj(n['f_' + c])) and np.abs(d[c]).max() > 0, c
assert np.allclose(d['FGHz'][:, 0] * 1e9, n['freq_hz'], rtol=1e-14) and np.array_equal(d['azim'][0], n['azimuth_deg'])
print(json.dumps([list(d.dtype.names), list(d['hh'].shape), d['elev'].tolist(), d['azim'].tolist()[0][:3], d['FGHz'].tolist()]))`
    expect(runPython(scipy!, script, [join(folder, 'out')])).toEqual([
      ['azim', 'elev', 'FGHz', 'hh', 'hv', 'vv'],
      [6, 18],
      [[30]],
      [0, 20, 40],
      [[1], [1.1], [1.2], [1.3], [1.4], [1.5]].map(([x]) => [expect.closeTo(x, 12)]),
    ])
  })
})

it('prints its schema', async () => {
  const run = await isar`dataset schema`
  expect(run.code).toBe(0)
  expect(JSON.parse(run.stdout)).toHaveProperty('properties.targets')
})

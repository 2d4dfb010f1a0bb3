import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ARRAY_ENDINGS, ARRAY_FORMATS, arrayFormat, encodeArrays, fieldAttributes, unitOf } from '../../formats/arrays.js' // prettier-ignore
import type { NpyArray } from '../../formats/index.js'
import { octave, runOctave } from '../helpers/octave.js'
import { pythonWith, runPython } from '../helpers/python.js'
import { scratchFolder } from '../helpers/scratch.js'

const folder = scratchFolder()
const python = pythonWith('numpy', 'h5py', 'scipy.io')
const octaveCli = octave()

const ramp = (n: number): number[] => Array.from({ length: n }, (_, i) => i - 3)
/** Every type, and one to five axes of different lengths. */
const ARRAYS: Record<string, NpyArray> = {
  freq_hz: { data: Float64Array.of(9.25e9, 1e10 / 3), shape: [2], dtype: '<f8' },
  f_vv: { data: Float64Array.from(ramp(12)), shape: [2, 3], dtype: '<c16' },
  'f_vv_edge-wave': { data: Float64Array.from(ramp(12)), shape: [2, 3], dtype: '<c16' },
  image: { data: Float32Array.from(ramp(240)), shape: [2, 1, 4, 3, 5], dtype: '<c8' },
  offset_m: { data: Float32Array.from(ramp(8)), shape: [4, 2], dtype: '<f4' },
  label: { data: Int32Array.of(-1, 2 ** 31 - 1, 7), shape: [3], dtype: '<i4' },
  mask: { data: Uint8Array.from({ length: 24 }, (_, i) => 10 * i), shape: [2, 3, 4], dtype: '|u1' },
}

beforeAll(async () => {
  for (const format of ARRAY_FORMATS)
    writeFileSync(
      join(folder, `x.${ARRAY_ENDINGS[format]}`),
      await encodeArrays(format, ARRAYS, fieldAttributes([1, 2.5, -3])),
    )
})

describe('one set of arrays in every format', () => {
  it.skipIf(!python)('has the same numbers, types and axes for NumPy, h5py and scipy, with units', () => {
    const script = `
import h5py, json, numpy as np, scipy.io, sys
n = np.load(sys.argv[1] + '/x.npz'); h = h5py.File(sys.argv[1] + '/x.h5'); m = scipy.io.loadmat(sys.argv[1] + '/x.mat')
units = {k: str(m['units'][0, 0][k.replace('-', '_')][0]) for k in n.files}
about = m['attributes'][0, 0]
for k in n.files:
    assert h[k].dtype == n[k].dtype and h[k].shape == n[k].shape and np.array_equal(h[k][()], n[k]), k
    a = m[k.replace('-', '_')]
    assert a.dtype == n[k].dtype and a.shape == np.atleast_2d(n[k]).shape and np.array_equal(a, np.atleast_2d(n[k])), (k, a.dtype, a.shape)
    assert h[k].attrs['units'] == units[k]
assert h.attrs['time_factor'] == about['time_factor'][0] == 'exp(+j w t)'
assert h.attrs['phase_centre_m'].tolist() == about['phase_centre_m'][0].tolist() == [1, 2.5, -3]
print(json.dumps([{k: str(n[k].dtype) for k in n.files}, units, sorted(h.attrs)]))`
    const [types, units, attributes] = runPython<[object, object, string[]]>(python!, script, [folder])
    expect(types).toEqual({
      freq_hz: 'float64',
      f_vv: 'complex128',
      'f_vv_edge-wave': 'complex128',
      image: 'complex64',
      offset_m: 'float32',
      label: 'int32',
      mask: 'uint8',
    })
    expect(units).toEqual({
      freq_hz: 'Hz',
      f_vv: 'm',
      'f_vv_edge-wave': 'm',
      image: 'm',
      offset_m: 'm',
      label: '1',
      mask: '1',
    })
    expect(attributes).toEqual(Object.keys(fieldAttributes()).sort())
  })

  it.skipIf(!octaveCli)('has the same numbers, types and axes in Octave', () => {
    const program = `
m = load('x.mat');
printf('%s %s|', class(m.image), mat2str(size(m.image)));
printf('%d %d|', real(m.image(2, 1, 3, 2, 4)), imag(m.image(2, 1, 3, 2, 4)));
printf('%s %d|', class(m.mask), m.mask(2, 3, 1));
printf('%s %d|', class(m.label), m.label(2));
printf('%.17g|', m.freq_hz(2));
printf('%d|', isequal(m.f_vv, m.f_vv_edge_wave, [-3-2i, -1, 1+2i; 3+4i, 5+6i, 7+8i]));
printf('%s %s', m.units.freq_hz, mat2str(m.attributes.phase_centre_m));`
    // Index [1, 0, 2, 1, 3] in C order of [2, 1, 4, 3, 5].
    const at = 2 * ((1 * 4 + 2) * 15 + 1 * 5 + 3)
    expect(runOctave(octaveCli!, program, folder).split('|')).toEqual([
      'single [2 1 4 3 5]',
      `${at - 3} ${at - 2}`,
      'uint8 200',
      'int32 2147483647',
      `${1e10 / 3}`,
      '1',
      'Hz [1 2.5 -3]',
    ])
  })

  it.each(ARRAY_FORMATS)('%s: no NaN, no array that does not fill its shape', async (format) => {
    const nan: NpyArray = { data: Float64Array.of(1, NaN), shape: [2], dtype: '<f8' }
    await expect(encodeArrays(format, { nan })).rejects.toThrow('"nan": number 1 is NaN')
    await expect(encodeArrays(format, { short: { ...nan, shape: [3] } })).rejects.toThrow('do not fill')
  })

  it.each(ARRAY_FORMATS)('%s: the same arrays give the same bytes', async (format) => {
    expect(await encodeArrays(format, ARRAYS, fieldAttributes())).toEqual(
      await encodeArrays(format, ARRAYS, fieldAttributes()),
    )
  })
})

it('formats by the ends of names', () => {
  expect(['a.npz', 'b.H5', 'c.mat', 'd.csv', 'mat'].map(arrayFormat)).toEqual(['npz', 'hdf5', 'mat', undefined, undefined]) // prettier-ignore
})

it('units by the ends of names, also before the polarisation', () => {
  expect(
    ['freq_hz', 'x_m', 'projected_area_m2', 'sigma_vv_low_dbsm', 'mean_delay_s_v', 'h_vv', 'e_v', 'facets', 'amplitude'].map(unitOf), // prettier-ignore
  ).toEqual(['Hz', 'm', 'm^2', 'dBsm', 's', '1', 'V/m', '1', 'm'])
})

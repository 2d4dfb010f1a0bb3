import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { cvdomesFile } from '../../dataset/chip-formats.js'
import { writeHdf5 } from '../../formats/arrays.js'
import {
  isHdf5,
  readHdf5,
  isMat5,
  type MatArray,
  type MatTree,
  type NpyArray,
  readMat5,
} from '../../formats/index.js'
import { writeMat5 } from '../../formats/mat5.js'
import { InputError } from '../../scene/index.js'
import { pythonWith, runPython } from '../helpers/python.js'
import { scratchFolder } from '../helpers/scratch.js'
import { linspace, pointHistory, random } from '../isar/points.js'

const folder = scratchFolder()
const python = pythonWith('numpy', 'h5py', 'scipy.io')
const fields = (value: MatTree | undefined): Map<string, MatTree> => value as Map<string, MatTree>
const array = (value: MatTree | undefined): MatArray => value as MatArray

const own = writeMat5({
  name: 'ship Ä',
  empty: '',
  n: 7,
  m: { data: Float64Array.of(1, 2, 3, 4, 5, 6), shape: [2, 3] },
  z: { data: Float32Array.of(1, -1, 2, -2, 3, -3, 4, -4), shape: [2, 2], complex: true },
  data: {
    fields: {
      fp: { data: Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), shape: [2, 3], complex: true },
      name: 'pass 1',
      elev: 30,
      hh: { data: Float64Array.of(1, 2), shape: [1, 1], complex: true },
      af: { fields: { r_correct: { data: Float64Array.of(0.5, -0.5), shape: [1, 2] } } },
    },
  },
})

/** F of a point [m] over 64 frequencies and a circle, as a file in the layout of the domes. */
const POINT: [number, number, number] = [0.8, -0.5, 0]
const [freqHz, azimuthDeg] = [linspace(9.3e9, 9.93e9, 64), linspace(0, 356, 90)]
const domes = (): Uint8Array => {
  const { f } = pointHistory([{ at: POINT, re: 1 }], freqHz, 60, azimuthDeg)
  return cvdomesFile({ freqHz, azimuthDeg, elevationDeg: 30, f: { vv: f } })
}

/** What SciPy reads of our files; it and h5py write files of their own. Of domes: Gorham and Moore, Proc. SPIE 7699, 2010: dR = p.r, matched to exp(-4 pi j f dR / c). */
const SCRIPT = `
import json, os, sys, numpy as np, h5py, scipy.io
os.chdir(sys.argv[1])
a = scipy.io.loadmat('own.mat')
d = a['data'][0, 0]
pair = lambda x: [[[v.real, v.imag] for v in r] for r in x.tolist()]
read = dict(name=a['name'].tolist(), empty=a['empty'].tolist(), n=a['n'].tolist(), m=a['m'].tolist(), z=pair(a['z']), ztype=str(a['z'].dtype),
  mtype=str(a['m'].dtype), fields=sorted(d.dtype.names), correct=d['af'][0, 0]['r_correct'].tolist(), elev=d['elev'].tolist(), hh=pair(d['hh']),
  text=d['name'].tolist())
e = scipy.io.loadmat('domes.mat')['data'][0, 0]
f, az, el = e['FGHz'][:, 0] * 1e9, np.radians(e['azim'][0]), np.radians(e['elev'][0, 0])
def image(x, y):
    dR = x * np.cos(el) * np.cos(az) + y * np.cos(el) * np.sin(az)
    return abs(np.mean(e['vv'] * np.exp(4j * np.pi / 299792458 * np.outer(f, dR))))
scipy.io.savemat('scipy.mat', {'data': {'fp': np.arange(6).reshape(2, 3) * (1 + 2j), 'freq': np.arange(4, dtype='i2')[:, None],
  'q': np.arange(24.).reshape(2, 3, 4)}, 'u': np.arange(5, dtype='u1'), 'z': np.zeros((300, 300)), 'cell': np.array(['a', 1], object)}, do_compression=True)
c = np.dtype([('real', '<f4'), ('imag', '<f4')])
with h5py.File('matlab73.mat', 'w', userblock_size=512) as h:
    fp = np.zeros((3, 2), c)  # MATLAB's 2 x 3
    fp['real'] = np.arange(6).reshape(2, 3).T
    fp['imag'] = -1
    g = h.create_group('data'); g['fp'] = fp; g['freq'] = np.arange(4.)[None, :]; g['i'] = np.arange(3, dtype='u1')[:, None]
with open('matlab73.mat', 'r+b') as file: file.write(b'MATLAB 7.3 MAT-file')
print(json.dumps([read, image(0.8, -0.5), image(-0.8, 0.5)]))`

type Read = [read: object, there: number, opposite: number]
let [read, there, opposite]: Read = [{}, 0, 0]
beforeAll(() => {
  writeFileSync(join(folder, 'own.mat'), own)
  writeFileSync(join(folder, 'domes.mat'), domes())
  if (python) [read, there, opposite] = runPython<Read>(python, SCRIPT, [folder])
})

describe('MATLAB 5', () => {
  it('files have the format’s header and elements of whole words', () => {
    expect(Buffer.from(own.subarray(0, 10)).toString()).toBe('MATLAB 5.0')
    expect([...own.subarray(124, 128)]).toEqual([0, 1, 0x49, 0x4d])
    expect(own.length % 8).toBe(0)
  })

  it('reads back what is written: structs, single complex matrices row by row, text', () => {
    const found = readMat5(own)
    expect(array(found.get('n'))).toEqual({ data: Float64Array.of(7), shape: [1, 1], complex: false })
    const data = fields(found.get('data'))
    expect(array(data.get('fp'))).toEqual({
      data: Float64Array.from({ length: 12 }, (_, i) => i + 1),
      shape: [2, 3],
      complex: true,
    })
    expect(data.get('name')).toBe('pass 1')
    expect(array(fields(data.get('af')).get('r_correct')).data).toEqual(Float64Array.of(0.5, -0.5))
  })

  it('refuses what is cut off or damaged with one line, whatever the bytes', () => {
    const next = random(3)
    const place = (length: number): number => 128 + Math.floor(((next() + 1) / 2) * (length - 128))
    for (let i = 0; i < 400; i++) {
      const bytes = own.slice(0, i % 2 ? own.length : place(own.length))
      for (let k = 0; k < 3; k++) bytes[place(bytes.length)] ^= 1 << (i % 8)
      try {
        readMat5(bytes)
      } catch (error) {
        expect(error).toBeInstanceOf(InputError)
      }
    }
    expect(() => readMat5(own.subarray(0, own.length - 24))).toThrow(/does not fit/)
    expect(isMat5(new Uint8Array(200))).toBe(false)
  })

  it('refuses names and shapes that do not fit', () => {
    expect(() => writeMat5({ '1a': 1 })).toThrow(/not a valid MATLAB name/)
    expect(() => writeMat5({ a: { data: Float64Array.of(1), shape: [2, 1] } })).toThrow(/do not fill/)
  })

  it.skipIf(!python)('is read by SciPy with the values and types that were written', () => {
    expect(read).toEqual({
      name: ['ship Ä'],
      empty: [],
      n: [[7]],
      m: [[1, 2, 3], [4, 5, 6]],
      z: [[[1, -1], [2, -2]], [[3, -3], [4, -4]]],
      ztype: 'complex64',
      mtype: 'float64',
      fields: ['af', 'elev', 'fp', 'hh', 'name'],
      correct: [[0.5, -0.5]],
      elev: [[30]],
      hh: [[[1, 2]]],
      text: ['pass 1'],
    })
  }) // prettier-ignore

  it.skipIf(!python)('reads what SciPy writes: compressed, integers, structs, three dimensions', () => {
    const file = readFileSync(join(folder, 'scipy.mat'))
    const found = readMat5(file)
    const data = fields(found.get('data'))
    expect([...array(data.get('fp')).data]).toEqual([0, 0, 1, 2, 2, 4, 3, 6, 4, 8, 5, 10])
    expect([...array(data.get('freq')).data]).toEqual([0, 1, 2, 3])
    expect([...array(data.get('q')).data]).toEqual([...Array(24).keys()])
    expect([...array(found.get('u')).data]).toEqual([0, 1, 2, 3, 4])
    expect(array(found.get('z')).shape).toEqual([300, 300])
    expect(found.has('cell')).toBe(false)
    expect(() => readMat5(file.subarray(0, 300))).toThrow(InputError)
  })
})

describe('HDF5', () => {
  it('reads back what is written, complex numbers too', async () => {
    const f = { data: Float64Array.of(1, 2, 3, 4, 5, 6), shape: [3, 1] }
    const x: NpyArray = { data: Int32Array.of(4, 5), shape: [2], dtype: '<i4' }
    const bytes = await writeHdf5({ f: { ...f, dtype: '<c16' }, x })
    expect(isHdf5(bytes)).toBe(true)
    const found = await readHdf5(bytes)
    expect(array(found.get('f'))).toEqual({ ...f, complex: true })
    expect([...array(found.get('x')).data]).toEqual([4, 5])
    await expect(readHdf5(bytes.subarray(0, 700))).rejects.toThrow(/not a readable HDF5 file/)
  })

  it.skipIf(!python)(
    'reads the layout of MATLAB 7.3: structs, dimensions reversed, real and imag',
    async () => {
      const data = fields((await readHdf5(readFileSync(join(folder, 'matlab73.mat')))).get('data'))
      expect(array(data.get('fp')).shape).toEqual([2, 3])
      expect([...array(data.get('fp')).data]).toEqual([0, -1, 1, -1, 2, -1, 3, -1, 4, -1, 5, -1])
      expect(array(data.get('freq')).shape).toEqual([4, 1])
      expect([...array(data.get('i')).data]).toEqual([0, 1, 2])
    },
  )
})

describe('the layout of the domes', () => {
  it.skipIf(!python)('by its far-field back projection puts a point where it is', () => {
    expect(there).toBeCloseTo(1, 6)
    expect(opposite).toBeLessThan(0.2)
  })

  it('has the band of the sample: 512 frequencies, 10.479 MHz apart, about 9.6 GHz', () => {
    const { radar } = JSON.parse(readFileSync('samples/atr/cvdomes-like.json', 'utf8')) as {
      radar: { band: string[]; frequencies: number }
    }
    const [f0, f1] = radar.band.map((f) => Number.parseFloat(f) * 1e9)
    expect(radar.frequencies).toBe(512)
    expect((f1 - f0) / 511).toBeCloseTo(10.479e6, -3)
    expect((f0 + f1) / 2 / 1e9).toBeCloseTo(9.6, 3)
  })
})

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isHdf5, readHdf5, isMat5, type MatArray, type MatTree, readMat5 } from '../../formats/index.js'
import { writeHdf5 } from '../../formats/arrays.js'
import { writeMat5 } from '../../formats/mat5.js'
import { InputError } from '../../scene/index.js'
import { pythonWith } from '../helpers/python.js'
import { random } from '../isar/points.js'
import { scratchFolder } from '../helpers/scratch.js'

const folder = scratchFolder()
const fields = (value: MatTree | undefined): Map<string, MatTree> => value as Map<string, MatTree>
const array = (value: MatTree | undefined): MatArray => value as MatArray

const own = writeMat5({
  data: {
    fields: {
      fp: { data: Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), shape: [2, 3], complex: true },
      name: 'pass 1',
      af: { fields: { r_correct: { data: Float64Array.of(0.5, -0.5), shape: [1, 2] } } },
    },
  },
  n: 7,
})

describe('MATLAB 5', () => {
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
    for (let i = 0; i < 400; i++) {
      const bytes = own.slice(
        0,
        i % 2 ? own.length : 128 + Math.floor(((next() + 1) / 2) * (own.length - 128)),
      )
      for (let k = 0; k < 3; k++)
        bytes[128 + Math.floor(((next() + 1) / 2) * (bytes.length - 128))] ^= 1 << (i % 8)
      try {
        readMat5(bytes)
      } catch (error) {
        expect(error).toBeInstanceOf(InputError)
      }
    }
    expect(() => readMat5(own.subarray(0, own.length - 24))).toThrow(/does not fit/)
    expect(isMat5(new Uint8Array(200))).toBe(false)
  })

  const python = pythonWith('numpy', 'scipy.io')
  it.skipIf(!python)(
    'reads what SciPy writes: compressed, integers, structs, arrays of three dimensions',
    () => {
      const file = join(folder, 'a.mat')
      const script = `
import sys, numpy as np, scipy.io
scipy.io.savemat(sys.argv[1], {'data': {'fp': np.arange(6).reshape(2, 3) * (1 + 2j), 'freq': np.arange(4, dtype='i2')[:, None],
  'q': np.arange(24.).reshape(2, 3, 4)}, 'u': np.arange(5, dtype='u1'), 'z': np.zeros((300, 300)), 'cell': np.array(['a', 1], object)}, do_compression=True)`
      execFileSync(python!, ['-c', script, file])
      const found = readMat5(readFileSync(file))
      const data = fields(found.get('data'))
      expect([...array(data.get('fp')).data]).toEqual([0, 0, 1, 2, 2, 4, 3, 6, 4, 8, 5, 10])
      expect([...array(data.get('freq')).data]).toEqual([0, 1, 2, 3])
      expect([...array(data.get('q')).data]).toEqual([...Array(24).keys()])
      expect([...array(found.get('u')).data]).toEqual([0, 1, 2, 3, 4])
      expect(array(found.get('z')).shape).toEqual([300, 300])
      expect(found.has('cell')).toBe(false)
      const cut = readFileSync(file)
      expect(() => readMat5(cut.subarray(0, 300))).toThrow(InputError)
    },
  )
})

describe('HDF5', () => {
  it('reads back what is written, complex numbers too', async () => {
    const bytes = await writeHdf5({
      f: { data: Float64Array.of(1, 2, 3, 4, 5, 6), shape: [3, 1], dtype: '<c16' },
      x: { data: Int32Array.of(4, 5), shape: [2], dtype: '<i4' },
    })
    expect(isHdf5(bytes)).toBe(true)
    const found = await readHdf5(bytes)
    expect(array(found.get('f'))).toEqual({
      data: Float64Array.of(1, 2, 3, 4, 5, 6),
      shape: [3, 1],
      complex: true,
    })
    expect([...array(found.get('x')).data]).toEqual([4, 5])
    await expect(readHdf5(bytes.subarray(0, 700))).rejects.toThrow(/not a readable HDF5 file/)
  })

  const python = pythonWith('numpy', 'h5py')
  it.skipIf(!python)(
    'reads the layout of MATLAB 7.3: structs, dimensions reversed, real and imag',
    async () => {
      const file = join(folder, 'b.mat')
      const script = `
import sys, numpy as np, h5py
c = np.dtype([('real', '<f4'), ('imag', '<f4')])
with h5py.File(sys.argv[1], 'w', userblock_size=512) as h:
    fp = np.zeros((3, 2), c)  # MATLAB's 2 x 3
    fp['real'] = np.arange(6).reshape(2, 3).T
    fp['imag'] = -1
    g = h.create_group('data'); g['fp'] = fp; g['freq'] = np.arange(4.)[None, :]; g['i'] = np.arange(3, dtype='u1')[:, None]
with open(sys.argv[1], 'r+b') as f: f.write(b'MATLAB 7.3 MAT-file')`
      execFileSync(python!, ['-c', script, file])
      const data = fields((await readHdf5(readFileSync(file))).get('data'))
      expect(array(data.get('fp')).shape).toEqual([2, 3])
      expect([...array(data.get('fp')).data]).toEqual([0, -1, 1, -1, 2, -1, 3, -1, 4, -1, 5, -1])
      expect(array(data.get('freq')).shape).toEqual([4, 1])
      expect([...array(data.get('i')).data]).toEqual([0, 1, 2])
    },
  )
})

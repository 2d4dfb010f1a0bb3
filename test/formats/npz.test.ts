import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { pythonWith } from '../helpers/python.js'
import { npyHeader } from '../../formats/npz.js'
import { readNpz, writeNpz, type NpyArray } from '../../formats/index.js'
import { InputError } from '../../scene/index.js'

const entries = (): Record<string, NpyArray> => ({
  image_vv: { data: Float64Array.from({ length: 12 }, (_, i) => i / 7), shape: [2, 3], dtype: '<c16' },
  small: { data: Float32Array.of(1.5, -2, 3, 4e-20), shape: [2], dtype: '<c8' },
  range_m: { data: Float64Array.of(-1, 0.1, 1e300, -0), shape: [4], dtype: '<f8' },
  cube: { data: Float32Array.from({ length: 24 }, (_, i) => i), shape: [2, 3, 4], dtype: '<f4' },
  index: { data: Int32Array.of(-5, 2147483647), shape: [1, 2], dtype: '<i4' },
  mask: { data: Uint8Array.of(0, 255, 7), shape: [3, 1], dtype: '|u1' },
  scalar: { data: Float64Array.of(9.25e9), shape: [], dtype: '<f8' },
  none: { data: new Float64Array(0), shape: [0, 3], dtype: '<f8' },
})

const python = pythonWith('numpy')
const withNumpy = test.skipIf(!python)

describe('npz', () => {
  test('round trip', () => {
    expect(readNpz(writeNpz(entries()))).toEqual(entries())
    const part = new Float64Array([9, 1, 2, 9]).subarray(1, 3)
    const read = readNpz(writeNpz({ part: { data: part, shape: [2], dtype: '<f8' } }))
    expect(Array.from(read.part.data)).toEqual([1, 2])
  })

  test('the same bytes whenever and wherever; data aligned to 64 bytes', () => {
    expect(writeNpz(entries())).toEqual(writeNpz(entries()))
    const zone = process.env.TZ
    const here = writeNpz(entries())
    try {
      for (const tz of ['Asia/Tokyo', 'America/Los_Angeles']) {
        process.env.TZ = tz
        expect(writeNpz(entries())).toEqual(here)
      }
    } finally {
      if (zone === undefined) delete process.env.TZ
      else process.env.TZ = zone
    }
    for (const [name, file] of Object.entries(unzipSync(here))) {
      expect(name.endsWith('.npy')).toBe(true)
      const header = 10 + new DataView(file.buffer, file.byteOffset).getUint16(8, true)
      expect(header % 64).toBe(0)
      expect(file[header - 1]).toBe(10)
    }
  })

  withNumpy('NumPy reads what we write, and we what it writes (skipped without python3 and numpy)', () => {
    const folder = mkdtempSync(join(tmpdir(), 'isar-npz-'))
    try {
      writeFileSync(join(folder, 'ours.npz'), writeNpz(entries()))
      const script = `
import sys, json, numpy as np
a = np.load(sys.argv[1] + '/ours.npz', allow_pickle=False)
np.savez(sys.argv[1] + '/plain.npz', **a)
np.savez_compressed(sys.argv[1] + '/packed.npz', **a)
flat = lambda x: x.ravel().view(x.real.dtype).tolist()
print(json.dumps({k: [a[k].dtype.str, list(a[k].shape), flat(a[k])] for k in a.files}))
`
      const run = spawnSync(python!, ['-c', script, folder], { encoding: 'utf8' })
      expect(run.stderr).toBe('')
      const seen = JSON.parse(run.stdout) as Record<string, unknown>
      const wanted = Object.entries(entries()).map(([k, a]) => [k, [a.dtype, a.shape, Array.from(a.data)]])
      expect(seen).toEqual(Object.fromEntries(wanted))
      for (const name of ['plain.npz', 'packed.npz'])
        expect(readNpz(readFileSync(join(folder, name)))).toEqual(entries())
      // To the byte what NumPy itself makes of the same array.
      const member = (npz: Uint8Array): Uint8Array => unzipSync(npz)['image_vv.npy']
      expect(member(writeNpz(entries()))).toEqual(member(readFileSync(join(folder, 'plain.npz'))))
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('never writes NaN, infinity or what does not fit', () => {
    const write = (array: NpyArray) => () => writeNpz({ sigma: array })
    expect(write({ data: Float64Array.of(1, NaN), shape: [2], dtype: '<f8' })).toThrow(
      '"sigma": number 1 is NaN',
    )
    expect(write({ data: Float32Array.of(Infinity), shape: [1], dtype: '<f4' })).toThrow(
      'number 0 is Infinity',
    )
    expect(write({ data: new Float64Array(3), shape: [2], dtype: '<f8' })).toThrow('3 numbers do not fill')
    expect(write({ data: new Float64Array(2), shape: [2], dtype: '<c16' })).toThrow(
      'do not fill the shape (2)',
    )
    expect(write({ data: new Float32Array(2), shape: [1], dtype: '<c16' })).toThrow('wants a Float64Array')
  })

  withNumpy('arrays of other integers, byte orders and of Fortran’s order come as doubles in C order', () => {
    const script = `
import sys, numpy as np
a = np.arange(24).reshape(2, 3, 4) - 5
kinds = {kind: a.astype(kind) for kind in ('<i8', '<i2', '|i1', '>i4', '>f8', '>f4', '>c16', '>c8', '<f8', '<c16')}
turned = {kind + '_T': np.asfortranarray(b) for kind, b in kinds.items()}
np.savez(sys.argv[1], u8=np.arange(24, dtype='<u8').reshape(2, 3, 4), scalar=np.array(7), **kinds, **turned)`
    const folder = mkdtempSync(join(tmpdir(), 'isar-npz-'))
    const file = join(folder, 'kinds.npz')
    expect(spawnSync(python!, ['-c', script, file]).status).toBe(0)
    const { u8, scalar, ...kinds } = readNpz(readFileSync(file))
    rmSync(folder, { recursive: true })
    const counted = Array.from({ length: 24 }, (_, i) => i)
    expect([Array.from(u8.data), scalar.shape, Array.from(scalar.data)]).toEqual([counted, [], [7]])
    expect(Object.keys(kinds)).toHaveLength(20)
    for (const [kind, { data, shape, dtype }] of Object.entries(kinds)) {
      const complex = kind.includes('c')
      expect([kind, shape, dtype]).toEqual([kind, [2, 3, 4], complex ? '<c16' : '<f8'])
      expect(Array.from(data)).toEqual(counted.flatMap((i) => (complex ? [i - 5, 0] : [i - 5])))
    }
  })

  test('refuses to read other files', () => {
    expect(() => readNpz(new Uint8Array(100))).toThrow(InputError)
    const good = writeNpz({ a: { data: Float64Array.of(1, 2), shape: [2], dtype: '<f8' } })
    const changed = (from: string, to: string): Uint8Array => {
      const text = Buffer.from(good).toString('latin1')
      expect(text).toContain(from)
      return Buffer.from(text.replace(from, to), 'latin1')
    }
    expect(() => readNpz(changed("'<f8'", "'<f2'"))).toThrow('unsupported type')
    expect(() => readNpz(changed("'<f8'", "'|O8'"))).toThrow('unsupported type')
    expect(() => readNpz(changed('False', 'Maybe'))).toThrow('unsupported type')
    // Whatever a header holds, its message is short.
    const long = Buffer.from(`\x93NUMPY\x01\0\x88\x13${'x'.repeat(5000)}`, 'latin1')
    expect(() => npyHeader('a', long)).toThrow(/^.{1,300}$/)
    expect(() => readNpz(changed('(2,)', '(3,)'))).toThrow('has 16 bytes of 24')
    expect(() => readNpz(changed('NUMPY', 'NUMPI'))).toThrow('not an .npy array')
  })
})

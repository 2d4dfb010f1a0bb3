import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { unzipSync, zipSync } from 'fflate'
import { describe, expect, it, test } from 'vitest'
import { NpzSlices, type NpyArray, readNpz, writeNpz } from '../../formats/index.js'
import { npyHeader } from '../../formats/npz.js'
import { InputError } from '../../scene/index.js'
import { pythonWith, runPython } from '../helpers/python.js'
import { scratchFolder } from '../helpers/scratch.js'

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

const folder = scratchFolder()
const python = pythonWith('numpy')

describe('npz', () => {
  test('round trip', () => {
    expect(readNpz(writeNpz(entries()))).toEqual(entries())
    const part = new Float64Array([9, 1, 2, 9]).subarray(1, 3)
    const read = readNpz(writeNpz({ part: { data: part, shape: [2], dtype: '<f8' } }))
    expect(Array.from(read.part.data)).toEqual([1, 2])
  })

  test('the same bytes whenever and wherever; data aligned to 64 bytes', () => {
    const zone = process.env.TZ
    const here = writeNpz(entries())
    expect(writeNpz(entries())).toEqual(here)
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

  test.skipIf(!python)('NumPy reads what we write, and we what it writes: other integers, byte orders and Fortran’s order as doubles in C order', () => {
    writeFileSync(join(folder, 'ours.npz'), writeNpz(entries()))
    const script = `
import sys, json, os, numpy as np
os.chdir(sys.argv[1])
a = np.load('ours.npz', allow_pickle=False)
np.savez('plain.npz', **a)
np.savez_compressed('packed.npz', **a)
b = np.arange(24).reshape(2, 3, 4) - 5
kinds = {kind: b.astype(kind) for kind in ('<i8', '<i2', '|i1', '>i4', '>f8', '>f4', '>c16', '>c8', '<f8', '<c16')}
turned = {kind + '_T': np.asfortranarray(c) for kind, c in kinds.items()}
np.savez('kinds.npz', u8=np.arange(24, dtype='<u8').reshape(2, 3, 4), scalar=np.array(7), **kinds, **turned)
flat = lambda x: x.ravel().view(x.real.dtype).tolist()
print(json.dumps({k: [a[k].dtype.str, list(a[k].shape), flat(a[k])] for k in a.files}))`
    const wanted = Object.entries(entries()).map(([k, a]) => [k, [a.dtype, a.shape, Array.from(a.data)]])
    expect(runPython(python!, script, [folder])).toEqual(Object.fromEntries(wanted))
    const written = (name: string): Uint8Array => readFileSync(join(folder, name))
    for (const name of ['plain.npz', 'packed.npz']) expect(readNpz(written(name))).toEqual(entries())
    // To the byte what NumPy itself makes of the same array.
    const member = (npz: Uint8Array): Uint8Array => unzipSync(npz)['image_vv.npy']
    expect(member(writeNpz(entries()))).toEqual(member(written('plain.npz')))
    const { u8, scalar, ...kinds } = readNpz(written('kinds.npz'))
    const counted = Array.from({ length: 24 }, (_, i) => i)
    expect([Array.from(u8.data), scalar.shape, Array.from(scalar.data)]).toEqual([counted, [], [7]])
    expect(Object.keys(kinds)).toHaveLength(20)
    for (const [kind, { data, shape, dtype }] of Object.entries(kinds)) {
      const complex = kind.includes('c')
      expect([kind, shape, dtype]).toEqual([kind, [2, 3, 4], complex ? '<c16' : '<f8'])
      expect(Array.from(data)).toEqual(counted.flatMap((i) => (complex ? [i - 5, 0] : [i - 5])))
    }
  }) // prettier-ignore

  test.each<[NpyArray, string]>([
    [{ data: Float64Array.of(1, NaN), shape: [2], dtype: '<f8' }, '"sigma": number 1 is NaN'],
    [{ data: Float32Array.of(Infinity), shape: [1], dtype: '<f4' }, 'number 0 is Infinity'],
    [{ data: new Float64Array(3), shape: [2], dtype: '<f8' }, '3 numbers do not fill'],
    [{ data: new Float64Array(2), shape: [2], dtype: '<c16' }, 'do not fill the shape (2)'],
    [{ data: new Float32Array(2), shape: [1], dtype: '<c16' }, 'wants a Float64Array'],
  ])('never writes NaN, infinity or what does not fit: %j', (sigma, says) => {
    expect(() => writeNpz({ sigma })).toThrow(says)
  })

  const good = writeNpz({ a: { data: Float64Array.of(1, 2), shape: [2], dtype: '<f8' } })
  const changed = (from: string, to: string): Uint8Array => {
    const text = Buffer.from(good).toString('latin1')
    expect(text).toContain(from)
    return Buffer.from(text.replace(from, to), 'latin1')
  }
  const npy = (header: string): Uint8Array => Buffer.concat([Uint8Array.of(0x93, 78, 85, 77, 80, 89, 1, 0, header.length & 255, header.length >> 8), Buffer.from(header)]) // prettier-ignore
  const typed = (descr: string): Uint8Array => zipSync({ 'a.npy': npy(`{'descr': '${descr}', 'fortran_order': False, 'shape': (3,)}`) }) // prettier-ignore
  /** A size far beyond the file: the central directory is what counts; its record has the size at 24. */
  const lie = (): Uint8Array => {
    const bytes = Uint8Array.from(good)
    const view = new DataView(bytes.buffer)
    const record = bytes.findIndex((_, i) => i + 4 <= bytes.length && view.getUint32(i, true) === 0x02014b50)
    view.setUint16(record + 10, 8, true)
    view.setUint32(record + 24, 0xf0000000, true)
    return bytes
  }
  test.each<[string, Uint8Array, string | RegExp]>([
    ['no archive', new Uint8Array(100), /\.npz/],
    ['half a float', changed("'<f8'", "'<f2'"), 'unsupported type'],
    ['objects', changed("'<f8'", "'|O8'"), 'unsupported type'],
    ['another order', changed('False', 'Maybe'), 'unsupported type'],
    ['too few bytes', changed('(2,)', '(3,)'), 'has 16 bytes of 24'],
    ['no array', changed('NUMPY', 'NUMPI'), 'not an .npy array'],
    ['sizes far beyond the file', lie(), 'declares more bytes than it can hold'],
    ...['constructor', '__proto__', 'toString'].map((t): [string, Uint8Array, RegExp] => [t, typed(t), /unsupported type/]),
  ])('refuses %s', (_, bytes, says) => {
    expect(() => readNpz(bytes)).toThrow(InputError)
    expect(() => readNpz(bytes)).toThrow(says)
  }) // prettier-ignore

  test('a message is short whatever a header holds, and names that want to be elsewhere are names', () => {
    const long = Buffer.from(`\x93NUMPY\x01\0\x88\x13${'x'.repeat(5000)}`, 'latin1')
    expect(() => npyHeader('a', long)).toThrow(/^.{1,300}$/)
    const none = npy("{'descr': '<f8', 'fortran_order': False, 'shape': (0,)}")
    const arrays = readNpz(zipSync({ '../../x.npy': none, '/etc/x.npy': none, ['__proto__.npy']: none }))
    expect(Object.getPrototypeOf({})).toBe(Object.prototype)
    expect(Object.keys(arrays)).toContain('../../x')
  })
})

describe('rows of an .npz archive', () => {
  const file = join(folder, 'a.npz')
  const image = Float32Array.from({ length: 2 * 5 * 3 * 4 }, (_, i) => Math.sin(i))
  const bytes = writeNpz({
    image: { data: image, shape: [5, 3, 4], dtype: '<c8' },
    chip: { data: Int32Array.of(7, 8, 9, 10, 11), shape: [5], dtype: '<i4' },
    mask: { data: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), shape: [5, 2], dtype: '|u1' },
  })
  writeFileSync(file, bytes)

  it('are those that the whole has', () => {
    const slices = new NpzSlices(file)
    const whole = readNpz(bytes)
    for (const name of Object.keys(whole)) expect(slices.all(name)).toEqual(whole[name])
    expect(slices.rows('image', 2, 2)).toEqual({
      data: image.subarray(48, 96),
      shape: [2, 3, 4],
      dtype: '<c8',
    })
    expect(Array.from(slices.rows('mask', 3, 1).data)).toEqual([7, 8])
    expect(slices.shape('chip')).toEqual([5])
    expect([slices.has('mask'), slices.has('layers')]).toEqual([true, false])
  })

  it('are found behind a comment', () => {
    const other = join(folder, 'comment.npz')
    const comment = Buffer.from('said at the end')
    const head = Buffer.from(bytes)
    head.writeUInt16LE(comment.length, head.length - 2)
    writeFileSync(other, Buffer.concat([head, comment]))
    expect(Array.from(new NpzSlices(other).rows('chip', 1, 1).data)).toEqual([8])
  })

  it('that are not there are refused', () => {
    const slices = new NpzSlices(file)
    expect(() => slices.rows('chip', 5, 1)).toThrow(InputError)
    expect(() => slices.rows('chip', -1, 1)).toThrow(InputError)
    expect(() => slices.rows('none', 0, 1)).toThrow('has no "none"')
  })

  it('of what is no such archive are refused', () => {
    const made = (name: string, data: Uint8Array): string => {
      writeFileSync(join(folder, name), data)
      return join(folder, name)
    }
    expect(() => new NpzSlices(join(folder, 'missing.npz'))).toThrow(InputError)
    expect(() => new NpzSlices(made('short.npz', Uint8Array.of(1, 2, 3)))).toThrow(InputError)
    // Cut anywhere, it is refused or gives what the whole has: never other numbers.
    for (let cut = 0; cut < bytes.length; cut += 97)
      expect(() => new NpzSlices(made('cut.npz', bytes.subarray(0, cut))), `cut at ${cut}`).toThrow(
        InputError,
      )
    const packed = zipSync({ 'chip.npy': [new Uint8Array(1000), { level: 9 }] })
    expect(() => new NpzSlices(made('packed.npz', packed))).toThrow('is compressed')
    const damaged = Uint8Array.from(readFileSync(file))
    damaged.fill(0xff, 20, 90)
    expect(() => new NpzSlices(made('damaged.npz', damaged))).toThrow(InputError)
  })

  it('are refused, or read, whatever byte is wrong', () => {
    const other = join(folder, 'wrong.npz')
    let refused = 0
    for (let i = 0; i < 600; i++) {
      // A fixed walk over the file and over the changes of a byte.
      const at = (i * 7919) % bytes.length
      const wrong = Uint8Array.from(bytes)
      wrong[at] ^= 1 + ((i * 31) % 255)
      writeFileSync(other, wrong)
      try {
        const slices = new NpzSlices(other)
        for (const name of ['image', 'chip', 'mask']) if (slices.has(name)) slices.rows(name, 0, 1)
      } catch (error) {
        expect(error, `byte ${at}`).toBeInstanceOf(InputError)
        refused++
      }
    }
    expect(refused).toBeGreaterThan(20)
  })

  it('are not read from a file that lost its end meanwhile', () => {
    const shrinking = join(folder, 'shrinking.npz')
    writeFileSync(shrinking, bytes)
    const slices = new NpzSlices(shrinking)
    writeFileSync(shrinking, bytes.subarray(0, 200))
    expect(() => slices.all('image')).toThrow('ends too early')
    appendFileSync(shrinking, bytes.subarray(200))
    expect(slices.all('image').data).toEqual(image)
  })
})

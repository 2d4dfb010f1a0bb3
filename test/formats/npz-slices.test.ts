import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { NpzSlices, readNpz, writeNpz } from '../../formats/index.js'
import { InputError } from '../../scene/index.js'
import { temporaryFolder } from '../cli/cli.js'

describe('rows of an .npz archive', () => {
  const folder = temporaryFolder()
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

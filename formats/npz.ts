import { Unzip, UnzipInflate, unzipSync, zipSync, type Zippable } from 'fflate'
import { InputError } from '../scene/index.js'
import { toRows } from './mat5.js'
import { numberReader, type NumberType } from './text-scanner.js'

type Dtype = '<c16' | '<c8' | '<f8' | '<f4' | '<i4' | '|u1'

/** A numeric array as NumPy stores it, in C order. Complex numbers are interleaved: re, im, re, im, ... */
export interface NpyArray {
  /** Float64Array for c16 and f8, Float32Array for c8 and f4, Int32Array for i4, Uint8Array for u1. */
  data: Float64Array | Float32Array | Int32Array | Uint8Array
  shape: number[]
  dtype: Dtype
}

/** A list of doubles. */
export const vector = (data: Float64Array): NpyArray => ({ data, shape: [data.length], dtype: '<f8' })

const TYPES = {
  '<c16': { array: Float64Array, parts: 2 },
  '<c8': { array: Float32Array, parts: 2 },
  '<f8': { array: Float64Array, parts: 1 },
  '<f4': { array: Float32Array, parts: 1 },
  '<i4': { array: Int32Array, parts: 1 },
  '|u1': { array: Uint8Array, parts: 1 },
} as const

/** Maximum expansion of deflated data (RFC 1951). */
const MOST_INFLATED = 1032
/** Maximum size of the arrays of one archive: that of a zip file without extensions. */
const MOST_BYTES = 0xf0000000
/** Headers of .npy files are shorter, except those of record arrays. */
const MOST_HEAD = 4096
/** Bytes of an archive that are inflated at a time, to at most a thousand times as many. */
const PIECE = 2 ** 14

const MAGIC = '\x93NUMPY'

/**
 * An .npz archive: a zip of one .npy file (format version 1.0) for each entry, stored without compression as `numpy.savez`
 * does. The same arrays give the same bytes. Throws RangeError when an array does not fit its type or shape, holds NaN
 * or infinity, or the archive exceeds the 4 GiB of a zip file.
 */
export function writeNpz(entries: Record<string, NpyArray>): Uint8Array {
  const files: Zippable = {}
  let total = 0
  for (const [name, array] of Object.entries(entries)) {
    const bytes = writeNpy(name, array)
    total += bytes.length
    // Local time, as zip has it: the same bytes in every time zone.
    files[`${name}.npy`] = [bytes, { level: 0, mtime: new Date(1980, 0, 1) }]
  }
  if (total > MOST_BYTES) throw new RangeError(`${total} bytes are too many for one .npz file; split it`)
  return zipSync(files)
}

/** One .npy file (format version 1.0). @param name  for messages */
export function writeNpy(name: string, given: NpyArray): Uint8Array {
  checkArray(name, given)
  const { data, shape, dtype } = given
  const tuple = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(', ')})`
  const dict = `{'descr': '${dtype}', 'fortran_order': False, 'shape': ${tuple}, }`
  // Magic, version and length take 10 bytes, the newline one; the data begins at a multiple of 64.
  const length = Math.ceil((11 + dict.length) / 64) * 64
  const bytes = new Uint8Array(length + data.byteLength)
  const header = `${MAGIC}\x01\x00\x00\x00${dict.padEnd(length - 11)}\n`
  for (let i = 0; i < length; i++) bytes[i] = header.charCodeAt(i)
  new DataView(bytes.buffer).setUint16(8, length - 10, true)
  bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), length)
  return bytes
}

/** @throws RangeError for an array that is not of its type, does not fill its shape, or holds NaN or infinity */
export function checkArray(name: string, { data, shape, dtype }: NpyArray): void {
  const { array, parts } = TYPES[dtype]
  if (!(data instanceof array)) throw new RangeError(`"${name}": ${dtype} wants a ${array.name}`)
  if (data.length !== parts * shape.reduce((a, b) => a * b, 1))
    throw new RangeError(
      `"${name}": ${data.length} numbers do not fill the shape (${shape.join(', ')}) of ${dtype}`,
    )
  for (let i = 0; i < data.length; i++)
    if (!Number.isFinite(data[i])) throw new RangeError(`"${name}": number ${i} is ${data[i]}`)
}

/**
 * Reads an .npz archive as `writeNpz` or `numpy.savez` makes it, also compressed: arrays of the types of `NpyArray` in C order as they
 * are; those of other integers or byte orders, or in Fortran's order, as doubles in C order. Throws InputError for anything else.
 */
export function readNpz(bytes: Uint8Array): Record<string, NpyArray> {
  const arrays: Record<string, NpyArray> = {}
  const left = { bytes: MOST_BYTES }
  try {
    checkDirectory(bytes)
    const unzip = new Unzip((file) => {
      const name = file.name.replace(/\.npy$/, '')
      const array = new ArrivingArray(name, left)
      file.ondata = (error, chunk, last) => {
        if (error) throw error
        array.add(chunk)
        if (last) arrays[name] = array.take()
      }
      file.start()
    })
    unzip.register(UnzipInflate)
    // In pieces: the inflated size of each is checked against the declared shape before the next one.
    for (let at = 0; at < bytes.length; at += PIECE)
      unzip.push(bytes.subarray(at, at + PIECE), at + PIECE >= bytes.length)
  } catch (error) {
    if (error instanceof InputError && error.message.includes('in the .npz file')) throw error
    throw new InputError(`not a readable .npz file: ${(error as Error).message}`, { cause: error })
  }
  return arrays
}

/** @throws for a file that is not a zip archive, or whose directory is inconsistent */
function checkDirectory(bytes: Uint8Array): void {
  let claimed = 0
  unzipSync(bytes, {
    filter: ({ originalSize }) => {
      claimed += originalSize
      if (claimed > MOST_INFLATED * bytes.length)
        throw new InputError('it declares more bytes than it can hold: it is damaged')
      return false
    },
  })
}

/** What the header of an .npy file says. */
export interface NpyHeader {
  dtype: Dtype
  shape: number[]
  /** Offset of its data. */
  at: number
  /** Numbers, of which complex ones are two, and bytes of each. */
  length: number
  itemBytes: number
  /** How numbers are stored that are not of the type and in the order given. */
  foreign?: NumberType & { fortran: boolean }
}

/** Characters of a header that a message quotes. */
const MOST_SHOWN = 120

/** Types of NumPy: byte order, kind, bytes. */
const DESCR = /^([<>|])([iufc])(\d{1,2})$/

/** Header of an .npy file. @throws InputError for unsupported types */
export function npyHeader(name: string, bytes: Uint8Array): NpyHeader {
  const text = (from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to))
  if (text(0, 6) !== MAGIC || bytes.length < 12)
    throw new InputError(`"${name}" in the .npz file is not an .npy array`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const long = bytes[6] > 1
  const start = long ? 12 : 10
  const at = start + (long ? view.getUint32(8, true) : view.getUint16(8, true))
  const header = text(start, at)
  const dtype = /'descr':\s*'([^']*)'/.exec(header)?.[1] ?? ''
  const tuple = /'shape':\s*\(([\d,\s]*)\)/.exec(header)?.[1]
  const fortran = /'fortran_order':\s*(True|False)/.exec(header)?.[1]
  const [, order, kind, size] = DESCR.exec(dtype) ?? []
  const parts = kind === 'c' ? 2 : 1
  const type: NumberType = {
    kind: kind === 'c' || kind === 'f' ? 'float' : 'integer',
    size: Number(size) / parts,
    littleEndian: order !== '>',
    signed: kind !== 'u',
  }
  if (tuple === undefined || fortran === undefined || !numberReader(type, view))
    throw new InputError(
      `"${name}" in the .npz file is of an unsupported type (${header.trim().slice(0, MOST_SHOWN)}); save it as one of ${Object.keys(TYPES).join(' ')}`,
    )
  const shape = tuple
    .split(',')
    .filter((n) => n.trim())
    .map(Number)
  const length = parts * shape.reduce((a, b) => a * b, 1)
  const item = { shape, at, length, itemBytes: type.size }
  const transposed = fortran === 'True' && shape.length > 1
  if (Object.hasOwn(TYPES, dtype) && !transposed) return { dtype: dtype as Dtype, ...item }
  return { dtype: parts === 2 ? '<c16' : '<f8', ...item, foreign: { ...type, fortran: transposed } }
}

/** The array of a header from its bytes, which must span a whole buffer. */
export function npyArray(
  { dtype, shape, length, foreign }: NpyHeader,
  body: Uint8Array<ArrayBuffer>,
): NpyArray {
  const { array, parts } = TYPES[dtype]
  if (!foreign) return { data: new array(body.buffer), shape, dtype }
  const read = numberReader(foreign, new DataView(body.buffer))!
  const data = Float64Array.from({ length }, (_, i) => read(i * foreign.size))
  if (!foreign.fortran) return { data, shape, dtype }
  const rows = new Float64Array(length)
  for (let part = 0; part < parts; part++)
    toRows(data.filter((_, i) => i % parts === part), shape, rows, parts, part) // prettier-ignore
  return { data: rows, shape, dtype }
}

/** An .npy file of an archive as its bytes arrive: at most as many are kept as its header declares. */
class ArrivingArray {
  private head: Uint8Array = new Uint8Array(0)
  private declared: NpyHeader | null = null
  private body = new Uint8Array(0)
  private filled = 0

  /** @param left  remaining bytes for the archive's arrays */
  constructor(
    private readonly name: string,
    private readonly left: { bytes: number },
  ) {}

  add(chunk: Uint8Array): void {
    if (this.declared) return this.put(chunk)
    const joined = new Uint8Array(this.head.length + chunk.length)
    joined.set(this.head)
    joined.set(chunk, this.head.length)
    this.head = joined
    if (joined.length >= MOST_HEAD) this.open()
  }

  /** The array. @throws InputError where the file ended too early */
  take(): NpyArray {
    if (!this.declared) this.open()
    if (this.filled !== this.body.length) throw this.wrong(this.filled)
    return npyArray(this.declared!, this.body)
  }

  private open(): void {
    const declared = npyHeader(this.name, this.head)
    const bytes = declared.length * declared.itemBytes
    // What becomes doubles takes their room.
    const taken = declared.foreign ? 8 * declared.length : bytes
    if (!Number.isSafeInteger(taken) || taken > this.left.bytes)
      throw new InputError(
        `"${this.name}" in the .npz file declares ${bytes} bytes, of at most ${MOST_BYTES} in all: it is damaged`,
      )
    this.left.bytes -= taken
    this.declared = declared
    this.body = new Uint8Array(bytes)
    this.put(this.head.subarray(declared.at))
  }

  private put(chunk: Uint8Array): void {
    if (this.filled + chunk.length > this.body.length) throw this.wrong(this.filled + chunk.length)
    this.body.set(chunk, this.filled)
    this.filled += chunk.length
  }

  private wrong(bytes: number): InputError {
    const more = bytes > this.body.length ? 'more than ' : ''
    return new InputError(
      `"${this.name}" in the .npz file has ${more}${Math.min(bytes, this.body.length)} bytes of ${this.body.length}`,
    )
  }
}

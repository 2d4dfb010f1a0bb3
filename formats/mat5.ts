import { Unzlib } from 'fflate'
import { InputError } from '../scene/index.js'

/**
 * A value of a MATLAB file: text, a real or complex array, or a struct. Arrays are stored in their own precision, given in C order (the
 * last index fastest; MATLAB stores the first one fastest) with two dimensions or more.
 */
export type MatValue =
  | string
  | number
  | { data: Numbers; shape: number[]; complex?: boolean }
  | { fields: Record<string, MatValue> }

type Numbers = Float64Array | Float32Array | Int32Array | Uint8Array

/** Data types and array classes of the format (MAT-File Format, MathWorks, tables 1-1 and 1-3). */
const MI = { int8: 1, uint8: 2, int32: 5, uint32: 6, single: 7, double: 9, matrix: 14, utf16: 17 } as const
const MX = { struct: 2, char: 4, double: 6, single: 7, uint8: 9, int32: 12 } as const
const COMPLEX_FLAG = 0x0800
/** Bytes of a field name, including the terminating zero. */
const FIELD_NAME = 32
/** Sizes are 32-bit, and readers treat them as signed. */
const MOST_BYTES = 2 ** 31 - 1

/**
 * A MATLAB 5 file (.mat) of the named variables, little-endian and without compression, as `load` and `scipy.io.loadmat` read
 * it. The header has no date: the same values give the same bytes.
 * Throws RangeError for names that MATLAB does not accept, matrices that do not fill their shape, and 2 GiB or more.
 */
export function writeMat5(variables: Record<string, MatValue>): Uint8Array {
  const parts = Object.entries(variables).map(([name, value]) => matrix(identifier(name), value))
  const size = parts.reduce((n, p) => n + p.length, 128)
  if (size > MOST_BYTES) throw new RangeError(`${size} bytes are too many for one MATLAB 5 file; split it`)
  const file = new Uint8Array(size)
  file.fill(0x20, 0, 116)
  file.set(latin1('MATLAB 5.0 MAT-file, written by isar'))
  file.set([0x00, 0x01, 0x49, 0x4d], 124) // version 0x0100, then "IM": little-endian
  let at = 128
  for (const part of parts) {
    file.set(part, at)
    at += part.length
  }
  return file
}

function identifier(name: string): string {
  if (!/^[A-Za-z][A-Za-z0-9_]{0,30}$/.test(name)) throw new RangeError(`"${name}" is not a valid MATLAB name`)
  return name
}

const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (c) => c.charCodeAt(0))
const raw = (data: ArrayBufferView): Uint8Array =>
  new Uint8Array(data.buffer, data.byteOffset, data.byteLength)

/** Consecutive elements under one tag. */
function element(type: number, content: Uint8Array[]): Uint8Array {
  const length = content.reduce((n, c) => n + c.length, 0)
  const out = new Uint8Array(8 + 8 * Math.ceil(length / 8))
  new DataView(out.buffer).setUint32(0, type, true)
  new DataView(out.buffer).setUint32(4, length, true)
  let at = 8
  for (const c of content) {
    out.set(c, at)
    at += c.length
  }
  return out
}

function head(kind: number, flags: number, shape: number[], name: string): Uint8Array[] {
  return [
    element(MI.uint32, [raw(Uint32Array.of(kind | flags, 0))]),
    element(MI.int32, [raw(Int32Array.from(shape))]),
    element(MI.int8, [latin1(name)]),
  ]
}

function matrix(name: string, value: MatValue): Uint8Array {
  if (typeof value === 'string') {
    const codes = Uint16Array.from(value, (c) => c.charCodeAt(0))
    return element(MI.matrix, [
      ...head(MX.char, 0, [value.length ? 1 : 0, value.length], name),
      element(MI.utf16, [raw(codes)]),
    ])
  }
  if (typeof value === 'number') return matrix(name, { data: Float64Array.of(value), shape: [1, 1] })
  if ('fields' in value) {
    const names = Object.keys(value.fields).map(identifier)
    const table = new Uint8Array(FIELD_NAME * names.length)
    names.forEach((field, i) => table.set(latin1(field), FIELD_NAME * i))
    return element(MI.matrix, [
      ...head(MX.struct, 0, [1, 1], name),
      // A small data element (MAT-File Format, figure 1-2): tag and number in one word, as Octave demands here.
      raw(Int32Array.of((4 << 16) | MI.int32, FIELD_NAME)),
      element(MI.int8, [table]),
      ...names.map((field) => matrix('', value.fields[field])),
    ])
  }
  const { data, shape, complex = false } = value
  if (shape.length < 2 || data.length !== (complex ? 2 : 1) * shape.reduce((a, b) => a * b, 1))
    throw new RangeError(`"${name}": ${data.length} numbers do not fill ${shape.join(' x ')}`)
  const type = typeOf(data)
  const parts = complex ? [0, 1] : [0]
  return element(MI.matrix, [
    ...head(MX[type], complex ? COMPLEX_FLAG : 0, shape, name),
    ...parts.map((part) => element(MI[type], [raw(byColumns(data, shape, parts.length, part))])),
  ])
}

function typeOf(data: Numbers): 'double' | 'single' | 'int32' | 'uint8' {
  if (data instanceof Float64Array) return 'double'
  if (data instanceof Float32Array) return 'single'
  return data instanceof Int32Array ? 'int32' : 'uint8'
}

/** Part `part` (re or im) of an array, the first index fastest. */
function byColumns(data: Numbers, shape: number[], parts: number, part: number): Numbers {
  const length = data.length / parts
  const out = data.slice(0, length)
  // Distance in `out` between neighbours along each axis.
  const strides = shape.map((_, axis) => shape.slice(0, axis).reduce((a, b) => a * b, 1))
  const index = shape.map(() => 0)
  for (let i = 0, to = 0; i < length; i++) {
    out[to] = data[parts * i + part]
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      to += strides[axis]
      if (++index[axis] < shape[axis]) break
      to -= strides[axis] * shape[axis]
      index[axis] = 0
    }
  }
  return out
}

/** Numbers of a MATLAB or HDF5 file: in C order (row by row), complex ones interleaved re, im. */
export interface MatArray {
  data: Float64Array
  shape: number[]
  complex: boolean
}

/** A value of such a file: numbers, text, or a struct of named values. */
export type MatTree = MatArray | string | Map<string, MatTree>

export const isMatArray = (value: MatTree | undefined): value is MatArray =>
  typeof value === 'object' && !(value instanceof Map)

/** Data types (MAT-File Format, MathWorks, table 1-1) with their sizes. */
const NUMBERS: Record<number, { bytes: number; read: (v: DataView, at: number, le: boolean) => number }> = {
  1: { bytes: 1, read: (v, at) => v.getInt8(at) },
  2: { bytes: 1, read: (v, at) => v.getUint8(at) },
  3: { bytes: 2, read: (v, at, le) => v.getInt16(at, le) },
  4: { bytes: 2, read: (v, at, le) => v.getUint16(at, le) },
  5: { bytes: 4, read: (v, at, le) => v.getInt32(at, le) },
  6: { bytes: 4, read: (v, at, le) => v.getUint32(at, le) },
  7: { bytes: 4, read: (v, at, le) => v.getFloat32(at, le) },
  9: { bytes: 8, read: (v, at, le) => v.getFloat64(at, le) },
  12: { bytes: 8, read: (v, at, le) => Number(v.getBigInt64(at, le)) },
  13: { bytes: 8, read: (v, at, le) => Number(v.getBigUint64(at, le)) },
  16: { bytes: 1, read: (v, at) => v.getUint8(at) },
  17: { bytes: 2, read: (v, at, le) => v.getUint16(at, le) },
}
const TYPES = { int8: 1, int32: 5, uint32: 6, matrix: 14, compressed: 15 } as const
/** Array classes (table 1-3). Others (cells, objects, sparse matrices, functions) are left out. */
const CLASSES = { struct: 2, char: 4, firstNumber: 6, lastNumber: 15 } as const

const HEADER = 128

/** Bytes that are inflated at a time. */
const PIECE = 2 ** 14
/** Structs in structs, at the most. */
const DEPTH = 16

/** Whether these are the first bytes of a MATLAB 5 file. */
export const isMat5 = (bytes: Uint8Array): boolean =>
  bytes.length >= HEADER && /^(IM|TYPES)$/.test(String.fromCharCode(bytes[126], bytes[127])) && bytes[124 + (bytes[126] === 0x49 ? 1 : 0)] === 1 // prettier-ignore

/**
 * The variables of a MATLAB 5 file (.mat, versions 5 to 7, compressed or not, of either byte order): numbers of every type as doubles,
 * text, and structs of one element; of an array of structs the first. Other variables are left out.
 * @throws InputError for a file that is damaged; no count in it is trusted
 */
export function readMat5(bytes: Uint8Array): Map<string, MatTree> {
  if (!isMat5(bytes)) throw damaged('it does not begin as one')
  const little = bytes[126] === 0x49
  const variables = new Map<string, MatTree>()
  for (let at = HEADER; at + 8 <= bytes.length;) {
    const element = elementAt(bytes, at, little)
    const inner = element.type === TYPES.compressed ? inflated(element.data, little) : element
    if (inner.type === TYPES.matrix) {
      const found = readMatrix(inner.data, little, 0)
      if (found?.name) variables.set(found.name, found.value)
    }
    // Compressed elements are not padded.
    at = element.type === TYPES.compressed ? element.end : Math.min(bytes.length, element.next)
  }
  return variables
}

interface Element {
  type: number
  data: Uint8Array
  /** Where its data ends, and where the next element begins. */
  end: number
  next: number
}

function elementAt(bytes: Uint8Array, at: number, little: boolean): Element {
  if (at + 8 > bytes.length) throw damaged('it ends within an element')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const word = view.getUint32(at, little)
  // Small elements have their size in the upper half of the type, and their data in the tag.
  const small = word >>> 16
  const type = small ? word & 0xffff : word
  const length = small || view.getUint32(at + 4, little)
  const start = small ? at + 4 : at + 8
  const end = start + length
  if ((small && small > 4) || end > bytes.length) throw damaged(`an element of ${length} bytes does not fit`)
  return {
    type,
    data: bytes.subarray(start, end),
    end,
    next: small ? at + 8 : at + 8 + 8 * Math.ceil(length / 8),
  }
}

/** The element in a zlib stream, no longer than its own tag says. */
function inflated(data: Uint8Array, little: boolean): Element {
  let out = new Uint8Array(8)
  let filled = 0
  let sized = false
  const stream = new Unzlib((chunk) => {
    let from = 0
    if (!sized) {
      from = Math.min(8 - filled, chunk.length)
      out.set(chunk.subarray(0, from), filled)
      filled += from
      if (filled < 8) return
      const length = 8 + new DataView(out.buffer).getUint32(4, little)
      // At most a thousandfold is possible (RFC 1951).
      if (length > MOST_BYTES || length > 1032 * data.length + 8)
        throw damaged(`a compressed variable declares ${length} bytes`)
      const tag = out
      out = new Uint8Array(length)
      out.set(tag)
      sized = true
    }
    const rest = chunk.subarray(from, from + out.length - filled)
    out.set(rest, filled)
    filled += rest.length
  })
  try {
    for (let at = 0; at < data.length; at += PIECE)
      stream.push(data.subarray(at, at + PIECE), at + PIECE >= data.length)
  } catch (error) {
    if (error instanceof InputError) throw error
    throw damaged(`a compressed variable: ${(error as Error).message}`)
  }
  if (!sized || filled < out.length) throw damaged('a compressed variable ends early')
  return elementAt(out, 0, little)
}

/** A matrix element; undefined for a class that is left out. */
function readMatrix(
  data: Uint8Array,
  little: boolean,
  depth: number,
): { name: string; value: MatTree } | undefined {
  if (depth > DEPTH) throw damaged('its structs are nested too deeply')
  if (data.length === 0)
    return { name: '', value: { data: new Float64Array(0), shape: [0, 0], complex: false } }
  let at = 0
  const next = (): Element => {
    const element = elementAt(data, at, little)
    at = element.next
    return element
  }
  const flags = next()
  if (flags.type !== TYPES.uint32 || flags.data.length < 8) throw damaged('a matrix has no flags')
  const word = new DataView(flags.data.buffer, flags.data.byteOffset).getUint32(0, little)
  const kind = word & 0xff
  const shape = [...numbersOf(next(), little)]
  if (shape.length < 2 || shape.some((n) => n < 0)) throw damaged('a matrix has no shape')
  const count = shape.reduce((a, b) => a * b, 1)
  const name = textOf(next().data)
  if (kind === CLASSES.struct) return { name, value: readStruct(data, at, count, little, depth) }
  if (kind === CLASSES.char)
    return { name, value: String.fromCharCode(...numbersOf(next(), little).subarray(0, 2 ** 14)) }
  if (kind < CLASSES.firstNumber || kind > CLASSES.lastNumber) return undefined
  const complex = (word & COMPLEX_FLAG) !== 0
  const parts = complex ? [next(), next()] : [next()]
  const out = new Float64Array(checkedCount(count, parts[0]) * parts.length)
  parts.forEach((element, part) => {
    const values = numbersOf(element, little)
    if (values.length !== count)
      throw damaged(`"${name}" of ${shape.join(' x ')} has ${values.length} numbers`)
    toRows(values, shape, out, parts.length, part)
  })
  return { name, value: { data: out, shape, complex } }
}

/** Number of elements, which cannot be more than the bytes there are. */
function checkedCount(count: number, { data }: Element): number {
  if (!Number.isSafeInteger(count) || count > data.length) throw damaged(`a matrix declares ${count} numbers`)
  return count
}

function readStruct(data: Uint8Array, from: number, count: number, little: boolean, depth: number): MatTree {
  let at = from
  const width = elementAt(data, at, little)
  const [length = 0] = numbersOf(width, little)
  at = width.next
  const table = elementAt(data, at, little)
  at = table.next
  const fields = new Map<string, MatTree>()
  if (!(length > 0) || count === 0) return fields
  for (let f = 0; f + length <= table.data.length; f += length) {
    const element = elementAt(data, at, little)
    at = element.next
    if (element.type !== TYPES.matrix) throw damaged('a field of a struct is no matrix')
    const found = readMatrix(element.data, little, depth + 1)
    if (found) fields.set(textOf(table.data.subarray(f, f + length)), found.value)
  }
  return fields
}

/** Text up to a zero. */
function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0)
  return Buffer.from(end < 0 ? bytes : bytes.subarray(0, end)).toString('latin1')
}

function numbersOf({ type, data }: Element, little: boolean): Float64Array {
  const number = Object.hasOwn(NUMBERS, type) ? NUMBERS[type] : undefined
  if (!number) throw damaged(`numbers of the unknown type ${type}`)
  const { bytes, read } = number
  const view = new DataView(data.buffer, data.byteOffset, data.length)
  return Float64Array.from({ length: Math.floor(data.length / bytes) }, (_, i) =>
    read(view, bytes * i, little),
  )
}

/** Columns first to rows first, as part `part` of `parts` of each number. */
export function toRows(
  values: ArrayLike<number>,
  shape: readonly number[],
  out: Float64Array,
  parts: number,
  part: number,
): void {
  const [rows, ...others] = shape
  const cols = others.reduce((a, b) => a * b, 1)
  if (shape.length > 2) {
    // Of more dimensions the last runs fastest in C order.
    for (let i = 0; i < values.length; i++) {
      let [left, place] = [i, 0]
      let stride = values.length
      for (const n of shape) {
        stride /= n
        place += (left % n) * stride
        left = Math.floor(left / n)
      }
      out[parts * place + part] = values[i]
    }
    return
  }
  for (let j = 0; j < cols; j++)
    for (let i = 0; i < rows; i++) out[parts * (i * cols + j) + part] = values[j * rows + i]
}

const damaged = (what: string): InputError => new InputError(`not a readable MATLAB 5 file: ${what}`)

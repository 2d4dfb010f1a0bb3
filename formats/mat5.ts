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

import { checkMesh, InputError, type Mesh, singleRounding } from '../scene/index.js'
import { GrowingInts, refuseUtf16, TextScanner } from './text-scanner.js'
import { Polygons } from './obj.js'

type Scalar = 'int8' | 'uint8' | 'int16' | 'uint16' | 'int32' | 'uint32' | 'float32' | 'float64'

/** Scalar types by their names in a header, old and new. */
const SCALARS: Record<string, Scalar> = {
  char: 'int8',
  uchar: 'uint8',
  short: 'int16',
  ushort: 'uint16',
  int: 'int32',
  uint: 'uint32',
  float: 'float32',
  double: 'float64',
  int8: 'int8',
  uint8: 'uint8',
  int16: 'int16',
  uint16: 'uint16',
  int32: 'int32',
  uint32: 'uint32',
  float32: 'float32',
  float64: 'float64',
}

interface Property {
  name: string
  /** Type of the value, or of a list's items. */
  type: Scalar
  /** Type of a list's length; absent for a single value. */
  lengthType?: Scalar
}

interface Element {
  name: string
  count: number
  properties: Property[]
}

interface Header {
  format: string
  elements: Element[]
  /** Offset of the first byte after the header. */
  bodyAt: number
}

/** Properties of faces that number groups; the first that a file has counts. */
const GROUP_PROPERTIES = ['material_index', 'material', 'group', 'object_id', 'segment', 'label']

/** Returns the values of the body one by one; undefined at its end. */
type NextValue = (type: Scalar) => number | undefined

/**
 * Reads a PLY file, ASCII or binary of either byte order: x, y, z of element "vertex" (any scalar type) and the list
 * "vertex_indices" or "vertex_index" of element "face"; everything else is skipped, but for a whole number of faces named as one of
 * GROUP_PROPERTIES, whose values are the groups. Polygons become facets as `Polygons` says. Vertices and faces are numbered from 0 in messages, as in the file.
 * Throws InputError for a header it cannot parse, a body that is cut off, a coordinate that is not finite, a vertex
 * number out of range, a face with fewer than three vertices, or a file without faces.
 */
export function readPly(bytes: Uint8Array): Mesh {
  const { format, elements, bodyAt } = readHeader(bytes)
  const vertex = elements.find((e) => e.name === 'vertex')
  const axes = ['x', 'y', 'z'].map(
    (a) => vertex?.properties.findIndex((p) => p.name === a && !p.lengthType) ?? -1,
  )
  if (!vertex || axes.includes(-1))
    throw new InputError('the PLY file has no element "vertex" with x, y and z')
  const face = elements.find((e) => e.name === 'face')
  const corners =
    face?.properties.findIndex((p) => /^vertex_ind(ices|ex)$/.test(p.name) && p.lengthType) ?? -1
  if (!face || corners < 0)
    throw new InputError('the PLY file has no element "face" with a list "vertex_indices"')

  const grouped = GROUP_PROPERTIES.map((name) =>
    face.properties.findIndex((p) => p.name === name && !p.lengthType && !/float/.test(p.type)),
  ).find((k) => k >= 0)
  const group = new GrowingInts()
  const numbers = new Map<number, number>()
  const next = format === 'ascii' ? asciiValues(bytes, bodyAt) : binaryValues(bytes, bodyAt, format)
  const cutOff = (element: Element, row: number): InputError =>
    new InputError(
      `the PLY file declares ${element.count} of element "${element.name}" but ends in number ${row}: it is cut off`,
    )
  // At least three bytes per vertex: a false count must not allocate excessive memory.
  if (3 * vertex.count > bytes.length) throw cutOff(vertex, Math.floor(bytes.length / 3))
  const positions = new Float64Array(3 * vertex.count)
  const polygons = new Polygons()
  let facets = 0
  for (const element of elements) {
    // Rows without properties take no bytes, whatever their count.
    if (element.properties.length === 0) continue
    for (let row = 0; row < element.count; row++) {
      const before = facets
      let label = 0
      for (let k = 0; k < element.properties.length; k++) {
        const { type, lengthType } = element.properties[k]
        const items = lengthType ? next(lengthType) : 1
        if (items === undefined) throw cutOff(element, row)
        for (let i = 0; i < items; i++) {
          const value = next(type)
          if (value === undefined) throw cutOff(element, row)
          if (element === vertex && axes.includes(k)) positions[3 * row + axes.indexOf(k)] = value
          if (element === face && k === grouped) label = value
          if (element !== face || k !== corners) continue
          if (!Number.isInteger(value) || value < 0 || value >= vertex.count)
            throw new InputError(
              `face ${row} uses vertex ${value}, but the file has ${vertex.count} vertices`,
            )
          polygons.corner(value)
        }
        if (element !== face || k !== corners) continue
        if (!(items >= 3)) throw new InputError(`face ${row} has ${items} vertices; it needs three or more`)
        facets += polygons.end() - 2
      }
      if (grouped === undefined || element !== face) continue
      if (!numbers.has(label)) numbers.set(label, numbers.size)
      for (let i = before; i < facets; i++) group.push(numbers.get(label)!)
    }
  }
  if (facets === 0) throw new InputError('the PLY file has no faces')
  const isSingle = axes.some((a) => vertex.properties[a].type === 'float32')
  const mesh: Mesh = {
    positions,
    triangles: polygons.take(positions),
    ...(isSingle && { rounding: singleRounding(positions) }),
    ...(numbers.size > 1 && {
      facetGroup: Uint32Array.from(group.take()),
      groupNames: Array.from(numbers.keys(), String),
    }),
  }
  checkMesh(mesh)
  return mesh
}

function readHeader(bytes: Uint8Array): Header {
  const elements: Element[] = []
  let format = ''
  let at = 0
  refuseUtf16(bytes)
  for (let line = 1; ; line++) {
    const end = bytes.indexOf(10, at)
    const text = new TextDecoder()
      .decode(bytes.subarray(at, end < 0 ? Math.min(bytes.length, at + 80) : end))
      .trim()
    if (line === 1 && text !== 'ply') throw new InputError('not a PLY file: its first line is not "ply"')
    if (end < 0) throw new InputError('the PLY header has no "end_header": the file is cut off')
    at = end + 1
    const bad = (): InputError =>
      new InputError(`line ${line} of the PLY header is not understood: "${text}"`)
    const words = text.split(/\s+/)
    const element = elements.at(-1)
    if (words[0] === 'end_header') break
    if (words[0] === 'format') format = words[1]
    else if (words[0] === 'element') {
      const count = Number(words[2])
      if (words.length !== 3 || !Number.isInteger(count) || count < 0) throw bad()
      elements.push({ name: words[1], count, properties: [] })
    } else if (words[0] === 'property') {
      const list = words[1] === 'list'
      const types = words
        .slice(list ? 2 : 1, -1)
        .map((name) => (Object.hasOwn(SCALARS, name) ? SCALARS[name] : undefined))
      if (!element || types.length !== (list ? 2 : 1) || types.includes(undefined!)) throw bad()
      element.properties.push({
        name: words.at(-1)!,
        type: types.at(-1)!,
        lengthType: list ? types[0] : undefined,
      })
    }
  }
  const known = ['ascii', 'binary_little_endian', 'binary_big_endian']
  if (!known.includes(format))
    throw new InputError(`the PLY format "${format}" is not one of ${known.join(', ')}`)
  return { format, elements, bodyAt: at }
}

function asciiValues(bytes: Uint8Array, bodyAt: number): NextValue {
  const scanner = new TextScanner(bytes, bodyAt)
  return () => (scanner.next() ? scanner.number() : undefined)
}

function binaryValues(bytes: Uint8Array, bodyAt: number, format: string): NextValue {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const little = format === 'binary_little_endian'
  let at = bodyAt
  const take = (size: number): number => {
    at += size
    return at - size
  }
  const readers: Record<Scalar, { size: number; read: (from: number) => number }> = {
    int8: { size: 1, read: (from) => view.getInt8(from) },
    uint8: { size: 1, read: (from) => view.getUint8(from) },
    int16: { size: 2, read: (from) => view.getInt16(from, little) },
    uint16: { size: 2, read: (from) => view.getUint16(from, little) },
    int32: { size: 4, read: (from) => view.getInt32(from, little) },
    uint32: { size: 4, read: (from) => view.getUint32(from, little) },
    float32: { size: 4, read: (from) => view.getFloat32(from, little) },
    float64: { size: 8, read: (from) => view.getFloat64(from, little) },
  }
  return (type) => {
    const { size, read } = readers[type]
    return at + size > bytes.length ? undefined : read(take(size))
  }
}

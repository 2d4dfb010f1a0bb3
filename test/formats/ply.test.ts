import { PLYLoader } from 'three/examples/jsm/loaders/PLYLoader.js'
import { describe, expect, test } from 'vitest'
import { readPly } from '../../formats/ply.js'
import { InputError, type Mesh } from '../../scene/index.js'
import { random } from '../helpers/random.js'
import { box, bytesOf, corners, randomMesh } from './shapes.js'
import { rows } from '../scene/shapes.js'

const SIZES: Record<string, number> = {
  uchar: 1,
  char: 1,
  int8: 1,
  short: 2,
  ushort: 2,
  int: 4,
  uint: 4,
  float: 4,
  double: 8,
}

/** Binary values one after another. */
function pack(values: [string, number][], little: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.reduce((n, [type]) => n + SIZES[type], 0)))
  let at = 0
  for (const [type, x] of values) {
    if (type === 'float') view.setFloat32(at, x, little)
    else if (type === 'double') view.setFloat64(at, x, little)
    else if (SIZES[type] === 1) view.setUint8(at, x)
    else if (SIZES[type] === 2) view.setUint16(at, x, little)
    else view.setUint32(at, x, little)
    at += SIZES[type]
  }
  return new Uint8Array(view.buffer)
}

interface Style {
  format: string
  coordinate: string
  length: string
  index: string
  list: string
}

/** A PLY file with a colour before and a quality after the coordinates, a flag beside the faces, and an element of edges. */
function plyFile(mesh: Mesh, polygons: number[][], s: Style): Uint8Array {
  const n = mesh.positions.length / 3
  const header = `ply\nformat ${s.format} 1.0\ncomment element vertex 7\nelement vertex ${n}\nproperty uchar red
property ${s.coordinate} x\nproperty ${s.coordinate} y\nproperty ${s.coordinate} z\nproperty float quality
element extra 2\nproperty list uchar short things\nproperty int8 other\nelement face ${polygons.length}
property uchar flags\nproperty list ${s.length} ${s.index} ${s.list}\nend_header\n`
  const lines: [string, number][][] = []
  for (let v = 0; v < n; v++)
    lines.push([
      ['uchar', v % 256],
      ...[0, 1, 2].map((i): [string, number] => [s.coordinate, mesh.positions[3 * v + i]]),
      ['float', 0.5],
    ])
  const extra: [string, number][] = [
    ['uchar', 2],
    ['short', 7],
    ['short', 8],
    ['int8', 1],
  ]
  lines.push(extra, [
    ['uchar', 0],
    ['int8', 3],
  ])
  for (const polygon of polygons)
    lines.push([
      ['uchar', 1],
      [s.length, polygon.length],
      ...polygon.map((v): [string, number] => [s.index, v]),
    ])
  if (s.format === 'ascii')
    return bytesOf(header + lines.map((r) => r.map(([, x]) => x).join(' ')).join('\n'))
  const body = pack(lines.flat(), s.format === 'binary_little_endian')
  const bytes = new Uint8Array(header.length + body.length)
  bytes.set(bytesOf(header))
  bytes.set(body, header.length)
  return bytes
}

const ascii = { format: 'ascii', coordinate: 'float', length: 'uchar', index: 'int', list: 'vertex_indices' }

const fan = (polygons: number[][]): number[] =>
  polygons.flatMap((p) => Array.from({ length: p.length - 2 }, (_, i) => [p[0], p[i + 1], p[i + 2]]).flat())

const formats = ['ascii', 'binary_little_endian', 'binary_big_endian']

describe('readPly', () => {
  test.each(formats)('%s: convex polygons in several types', (format) => {
    const next = random(11)
    const styles = [
      { coordinate: 'float', length: 'uchar', index: 'int', list: 'vertex_indices' },
      { coordinate: 'double', length: 'int', index: 'uint', list: 'vertex_index' },
      { coordinate: 'float', length: 'ushort', index: 'ushort', list: 'vertex_indices' },
    ]
    for (const style of styles) {
      // Any vertices of a parabola, in order, are the corners of a convex polygon.
      const positions = Float64Array.from({ length: 120 }, (_, i) => Math.floor(i / 3) ** (i % 3) * 0.25)
      const mesh = { positions, triangles: new Uint32Array() }
      const polygons = Array.from({ length: 30 }, () => {
        const start = Math.floor(next() * 10)
        return Array.from(
          { length: 3 + Math.floor(next() * 4) },
          (_, i) => start + 4 * i + Math.floor(next() * 4),
        )
      })
      const read = readPly(plyFile(mesh, polygons, { format, ...style }))
      expect(read.positions).toEqual(mesh.positions)
      expect(Array.from(read.triangles)).toEqual(fan(polygons))
    }
  })

  test.each(formats)('%s: as three reads it', (format) => {
    const mesh = randomMesh(6, 40, 60)
    const facets = Array.from({ length: 60 }, (_, t) => Array.from(mesh.triangles.subarray(3 * t, 3 * t + 3)))
    const bytes = plyFile(mesh, facets, { ...ascii, format })
    const geometry = new PLYLoader().parse(bytes.slice().buffer as ArrayBuffer)
    const [p, index] = [geometry.getAttribute('position').array, geometry.index!.array]
    expect(corners(readPly(bytes))).toEqual(
      Array.from(index).flatMap((v) => [p[3 * v], p[3 * v + 1], p[3 * v + 2]]),
    )
  })

  test('groups are numbers that faces have, before or after their vertices', () => {
    const header = (before: string, after: string): string =>
      `ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 3\n${before}property list uchar int vertex_indices\n${after}end_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n`
    const first = readPly(
      bytesOf(`${header('property int material_index\n', '')}7 4 0 1 2 3\n2 3 0 1 2\n7 3 0 2 3\n`),
    )
    expect(first.groupNames).toEqual(['7', '2'])
    expect([...first.facetGroup!]).toEqual([0, 0, 1, 0])
    const last = readPly(
      bytesOf(`${header('', 'property uchar label\n')}4 0 1 2 3 7\n3 0 1 2 2\n3 0 2 3 7\n`),
    )
    expect(last).toEqual(first)
    const one = readPly(bytesOf(`${header('', 'property uchar label\n')}4 0 1 2 3 7\n3 0 1 2 7\n3 0 2 3 7\n`))
    expect(one).not.toHaveProperty('facetGroup')
  })

  test('integer coordinates and line ends of Windows', () => {
    const text = `ply\nformat ascii 1.0\nelement vertex 3\nproperty short x\nproperty short y\nproperty short z
element face 1\nproperty list uint8 int32 vertex_indices\nend_header\n0 0 0\n-1 0 0\n0 1 0\n3 0 1 2\n`
    expect(readPly(bytesOf(text.replaceAll('\n', '\r\n')))).toEqual({
      positions: Float64Array.of(0, 0, 0, -1, 0, 0, 0, 1, 0),
      triangles: Uint32Array.of(0, 1, 2),
    })
  })

  const binary = { ...ascii, format: 'binary_little_endian' }
  const text = (polygons: number[][]): string => new TextDecoder().decode(plyFile(box(), polygons, ascii))
  /** A file of one facet in ASCII, some of its text replaced. */
  const but = (from: string, to: string) => bytesOf(text([[0, 1, 2]]).replace(from, to))
  const noNumber = box()
  noNumber.positions[3 * 5 + 1] = NaN
  const refused: [string, Uint8Array, string][] = [
    ['no PLY', bytesOf('solid x'), 'its first line is not "ply"'],
    ['no end of header', bytesOf('ply\nformat ascii 1.0\n'), 'no "end_header"'],
    ['another format', but('ascii', 'zip'), 'format "zip" is not one of'],
    ['a bad line', but('float quality', 'string quality'), 'line 9 of the PLY header'],
    ['a bad count', but('vertex 8', 'vertex many'), 'line 4 of the PLY header'],
    ['no z', but('float z', 'float w'), 'no element "vertex" with x, y and z'],
    ['no indices', but('vertex_indices', 'strips'), 'no element "face"'],
    [
      'cut off',
      plyFile(box(), rows('0 1 2, 0 1 3'), binary).subarray(0, -3),
      'declares 2 of element "face" but ends in number 1',
    ],
    ['cut off in ASCII', bytesOf(text([[0, 1, 2]]).slice(0, -2)), 'ends in number 0'],
    ['a wild count', but('vertex 8', 'vertex 4000000000'), 'it is cut off'],
    [
      'number too high',
      plyFile(box(), rows('0 1 2, 0 1 8'), binary),
      'face 1 uses vertex 8, but the file has 8',
    ],
    ['number negative', bytesOf(text([[0, 1, -1]])), 'face 0 uses vertex -1'],
    ['two corners', plyFile(box(), [[0, 1]], binary), 'face 0 has 2 vertices'],
    ['no faces', plyFile(box(), [], binary), 'no faces'],
    ['NaN in ASCII', but('\n1 1 0 0', '\n1 nan 0 0'), 'line 18: "nan" is not'],
    ['NaN in binary', plyFile(noNumber, [[0, 1, 2]], binary), 'coordinate y of vertex 5 is NaN'],
  ]
  test.each(refused)('refuses: %s', (_, bytes, message) => {
    expect(() => readPly(bytes)).toThrow(InputError)
    expect(() => readPly(bytes)).toThrow(message)
  })
})

import { random } from '../helpers/random.js'
import { cross, dot, type Mesh, type Vec3 } from '../../scene/index.js'
import { rows } from '../scene/shapes.js'

/** A box of 1 x 2 x 3 with a corner at the origin: 8 vertices, 12 outward facets. */
export function box(): Mesh {
  const quads = rows('0 2 3 1, 4 5 7 6, 0 1 5 4, 2 6 7 3, 0 4 6 2, 1 3 7 5')
  return {
    positions: Float64Array.from(
      { length: 24 },
      (_, i) => ((Math.floor(i / 3) >> (i % 3)) & 1) * ((i % 3) + 1),
    ),
    triangles: Uint32Array.from(quads.flatMap(([a, b, c, d]) => [a, b, c, a, c, d])),
  }
}

/** Random vertices (as float32) and facets. */
export function randomMesh(seed: number, vertices: number, facets: number): Mesh {
  const next = random(seed)
  return {
    positions: Float64Array.from({ length: 3 * vertices }, () =>
      Math.fround((next() - 0.5) * 10 ** (6 * next() - 3)),
    ),
    triangles: Uint32Array.from({ length: 3 * facets }, () => Math.floor(next() * vertices)),
  }
}

/** Coordinates of every facet's corners, 9 for each. */
export const corners = (mesh: Mesh): number[] =>
  Array.from(mesh.triangles).flatMap((v) => Array.from(mesh.positions.subarray(3 * v, 3 * v + 3)))

export type Point = [number, number, number]

/** Points about the z axis, counter-clockwise, each at a radius of its own. */
export const ring = (count: number, radius: (i: number) => number): Point[] =>
  Array.from({ length: count }, (_, i) => {
    const [r, angle] = [radius(i), (2 * Math.PI * i) / count]
    return [r * Math.cos(angle), r * Math.sin(angle), 0]
  })

/** Area vectors of the facets, along their normals [m^2]. */
export function areaVectors(mesh: Mesh): Vec3[] {
  const c = corners(mesh)
  const side = (from: number, to: number): Vec3 => [0, 1, 2].map((k) => (c[to + k] - c[from + k]) / 2) as Vec3
  return facetsOf(mesh).map((_, t) =>
    cross(side(9 * t, 9 * t + 3), side(9 * t, 9 * t + 6)).map((x) => 2 * x),
  ) as Vec3[]
}

/** Volume inside, positive where facets face outwards, and area. */
export function measure(mesh: Mesh): { volume: number; area: number } {
  const c = corners(mesh)
  const vectors = areaVectors(mesh)
  const sum = (values: number[]): number => values.reduce((a, b) => a + b, 0)
  const volumes = vectors.map((n, t) => dot(n, c.slice(9 * t, 9 * t + 3) as Vec3) / 3)
  return { volume: sum(volumes), area: sum(vectors.map((n) => Math.hypot(...n))) }
}

const triples = (values: ArrayLike<number>): number[][] =>
  Array.from({ length: values.length / 3 }, (_, i) => [0, 1, 2].map((c) => values[3 * i + c]))

/** Numbers of the vertices of each facet. */
export const facetsOf = ({ triangles }: Mesh): number[][] => triples(triangles)

/** An OBJ file of vertices and of faces of any number of corners. */
export const objText = ({ positions }: Pick<Mesh, 'positions'>, faces: number[][]): string =>
  [
    ...triples(positions).map((v) => `v ${v.join(' ')}\n`),
    ...faces.map((face) => `f ${face.map((v) => v + 1).join(' ')}\n`),
  ].join('')

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

export function asciiStl(mesh: Mesh, name = 'part'): string {
  const c = corners(mesh)
  let text = `solid ${name}\n`
  for (let t = 0; t < c.length; t += 9) {
    text += '  facet normal 0 0 0\n    outer loop\n'
    for (let i = t; i < t + 9; i += 3) text += `      vertex ${c[i]} ${c[i + 1]} ${c[i + 2]}\n`
    text += '    endloop\n  endfacet\n'
  }
  return `${text}endsolid ${name}\n`
}

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

interface PlyStyle {
  format: string
  coordinate: string
  length: string
  index: string
  list: string
}

/** A PLY file with a colour before and a quality after the coordinates, a flag beside the faces, and an element of edges. */
export function plyFile(
  { positions }: Pick<Mesh, 'positions'>,
  polygons: number[][],
  s: PlyStyle,
): Uint8Array {
  const n = positions.length / 3
  const header = `ply\nformat ${s.format} 1.0\ncomment element vertex 7\nelement vertex ${n}\nproperty uchar red
property ${s.coordinate} x\nproperty ${s.coordinate} y\nproperty ${s.coordinate} z\nproperty float quality
element extra 2\nproperty list uchar short things\nproperty int8 other\nelement face ${polygons.length}
property uchar flags\nproperty list ${s.length} ${s.index} ${s.list}\nend_header\n`
  const lines: [string, number][][] = []
  for (let v = 0; v < n; v++)
    lines.push([
      ['uchar', v % 256],
      ...[0, 1, 2].map((i): [string, number] => [s.coordinate, positions[3 * v + i]]),
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

/** The common style, in ASCII. */
export const PLY_ASCII: PlyStyle = {
  format: 'ascii',
  coordinate: 'float',
  length: 'uchar',
  index: 'int',
  list: 'vertex_indices',
}

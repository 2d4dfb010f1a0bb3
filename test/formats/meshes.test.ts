import type { Mesh as ThreeMesh } from 'three'
import { OBJLoader } from 'three/examples/jsm/loaders/OBJLoader.js'
import { PLYLoader } from 'three/examples/jsm/loaders/PLYLoader.js'
import { STLLoader } from 'three/examples/jsm/loaders/STLLoader.js'
import { describe, expect, test } from 'vitest'
import { writeBinaryStl } from '../../formats/index.js'
import { readObj } from '../../formats/obj.js'
import { readPly } from '../../formats/ply.js'
import { readStl } from '../../formats/stl.js'
import { dot, type Mesh, type Vec3 } from '../../scene/index.js'
import { random } from '../helpers/random.js'
import { rows } from '../scene/shapes.js'
import { areaVectors, asciiStl, box, bytesOf, corners, facetsOf, objText, PLY_ASCII, plyFile, type Point, randomMesh, ring } from './shapes.js' // prettier-ignore

/** Vertices of a parabola: any of them, in order, are the corners of a convex polygon. */
const parabola = (count: number): Pick<Mesh, 'positions'> => ({
  positions: Float64Array.from({ length: 3 * count }, (_, i) => Math.floor(i / 3) ** (i % 3) * 0.25),
})

/** Numbers of three's vertices, one after another. */
const numbers = (attribute: { array: ArrayLike<number> }): number[] => Array.from(attribute.array)

describe('readStl', () => {
  const three = (bytes: Uint8Array): number[] =>
    numbers(new STLLoader().parse(bytes.slice().buffer as ArrayBuffer).getAttribute('position'))

  test('binary, as written and as three reads it', () => {
    for (const mesh of [box(), randomMesh(1, 50, 200)]) {
      const bytes = writeBinaryStl(mesh)
      const read = readStl(bytes)
      expect(corners(read)).toEqual(corners(mesh))
      expect(corners(read)).toEqual(three(bytes))
      expect(read.positions.length).toBe(3 * mesh.triangles.length)
      // A view into a larger buffer, at an odd offset.
      const shifted = new Uint8Array(bytes.length + 7)
      shifted.set(bytes, 3)
      expect(readStl(shifted.subarray(3, 3 + bytes.length))).toEqual(read)
    }
  })

  test('ASCII, as written and (to float32) as three reads it', () => {
    for (const mesh of [box(), randomMesh(2, 50, 200)]) {
      const bytes = bytesOf(asciiStl(mesh))
      expect(corners(readStl(bytes))).toEqual(corners(mesh))
      expect(corners(readStl(bytes))).toEqual(three(bytes))
      expect(readStl(bytesOf(asciiStl(mesh).toUpperCase().replaceAll('\n', '\r\n'))).positions).toEqual(
        readStl(bytes).positions,
      )
    }
  })

  test('several solids, names of any words, a normal that is no number', () => {
    const text = asciiStl(box(), 'facet vertex 7').replace('normal 0 0 0', 'normal nan -nan inf')
    expect(readStl(bytesOf(text + asciiStl(box(), ''))).triangles.length).toBe(72)
  })

  test('groups are the solids of an ASCII file', () => {
    const facet = 'facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet\n'
    const solid = (name: string, facets: number): string => `solid ${name}\n${facet.repeat(facets)}endsolid\n`
    const text = solid('wing tip', 2) + solid('', 1) + solid('wing tip', 1)
    const mesh = readStl(bytesOf(text))
    expect(mesh.groupNames).toEqual(['wing tip', 'default'])
    expect([...mesh.facetGroup!]).toEqual([0, 0, 1, 0])
    expect(readStl(bytesOf(solid('body', 3)))).not.toHaveProperty('facetGroup')
  })

  test('a binary file that begins with "solid" is binary', () => {
    const bytes = writeBinaryStl(box())
    bytes.set(bytesOf('solid facet normal vertex'.padEnd(80)))
    expect(corners(readStl(bytes))).toEqual(corners(box()))
    expect(() => readStl(bytes.subarray(0, 300))).toThrow('declares 12 facets but has 4')
  })
})

describe('readObj', () => {
  const three = (text: string): number[] =>
    new OBJLoader().parse(text).children.flatMap((child) => numbers((child as ThreeMesh).geometry.getAttribute('position'))) // prettier-ignore

  test('triangles, shared vertices', () => {
    expect(readObj(bytesOf(`# box\n${objText(box(), facetsOf(box()))}`))).toEqual(box())
  })

  test('random convex polygons with all forms of corners, as three reads them', () => {
    const next = random(4)
    for (let trial = 0; trial < 20; trial++) {
      let text = `${objText(parabola(30), [])}vt 0 0\nvn 0 0 1\n`
      for (let f = 0; f < 40; f++) {
        const form = f % 4
        const start = Math.floor(next() * 8)
        const face = Array.from({ length: 3 + Math.floor(next() * 5) }, (_, i) => {
          const v = start + 3 * i + Math.floor(next() * 3)
          const n = next() < 0.5 ? v + 1 : v - 30
          return [`${n}`, `${n}/1`, `${n}//1`, `${n}/1/1`][form]
        })
        text += `${f % 10 === 0 ? `g group ${f}\n` : ''}f ${face.join(' ')}\n`
      }
      expect(corners(readObj(bytesOf(text)))).toEqual(three(text))
    }
  })

  test('joined lines, comments, colours, lines, points and CRLF', () => {
    const text =
      'v 0 0 0 1 0 0\nv 1 0 0 # c\nv 1 1 \\\n 0\nv 0 1 0 1.0\nl 1 2\np 1\ns off\nvp 1 2\nf 1 2 \\\n3 4 # quad\n'
    const mesh = readObj(bytesOf(text.replaceAll('\n', '\r\n')))
    expect(Array.from(mesh.triangles)).toEqual([0, 1, 2, 0, 2, 3])
    expect(mesh.positions.length).toBe(12)
    expect(mesh.facetGroup).toBeUndefined()
  })

  test('objects, groups and materials', () => {
    const text = `f 1 2 3\no wing\nf 1 2 3\nusemtl steel\nf 1 2 3\nf 3 2 1\ng tip left\nf 1 2 3\no wing\ng\nf 1 2 3\n
v 0 0 0\nv 1 0 0\nv 0 1 0\n`
    const mesh = readObj(bytesOf(text))
    expect(mesh.groupNames).toEqual(['default', 'wing', 'wing/steel', 'wing/tip left/steel'])
    expect(Array.from(mesh.facetGroup!)).toEqual([0, 1, 2, 2, 3, 2])
  })
})

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
      const polygons = Array.from({ length: 30 }, () => {
        const start = Math.floor(next() * 10)
        return Array.from(
          { length: 3 + Math.floor(next() * 4) },
          (_, i) => start + 4 * i + Math.floor(next() * 4),
        )
      })
      const read = readPly(plyFile(parabola(40), polygons, { format, ...style }))
      expect(read.positions).toEqual(parabola(40).positions)
      expect(Array.from(read.triangles)).toEqual(fan(polygons))
    }
  })

  test.each(formats)('%s: as three reads it', (format) => {
    const mesh = randomMesh(6, 40, 60)
    const bytes = plyFile(mesh, facetsOf(mesh), { ...PLY_ASCII, format })
    const geometry = new PLYLoader().parse(bytes.slice().buffer as ArrayBuffer).toNonIndexed()
    expect(corners(readPly(bytes))).toEqual(numbers(geometry.getAttribute('position')))
  })

  test('groups are numbers that faces have, before or after their vertices', () => {
    const read = (before: string, after: string, ...faces: string[]): Mesh =>
      readPly(
        bytesOf(
          `ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 3\n${before}property list uchar int vertex_indices\n${after}end_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n${faces.join('\n')}\n`,
        ),
      )
    const label = 'property uchar label\n'
    const first = read('property int material_index\n', '', '7 4 0 1 2 3', '2 3 0 1 2', '7 3 0 2 3')
    expect(first.groupNames).toEqual(['7', '2'])
    expect([...first.facetGroup!]).toEqual([0, 0, 1, 0])
    expect(read('', label, '4 0 1 2 3 7', '3 0 1 2 2', '3 0 2 3 7')).toEqual(first)
    expect(read('', label, '4 0 1 2 3 7', '3 0 1 2 7', '3 0 2 3 7')).not.toHaveProperty('facetGroup')
  })

  test('integer coordinates and line ends of Windows', () => {
    const text = `ply\nformat ascii 1.0\nelement vertex 3\nproperty short x\nproperty short y\nproperty short z
element face 1\nproperty list uint8 int32 vertex_indices\nend_header\n0 0 0\n-1 0 0\n0 1 0\n3 0 1 2\n`
    expect(readPly(bytesOf(text.replaceAll('\n', '\r\n')))).toEqual({
      positions: Float64Array.of(0, 0, 0, -1, 0, 0, 0, 1, 0),
      triangles: Uint32Array.of(0, 1, 2),
    })
  })
})

/** A polygon as an OBJ and as a PLY file, read. */
const objOf = (points: Point[]): Mesh =>
  readObj(bytesOf(objText({ positions: Float64Array.from(points.flat()) }, [[...points.keys()]])))
const plyOf = (points: Point[]): Mesh =>
  readPly(plyFile({ positions: Float64Array.from(points.flat()) }, [[...points.keys()]], { ...PLY_ASCII, coordinate: 'double', length: 'int' })) // prettier-ignore

/** Areas of the facets along a normal [m^2]. */
const areas = (mesh: Mesh, normal: Vec3): number[] => areaVectors(mesh).map((vector) => dot(vector, normal))

const sum = (list: number[]): number => list.reduce((a, b) => a + b, 0)

// A star of 12 points, its inner corners first: seen from none of its corners is all of it.
const star = ring(24, (i) => (i % 2 ? 1 : 0.5))
const lShape: Point[] = rows('0 0 0, 2 0 0, 2 1 0, 1 1 0, 1 2 0, 0 2 0')
const rotated = (points: Point[], by: number): Point[] =>
  points.map((_, i) => points[(i + by) % points.length])

describe('concave polygons', () => {
  test.each([
    ['OBJ', objOf],
    ['PLY', plyOf],
  ])('%s: facets of a star cover it once', (_, read) => {
    for (const by of [0, 1, 7]) {
      const found = areas(read(rotated(star, by)), [0, 0, 1])
      expect(found).toHaveLength(22)
      expect(Math.min(...found)).toBeGreaterThan(0)
      expect(sum(found)).toBeCloseTo(12 * 0.5 * Math.sin(Math.PI / 12), 12)
    }
  })

  test('an L from any corner, either way round, tilted and far from the origin', () => {
    const [n, u, v]: Vec3[] = rows('0 -0.6 0.8, 1 0 0, 0 0.8 0.6')
    const tilted = lShape.map(([x, y]) => [0, 1, 2].map((c) => 1000 + x * u[c] + y * v[c]) as Point)
    for (let by = 0; by < 6; by++) {
      const there = areas(objOf(rotated(tilted, by)), n)
      const back = areas(objOf(rotated(tilted, by).reverse()), n)
      expect(Math.min(...there)).toBeGreaterThan(-1e-9)
      expect(Math.max(...back)).toBeLessThan(1e-9)
      for (const all of [sum(there), -sum(back)]) expect(all).toBeCloseTo(3, 9)
    }
  })

  test('a frame whose hole is joined to its rim by a cut, and corners along straight sides', () => {
    const outer: Point[] = [[0, 0, 0], [2, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0], [0, 0, 0]] // prettier-ignore
    const hole: Point[] = [[1, 1, 0], [1, 3, 0], [3, 3, 0], [3, 1, 0], [1, 1, 0]] // prettier-ignore
    const found = areas(objOf([...outer, ...hole]), [0, 0, 1])
    expect(Math.min(...found)).toBeGreaterThan(-1e-12)
    expect(sum(found)).toBeCloseTo(12, 12)
  })

  test('random star-shaped polygons', () => {
    const next = random(7)
    for (let trial = 0; trial < 50; trial++) {
      const n = 4 + Math.floor(60 * next())
      const points = ring(n, () => 0.1 + next())
      const expected = sum(
        points.map(([x, y], i) => (x * points[(i + 1) % n][1] - y * points[(i + 1) % n][0]) / 2),
      )
      const found = areas(objOf(points), [0, 0, 1])
      expect(Math.min(...found)).toBeGreaterThan(-1e-5)
      expect(sum(found.map(Math.abs))).toBeCloseTo(expected, 4)
    }
  })

  test('a convex polygon and one that crosses itself keep the fan of their first corner', () => {
    const fan = [0, 1, 2, 0, 2, 3]
    const square: Point[] = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]] // prettier-ignore
    const crossed: Point[] = [[0, 0, 0], [1, 1, 0], [1, 0, 0], [0, 1, 0]] // prettier-ignore
    expect(Array.from(objOf(square).triangles)).toEqual(fan)
    expect(Array.from(objOf(crossed).triangles)).toEqual(fan)
  })
})

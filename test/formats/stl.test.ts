import { STLLoader } from 'three/examples/jsm/loaders/STLLoader.js'
import { describe, expect, test } from 'vitest'
import { writeBinaryStl } from '../../formats/index.js'
import { readStl } from '../../formats/stl.js'
import { InputError } from '../../scene/index.js'
import { asciiStl, box, bytesOf, corners, randomMesh } from './shapes.js'

const three = (bytes: Uint8Array): number[] =>
  Array.from(new STLLoader().parse(bytes.slice().buffer as ArrayBuffer).getAttribute('position').array)

describe('readStl', () => {
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

  const notFinite = writeBinaryStl(box())
  new DataView(notFinite.buffer).setFloat32(84 + 50 * 4 + 12 + 8, NaN, true)
  /** The box in ASCII, some of its text replaced. */
  const but = (from: string, to: string) => bytesOf(asciiStl(box()).replace(from, to))
  const refused: [string, Uint8Array, string][] = [
    ['cut off', writeBinaryStl(box()).subarray(0, 84 + 50 * 7 + 20), 'declares 12 facets but has 7'],
    ['undeclared facets', new Uint8Array(84 + 100), 'declares 0 facets but has 2'],
    ['too short', new Uint8Array(20), '20 bytes are not an STL file'],
    ['no facets', new Uint8Array(84), 'no facets'],
    ['no facets in ASCII', bytesOf('solid x\nendsolid x\n'), 'no facets'],
    ['not finite', notFinite, 'facet 5 of 12 has a vertex coordinate NaN'],
    ['a word for a number', but('vertex 0 2 0', 'vertex 0 two 0'), 'line 5: "two" is not'],
    ['NaN in ASCII', but('vertex 0 2 0', 'vertex 0 nan 0'), 'line 5: "nan" is not'],
    ['infinite in ASCII', but('vertex 0 2 0', 'vertex 0 1e999 0'), 'line 5'],
    ['ASCII cut off in a facet', bytesOf(asciiStl(box()).slice(0, 700)), 'cut off'],
    ['ASCII cut off between facets', but('endsolid part', ''), 'after 12 whole facets'],
    ['four vertices', but('    endloop', 'vertex 1 1 1\nendloop'), 'facet 1 does not have three'],
    ['another word', but('outer', 'inner'), 'line 3: "inner"'],
  ]
  test.each(refused)('refuses: %s', (_, bytes, message) => {
    expect(() => readStl(bytes)).toThrow(InputError)
    expect(() => readStl(bytes)).toThrow(message)
  })
})

import { OBJLoader } from 'three/examples/jsm/loaders/OBJLoader.js'
import type { Mesh as ThreeMesh } from 'three'
import { describe, expect, test } from 'vitest'
import { readObj } from '../../formats/obj.js'
import { InputError } from '../../scene/index.js'
import { random } from '../helpers/random.js'
import { box, bytesOf, corners } from './shapes.js'

const three = (text: string): number[] =>
  new OBJLoader()
    .parse(text)
    .children.flatMap((child) => Array.from((child as ThreeMesh).geometry.getAttribute('position').array))

const verticesOf = (positions: ArrayLike<number>): string =>
  Array.from(
    { length: positions.length / 3 },
    (_, v) => `v ${[0, 1, 2].map((i) => positions[3 * v + i]).join(' ')}`,
  ).join('\n')

describe('readObj', () => {
  test('triangles, shared vertices', () => {
    const mesh = box()
    const faces = Array.from(
      { length: 12 },
      (_, t) => `f ${[0, 1, 2].map((i) => mesh.triangles[3 * t + i] + 1).join(' ')}`,
    )
    expect(readObj(bytesOf(`# box\n${verticesOf(mesh.positions)}\n${faces.join('\n')}\n`))).toEqual(mesh)
  })

  test('random convex polygons with all forms of corners, as three reads them', () => {
    const next = random(4)
    for (let trial = 0; trial < 20; trial++) {
      // Any vertices of a parabola, in order, are the corners of a convex polygon.
      const positions = Array.from({ length: 30 }, (_, v) => [v, v * v, 0]).flat()
      let text = `${verticesOf(positions)}\nvt 0 0\nvn 0 0 1\n`
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

  const v = 'v 0 0 0\nv 1 0 0\nv 0 1 0\n'
  const refused: [string, string, string][] = [
    ['no number', `v 0 0 0\nv 1 x 0\n`, 'line 2: "x" is not a finite number'],
    ['NaN', `v 0 0 0\nv 1 nan 0\n`, 'line 2: "nan"'],
    ['two coordinates', `v 0 0 0\nv 1 2\n`, 'line 2: vertex 2 does not have three coordinates'],
    [
      'number too high',
      `${v}f 1 2 3\nf 1 2 4\nf 1 2 3\n`,
      'line 5: vertex 4 is used, but the file has 3 vertices',
    ],
    ['number too low', `${v}f 1 2 -4\n`, 'line 4: vertex -4 counts back before the first'],
    ['number zero', `${v}f 1 2 0\n`, 'line 4: "0" is not a vertex'],
    ['no vertex', `${v}f 1 2 a/b\n`, 'line 4: "a/b" is not a vertex'],
    ['a fraction', `${v}f 1 2 1.5\n`, '"1.5" is not a vertex'],
    ['two corners', `${v}f 1 2\n`, 'line 4: a face with 2 vertices'],
    ['no faces', v, 'no faces'],
  ]
  test.each(refused)('refuses: %s', (_, text, message) => {
    expect(() => readObj(bytesOf(text))).toThrow(InputError)
    expect(() => readObj(bytesOf(text))).toThrow(message)
  })
})

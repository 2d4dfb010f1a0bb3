import { InputError, type Mesh } from '../scene/index.js'
import { GrowingFloats, GrowingInts } from './growing.js'
import { Polygons } from './polygons.js'
import { TextScanner } from './text-scanner.js'

const HASH = 35
const SLASH = 47

/**
 * Reads the vertices and faces of a Wavefront OBJ file; everything else in it (normals, texture coordinates, lines,
 * curves) is skipped. Polygons become facets as `Polygons` says. Negative vertex numbers count back from the last vertex
 * before the face. The groups are the combinations of object (`o`), group (`g`) and material (`usemtl`) in force, named
 * "object/group/material" (those that are set); faces before any of these are "default".
 * Throws InputError for text that is not a number, a face with fewer than three vertices, a vertex number out of range, or
 * a file without faces; messages name the line.
 */
export function readObj(bytes: Uint8Array): Mesh {
  const scanner = new TextScanner(bytes)
  const positions = new GrowingFloats()
  const polygons = new Polygons()
  const group = new GrowingInts()
  const numbers = new Map<string, number>()
  const names = { o: '', g: '', usemtl: '' }
  let current = -1
  let highest = { vertex: -1, at: 0 }

  while (scanner.next()) {
    if (scanner.is('v')) {
      for (let i = 0; i < 3; i++) {
        if (!scanner.nextOnLine())
          scanner.fail(`vertex ${Math.floor(positions.length / 3) + 1} does not have three coordinates`)
        positions.push(scanner.number())
      }
    } else if (scanner.is('f')) {
      if (current < 0) current = groupNumber(numbers, names)
      while (scanner.nextOnLine() && scanner.firstByte() !== HASH) {
        const v = cornerVertex(scanner, Math.floor(positions.length / 3))
        // A face may reference vertices that come later in the file; this is checked at its end.
        if (v > highest.vertex) highest = { vertex: v, at: scanner.offset }
        polygons.corner(v)
      }
      const corners = polygons.end()
      if (corners < 3) scanner.fail(`a face with ${corners} vertices; it needs three or more`)
      for (let i = 2; i < corners; i++) group.push(current)
    } else if (scanner.is('o') || scanner.is('g') || scanner.is('usemtl')) {
      names[scanner.text().toLowerCase() as keyof typeof names] = scanner.restOfLine()
      current = -1
    }
    scanner.skipLine()
  }

  const vertices = positions.length / 3
  if (highest.vertex >= vertices)
    scanner.fail(`vertex ${highest.vertex + 1} is used, but the file has ${vertices} vertices`, highest.at)
  if (group.length === 0) throw new InputError('the OBJ file has no faces')
  const coordinates = positions.take()
  const mesh: Mesh = { positions: coordinates, triangles: polygons.take(coordinates) }
  if (numbers.size === 1 && numbers.has('default')) return mesh
  return { ...mesh, facetGroup: Uint32Array.from(group.take()), groupNames: [...numbers.keys()] }
}

/** Vertex number, from 0, of a corner "v", "v/vt", "v//vn" or "v/vt/vn". */
function cornerVertex(scanner: TextScanner, vertices: number): number {
  const number = scanner.integerBefore(SLASH)
  if (!(Math.abs(number) < 2 ** 31) || number === 0)
    scanner.fail(`"${scanner.text()}" is not a vertex of a face`)
  if (number < -vertices)
    scanner.fail(`vertex ${number} counts back before the first; ${vertices} vertices come before this face`)
  return number > 0 ? number - 1 : vertices + number
}

function groupNumber(numbers: Map<string, number>, names: { o: string; g: string; usemtl: string }): number {
  const name = [names.o, names.g, names.usemtl].filter(Boolean).join('/') || 'default'
  if (!numbers.has(name)) numbers.set(name, numbers.size)
  return numbers.get(name)!
}

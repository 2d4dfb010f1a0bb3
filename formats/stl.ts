import { facetCount, InputError, type Mesh, singleRounding } from '../scene/index.js'
import { GrowingFloats, GrowingInts, refuseUtf16, TextScanner } from './text-scanner.js'

/**
 * Reads an STL file, binary or ASCII. Each facet has three separate vertices (see `weld`); normals and colours are ignored, the vertices'
 * order gives the orientation. The groups are the names of the solids of an ASCII file. Facets are numbered from 1 in messages.
 * Throws InputError when the file is cut off or not an STL file, has a vertex that is not finite, or has no facets.
 */
export function readStl(bytes: Uint8Array): Mesh {
  const isAscii = looksAscii(bytes)
  const { positions, ...others } = isAscii ? readAscii(bytes) : readBinary(bytes)
  if (positions.length === 0) throw new InputError('the STL file has no facets')
  const triangles = new Uint32Array(positions.length / 3)
  for (let i = 0; i < triangles.length; i++) triangles[i] = i
  return { positions, triangles, ...others }
}

/** Binary files may also begin with "solid": the size decides, then zero bytes in the header, which text does not contain. */
function looksAscii(bytes: Uint8Array): boolean {
  if (bytes.length >= 84 && bytes.length === 84 + 50 * declaredFacets(bytes)) return false
  const head = new TextDecoder().decode(bytes.subarray(0, 512))
  return /^\s*solid\b/i.test(head) && !head.includes('\0')
}

const declaredFacets = (bytes: Uint8Array): number =>
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(80, true)

/** 80 bytes of header, the number of facets, then 50 bytes for each: normal, three vertices (float32), attribute. */
function readBinary(bytes: Uint8Array): Omit<Mesh, 'triangles'> {
  if (bytes.length < 84)
    throw new InputError(
      `${bytes.length} bytes are not an STL file: it begins with "solid" or has at least 84 bytes`,
    )
  const declared = declaredFacets(bytes)
  const present = Math.floor((bytes.length - 84) / 50)
  if (declared !== present) {
    refuseUtf16(bytes)
    throw new InputError(
      `the binary STL file declares ${declared} facets but has ${present}: it is damaged or cut off, or not an STL file`,
    )
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const positions = new Float64Array(9 * declared)
  for (let t = 0; t < declared; t++)
    for (let i = 0; i < 9; i++) {
      const x = view.getFloat32(96 + 50 * t + 4 * i, true)
      if (!Number.isFinite(x))
        throw new InputError(`facet ${t + 1} of ${declared} has a vertex coordinate ${x}; repair the mesh`)
      positions[9 * t + i] = x
    }
  return { positions, rounding: singleRounding(positions) }
}

function readAscii(bytes: Uint8Array): Omit<Mesh, 'triangles'> {
  const scanner = new TextScanner(bytes)
  const positions = new GrowingFloats()
  const group = new GrowingInts()
  const numbers = new Map<string, number>()
  let solid = 0
  let inside = false
  /** Coordinates before the facet being read. */
  let before = 0
  while (scanner.next()) {
    if (scanner.is('vertex')) {
      for (let i = 0; i < 3; i++) {
        if (!scanner.next()) scanner.fail('the file ends inside a vertex: it is cut off')
        positions.push(scanner.number())
      }
    } else if (scanner.is('facet') || scanner.is('endfacet')) {
      if (positions.length !== before + (scanner.is('facet') ? 0 : 9))
        scanner.fail(`facet ${before / 9 + 1} does not have three vertices, or has no "endfacet"`)
      if (scanner.is('endfacet')) group.push(solid)
      before = positions.length
    } else if (scanner.is('solid') || scanner.is('endsolid')) {
      inside = scanner.is('solid')
      // The name may hold any words.
      const name = scanner.restOfLine() || 'default'
      if (inside && !numbers.has(name)) numbers.set(name, numbers.size)
      if (inside) solid = numbers.get(name)!
      scanner.skipLine()
    } else if (scanner.is('normal')) {
      for (let i = 0; i < 3; i++) scanner.next()
    } else if (!scanner.is('outer') && !scanner.is('loop') && !scanner.is('endloop'))
      scanner.fail(
        `"${scanner.text().slice(0, 40)}" is not a keyword of ASCII STL: the file is damaged or cut off`,
      )
  }
  if (inside || positions.length !== before)
    throw new InputError(
      `the ASCII STL file ends after ${before / 9} whole facets without "endsolid": it is cut off`,
    )
  const read = { positions: positions.take() }
  if (numbers.size <= 1) return read
  return { ...read, facetGroup: Uint32Array.from(group.take()), groupNames: [...numbers.keys()] }
}

/** Binary STL of a mesh: 84 + 50 T bytes, unit normals by the right-hand rule, coordinates rounded to float32. */
export function writeBinaryStl(mesh: Mesh, header = 'isar'): Uint8Array {
  const n = facetCount(mesh)
  const bytes = new Uint8Array(84 + 50 * n)
  // A binary file must not start with "solid": readers would treat it as ASCII.
  bytes.set(new TextEncoder().encode(`isar binary STL: ${header}`).subarray(0, 80))
  const view = new DataView(bytes.buffer)
  view.setUint32(80, n, true)
  const p = mesh.positions
  for (let t = 0; t < n; t++) {
    const [a, b, c] = [0, 1, 2].map((i) => 3 * mesh.triangles[3 * t + i])
    const u = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]]
    const v = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]]
    const m = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    const length = Math.hypot(m[0], m[1], m[2]) || 1
    const at = 84 + 50 * t
    for (let i = 0; i < 3; i++) {
      view.setFloat32(at + 4 * i, m[i] / length, true)
      view.setFloat32(at + 12 + 4 * i, p[a + i], true)
      view.setFloat32(at + 24 + 4 * i, p[b + i], true)
      view.setFloat32(at + 36 + 4 * i, p[c + i], true)
    }
  }
  return bytes
}

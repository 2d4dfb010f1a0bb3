import { InputError, type Mesh } from '../scene/index.js'
import { GrowingFloats, GrowingInts, TextScanner } from './text-scanner.js'

/** Part of a polygon's area by which a fan's facet may face the other way: collinear corners are off by rounding. */
const ROUNDING = 1e-6

/** Most corners of a concave polygon: its time is with their square at least. */
const MOST_CONCAVE = 4096
/** Most corners of any polygon: the strips of each of its edges are looked for along all others. */
const MOST_CORNERS = 16_384

/**
 * Facets of a file's polygons, their corners given one by one. A polygon is fanned from its first corner; where that fan folds back, as
 * that of a concave polygon may, its ears are clipped instead.
 */
export class Polygons {
  #facets = new GrowingInts()
  /** First index in `#facets`, and corners, of each polygon of four corners and more. */
  #fans = new GrowingInts()
  #first = 0
  #last = 0
  #corners = 0

  corner(vertex: number): void {
    if (this.#corners === 0) this.#first = vertex
    else if (this.#corners >= 2) {
      this.#facets.push(this.#first)
      this.#facets.push(this.#last)
      this.#facets.push(vertex)
    }
    this.#last = vertex
    this.#corners++
  }

  /** Ends a polygon and returns the number of its corners; with fewer than three it has no facet. */
  end(): number {
    const corners = this.#corners
    if (corners > 3) {
      this.#fans.push(this.#facets.length - 3 * (corners - 2))
      this.#fans.push(corners)
    }
    this.#corners = 0
    return corners
  }

  /**
   * Vertex numbers, three per facet, n - 2 facets for each polygon of n corners.
   * @param positions  of all vertices
   * @throws InputError for a polygon of more than MOST_CORNERS corners, or a concave one of more than MOST_CONCAVE
   */
  take(positions: Float64Array): Uint32Array {
    const facets = Uint32Array.from(this.#facets.take())
    for (let i = 0; i < this.#fans.length; i += 2) {
      const at = this.#fans.at(i)
      const n = this.#fans.at(i + 1)
      if (n > MOST_CORNERS)
        throw new InputError(
          `a face with ${n} vertices; split it into triangles, or faces of at most ${MOST_CORNERS} vertices`,
        )
      const fan = facets.subarray(at, at + 3 * (n - 2))
      const normal = normalOf(positions, fan)
      if (!isFolded(positions, fan, normal)) continue
      if (n > MOST_CONCAVE)
        throw new InputError(`a concave face with ${n} vertices; split it into triangles or convex faces`)
      clipEars(positions, fan, normal)
    }
    return facets
  }
}

/** Twice the area of facet (a, b, c) times the polygon's: negative for one that faces the other way. */
function turn(p: Float64Array, normal: Float64Array, a: number, b: number, c: number): number {
  const ux = p[3 * b] - p[3 * a]
  const uy = p[3 * b + 1] - p[3 * a + 1]
  const uz = p[3 * b + 2] - p[3 * a + 2]
  const vx = p[3 * c] - p[3 * a]
  const vy = p[3 * c + 1] - p[3 * a + 1]
  const vz = p[3 * c + 2] - p[3 * a + 2]
  return normal[0] * (uy * vz - uz * vy) + normal[1] * (uz * vx - ux * vz) + normal[2] * (ux * vy - uy * vx)
}

/** Sum of the fan's cross products (Newell's normal): the polygon's normal, twice its area long. */
function normalOf(p: Float64Array, fan: Uint32Array): Float64Array {
  const normal = new Float64Array(3)
  const axis = new Float64Array(3)
  for (let i = 0; i < 3; i++) {
    axis.fill(0)
    axis[i] = 1
    for (let t = 0; t < fan.length; t += 3) normal[i] += turn(p, axis, fan[t], fan[t + 1], fan[t + 2])
  }
  return normal
}

const least = (normal: Float64Array): number =>
  -ROUNDING * (normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2])

function isFolded(p: Float64Array, fan: Uint32Array, normal: Float64Array): boolean {
  const limit = least(normal)
  for (let t = 0; t < fan.length; t += 3)
    if (turn(p, normal, fan[t], fan[t + 1], fan[t + 2]) < limit) return true
  return false
}

/**
 * Replaces a fan by facets that all face along the normal, so that they cover the polygon once: ears, corners whose facet holds no other
 * corner, are cut off one by one. What crosses itself has none in the end, and keeps its fan.
 */
function clipEars(p: Float64Array, fan: Uint32Array, normal: Float64Array): void {
  const left = [fan[0]]
  for (let t = 0; t < fan.length; t += 3) left.push(fan[t + 1])
  left.push(fan[fan.length - 1])
  const limit = least(normal)
  const facets = new Uint32Array(fan.length)
  const isInside = (a: number, b: number, c: number, v: number): boolean =>
    turn(p, normal, a, b, v) >= 0 && turn(p, normal, b, c, v) >= 0 && turn(p, normal, c, a, v) >= 0
  const isSame = (a: number, b: number): boolean =>
    p[3 * a] === p[3 * b] && p[3 * a + 1] === p[3 * b + 1] && p[3 * a + 2] === p[3 * b + 2]
  /** Whether corner i of those left can be cut off; flat corners only once no other can. */
  const isEar = (i: number, isFlatToo: boolean): boolean => {
    const n = left.length
    const [a, b, c] = [left[(i + n - 1) % n], left[i], left[(i + 1) % n]]
    const area = turn(p, normal, a, b, c)
    if (!(isFlatToo ? area >= limit : area > -limit)) return false
    return !left.some((v) => !isSame(v, a) && !isSame(v, b) && !isSame(v, c) && isInside(a, b, c, v))
  }
  for (let at = 0, i = 0; at < facets.length; at += 3) {
    const n = left.length
    let tried = 0
    while (tried < 2 * n && !isEar(i % n, tried >= n)) {
      i++
      tried++
    }
    if (tried === 2 * n) return
    i %= n
    facets.set([left[(i + n - 1) % n], left[i], left[(i + 1) % n]], at)
    left.splice(i, 1)
  }
  fan.set(facets)
}

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

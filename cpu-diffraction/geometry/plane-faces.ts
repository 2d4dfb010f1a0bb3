import { shared } from '../../parallel/shared-memory.js'
import { edgeTable, type Target, type Vec3 } from '../../scene/index.js'

/** The vector at a position of an array. */
export const vectorAt = (vectors: ArrayLike<number>, at: number): Vec3 => [
  vectors[at],
  vectors[at + 1],
  vectors[at + 2],
]

/** The vector at one position of an array less that at another. */
export const difference = (vectors: ArrayLike<number>, at: number, from: number): Vec3 => [
  vectors[at] - vectors[from],
  vectors[at + 1] - vectors[from + 1],
  vectors[at + 2] - vectors[from + 2],
]

/** Neighbours that meet at less than this [rad] may lie in one plane, */
const BEND = 1e-4
/** and do where they are turned by less than this [rad] from the plane of the face. */
const TURN = 3e-4

/**
 * Joins facets into plane faces. Neighbours may join over an edge that just these two share when they bend by less than
 * 1e-4 rad there, or when the corners of one are within the target's `tolerance` of the other's plane. A face grows from
 * its largest facet, and takes of these the ones in its own plane, the area-weighted mean: turned from it by less than
 * 3e-4 rad, or with corners within the tolerance. All facets of a face have one material. So small bends from neighbour to neighbour do not add up.
 *
 * @returns T face numbers, in the order of each face's first facet, and how many faces there are
 */
function planeFaces(target: Target): { of: Uint32Array; count: number } {
  const facets = target.triangles.length / 3
  const neighbours = facetNeighbours(target)
  const plane = new MeanPlane(target)
  const face = new Int32Array(facets).fill(-1)
  const waiting = new Uint32Array(facets)
  const order = byArea(target.areas)
  for (let i = 0; i < facets; i++) {
    const seed = order[i]
    if (face[seed] >= 0) continue
    plane.begin(seed)
    face[seed] = seed
    waiting[0] = seed
    let count = 1
    for (let next = 0; next < count; next++)
      for (let h = 3 * waiting[next]; h < 3 * waiting[next] + 3; h++) {
        const t = neighbours[h]
        if (t < 0 || face[t] >= 0 || !plane.holds(t)) continue
        plane.add(t)
        face[t] = seed
        waiting[count++] = t
      }
  }
  return numbered(face)
}

/** Faces numbered in the order of their first facets, from ones named by any of their facets. */
function numbered(face: Int32Array): { of: Uint32Array; count: number } {
  const of = shared(Uint32Array, face.length)
  const numbers = new Int32Array(face.length).fill(-1)
  let count = 0
  for (let t = 0; t < face.length; t++) {
    if (numbers[face[t]] < 0) numbers[face[t]] = count++
    of[t] = numbers[face[t]]
  }
  return { of, count }
}

/** Facet numbers, the largest first: small ones have the least certain planes. */
const byArea = (areas: Float64Array): Uint32Array =>
  Uint32Array.from(areas.keys()).sort((s, t) => areas[t] - areas[s] || s - t)

/** Up to three neighbours of each facet that it may join, -1 for none. */
function facetNeighbours(target: Target): Int32Array {
  const { triangles, edges, tolerance, facetMaterial } = target
  const neighbours = new Int32Array(triangles.length).fill(-1)
  const count = new Uint8Array(triangles.length / 3)
  for (let e = 0; e < edges.interiorAngle.length; e++) {
    if (edges.valence[e] !== 2 || edges.side[2 * e] !== edges.side[2 * e + 1]) continue
    const bend = (Math.abs(edges.interiorAngle[e] - 180) * Math.PI) / 180
    // Facets folded onto each other are flat too, but two faces.
    if (bend > 0.5 * Math.PI) continue
    const f = edges.facets[2 * e]
    const g = edges.facets[2 * e + 1]
    if (facetMaterial && facetMaterial[f] !== facetMaterial[g]) continue
    if (bend > BEND && Math.min(heightOver(target, f, g), heightOver(target, g, f)) > tolerance) continue
    neighbours[3 * f + count[f]++] = g
    neighbours[3 * g + count[g]++] = f
  }
  return neighbours
}

/** Distance of the corner of facet g farthest from the plane of facet f [m]. */
function heightOver(target: Target, f: number, g: number): number {
  const { positions: p, triangles: tri, normals: n } = target
  const a = 3 * tri[3 * f]
  let height = 0
  for (let i = 0; i < 3; i++) {
    const v = 3 * tri[3 * g + i]
    let h = 0
    for (let c = 0; c < 3; c++) h += n[3 * f + c] * (p[v + c] - p[a + c])
    height = Math.max(height, Math.abs(h))
  }
  return height
}

/** The plane of a growing face: through the area-weighted centre of its facets, along their mean normal. */
class MeanPlane {
  private readonly normal = new Float64Array(3)
  private readonly centre = new Float64Array(3)
  /** Sum of area times normal. */
  private readonly turned = new Float64Array(3)
  private area = NaN

  constructor(private readonly target: Target) {}

  begin(t: number): void {
    this.turned.fill(0)
    this.area = 0
    this.add(t)
  }

  add(t: number): void {
    const { turned, normal, centre } = this
    const { positions: p, triangles, areas, normals } = this.target
    const area = areas[t]
    this.area += area
    for (let c = 0; c < 3; c++) {
      turned[c] += area * normals[3 * t + c]
      const sum =
        p[3 * triangles[3 * t] + c] + p[3 * triangles[3 * t + 1] + c] + p[3 * triangles[3 * t + 2] + c]
      centre[c] += (area / this.area) * (sum / 3 - centre[c])
    }
    const scale = 1 / Math.hypot(turned[0], turned[1], turned[2])
    for (let c = 0; c < 3; c++) normal[c] = scale * turned[c]
  }

  /** Whether a facet lies in the plane. */
  holds(t: number): boolean {
    const { normal: n, centre } = this
    const { positions: p, triangles, normals, tolerance } = this.target
    const x = normals[3 * t]
    const y = normals[3 * t + 1]
    const z = normals[3 * t + 2]
    const cosine = n[0] * x + n[1] * y + n[2] * z
    if (cosine <= 0) return false
    if (Math.hypot(n[1] * z - n[2] * y, n[2] * x - n[0] * z, n[0] * y - n[1] * x) < TURN) return true
    for (let i = 3 * t; i < 3 * t + 3; i++) {
      const v = 3 * triangles[i]
      const height = n[0] * (p[v] - centre[0]) + n[1] * (p[v + 1] - centre[1]) + n[2] * (p[v + 2] - centre[2])
      if (Math.abs(height) > tolerance) return false
    }
    return true
  }
}

/** The plane faces of a mesh, F of them: coplanar facets that share edges. */
export interface Faces {
  /** T face numbers, in the order of each face's first facet. */
  of: Uint32Array
  /** 3T: the facets' vertices. */
  triangles: Uint32Array
  /** 3F: area-weighted unit normals, outwards. */
  normals: Float64Array
  /** F + 1 offsets into `outline`, in outline edges. */
  outlineStart: Uint32Array
  /** 2 vertex numbers per outline edge, with the face on its left seen from outside; sharp pieces in a line are one. */
  outline: Uint32Array
  /** Per outline edge the one of the neighbouring face where the surface goes on smoothly, else -1. */
  across: Int32Array
}

/**
 * Joins coplanar facets into faces (`planeFaces`) and finds the outlines of these, holes included.
 *
 * @param smoothDeg  faces that meet at less than this at an edge are parts of one curved surface there
 */
export function coplanarFaces(target: Target, smoothDeg: number): Faces {
  const { of, count } = planeFaces(target)
  const triangles = shared(Uint32Array, target.triangles.length)
  triangles.set(target.triangles)
  return { of, triangles, normals: faceNormals(target, of, count), ...outlines(target, of, count, smoothDeg) }
}

function faceNormals(target: Target, of: Uint32Array, count: number): Float64Array {
  const { areas, normals: n } = target
  const normals = new Float64Array(3 * count)
  for (let t = 0; t < of.length; t++) {
    const at = 3 * of[t]
    normals[at] += areas[t] * n[3 * t]
    normals[at + 1] += areas[t] * n[3 * t + 1]
    normals[at + 2] += areas[t] * n[3 * t + 2]
  }
  for (let at = 0; at < normals.length; at += 3) {
    const length = Math.hypot(normals[at], normals[at + 1], normals[at + 2])
    normals[at] /= length
    normals[at + 1] /= length
    normals[at + 2] /= length
  }
  return normals
}

function outlines(
  target: Target,
  of: Uint32Array,
  count: number,
  smoothDeg: number,
): Pick<Faces, 'outlineStart' | 'outline' | 'across'> {
  const tri = target.triangles
  const { sharp, smooth, opposite } = borders(target, of, smoothDeg)
  const sharpOf = byFace(sharp, of, count)
  const smoothOf = byFace(smooth, of, count)
  const straight = new Straightener(target)
  const most = sharp.length + smooth.length
  const outline = new Uint32Array(2 * most)
  const outlineStart = new Uint32Array(count + 1)
  /** Half-edge of each smooth outline edge, -1 for a sharp one; and the outline edge of each smooth half-edge. */
  const halfOf = new Int32Array(most).fill(-1)
  const numberOf = new Int32Array(tri.length)
  let edges = 0
  for (let f = 0; f < count; f++) {
    if (sharpOf.start[f] < sharpOf.start[f + 1])
      edges += straight.join(listOf(sharpOf, f), listOf(smoothOf, f), outline, edges)
    for (let i = smoothOf.start[f]; i < smoothOf.start[f + 1]; i++) {
      const h = smoothOf.half[i]
      numberOf[h] = edges
      halfOf[edges] = h
      outline[2 * edges] = tri[h]
      outline[2 * edges + 1] = endOf(tri, h)
      edges++
    }
    outlineStart[f + 1] = edges
  }
  const across = new Int32Array(edges)
  for (let i = 0; i < edges; i++) across[i] = halfOf[i] < 0 ? -1 : numberOf[opposite[halfOf[i]]]
  return { outlineStart, outline: outline.slice(0, 2 * edges), across }
}

/** The vertex that half-edge h runs to. */
const endOf = (tri: Uint32Array, h: number): number => tri[h % 3 === 2 ? h - 2 : h + 1]

interface Borders {
  /** Half-edges between faces, edge by edge: where the surface ends or has a crease, and where it goes on smoothly. */
  sharp: Uint32Array
  smooth: Uint32Array
  /** Per half-edge of a smooth border the one on its other side. */
  opposite: Uint32Array
}

function borders(target: Target, of: Uint32Array, smoothDeg: number): Borders {
  const tri = target.triangles
  const { count, start, half } = edgeTable(target)
  const sharp = new Uint32Array(tri.length)
  const smooth = new Uint32Array(tri.length)
  const opposite = new Uint32Array(tri.length)
  let sharps = 0
  let smooths = 0
  for (let e = 0; e < count; e++) {
    const at = start[e]
    if (start[e + 1] - at === 2) {
      const h = half[at]
      const g = half[at + 1]
      const s = (h / 3) | 0
      const t = (g / 3) | 0
      if (of[s] === of[t]) continue
      if (tri[h] !== tri[g] && bendDeg(target.normals, s, t) < smoothDeg) {
        opposite[h] = g
        opposite[g] = h
        smooth[smooths++] = h
        smooth[smooths++] = g
        continue
      }
    }
    for (let i = at; i < start[e + 1]; i++) sharp[sharps++] = half[i]
  }
  return { sharp: sharp.subarray(0, sharps), smooth: smooth.subarray(0, smooths), opposite }
}

/** Half-edges face by face, with F + 1 offsets. */
interface FaceLists {
  start: Uint32Array
  half: Uint32Array
}

/** Takes the half-edges apart by face, in their order within each. */
function byFace(half: Uint32Array, of: Uint32Array, faces: number): FaceLists {
  const start = new Uint32Array(faces + 1)
  for (let i = 0; i < half.length; i++) start[of[(half[i] / 3) | 0] + 1]++
  for (let f = 0; f < faces; f++) start[f + 1] += start[f]
  const next = start.slice(0, faces)
  const sorted = new Uint32Array(half.length)
  for (let i = 0; i < half.length; i++) sorted[next[of[(half[i] / 3) | 0]]++] = half[i]
  return { start, half: sorted }
}

const listOf = ({ start, half }: FaceLists, f: number): Uint32Array => half.subarray(start[f], start[f + 1])

/** Angle between the normals of two facets [degrees]. */
function bendDeg(n: Float64Array, f: number, g: number): number {
  const ax = n[3 * f]
  const ay = n[3 * f + 1]
  const az = n[3 * f + 2]
  const bx = n[3 * g]
  const by = n[3 * g + 1]
  const bz = n[3 * g + 2]
  const sine = Math.hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)
  return (Math.atan2(sine, ax * bx + ay * by + az * bz) * 180) / Math.PI
}

/** Marks of `Straightener`. */
const THROUGH = 1
const SEEN = 2

/**
 * Joins sharp half-edges of a face that follow each other in a straight line, where no other edge of the face meets them.
 * The arrays, one number per vertex, serve all faces: each clears what it has touched.
 */
class Straightener {
  /** The vertex that an edge leads to from each, plus one; 0 for none. */
  private readonly next: Uint32Array
  /** Ends of edges of the face at each vertex. */
  private readonly meeting: Uint32Array
  /** THROUGH for vertices that the outline goes straight on at, SEEN for others that just two of its edges meet at. */
  private readonly through: Uint8Array
  private readonly triangles: Uint32Array

  constructor(private readonly target: Target) {
    this.triangles = target.triangles
    const vertices = target.positions.length / 3
    this.next = new Uint32Array(vertices)
    this.meeting = new Uint32Array(vertices)
    this.through = new Uint8Array(vertices)
  }

  /** Writes the edges, two vertices each, behind the first `at` of `out`, and returns how many there are. */
  join(sharp: Uint32Array, smooth: Uint32Array, out: Uint32Array, at: number): number {
    const { triangles: tri, next, through } = this
    this.count(sharp)
    this.count(smooth)
    for (let i = 0; i < sharp.length; i++) next[tri[sharp[i]]] = endOf(tri, sharp[i]) + 1
    for (let i = 0; i < sharp.length; i++)
      if (!this.isPassed(tri[sharp[i]])) this.follow(tri[sharp[i]], endOf(tri, sharp[i]))
    // What is left are rings.
    for (let i = 0; i < sharp.length; i++)
      if (through[tri[sharp[i]]] === 0 && this.isPassed(tri[sharp[i]]))
        this.follow(tri[sharp[i]], endOf(tri, sharp[i]))
    let to = at
    for (let i = 0; i < sharp.length; i++) {
      const a = tri[sharp[i]]
      if (through[a] === THROUGH) continue
      let b = endOf(tri, sharp[i])
      while (through[b] === THROUGH) b = next[b] - 1
      out[2 * to] = a
      out[2 * to + 1] = b
      to++
    }
    this.clear(sharp)
    this.clear(smooth)
    return to - at
  }

  /** Whether one edge of the face leads to a vertex and one on, and nothing else meets them. */
  private isPassed(v: number): boolean {
    return this.meeting[v] === 2 && this.next[v] > 0
  }

  /** Follows edges from vertex a over b to where they branch or come back, and marks the vertices they pass. */
  private follow(a: number, b: number): void {
    const { next, through, target } = this
    const chain = [a, b]
    const free = this.isPassed(a)
    if (free) through[a] = SEEN
    while (b !== a && this.isPassed(b)) {
      through[b] = SEEN
      b = next[b] - 1
      chain.push(b)
    }
    passStraight(target.positions, chain, target.tolerance, free, (v) => (through[v] = THROUGH))
  }

  private count(half: Uint32Array): void {
    for (let i = 0; i < half.length; i++) {
      this.meeting[this.triangles[half[i]]]++
      this.meeting[endOf(this.triangles, half[i])]++
    }
  }

  private clear(half: Uint32Array): void {
    for (let i = 0; i < half.length; i++) {
      const a = this.triangles[half[i]]
      const b = endOf(this.triangles, half[i])
      this.next[a] = this.meeting[a] = this.meeting[b] = this.through[b] = 0
    }
  }
}

/**
 * Marks the vertices that a chain of edges goes straight through: without them it runs along chords, and no vertex left
 * out is farther than `tolerance` [m] from its chord, however many there are in a row (Ramer, Douglas and Peucker).
 *
 * @param p      3 coordinates per vertex [m]
 * @param chain  vertex numbers in order; a ring ends with its first
 * @param free   whether the first vertex of a ring may be left out like any other
 * @param mark   called with each vertex to leave out
 */
export function passStraight(
  p: Float64Array,
  chain: readonly number[],
  tolerance: number,
  free: boolean,
  mark: (vertex: number) => void,
): void {
  const last = chain.length - 1
  const isRing = chain[0] === chain[last]
  // What is farthest from any one point is a corner: there a ring begins, wherever its first vertex lies.
  const path = isRing && free ? startingAt(chain, farthest(p, chain, 0, last).at) : chain
  const spans = [0, last]
  while (spans.length > 0) {
    const to = spans.pop()!
    const from = spans.pop()!
    const { at, distance } = farthest(p, path, from, to)
    if (at < 0) continue
    if (distance <= tolerance && path[from] !== path[to]) for (let i = from + 1; i < to; i++) mark(path[i])
    else spans.push(from, at, at, to)
  }
}

/** The same ring from its i-th vertex on. */
const startingAt = (ring: readonly number[], i: number): number[] => [
  ...ring.slice(i, -1),
  ...ring.slice(0, i + 1),
]

/** The vertex between two of a chain that is farthest from the line from one to the other, which ends there; -1 for none. */
function farthest(
  p: Float64Array,
  chain: readonly number[],
  from: number,
  to: number,
): { at: number; distance: number } {
  const a = 3 * chain[from]
  const b = 3 * chain[to]
  const ux = p[b] - p[a]
  const uy = p[b + 1] - p[a + 1]
  const uz = p[b + 2] - p[a + 2]
  const uu = ux * ux + uy * uy + uz * uz
  let at = -1
  let distance = -1
  for (let i = from + 1; i < to; i++) {
    const v = 3 * chain[i]
    const x = p[v] - p[a]
    const y = p[v + 1] - p[a + 1]
    const z = p[v + 2] - p[a + 2]
    const along = uu > 0 ? (x * ux + y * uy + z * uz) / uu : 0
    const t = along < 0 ? 0 : along > 1 ? 1 : along
    const d = Math.hypot(x - t * ux, y - t * uy, z - t * uz)
    if (d > distance) {
      distance = d
      at = i
    }
  }
  return { at, distance }
}

import { DisjointSets, edgeTable, type Target } from '../scene/index.js'

/** Facets bent by less than this [rad] lie in one plane. */
const COPLANAR = 1e-4
/** Edges that turn by less than this [rad] go straight on. */
export const STRAIGHT = 1e-4

/** The plane faces of a mesh, F of them: coplanar facets that share edges. */
export interface Faces {
  /** T face numbers, in the order of each face's first facet. */
  of: Uint32Array
  /** 3F: area-weighted unit normals, outwards. */
  normals: Float64Array
  /** F + 1 offsets into `outline`, in outline edges. */
  outlineStart: Uint32Array
  /** 2 vertex numbers per outline edge, with the face on its left seen from outside; sharp pieces in a line are one. */
  outline: Uint32Array
  /** Per outline edge the one of the neighbouring face where the surface goes on smoothly, else -1. */
  across: Int32Array
}

/** What single-precision coordinates (as an STL file has them) may be off [m]. */
export function roundingNoise(target: Target): number {
  const { min, max } = target.box
  return 2 ** -22 * Math.max(...min.map(Math.abs), ...max.map(Math.abs))
}

/**
 * Joins coplanar facets into faces and finds the outlines of these, holes included. Facets join over an edge that
 * just these two share when they bend by less than 1e-4 rad there, or when a corner is out of the other facet's plane
 * by no more than single-precision coordinates are: then nobody can tell.
 *
 * @param smoothDeg  faces bent by less than this at an edge are parts of one curved surface there
 */
export function coplanarFaces(target: Target, smoothDeg: number): Faces {
  const { triangles, edges } = target
  const facets = triangles.length / 3
  const noise = roundingNoise(target)
  const sets = new DisjointSets(facets)
  for (let e = 0; e < edges.interiorAngle.length; e++) {
    if (edges.valence[e] !== 2 || edges.side[2 * e] !== edges.side[2 * e + 1]) continue
    const bend = (Math.abs(edges.interiorAngle[e] - 180) * Math.PI) / 180
    // Facets folded onto each other are flat too, but two faces.
    if (bend > 0.5 * Math.PI) continue
    const [f, g] = [edges.facets[2 * e], edges.facets[2 * e + 1]]
    if (bend > COPLANAR && Math.min(heightOver(target, f, g), heightOver(target, g, f)) > noise) continue
    sets.join(f, g)
  }
  const of = new Uint32Array(facets)
  let count = 0
  for (let t = 0; t < facets; t++) of[t] = sets.root(t) === t ? count++ : of[sets.root(t)]
  return { of, normals: faceNormals(target, of, count), ...outlines(target, of, count, noise, smoothDeg) }
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

function faceNormals(target: Target, of: Uint32Array, count: number): Float64Array {
  const normals = new Float64Array(3 * count)
  for (let t = 0; t < of.length; t++)
    for (let c = 0; c < 3; c++) normals[3 * of[t] + c] += target.areas[t] * target.normals[3 * t + c]
  for (let f = 0; f < count; f++) {
    const n = normals.subarray(3 * f, 3 * f + 3)
    const length = Math.hypot(n[0], n[1], n[2])
    for (let c = 0; c < 3; c++) n[c] /= length
  }
  return normals
}

function outlines(
  target: Target,
  of: Uint32Array,
  count: number,
  noise: number,
  smoothDeg: number,
): Pick<Faces, 'outlineStart' | 'outline' | 'across'> {
  const tri = target.triangles
  const table = edgeTable(target)
  const sharp: number[][] = Array.from({ length: count }, () => [])
  const smooth: number[][] = Array.from({ length: count }, () => [])
  const opposite = new Int32Array(tri.length).fill(-1)
  for (let e = 0; e < table.count; e++) {
    const half = table.half.subarray(table.start[e], table.start[e + 1])
    const facets = Array.from(half, (h) => Math.floor(h / 3))
    if (half.length === 2 && of[facets[0]] === of[facets[1]]) continue
    const goesOn =
      half.length === 2 &&
      tri[half[0]] !== tri[half[1]] &&
      bendDeg(target.normals, facets[0], facets[1]) < smoothDeg
    if (goesOn) {
      opposite[half[0]] = half[1]
      opposite[half[1]] = half[0]
    }
    half.forEach((h, i) => (goesOn ? smooth : sharp)[of[facets[i]]].push(h))
  }
  const ends = (h: number): [number, number] => [tri[h], tri[h % 3 === 2 ? h - 2 : h + 1]]
  const outlineStart = new Uint32Array(count + 1)
  const outline: number[] = []
  const halfOf: number[] = []
  const numberOf = new Int32Array(tri.length)
  for (let f = 0; f < count; f++) {
    const joined = joinStraight(target.positions, sharp[f].flatMap(ends), smooth[f].flatMap(ends), noise)
    for (const v of joined) outline.push(v)
    for (const h of smooth[f]) {
      numberOf[h] = outline.length / 2
      halfOf[numberOf[h]] = h
      outline.push(...ends(h))
    }
    outlineStart[f + 1] = outline.length / 2
  }
  const across = Int32Array.from({ length: outline.length / 2 }, (_, i) =>
    halfOf[i] === undefined ? -1 : numberOf[opposite[halfOf[i]]],
  )
  return { outlineStart, outline: Uint32Array.from(outline), across }
}

/** Angle between the normals of two facets [degrees]. */
function bendDeg(n: Float64Array, f: number, g: number): number {
  const [ax, ay, az] = n.subarray(3 * f, 3 * f + 3)
  const [bx, by, bz] = n.subarray(3 * g, 3 * g + 3)
  const sine = Math.hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)
  return (Math.atan2(sine, ax * bx + ay * by + az * bz) * 180) / Math.PI
}

/** Joins directed edges (pairs of vertices) that follow each other in a straight line, where no other edge meets them. */
function joinStraight(p: Float64Array, pairs: number[], others: number[], noise: number): number[] {
  const next = new Map<number, number>()
  const meeting = new Map<number, number>()
  for (let i = 0; i < pairs.length; i += 2) {
    next.set(pairs[i], pairs[i + 1])
  }
  for (const v of [...pairs, ...others]) meeting.set(v, (meeting.get(v) ?? 0) + 1)
  /** The vertex before v, for vertices that the outline goes straight on at. */
  const through = new Set<number>()
  for (let i = 0; i < pairs.length; i += 2) {
    const [a, b] = [pairs[i], pairs[i + 1]]
    const c = next.get(b)
    if (meeting.get(b) === 2 && c !== undefined && goesStraight(p, a, b, c, noise)) through.add(b)
  }
  const out: number[] = []
  for (let i = 0; i < pairs.length; i += 2) {
    const a = pairs[i]
    if (through.has(a)) continue
    let b = pairs[i + 1]
    while (through.has(b)) b = next.get(b)!
    out.push(a, b)
  }
  return out
}

/** Whether the way from vertex a over b to c is straight, as far as single-precision coordinates tell. */
export function goesStraight(p: Float64Array, a: number, b: number, c: number, noise: number): boolean {
  const [ux, uy, uz] = [0, 1, 2].map((i) => p[3 * b + i] - p[3 * a + i])
  const [vx, vy, vz] = [0, 1, 2].map((i) => p[3 * c + i] - p[3 * b + i])
  if (ux * vx + uy * vy + uz * vz <= 0) return false
  const sine = Math.hypot(uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx)
  const [u, v] = [Math.hypot(ux, uy, uz), Math.hypot(vx, vy, vz)]
  return sine < STRAIGHT * u * v || sine < noise * Math.max(u, v)
}

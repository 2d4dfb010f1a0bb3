import { dot, edgeTable, InputError, type Target, type Vec3 } from '../scene/index.js'
import {
  distanceOf,
  edgeKey,
  findFeatures,
  inputSurface,
  type InputSurface,
  isInPlane,
  type Plane,
  QUANTUM,
  reflected,
} from './remesh/features.js'
import { mergeCoplanar, remesh } from './remesh/remesh.js'
import { SizeField } from './remesh/size-field.js'
import { SurfaceMesh } from './remesh/surface-mesh.js'

/** Visits of triangles and segments that meshing may take a triangle; meshes of files took 50 to 1,500. */
const WORK = 2000

/** Of `CurrentMeshOptions`. */
export const DEFAULTS = {
  elementsPerWavelength: 8,
  firstRow: 1 / 64,
  growth: 1.5,
  chordTolerance: 1 / 800,
  mostTriangles: 200_000,
}

/** How fine a mesh for currents is. Lengths in wavelengths. */
export interface CurrentMeshOptions {
  /** Edges of triangles a wavelength, on plane surfaces away from edges; default 8. */
  elementsPerWavelength?: number
  /** Height of the first row of triangles at open borders, junctions and sharp edges; default 1/64. As much as 1: no grading. */
  firstRow?: number
  /** How much higher each next row is; default 1.5. */
  growth?: number
  /** How far the triangles may be off curved surfaces; default 1/800. Less on targets below a wavelength across, in proportion. */
  chordTolerance?: number
  /** Most triangles; default 200,000. Bounds the time too: `WORK` visits a triangle of these or of the target. */
  mostTriangles?: number
}

/**
 * A target's surface meshed again for the currents of one wavelength: triangles near λ/8 in size on all of it, in thin rows along
 * open borders, junctions and sharp edges, where currents are singular. Plane faces stay in their planes, borders, junctions,
 * sharp edges and borders of groups and materials where they are; vertices lie on the target's surface. Place, numbering and
 * the order of its facets do not matter.
 *
 * @param wavelength  [m]
 * @throws InputError for a target that needs more than `mostTriangles` or more work than they allow.
 */
export function meshForCurrents(
  target: Target,
  wavelength: number,
  options: CurrentMeshOptions = {},
): CurrentMesh {
  const { elementsPerWavelength, firstRow, growth, chordTolerance, mostTriangles } = {
    ...DEFAULTS,
    ...options,
  }
  if (!(wavelength > 0 && wavelength < Infinity))
    throw new InputError(`the wavelength of the mesh for currents is ${wavelength}; give a length in metres`)
  const size = 1 / elementsPerWavelength
  // A lower bound, so that a target of far too many is refused at once.
  if (target.area / wavelength ** 2 / (size * size) > mostTriangles)
    throw new InputError(
      `the target has ${Math.round(target.area / wavelength ** 2)} square wavelengths of surface, too many for ${mostTriangles} triangles; lower the frequency or use --method sbr`,
    )
  const chord = chordOf(target, wavelength, chordTolerance)
  const tolerance = toleranceOf(target, wavelength)
  const mostWork = workOf(target, mostTriangles)
  const surface = partOf(target, wavelength, { size, chord, tolerance, mostWork })
  const features = findFeatures(surface, size, chord, tolerance)
  const field = new SizeField({ size, firstRow, growth, chord }, surface, features)
  const mesh = new SurfaceMesh(surface, features, field, chord, 1.5 * size, mostWork)
  remesh(mesh, mostTriangles, 2 ** surface.mirrors.length)

  const number = new Int32Array(mesh.kind.length).fill(-1)
  const positions: number[] = []
  const triangles: number[] = []
  for (let t = 0; t < mesh.patch.length; t++) {
    if (mesh.t[3 * t] < 0) continue
    for (let i = 0; i < 3; i++) {
      const v = mesh.t[3 * t + i]
      if (number[v] < 0) {
        number[v] = positions.length / 3
        for (let c = 0; c < 3; c++) positions.push(mesh.p[3 * v + c])
      }
      triangles.push(number[v])
    }
  }
  for (const plane of surface.mirrors) addImages(positions, triangles, plane)
  const inMetres = (x: number, i: number): number => surface.centre[i % 3] + wavelength * x
  return {
    positions: Float64Array.from(positions, inMetres),
    triangles: Uint32Array.from(triangles),
    symmetry: symmetryOf(surface.mirrors, inMetres),
  }
}

/** Of bodies below a wavelength as a part of their diagonal: their scattering goes with volume, which chords take away. */
export const chordOf = (target: Target, wavelength: number, chordTolerance: number): number =>
  chordTolerance * Math.min(1, target.diagonal / wavelength)

const toleranceOf = (target: Target, wavelength: number): number =>
  Math.max(target.tolerance / wavelength, 1e-7)

const workOf = (target: Target, mostTriangles: number): number =>
  WORK * Math.max(mostTriangles, target.triangles.length / 3)

/** Sets of RWG functions that the symmetry of a target gives (`symmetricFunctions`). @param wavelength  [m] */
export function symmetrySets(target: Target, wavelength: number): number {
  const size = 1 / DEFAULTS.elementsPerWavelength
  const tolerance = toleranceOf(target, wavelength)
  return 2 ** partOf(target, wavelength, { size, chord: chordOf(target, wavelength, DEFAULTS.chordTolerance), tolerance, mostWork: workOf(target, DEFAULTS.mostTriangles) }).mirrors.length // prettier-ignore
}

/** The part of a target's surface on one side of its planes of symmetry. Lengths in wavelengths, but for the wavelength itself. */
function partOf(
  target: Target,
  wavelength: number,
  { size, chord, tolerance, mostWork }: { size: number; chord: number; tolerance: number; mostWork: number },
): InputSurface {
  const whole = inputSurface(target, wavelength)
  let surface = mergeCoplanar(whole, tolerance, mostWork)
  let mirrors = findMirrors(surface, size, chord, tolerance)
  if (mirrors.length < 3) {
    // Facets of a plane may have been divided otherwise on either side, but what is almost plane may also be merged otherwise.
    const others = findMirrors(whole, size, chord, tolerance)
    if (others.length > mirrors.length) [surface, mirrors] = [whole, others]
  }
  if (mirrors.length === 0) return surface
  for (const plane of mirrors) surface = cutAt(surface, plane, tolerance)
  return mergeCoplanar(surface, tolerance, mostWork)
}

/** Adds the mirror image of a mesh on one side of a plane; both share the vertices in it. */
function addImages(positions: number[], triangles: number[], plane: Plane): void {
  const image = Array.from({ length: positions.length / 3 }, (_, v) =>
    isInPlane(positions, v, plane) ? v : positions.push(...reflected(positions, v, plane)) / 3 - 1,
  )
  for (let i = 0, end = triangles.length; i < end; i += 3)
    triangles.push(image[triangles[i]], image[triangles[i + 2]], image[triangles[i + 1]])
}

function symmetryOf(
  mirrors: Plane[],
  inMetres: (x: number, axis: number) => number,
): MirrorSymmetry | undefined {
  if (mirrors.length === 0) return undefined
  // The planes are perpendicular.
  const along = (a: number): number => mirrors.reduce((sum, plane) => sum + plane[3] * plane[a], 0)
  const normals = mirrors.map(([x, y, z]): Vec3 => [x, y, z])
  return { centre: [0, 1, 2].map((a) => inMetres(along(a), a)) as Vec3, normals }
}

/** Triangles that carry surface currents: a target's surface meshed again for one wavelength. */
export interface CurrentMesh {
  /** x, y, z of each vertex [m]; vertices are shared by the triangles that meet at them. */
  positions: Float64Array
  /** Three vertices a triangle, counter-clockwise seen from the side of the facet's normal. */
  triangles: Uint32Array
  symmetry?: MirrorSymmetry
}

/**
 * Perpendicular planes in which a mesh is its own mirror image. With n planes, the first 1/2ⁿ of the triangles are on one side of all;
 * their images in the first plane follow, then the images of both in the second, and so on. The image of a, b, c is a', c', b'.
 */
export interface MirrorSymmetry {
  /** A point of all planes [m]. */
  centre: Vec3
  /** Their unit normals. */
  normals: Vec3[]
}

/** The image of a vector in those planes through the origin, one after the other, whose bits are set. */
export function mirrored(v: Vec3, normals: Vec3[], bits: number): Vec3 {
  const out: Vec3 = [v[0], v[1], v[2]]
  normals.forEach((n, p) => {
    if (((bits >> p) & 1) === 0) return
    const twice = 2 * dot(v, n)
    for (let a = 0; a < 3; a++) out[a] -= twice * n[a]
  })
  return out
}

/** Shape of the triangles of a mesh for currents. */
export interface MeshQuality {
  triangles: number
  vertices: number
  /** RWG functions: an edge of n triangles carries n − 1. */
  unknowns: number
  /** Least and median of `triangleQualities`. */
  worst: number
  median: number
  /** Smallest angle of all triangles [degrees]. Thin rows along edges have small ones. */
  smallestAngleDeg: number
  /** Longest edge [wavelengths]. */
  longestEdge: number
}

/**
 * Quality of each triangle, T numbers: twice the radius of the inscribed circle over that of the circumscribed one; 1 for an equilateral
 * triangle, 0 for one without area (Shewchuk, What is a good linear element, 2002).
 */
export function triangleQualities({ positions: p, triangles: tri }: CurrentMesh): Float64Array {
  const qualities = new Float64Array(tri.length / 3)
  for (let t = 0; t < qualities.length; t++) {
    const [a, b, c] = sides(p, tri, t)
    const product = a * b * c
    qualities[t] = product > 0 ? Math.max(0, ((b + c - a) * (c + a - b) * (a + b - c)) / product) : 0
  }
  return qualities
}

/** @param wavelength  [m] */
export function meshQuality(mesh: CurrentMesh, wavelength: number): MeshQuality {
  const { positions: p, triangles: tri } = mesh
  const qualities = triangleQualities(mesh).sort()
  let smallest = Math.PI
  let longest = 0
  for (let t = 0; t < qualities.length; t++) {
    const [a, b, c] = sides(p, tri, t).sort((x, y) => x - y)
    longest = Math.max(longest, c)
    const cosine = b > 0 && c > 0 ? (b * b + c * c - a * a) / (2 * b * c) : 1
    smallest = Math.min(smallest, Math.acos(Math.min(1, cosine)))
  }
  const table = edgeTable(mesh)
  return {
    triangles: qualities.length,
    vertices: p.length / 3,
    unknowns: tri.length - table.count,
    worst: qualities[0] ?? 1,
    median: qualities[qualities.length >> 1] ?? 1,
    smallestAngleDeg: (smallest * 180) / Math.PI,
    longestEdge: longest / wavelength,
  }
}

/** Lengths of a triangle's sides. */
function sides(p: Float64Array, tri: Uint32Array, t: number): [number, number, number] {
  const length = (i: number, j: number): number => {
    const a = 3 * tri[3 * t + i]
    const b = 3 * tri[3 * t + j]
    return Math.hypot(p[a] - p[b], p[a + 1] - p[b + 1], p[a + 2] - p[b + 2])
  }
  return [length(1, 2), length(2, 0), length(0, 1)]
}

/**
 * Perpendicular planes in which a surface is its own mirror image, none of its facets in them; a surface whose vertices or kept edges have
 * images `tolerance` off the others has none. Diagonals within patches may differ: they are within the chord. Planes are normal to an axis
 * or to a principal axis of the vertices.
 * @param size, chord  as of `findFeatures`
 */
function findMirrors(surface: InputSurface, size: number, chord: number, tolerance: number): Plane[] {
  const { positions: p, triangles: tri } = surface
  const { kind, lineOf } = findFeatures(surface, size, chord, tolerance)
  const table = edgeTable({ positions: p, triangles: tri })
  /** Facets at each kept edge. */
  const kept = new Map<number, number>()
  for (let e = 0; e < table.count; e++) {
    const key = edgeKey(table.low[e], table.high[e])
    if (lineOf.has(key)) kept.set(key, table.start[e + 1] - table.start[e])
  }
  const nearest = finder(p, tolerance)
  const normals: Vec3[] = []
  const planes: Plane[] = []
  for (const axis of [...AXES, ...principalAxes(p)]) {
    const n = across(axis, normals)
    if (!n) continue
    let [low, high] = [Infinity, -Infinity]
    for (let v = 0; v < kind.length; v++) {
      const d = distanceOf(p, v, [...n, 0])
      low = Math.min(low, d)
      high = Math.max(high, d)
    }
    const plane: Plane = [...n, (low + high) / 2]
    const image = new Int32Array(kind.length)
    const isImage = (v: number): boolean => (image[v] = nearest(reflected(p, v, plane))) >= 0
    if (!image.every((_, v) => isImage(v)) || new Set(image).size < image.length) continue
    if (![...kept].every(([key, facets]) => kept.get(imageOf(key, image)) === facets)) continue
    const inside = Uint8Array.from(image, (_, v) => (Math.abs(distanceOf(p, v, plane)) <= tolerance ? 1 : 0))
    let lies = false
    for (let i = 0; i < tri.length; i += 3)
      lies ||= inside[tri[i]] + inside[tri[i + 1]] + inside[tri[i + 2]] === 3
    if (lies) continue
    normals.push(n)
    planes.push(plane)
  }
  return planes
}

const AXES: Vec3[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
]

/** The part of a vector normal to others, of length 1; null where little is left. */
function across(v: Vec3, others: Vec3[]): Vec3 | null {
  const out: Vec3 = [...v]
  for (const n of others) {
    const d = dot(out, n)
    for (let a = 0; a < 3; a++) out[a] -= d * n[a]
  }
  const size = Math.hypot(...out)
  return size > 0.7 ? (out.map((x) => x / size) as Vec3) : null
}

/** The image of an edge, by vertices' images. */
const imageOf = (key: number, image: Int32Array): number =>
  edgeKey(image[Math.floor(key / 2 ** 26)], image[key % 2 ** 26])

/** Finds the vertex nearest to a point; -1 where none is within the tolerance. */
function finder(p: Float64Array, tolerance: number): (x: Vec3) => number {
  const cell = 4 * tolerance
  const cells = new Map<string, number[]>()
  for (let v = 0; v < p.length / 3; v++) {
    const key = [0, 1, 2].map((a) => Math.floor(p[3 * v + a] / cell)).join()
    const there = cells.get(key)
    if (there) there.push(v)
    else cells.set(key, [v])
  }
  return (x) => {
    let [best, least] = [-1, tolerance]
    const seen = new Set<string>()
    for (let corner = 0; corner < 8; corner++) {
      const key = x
        .map((c, a) => Math.floor((c + ((corner >> a) & 1 ? tolerance : -tolerance)) / cell))
        .join()
      if (seen.has(key)) continue
      seen.add(key)
      for (const v of cells.get(key) ?? []) {
        const far = Math.hypot(p[3 * v] - x[0], p[3 * v + 1] - x[1], p[3 * v + 2] - x[2])
        if (far <= least) [best, least] = [v, far]
      }
    }
    return best
  }
}

/** Directions of greatest, middle and least spread of points, by Jacobi's rotations. */
function principalAxes(p: Float64Array): Vec3[] {
  const count = p.length / 3
  const mean = [0, 0, 0]
  for (let i = 0; i < p.length; i++) mean[i % 3] += p[i] / count
  const m = [0, 1, 2].map((a) =>
    [0, 1, 2].map((b) => {
      let sum = 0
      for (let i = 0; i < p.length; i += 3) sum += (p[i + a] - mean[a]) * (p[i + b] - mean[b])
      return sum
    }),
  )
  const axes = AXES.map((axis): Vec3 => [...axis])
  for (let sweep = 0; sweep < 12; sweep++)
    for (const [a, b] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ]) {
      if (m[a][b] === 0) continue
      const angle = Math.atan2(2 * m[a][b], m[b][b] - m[a][a]) / 2
      const [c, s] = [Math.cos(angle), Math.sin(angle)]
      for (const row of m) [row[a], row[b]] = [c * row[a] - s * row[b], s * row[a] + c * row[b]]
      ;[m[a], m[b]] = [m[a].map((x, i) => c * x - s * m[b][i]), m[b].map((x, i) => s * m[a][i] + c * x)]
      ;[axes[a], axes[b]] = [
        axes[a].map((x, i) => c * x - s * axes[b][i]) as Vec3,
        axes[b].map((x, i) => s * axes[a][i] + c * x) as Vec3,
      ]
    }
  return axes
}

/** The part of a surface on the side of a plane's normal; vertices within the tolerance are moved into the plane. */
function cutAt(surface: InputSurface, plane: Plane, tolerance: number): InputSurface {
  const { positions: p, triangles: tri } = surface
  const positions = Array.from(p)
  const side = Float64Array.from({ length: p.length / 3 }, (_, v) => {
    const d = distanceOf(p, v, plane)
    return Math.abs(d) <= tolerance ? 0 : d
  })
  side.forEach((d, v) => {
    if (d === 0) moveInto(positions, v, plane)
  })
  const made = new Map<number, number>()
  /** Where an edge crosses the plane. */
  const crossing = (a: number, b: number): number => {
    const key = edgeKey(a, b)
    let v = made.get(key)
    if (v !== undefined) return v
    const [low, high] = a < b ? [a, b] : [b, a]
    const u = side[low] / (side[low] - side[high])
    v = positions.length / 3
    for (let c = 0; c < 3; c++) positions.push(p[3 * low + c] + u * (p[3 * high + c] - p[3 * low + c]))
    moveInto(positions, v, plane)
    made.set(key, v)
    return v
  }
  const triangles: number[] = []
  const from: number[] = []
  for (let t = 0; t < tri.length / 3; t++) {
    const polygon: number[] = []
    for (let i = 0; i < 3; i++) {
      const [a, b] = [tri[3 * t + i], tri[3 * t + ((i + 1) % 3)]]
      if (side[a] >= 0) polygon.push(a)
      if (side[a] * side[b] < 0) polygon.push(crossing(a, b))
    }
    if (!polygon.some((v) => side[v] > 0)) continue
    for (let i = 2; i < polygon.length; i++) {
      triangles.push(polygon[0], polygon[i - 1], polygon[i])
      from.push(t)
    }
  }
  // By place: how facets were divided does not matter.
  const place = (v: number, a: number): number => Math.round(positions[3 * v + a] / QUANTUM)
  const used = [...new Set(triangles)].sort(
    (v, w) => place(v, 0) - place(w, 0) || place(v, 1) - place(w, 1) || place(v, 2) - place(w, 2),
  )
  const number = new Map(used.map((v, i) => [v, i]))
  return {
    positions: Float64Array.from(used.flatMap((v) => positions.slice(3 * v, 3 * v + 3))),
    triangles: Uint32Array.from(triangles, (v) => number.get(v)!),
    region: Uint32Array.from(from, (t) => surface.region[t]),
    normals: Float64Array.from(from.flatMap((t) => [...surface.normals.subarray(3 * t, 3 * t + 3)])),
    centre: surface.centre,
    mirrors: [...surface.mirrors, plane],
  }
}

function moveInto(positions: number[], v: number, plane: Plane): void {
  const d = distanceOf(positions, v, plane)
  for (let a = 0; a < 3; a++) positions[3 * v + a] -= d * plane[a]
}

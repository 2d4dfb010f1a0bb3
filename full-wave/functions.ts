import { type Box, InputError, type Vec3 } from '../scene/index.js'
import { type CurrentMesh, type MirrorSymmetry, mirrored } from './mesh-for-currents.js'

/**
 * RWG functions of a mesh (Rao, Wilton and Glisson, 1982). Function n flows from its plus to its minus triangle over their common edge
 * of length l: on a triangle of area A, with p the vertex opposite the edge, it is ± l / 2A (r − p), of divergence ± l / A. An edge of n
 * triangles carries n − 1 functions, all with the first of them: sheets that meet or cross need nothing else.
 */
export interface Functions {
  count: number
  /** Triangles that carry them; `corners`, `areas` and `normals` go on with their images, as in `MirrorSymmetry`. */
  triangles: number
  /** Normals of the planes of symmetry. */
  mirrors: Vec3[]
  /** What each image's currents are times those that `mirrored` makes of them, ±1; 1 for the first, the triangles themselves. */
  signs: number[]
  /** 9 coordinates a triangle [m]: its three vertices; about the planes' common point. */
  corners: Float64Array
  /** Area [m^2] of each triangle. */
  areas: Float64Array
  /** 3 components of each triangle's unit normal, by the order of its vertices. */
  normals: Float64Array
  /**
   * ±1 on closed bodies (every edge of the component has two triangles of opposite direction) that the combined equation is for: outwards is
   * that times the normal. Else 0.
   */
  outward: Int8Array
  /** Where the functions of a triangle's corner i (over the opposite edge) begin in the next two, 3 a triangle and one more. */
  first: Int32Array
  functions: Int32Array
  /** ± l / 2A: the function on this triangle is that times (r − corner) [1/m]. */
  factors: Float64Array
}

/** The RWG functions of a mesh, whatever its symmetry. @throws InputError for a mesh without a common edge */
export const rwgFunctions = (mesh: CurrentMesh): Functions =>
  symmetricFunctions({ ...mesh, symmetry: undefined })[0]

/**
 * The RWG functions of a mesh in sets that do not couple: of currents even or odd in each plane of symmetry. Where they are odd, an edge in
 * the plane has a function of each triangle on this side, which flows on to that triangle's image.
 * @param k  wavenumber [rad/m]: closed bodies below half a wavelength across, which have no interior resonance, count as open. There the
 *   magnetic equation loses the little power that they scatter.
 * @throws InputError for a mesh without a common edge
 */
export function symmetricFunctions(mesh: CurrentMesh, k = Infinity): [Functions, ...Functions[]] {
  const { symmetry = { centre: [0, 0, 0], normals: [] } } = mesh
  const mirrors = symmetry.normals
  const images = 2 ** mirrors.length
  const count = mesh.triangles.length / 3 / images
  const triangles = mesh.triangles.subarray(0, 3 * count)
  const measures = measure(mesh.positions, triangles, symmetry, images)
  const outward = orientClosed(mesh, Math.PI / k).subarray(0, count)
  /** Planes that a corner lies in, as bits: its vertex is its own image. */
  const planesAt = Uint8Array.from(triangles, (v, c) =>
    mirrors.reduce((bits, _, p) => {
      const image = 3 * (count * 2 ** p + Math.trunc(c / 3)) + ((3 - (c % 3)) % 3)
      return mesh.triangles[image] === v ? bits | (1 << p) : bits
    }, 0),
  )
  const edges = [...edgesOf(triangles).values()]
  const all: Functions[] = []
  for (let odd = 0; odd < images; odd++) {
    const lists: { corner: number; f: number; factor: number }[] = []
    const add = (corner: number, f: number, sign: number): void => {
      const factor = (sign * edgeLength(measures.corners, corner)) / (2 * measures.areas[Math.trunc(corner / 3)]) // prettier-ignore
      lists.push({ corner, f, factor })
    }
    let f = 0
    for (const [head, ...others] of edges) {
      const [a, b] = beside(head)
      if ((planesAt[a] & planesAt[b] & odd) > 0) for (const corner of [head, ...others]) add(corner, f++, 1)
      else
        for (const other of others) {
          add(head, f, 1)
          add(other, f++, -1)
        }
    }
    lists.sort((x, y) => x.corner - y.corner || x.f - y.f)
    const first = new Int32Array(3 * count + 1)
    for (const { corner } of lists) first[corner + 1]++
    for (let c = 0; c < 3 * count; c++) first[c + 1] += first[c]
    if (f > 0)
      all.push({
        count: f,
        triangles: count,
        mirrors,
        signs: Array.from({ length: images }, (_, image) => (isOdd(image & odd) ? -1 : 1)),
        ...measures,
        outward,
        first,
        functions: Int32Array.from(lists, (x) => x.f),
        factors: Float64Array.from(lists, (x) => x.factor),
      })
  }
  const [head, ...others] = all
  if (!head)
    throw new InputError(
      'the mesh for currents has no two triangles with a common edge: it carries no currents',
    )
  return [head, ...others]
}

/** Whether an odd number of the lowest three bits is set: of an image, whether its corners go the other way round. */
export const isOdd = (bits: number): boolean => ((bits ^ (bits >> 1) ^ (bits >> 2)) & 1) === 1

/** The two other corners of a corner's triangle. */
function beside(c: number): [number, number] {
  const t = c - (c % 3)
  return [t + ((c + 1) % 3), t + ((c + 2) % 3)]
}

/** Corners opposite each edge, by its lower and higher vertex. */
function edgesOf(triangles: Uint32Array): Map<number, number[]> {
  const edges = new Map<number, number[]>()
  for (let c = 0; c < triangles.length; c++) {
    const [a, b] = beside(c).map((corner) => triangles[corner])
    const key = Math.min(a, b) * 2 ** 26 + Math.max(a, b)
    const there = edges.get(key)
    if (there) there.push(c)
    else edges.set(key, [c])
  }
  return edges
}

/** Length of the edge opposite a corner. */
function edgeLength(corners: Float64Array, c: number): number {
  const [a, b] = beside(c).map((corner) => 3 * corner)
  return Math.hypot(corners[a] - corners[b], corners[a + 1] - corners[b + 1], corners[a + 2] - corners[b + 2])
}

function measure(
  positions: Float64Array,
  triangles: Uint32Array,
  { centre, normals: mirrors }: MirrorSymmetry,
  images: number,
): Pick<Functions, 'corners' | 'areas' | 'normals'> {
  const each = triangles.length
  const count = (images * each) / 3
  const corners = new Float64Array(9 * count)
  for (let c = 0; c < each; c++) {
    const p = [0, 1, 2].map((a) => positions[3 * triangles[c] + a] - centre[a]) as Vec3
    for (let image = 0; image < images; image++)
      corners.set(mirrored(p, mirrors, image), 3 * (image * each + c))
  }
  const areas = new Float64Array(count)
  const normals = new Float64Array(3 * count)
  for (let t = 0; t < count; t++) {
    const [x0, y0, z0, x1, y1, z1, x2, y2, z2] = corners.subarray(9 * t, 9 * t + 9)
    const [ux, uy, uz, vx, vy, vz] = [x1 - x0, y1 - y0, z1 - z0, x2 - x0, y2 - y0, z2 - z0]
    const n = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx]
    const twice = Math.hypot(...n)
    areas[t] = twice / 2
    for (let a = 0; a < 3; a++) normals[3 * t + a] = n[a] / twice
  }
  return { corners, areas, normals }
}

/** See `Functions.outward`; of all triangles of a mesh. @param least  diagonal of the smallest box of a body that counts [m] */
function orientClosed({ positions, triangles }: CurrentMesh, least: number): Int8Array {
  const edges = edgesOf(triangles)
  const count = triangles.length / 3
  const parent = Int32Array.from({ length: count }, (_, t) => t)
  const root = (t: number): number => {
    while (parent[t] !== t) t = parent[t] = parent[parent[t]]
    return t
  }
  const opens: number[] = []
  for (const corners of edges.values()) {
    const [a, b] = corners.map((c) => triangles[3 * Math.trunc(c / 3) + ((c + 1) % 3)])
    if (corners.length !== 2 || a === b) opens.push(Math.trunc(corners[0] / 3))
    for (const c of corners) parent[root(Math.trunc(c / 3))] = root(Math.trunc(corners[0] / 3))
  }
  const isOpen = new Uint8Array(count)
  for (const t of opens) isOpen[root(t)] = 1
  // Six times the volume of each component, about its own first vertex.
  const volume = new Float64Array(count)
  for (let t = 0; t < count; t++) {
    const r = root(t)
    const o = 3 * triangles[3 * r]
    const at = (c: number): number[] => {
      const v = 3 * triangles[3 * t + c]
      return [
        positions[v] - positions[o],
        positions[v + 1] - positions[o + 1],
        positions[v + 2] - positions[o + 2],
      ]
    }
    const [a, b, c] = [at(0), at(1), at(2)]
    volume[r] +=
      a[0] * (b[1] * c[2] - b[2] * c[1]) +
      a[1] * (b[2] * c[0] - b[0] * c[2]) +
      a[2] * (b[0] * c[1] - b[1] * c[0])
  }
  const boxes = new Map<number, Box>()
  for (let c = 0; c < 3 * count; c++) {
    const r = root(Math.trunc(c / 3))
    let box = boxes.get(r)
    if (!box) boxes.set(r, (box = { min: [Infinity, Infinity, Infinity], max: [-Infinity, -Infinity, -Infinity] })) // prettier-ignore
    for (let a = 0; a < 3; a++) {
      box.min[a] = Math.min(box.min[a], positions[3 * triangles[c] + a])
      box.max[a] = Math.max(box.max[a], positions[3 * triangles[c] + a])
    }
  }
  for (const [r, { min, max }] of boxes)
    if (Math.hypot(...[0, 1, 2].map((a) => max[a] - min[a])) < least) isOpen[r] = 1
  return Int8Array.from({ length: count }, (_, t) => (isOpen[root(t)] ? 0 : Math.sign(volume[root(t)])))
}

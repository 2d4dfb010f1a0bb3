import { InputError } from '../scene/index.js'
import type { CurrentMesh } from './current-mesh.js'

/**
 * RWG functions of a mesh (Rao, Wilton and Glisson, 1982). Function n flows from its plus to its minus triangle over their common edge
 * of length l: on a triangle of area A, with p the vertex opposite the edge, it is ± l / 2A (r − p), of divergence ± l / A. An edge of n
 * triangles carries n − 1 functions, all with the first of them: sheets that meet or cross need nothing else.
 */
export interface Functions {
  count: number
  /** 9 coordinates a triangle [m]: its three vertices. */
  corners: Float64Array
  /** Area [m^2] of each triangle. */
  areas: Float64Array
  /** 3 components of each triangle's unit normal, by the order of its vertices. */
  normals: Float64Array
  /** Of triangles of a closed body (every edge of its component has two triangles of opposite direction) ±1: outwards is that times the normal. Else 0. */
  outward: Int8Array
  /** Where the functions of a triangle's corner i (over the opposite edge) begin in the next two, 3 a triangle and one more. */
  first: Int32Array
  functions: Int32Array
  /** ± l / 2A: the function on this triangle is that times (r − corner) [1/m]. */
  factors: Float64Array
}

/**
 * The RWG functions of a mesh.
 * @throws InputError for a mesh without a common edge
 */
export function rwgFunctions({ positions, triangles }: CurrentMesh): Functions {
  const count = triangles.length / 3
  const { corners, areas, normals } = measure(positions, triangles)
  /** Triangles and their corners opposite each edge, by its lower and higher vertex. */
  const edges = new Map<number, number[]>()
  const vertices = positions.length / 3
  for (let c = 0; c < 3 * count; c++) {
    const t = Math.trunc(c / 3)
    const a = triangles[3 * t + ((c + 1) % 3)]
    const b = triangles[3 * t + ((c + 2) % 3)]
    const key = Math.min(a, b) * vertices + Math.max(a, b)
    const there = edges.get(key)
    if (there) there.push(c)
    else edges.set(key, [c])
  }
  const outward = orientClosed({ positions, triangles }, edges)
  const lists: { corner: number; f: number; factor: number }[] = []
  let f = 0
  for (const [head, ...others] of edges.values())
    for (const other of others) {
      const length = edgeLength(corners, head)
      lists.push({ corner: head, f, factor: length / (2 * areas[Math.trunc(head / 3)]) })
      lists.push({ corner: other, f, factor: -length / (2 * areas[Math.trunc(other / 3)]) })
      f++
    }
  if (f === 0)
    throw new InputError(
      'the mesh for currents has no two triangles with a common edge: it carries no currents',
    )
  lists.sort((x, y) => x.corner - y.corner || x.f - y.f)
  const first = new Int32Array(3 * count + 1)
  for (const { corner } of lists) first[corner + 1]++
  for (let c = 0; c < 3 * count; c++) first[c + 1] += first[c]
  return {
    count: f,
    corners,
    areas,
    normals,
    outward,
    first,
    functions: Int32Array.from(lists, (x) => x.f),
    factors: Float64Array.from(lists, (x) => x.factor),
  }
}

/** Length of the edge opposite a corner. */
function edgeLength(corners: Float64Array, c: number): number {
  const t = 9 * Math.trunc(c / 3)
  const [a, b] = [t + 3 * ((c + 1) % 3), t + 3 * ((c + 2) % 3)]
  return Math.hypot(corners[a] - corners[b], corners[a + 1] - corners[b + 1], corners[a + 2] - corners[b + 2])
}

function measure(
  positions: Float64Array,
  triangles: Uint32Array,
): Pick<Functions, 'corners' | 'areas' | 'normals'> {
  const count = triangles.length / 3
  const corners = new Float64Array(9 * count)
  for (let c = 0; c < 3 * count; c++)
    for (let a = 0; a < 3; a++) corners[3 * c + a] = positions[3 * triangles[c] + a]
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

/** See `Functions.outward`. */
function orientClosed(
  { positions, triangles }: Pick<CurrentMesh, 'positions' | 'triangles'>,
  edges: Map<number, number[]>,
): Int8Array {
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
  return Int8Array.from({ length: count }, (_, t) => (isOpen[root(t)] ? 0 : Math.sign(volume[root(t)])))
}

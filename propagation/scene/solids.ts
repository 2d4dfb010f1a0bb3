import { RayCaster, type RayScene } from '../../rays/index.js'
import type { Target, Vec3 } from '../../scene/index.js'

/** Directions without a meaning, so that none runs along the faces of a building; two of three decide. */
const DIRECTIONS: Vec3[] = [
  [0.2513, 0.1372, 0.9581],
  [-0.6131, 0.7219, 0.3208],
  [0.7451, 0.4926, -0.4497],
]
/** A rim nearer to another surface than this part of the box diagonal stands on it. */
const CONTACT = 1e-5

/** A closed surface: triangles by their corners, 3 vertex numbers each, and its box. */
interface Solid {
  corners: number[]
  min: Vec3
  max: Vec3
}

/**
 * Marks points inside a solid that the transmitter is not in, like a receiver inside a building: 1 each, else 0. A solid is a
 * connected part of the mesh whose edges have two facets each (an even number), or whose rims all stand on another surface, like
 * the open foot of a house on the ground; it is then closed there by a cap. A point is inside where a ray from it crosses the
 * surface an odd number of times; the test of a triangle gives each point of a shared edge to one side alone. Points on a surface
 * itself may count as either.
 *
 * @param scene   of the target, for rims that stand on another surface
 * @param points  3 numbers each, in the coordinates of the mesh [m]
 */
export function insideSolids(
  target: Target,
  scene: RayScene,
  transmitter: Vec3,
  points: Float64Array,
): Uint8Array {
  const { solids, vertices } = findSolids(target, scene)
  const around = solids.filter((solid) => !contains(solid, vertices, transmitter))
  return Uint8Array.from({ length: points.length / 3 }, (_, r) => {
    const p: Vec3 = [points[3 * r], points[3 * r + 1], points[3 * r + 2]]
    return around.some((solid) => contains(solid, vertices, p)) ? 1 : 0
  })
}

/** The solids of a mesh; `vertices` are its own, then one more for each cap. */
function findSolids(target: Target, scene: RayScene): { solids: Solid[]; vertices: number[] } {
  const { triangles } = target
  const vertices = Array.from(target.positions)
  const edges = edgeFacets(triangles)
  const part = Int32Array.from({ length: triangles.length / 3 }, (_, t) => t)
  const root = (t: number): number => {
    while (part[t] !== t) t = part[t] = part[part[t]]
    return t
  }
  for (const [first, ...others] of edges.values()) for (const t of others) part[root(t)] = root(first)
  const corners = new Map<number, number[]>()
  for (let t = 0; t < part.length; t++) {
    const list = corners.get(root(t)) ?? []
    corners.set(root(t), list)
    list.push(triangles[3 * t], triangles[3 * t + 1], triangles[3 * t + 2])
  }
  const rims = new Map<number, [number, number][]>()
  for (const [key, facets] of edges) {
    if (facets.length % 2 === 0) continue
    const of = root(facets[0])
    const list = rims.get(of) ?? []
    rims.set(of, list)
    list.push([Math.floor(key / EDGE_BASE), key % EDGE_BASE])
  }
  const caster = new RayCaster(scene)
  const solids: Solid[] = []
  for (const [number, list] of corners) {
    const open = rims.get(number) ?? []
    if (!open.every((rim) => standsOn(rim, vertices, scene, caster, (facet) => root(facet) !== number)))
      continue
    // A cone over all rims closes the surface: every edge then has an even number of facets.
    const apex = vertices.length / 3
    if (open.length > 0)
      for (let a = 0; a < 3; a++)
        vertices.push(open.reduce((s, [u, v]) => s + vertices[3 * u + a] + vertices[3 * v + a], 0) / (2 * open.length)) // prettier-ignore
    for (const [u, v] of open) list.push(u, v, apex)
    const min: Vec3 = [Infinity, Infinity, Infinity]
    const max: Vec3 = [-Infinity, -Infinity, -Infinity]
    for (const v of list)
      for (let a = 0; a < 3; a++) {
        min[a] = Math.min(min[a], vertices[3 * v + a])
        max[a] = Math.max(max[a], vertices[3 * v + a])
      }
    solids.push({ corners: list, min, max })
  }
  return { solids, vertices }
}

/** Two vertex numbers as one key. */
const EDGE_BASE = 2 ** 26

function edgeFacets(triangles: Uint32Array): Map<number, number[]> {
  const edges = new Map<number, number[]>()
  for (let c = 0; c < triangles.length; c++) {
    const [u, v] = [triangles[c], triangles[c % 3 === 2 ? c - 2 : c + 1]]
    const key = Math.min(u, v) * EDGE_BASE + Math.max(u, v)
    const facets = edges.get(key)
    if (facets) facets.push(Math.floor(c / 3))
    else edges.set(key, [Math.floor(c / 3)])
  }
  return edges
}

/** Whether a facet of another part passes by the middle of a rim. */
function standsOn(
  [u, v]: [number, number],
  vertices: number[],
  { origin, diagonal }: RayScene,
  caster: RayCaster,
  other: (facet: number) => boolean,
): boolean {
  const reach = CONTACT * diagonal
  const middle = [0, 1, 2].map((a) => (vertices[3 * u + a] + vertices[3 * v + a]) / 2 - origin[a])
  return [0, 1, 2].some((axis) => {
    const [x, y, z] = middle.map((m, a) => (a === axis ? m - reach : m))
    const d = [0, 1, 2].map((a) => (a === axis ? 1 : 0))
    const meets = (skip: number): boolean =>
      caster.nearest(x, y, z, d[0], d[1], d[2], skip) && caster.t <= 2 * reach
    // A facet of the part itself may come first.
    return meets(-1) && (other(caster.facet) || (meets(caster.facet) && other(caster.facet)))
  })
}

/** Whether a point lies inside a solid: two of three directions decide. */
function contains(solid: Solid, vertices: number[], p: Vec3): boolean {
  if (!p.every((x, a) => x > solid.min[a] && x < solid.max[a])) return false
  const [first, second] = [oddCrossings(solid, vertices, p, 0), oddCrossings(solid, vertices, p, 1)]
  return first === second ? first : oddCrossings(solid, vertices, p, 2)
}

/** Whether the ray from p along a direction crosses the solid's surface an odd number of times. */
function oddCrossings({ corners }: Solid, vertices: number[], p: Vec3, direction: number): boolean {
  const d = DIRECTIONS[direction]
  const [u, v] = [DIRECTIONS[(direction + 1) % 3], DIRECTIONS[(direction + 2) % 3]].map((w) => cross(d, w))
  const [x, y] = [new Float64Array(3), new Float64Array(3)]
  let odd = false
  for (let c = 0; c < corners.length; c += 3) {
    for (let i = 0; i < 3; i++) {
      const at = 3 * corners[c + i]
      const [px, py, pz] = [vertices[at] - p[0], vertices[at + 1] - p[1], vertices[at + 2] - p[2]]
      x[i] = px * u[0] + py * u[1] + pz * u[2]
      y[i] = px * v[0] + py * v[1] + pz * v[2]
    }
    if (covers(x, y) && ahead(vertices, corners, c, p, d)) odd = !odd
  }
  return odd
}

/** Whether a triangle in the plane covers the origin, edges given to one side alone: its border crosses the positive x axis once. */
function covers(x: Float64Array, y: Float64Array): boolean {
  let odd = false
  for (let i = 0; i < 3; i++) {
    const j = (i + 1) % 3
    if (y[i] > 0 === y[j] > 0) continue
    // The same numbers for both triangles of an edge.
    const [low, high] = y[i] < y[j] ? [i, j] : [j, i]
    if (x[low] * y[high] - x[high] * y[low] > 0) odd = !odd
  }
  return odd
}

/** Whether the plane of a triangle is met in front of p along d. */
function ahead(vertices: number[], corners: number[], c: number, p: Vec3, d: Vec3): boolean {
  const [a, b, e] = [0, 1, 2].map((i) => vertices.slice(3 * corners[c + i], 3 * corners[c + i] + 3) as Vec3)
  const n = cross(minus(b, a), minus(e, a))
  const [height, rate] = [dot(n, minus(a, p)), dot(n, d)]
  return rate !== 0 && height / rate > 0
}

const cross = (a: Vec3, b: Vec3): Vec3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
]
const minus = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]

/** Edges whose interior angle is no less than this [degrees] do not diffract. */
const MOST_INTERIOR_DEG = 175
/** Room around an edge that has to be empty, as a part of the box diagonal. */
const CLEARANCE = 1e-5
const ARC_STEPS = 12

/** Edges that diffract, W of them, in the coordinates of the ray scene. */
export interface Wedges {
  /** 16 numbers each: start (3), unit direction (3), length, opening n in half turns, unit vector into the first face (3), unit normal of it (3), 2 spare. */
  numbers: Float64Array
  /** First and last facet of each (both the same of a sheet's rim). */
  facets: Uint32Array
  /** Number of the edge in `Target.edges`. */
  edge: Uint32Array
}

export const WEDGE_NUMBERS = 16

/**
 * The edges of a target that stand free: convex ones and rims of sheets, but for those that lie on another surface (the foot of a
 * house on the ground is no edge for a wave).
 */
export function findWedges(target: Target, scene: RayScene): Wedges {
  const { edges, positions, triangles } = target
  const caster = new RayCaster(scene)
  const numbers: number[] = []
  const facets: number[] = []
  const edge: number[] = []
  for (let e = 0; e < edges.valence.length; e++) {
    if (edges.interiorAngle[e] >= MOST_INTERIOR_DEG) continue
    const [va, vb] = [edges.vertices[2 * e], edges.vertices[2 * e + 1]]
    const a = [0, 1, 2].map((k) => positions[3 * va + k] - scene.origin[k])
    const along = [0, 1, 2].map((k) => positions[3 * vb + k] - scene.origin[k] - a[k])
    const length = Math.hypot(...along)
    const t = along.map((x) => x / length)
    const first = edges.facets[2 * e]
    const last = edges.facets[2 * e + 1] < 0 ? first : edges.facets[2 * e + 1]
    const third = [0, 1, 2].map((i) => triangles[3 * first + i]).find((v) => v !== va && v !== vb)!
    const into = [0, 1, 2].map((k) => positions[3 * third + k] - scene.origin[k] - a[k])
    const part = into[0] * t[0] + into[1] * t[1] + into[2] * t[2]
    const across = into.map((x, k) => x - part * t[k])
    const size = Math.hypot(...across)
    const x = across.map((v) => v / size)
    // Counter-clockwise about the edge, into the empty space.
    const y = [t[1] * x[2] - t[2] * x[1], t[2] * x[0] - t[0] * x[2], t[0] * x[1] - t[1] * x[0]]
    const n = 2 - edges.interiorAngle[e] / 180
    const middle = a.map((v, k) => v + 0.5 * along[k])
    if (!standsFree(caster, middle, x, y, n, CLEARANCE * scene.diagonal)) continue
    numbers.push(...a, ...t, length, n, ...x, ...y, 0, 0)
    facets.push(first, last)
    edge.push(e)
  }
  const shared = new Float64Array(new SharedArrayBuffer(8 * numbers.length))
  shared.set(numbers)
  return { numbers: shared, facets: Uint32Array.from(facets), edge: Uint32Array.from(edge) }
}

/** Whether no surface comes between the two faces near the middle of the edge. */
function standsFree(
  caster: RayCaster,
  middle: number[],
  x: number[],
  y: number[],
  n: number,
  radius: number,
): boolean {
  const at = (step: number): number[] => {
    const angle = n * Math.PI * (0.02 + (0.96 * step) / ARC_STEPS)
    return middle.map((m, k) => m + radius * (Math.cos(angle) * x[k] + Math.sin(angle) * y[k]))
  }
  for (let step = 0; step < ARC_STEPS; step++) {
    const [p, q] = [at(step), at(step + 1)]
    const d = q.map((v, k) => v - p[k])
    const length = Math.hypot(...d)
    if (
      caster.nearest(p[0], p[1], p[2], d[0] / length, d[1] / length, d[2] / length, -1) &&
      caster.t <= length * (1 + 1e-9)
    )
      return false
  }
  return true
}

import { cross, dot, type Vec3 } from '../../scene/index.js'
import type { RayScene } from '../../rays/index.js'

/** Facets at a vertex whose normals are within this cosine of each other's are of one smooth surface. */
const SMOOTH = Math.cos(Math.PI / 4)
/** Sines of angles between a facet and its corners' normals below which the facet is flat. */
const FLAT = 1e-4

/** Normals of the curved surface that closed smooth regions of a mesh stand for, at the corners of its facets. */
export interface CurvedFacets {
  /** 9 numbers per facet: unit normals at its three corners; its own where it is flat, open, or no perfect conductor. */
  normals: Float64Array
  /** Facets that are curved, in order. */
  list: Uint32Array
  /** Change of a facet's normal in the direction of most, or up to sqrt(2) times that [1/m]. */
  most: Float64Array
}

/** Finds the curved facets of a target: once for all bands of a thread. */
export function findCurvedFacets(rays: RayScene): CurvedFacets {
  let facets = found.get(rays)
  if (!facets) found.set(rays, (facets = searchCurvedFacets(rays)))
  return facets
}

const found = new WeakMap<RayScene, CurvedFacets>()

function searchCurvedFacets(rays: RayScene): CurvedFacets {
  const { count, normals: own, vertices, surface, materials } = rays
  const vertexOf = numberVertices(vertices)
  const open = openSurfaces(vertexOf, surface)
  // Facets around each vertex.
  const most = vertexOf.reduce((a, b) => Math.max(a, b), -1) + 1
  const start = new Uint32Array(most + 1)
  for (const v of vertexOf) start[v + 1]++
  for (let v = 0; v < most; v++) start[v + 1] += start[v]
  const around = new Uint32Array(vertexOf.length)
  const at = start.slice()
  for (let c = 0; c < vertexOf.length; c++) around[at[vertexOf[c]]++] = c
  const normals = new Float64Array(9 * count)
  const list: number[] = []
  for (let f = 0; f < count; f++) {
    const n: Vec3 = [own[4 * f], own[4 * f + 1], own[4 * f + 2]]
    const skip = open.has(surface[f]) || (materials !== undefined && materials.of[f] !== 0)
    let curved = false
    for (let i = 0; i < 3; i++) {
      const sum: Vec3 = [0, 0, 0]
      const v = vertexOf[3 * f + i]
      for (let a = start[v]; a < start[v + 1]; a++) {
        const g = Math.floor(around[a] / 3)
        const m: Vec3 = [own[4 * g], own[4 * g + 1], own[4 * g + 2]]
        if (g !== f && (skip || surface[g] !== surface[f] || dot(m, n) < SMOOTH)) continue
        const angle = angleAt(vertices, around[a])
        for (let c = 0; c < 3; c++) sum[c] += angle * m[c]
      }
      const length = Math.hypot(...sum)
      for (let c = 0; c < 3; c++) normals[9 * f + 3 * i + c] = sum[c] / length
      curved ||= 1 - dot(sum, n) / length > (FLAT * FLAT) / 2
    }
    if (curved) list.push(f)
  }
  return { normals, list: Uint32Array.from(list), most: greatestBends(vertices, normals, list) }
}

function greatestBends(v: Float64Array, normals: Float64Array, list: number[]): Float64Array {
  const most = new Float64Array(v.length / 9)
  const bend: Vec3 = [0.5, 0.5, 0.5]
  for (const f of list) {
    const at = 9 * f
    const a: Vec3 = [v[at + 3] - v[at], v[at + 4] - v[at + 1], v[at + 5] - v[at + 2]]
    const n = cross(a, [v[at + 6] - v[at], v[at + 7] - v[at + 1], v[at + 8] - v[at + 2]])
    for (const t of [a, cross(n, a)]) {
      const length = Math.hypot(...t)
      bendAlong(v, normals, at, [t[0] / length, t[1] / length, t[2] / length], bend)
      most[f] = Math.hypot(most[f], ...bend)
    }
  }
  return most
}

/** Sets `out` to the change of the normal along a direction in the facet whose corners begin at `at`, from the normals there [1/m]. */
export function bendAlong(v: Float64Array, normals: Float64Array, at: number, t: Vec3, out: Vec3): void {
  let [aa, ab, bb, ta, tb] = [0, 0, 0, 0, 0]
  for (let c = at; c < at + 3; c++) {
    const a = v[c + 3] - v[c]
    const b = v[c + 6] - v[c]
    aa += a * a
    ab += a * b
    bb += b * b
    ta += t[c - at] * a
    tb += t[c - at] * b
  }
  const det = aa * bb - ab * ab
  const x = (bb * ta - ab * tb) / det
  const y = (aa * tb - ab * ta) / det
  for (let c = 0; c < 3; c++) {
    const n = normals[at + c]
    out[c] = x * (normals[at + 3 + c] - n) + y * (normals[at + 6 + c] - n)
  }
}

/** Numbers of the corners' vertices, the same where coordinates are. */
function numberVertices(vertices: Float64Array): Uint32Array {
  const numbers = new Uint32Array(vertices.length / 3)
  const order = Uint32Array.from(numbers, (_, i) => i)
  const compare = (a: number, b: number): number =>
    vertices[3 * a] - vertices[3 * b] ||
    vertices[3 * a + 1] - vertices[3 * b + 1] ||
    vertices[3 * a + 2] - vertices[3 * b + 2]
  order.sort((a, b) => compare(a, b) || a - b)
  let number = 0
  for (let i = 0; i < order.length; i++) {
    if (i > 0 && compare(order[i - 1], order[i]) !== 0) number++
    numbers[order[i]] = number
  }
  return numbers
}

/** Surfaces with rims, edges of a single facet: sheets, lit from both sides. */
function openSurfaces(vertexOf: Uint32Array, surface: Uint32Array): Set<number> {
  const sides = new Map<number, number>()
  const key = (a: number, b: number): number => Math.min(a, b) * 2 ** 26 + Math.max(a, b)
  for (let c = 0; c < vertexOf.length; c++) {
    const edge = key(vertexOf[c], vertexOf[c % 3 === 2 ? c - 2 : c + 1])
    sides.set(edge, (sides.get(edge) ?? 0) + 1)
  }
  const open = new Set<number>()
  for (let c = 0; c < vertexOf.length; c++)
    if (sides.get(key(vertexOf[c], vertexOf[c % 3 === 2 ? c - 2 : c + 1])) === 1)
      open.add(surface[Math.floor(c / 3)])
  return open
}

/** Interior angle of a facet at a corner [rad]. */
function angleAt(v: Float64Array, corner: number): number {
  const first = corner - (corner % 3)
  const p = 3 * corner
  const q = 3 * (first + ((corner - first + 1) % 3))
  const r = 3 * (first + ((corner - first + 2) % 3))
  const a: Vec3 = [v[q] - v[p], v[q + 1] - v[p + 1], v[q + 2] - v[p + 2]]
  const b: Vec3 = [v[r] - v[p], v[r + 1] - v[p + 1], v[r + 2] - v[p + 2]]
  return Math.acos(Math.max(-1, Math.min(1, dot(a, b) / (Math.hypot(...a) * Math.hypot(...b)))))
}

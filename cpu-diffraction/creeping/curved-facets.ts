import { cross, type Vec3 } from '../../scene/index.js'
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
  const angles = new Float64Array(vertexOf.length)
  for (let c = 0; c < angles.length; c++) angles[c] = angleAt(vertices, c)
  const normals = new Float64Array(9 * count)
  const list: number[] = []
  for (let f = 0; f < count; f++) {
    const nx = own[4 * f]
    const ny = own[4 * f + 1]
    const nz = own[4 * f + 2]
    const skip = open.has(surface[f]) || (materials !== undefined && materials.of[f] !== 0)
    let curved = false
    for (let i = 0; i < 3; i++) {
      let x = 0
      let y = 0
      let z = 0
      const v = vertexOf[3 * f + i]
      for (let a = start[v]; a < start[v + 1]; a++) {
        const g = Math.floor(around[a] / 3)
        const m = 4 * g
        const cosine = own[m] * nx + own[m + 1] * ny + own[m + 2] * nz
        if (g !== f && (skip || surface[g] !== surface[f] || cosine < SMOOTH)) continue
        const angle = angles[around[a]]
        x += angle * own[m]
        y += angle * own[m + 1]
        z += angle * own[m + 2]
      }
      const length = Math.sqrt(x * x + y * y + z * z)
      const at = 9 * f + 3 * i
      normals[at] = x / length
      normals[at + 1] = y / length
      normals[at + 2] = z / length
      curved ||= 1 - (x * nx + y * ny + z * nz) / length > (FLAT * FLAT) / 2
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
  const count = vertices.length / 3
  const numbers = new Uint32Array(count)
  const mask = 2 ** Math.ceil(Math.log2(2 * count + 2)) - 1
  // Corners by hash, plus 1: each vertex's first.
  const firsts = new Uint32Array(mask + 1)
  const bits = new Int32Array(vertices.slice().buffer)
  let number = 0
  for (let i = 0; i < count; i++) {
    let hash = 0
    for (let c = 6 * i; c < 6 * i + 6; c++) hash = Math.imul(hash ^ bits[c], 0x9e3779b1) ^ (hash >>> 15)
    let at = hash & mask
    for (let first = firsts[at]; first > 0; first = firsts[at]) {
      const a = 3 * first - 3
      const b = 3 * i
      if (
        vertices[a] === vertices[b] &&
        vertices[a + 1] === vertices[b + 1] &&
        vertices[a + 2] === vertices[b + 2]
      )
        break
      at = (at + 1) & mask
    }
    if (firsts[at] === 0) {
      firsts[at] = i + 1
      numbers[i] = number++
    } else numbers[i] = numbers[firsts[at] - 1]
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
  let aa = 0
  let bb = 0
  let ab = 0
  for (let c = 0; c < 3; c++) {
    const a = v[q + c] - v[p + c]
    const b = v[r + c] - v[p + c]
    aa += a * a
    bb += b * b
    ab += a * b
  }
  return Math.acos(Math.max(-1, Math.min(1, ab / Math.sqrt(aa * bb))))
}

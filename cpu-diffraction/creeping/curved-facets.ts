import { cross, type Vec3 } from '../../scene/index.js'
import type { RayScene } from '../../rays/index.js'

/** Facets at a vertex whose normals are within this cosine of each other's are of one smooth surface. */
const SMOOTH = Math.cos(Math.PI / 4)
/** Sines of angles between a facet and its corners' normals below which the facet is flat. */
const FLAT = 1e-4

/** Normals of the curved surfaces that closed smooth regions of a mesh stand for, at the corners of their facets. */
export interface CurvedFacets {
  /** 9 numbers per facet: unit normals at its three corners, of the surfaces that count. */
  normals: Float64Array
  /** Facets that are curved, in order. */
  list: Uint32Array
  /** Change of a facet's normal in the direction of most, or up to sqrt(2) times that [1/m]. */
  most: Float64Array
}

/**
 * Finds the curved facets of a target's surfaces, those of all bands of a thread with the same surfaces once.
 *
 * @param radii  `EdgeScene.meanRadii` and @param largest  that of the surfaces that count [m]
 */
export function findCurvedFacets(rays: RayScene, radii: Float64Array, largest: number): CurvedFacets {
  const counts = radii.map((radius) => (radius <= largest ? 1 : 0))
  const key = counts.join('')
  let last = found.get(rays)
  if (last?.key !== key) found.set(rays, (last = { key, facets: searchCurvedFacets(rays, counts) }))
  return last.facets
}

const found = new WeakMap<RayScene, { key: string; facets: CurvedFacets }>()

/** @param counts  per surface 1 where its facets are searched */
function searchCurvedFacets(rays: RayScene, counts: Float64Array): CurvedFacets {
  const { normals: own, vertices, surface } = rays
  const taken: number[] = []
  for (let f = 0; f < rays.count; f++) if (counts[surface[f]] === 1) taken.push(f)
  if (taken.length === 0)
    return { normals: new Float64Array(0), list: new Uint32Array(0), most: new Float64Array(0) }
  const vertexOf = numberVertices(vertices, taken)
  // Facets around each vertex.
  const most = vertexOf.reduce((a, b) => Math.max(a, b), -1) + 1
  const start = new Uint32Array(most + 1)
  for (const v of vertexOf) start[v + 1]++
  for (let v = 0; v < most; v++) start[v + 1] += start[v]
  const around = new Uint32Array(vertexOf.length)
  const at = start.slice()
  for (let c = 0; c < vertexOf.length; c++) around[at[vertexOf[c]]++] = c
  const angles = new Float64Array(vertexOf.length)
  for (let c = 0; c < angles.length; c++)
    angles[c] = angleAt(vertices, 3 * taken[Math.floor(c / 3)] + (c % 3))
  const normals = new Float64Array(vertices.length)
  const list: number[] = []
  for (let t = 0; t < taken.length; t++) {
    const f = taken[t]
    const nx = own[4 * f]
    const ny = own[4 * f + 1]
    const nz = own[4 * f + 2]
    let curved = false
    for (let i = 0; i < 3; i++) {
      let x = 0
      let y = 0
      let z = 0
      const v = vertexOf[3 * t + i]
      for (let a = start[v]; a < start[v + 1]; a++) {
        const g = taken[Math.floor(around[a] / 3)]
        const m = 4 * g
        const cosine = own[m] * nx + own[m + 1] * ny + own[m + 2] * nz
        if (g !== f && (surface[g] !== surface[f] || cosine < SMOOTH)) continue
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

/** Numbers of the vertices of some facets' corners, the same where coordinates are. */
function numberVertices(vertices: Float64Array, facets: number[]): Uint32Array {
  const count = 3 * facets.length
  const numbers = new Uint32Array(count)
  const mask = 2 ** Math.ceil(Math.log2(2 * count + 2)) - 1
  // Corners by hash, plus 1: each vertex's first.
  const firsts = new Uint32Array(mask + 1)
  const bits = new Int32Array(vertices.slice().buffer)
  const placeOf = (i: number): number => 9 * facets[Math.floor(i / 3)] + 3 * (i % 3)
  let number = 0
  for (let i = 0; i < count; i++) {
    const b = placeOf(i)
    let hash = 0
    for (let c = 2 * b; c < 2 * b + 6; c++) hash = Math.imul(hash ^ bits[c], 0x9e3779b1) ^ (hash >>> 15)
    let at = hash & mask
    for (let first = firsts[at]; first > 0; first = firsts[at]) {
      const a = placeOf(first - 1)
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

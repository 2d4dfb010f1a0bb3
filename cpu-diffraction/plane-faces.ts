import type { Target } from '../scene/index.js'
import { shared } from '../parallel/index.js'

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
export function planeFaces(target: Target): { of: Uint32Array; count: number } {
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
  private area = 0.5

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

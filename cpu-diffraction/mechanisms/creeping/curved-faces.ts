import { groupByKey } from '../../../math/partition.js'
import type { RayScene } from '../../../rays/index.js'
import { cross, dot, type Vec3 } from '../../../scene/index.js'
import type { EdgeScenes } from '../../engine/mechanism.js'
import { doubles } from '../../light/segments.js'
import { areaOf, difference, type EdgeScene, vectorAt } from '../../geometry/edge-scene.js'

/** Sines of angles between a face and its corners' normals below which the face is flat. */
const FLAT = 1e-4

/** Corners that lie in a line to this part of their distances give no change of the normal. */
const LINE = 1e-6

/** Pieces of a face at most, and how many times longer than wide one is at least: no simple ratio, which rounding would decide. */
const MOST_PIECES = 32
const LONG = 3.7

/** Least squares of the normals at a face's corners. */
class LinearNormals {
  private vertices: Float64Array = new Float64Array(0)
  /** Facet's normal, and two directions in the face. */
  private own: Vec3 = [NaN, NaN, NaN]
  private u: Vec3 = [NaN, NaN, NaN]
  private v: Vec3 = [NaN, NaN, NaN]
  /** Of the corners: position, normal and weight, seven numbers each. */
  private readonly corners = doubles()
  /** Direction in which the face is longest. */
  readonly long: Vec3 = [NaN, NaN, NaN]
  /** The normal at `middle`, the corners' mean, and its changes with position, by rows. */
  private readonly middle: Vec3 = [NaN, NaN, NaN]
  private readonly normal: Vec3 = [NaN, NaN, NaN]
  readonly bend = new Float64Array(9)

  /** Begins the face of facet f. */
  begin({ vertices, normals }: RayScene, f: number): void {
    this.vertices = vertices
    const own = vectorAt(normals, 4 * f)
    this.own = own
    const least = own.map(Math.abs)
    const axis = least.indexOf(Math.min(...least))
    this.u = normalised(cross(own, [axis === 0 ? 1 : 0, axis === 1 ? 1 : 0, axis === 2 ? 1 : 0]))
    this.v = cross(own, this.u)
    this.corners.length = 0
  }

  /** Adds the normal at a corner, whose position begins at `at` of the scene's vertices. */
  addCorner(at: number, weight: number, x: number, y: number, z: number): void {
    const { vertices, corners } = this
    corners.push(vertices[at], vertices[at + 1], vertices[at + 2], x, y, z, weight)
  }

  /** Sets middle, normal and bend; false where the face is plane. */
  solve(): boolean {
    const { corners, u, v, own, middle, normal, bend } = this
    const mean = new Float64Array(7)
    for (let i = 0; i < corners.length; i++)
      mean[i % 7] += corners[i] * (i % 7 < 6 ? corners[i - (i % 7) + 6] : 1)
    for (let c = 0; c < 6; c++) mean[c] /= mean[6]
    let [uu, uv, vv] = [0, 0, 0]
    const byU: Vec3 = [0, 0, 0]
    const byV: Vec3 = [0, 0, 0]
    for (let i = 0; i < corners.length; i += 7) {
      const d = vectorAt(corners, i).map((x, c) => x - mean[c]) as Vec3
      const [du, dv, w] = [dot(d, u), dot(d, v), corners[i + 6]]
      uu += w * du * du
      uv += w * du * dv
      vv += w * dv * dv
      for (let c = 0; c < 3; c++) {
        byU[c] += w * du * (corners[i + 3 + c] - mean[3 + c])
        byV[c] += w * dv * (corners[i + 3 + c] - mean[3 + c])
      }
    }
    const det = uu * vv - uv * uv
    if (!(det > LINE * LINE * (uu + vv) ** 2)) return false
    const angle = Math.atan2(2 * uv, uu - vv) / 2
    for (let c = 0; c < 3; c++) {
      const alongU = (vv * byU[c] - uv * byV[c]) / det
      const alongV = (uu * byV[c] - uv * byU[c]) / det
      for (let d = 0; d < 3; d++) bend[3 * c + d] = alongU * u[d] + alongV * v[d]
      middle[c] = mean[c]
      normal[c] = mean[3 + c]
      this.long[c] = Math.cos(angle) * u[c] + Math.sin(angle) * v[c]
    }
    const n: Vec3 = [NaN, NaN, NaN]
    for (let i = 0; i < corners.length; i += 7) {
      this.normalAt(corners[i], corners[i + 1], corners[i + 2], n)
      if (1 - dot(n, own) > (FLAT * FLAT) / 2) return true
    }
    return false
  }

  /** Slabs across `long` that cut a long face into pieces: the first one's bound, their width [m] and how many. */
  slabs(): { least: number; step: number; pieces: number } {
    const { corners, long, own } = this
    const short = cross(own, long)
    const bounds = { first: Infinity, last: -Infinity, left: Infinity, right: -Infinity }
    for (let i = 0; i < corners.length; i += 7) {
      const p = vectorAt(corners, i)
      bounds.first = Math.min(bounds.first, dot(p, long))
      bounds.last = Math.max(bounds.last, dot(p, long))
      bounds.left = Math.min(bounds.left, dot(p, short))
      bounds.right = Math.max(bounds.right, dot(p, short))
    }
    const length = bounds.last - bounds.first
    const pieces = Math.max(
      1,
      Math.min(MOST_PIECES, Math.floor(length / (LONG * (bounds.right - bounds.left)))),
    )
    return { least: bounds.first, step: length / pieces, pieces }
  }

  /** Sets `out` to the unit normal at a point. */
  normalAt(x: number, y: number, z: number, out: Vec3): void {
    const { middle, normal, bend } = this
    for (let c = 0; c < 3; c++)
      out[c] = normal[c] + bendAt(bend, c, x - middle[0], y - middle[1], z - middle[2])
    const length = Math.hypot(out[0], out[1], out[2])
    for (let c = 0; c < 3; c++) out[c] /= length
  }
}

const bendAt = (bend: Float64Array, c: number, x: number, y: number, z: number): number =>
  bend[3 * c] * x + bend[3 * c + 1] * y + bend[3 * c + 2] * z

const normalised = (a: Vec3): Vec3 => {
  const length = Math.hypot(...a)
  return [a[0] / length, a[1] / length, a[2] / length]
}

/** Facets at a vertex whose normals are within this cosine of each other's are of one smooth surface. */
const SMOOTH = Math.cos(Math.PI / 4)
/** Corners of a face's outline that turn by less than this [rad] are none. */
const STRAIGHT = 1e-2

/**
 * The curved surfaces that closed smooth regions of a mesh stand for, by F pieces of its plane faces, which long ones are cut into. Over a face the normal is
 * linear, that of least squares of its corners' normals, weighted by their angles: a triangle has those themselves. How faces are cut into
 * facets does not matter.
 */
export interface CurvedFaces {
  /** F + 1 offsets of each piece's triangles. */
  start: Uint32Array
  /** 9 numbers per triangle: its corners [m], and unit normals there. */
  corners: Float64Array
  normals: Float64Array
  /** Facet that each triangle is a part of. */
  facets: Uint32Array
  /** 3 numbers per piece: its centroid [m], and the unit normal there. */
  middles: Float64Array
  middleNormals: Float64Array
  /** Largest difference of a piece's unit normals from that in its middle. */
  turns: Float64Array
  /** 9 numbers per piece: dn/dr by rows of n [1/m]. */
  bends: Float64Array
  /** Change of a piece's normal in the direction of most, or up to sqrt(2) times that [1/m]. */
  most: Float64Array
}

/**
 * Finds the curved faces of a target's surfaces, those of all bands of a thread with the same surfaces once.
 *
 * @param largest  mean radius of the surfaces that count, at most [m]
 */
export function findCurvedFaces({ rays, edges }: EdgeScenes, largest: number): CurvedFaces {
  const counts = edges.meanRadii.map((radius) => (radius <= largest ? 1 : 0))
  const key = counts.join('')
  let last = found.get(rays)
  if (last?.key !== key) found.set(rays, (last = { key, faces: searchCurvedFaces(rays, edges, counts) }))
  return last.faces
}

const found = new WeakMap<RayScene, { key: string; faces: CurvedFaces }>()

/** @param counts  per surface 1 where its facets are searched */
function searchCurvedFaces(
  rays: RayScene,
  { faceOf, triangles }: EdgeScene,
  counts: Float64Array,
): CurvedFaces {
  const { normals: own, vertices, surface } = rays
  const taken: number[] = []
  for (let f = 0; f < rays.count; f++) if (counts[surface[f]] === 1) taken.push(f)
  // Face by face.
  taken.sort((f, g) => faceOf[f] - faceOf[g] || f - g)
  const list = new FaceList()
  if (taken.length === 0) return list.finish()
  const vertexOf = Uint32Array.from(taken.flatMap((f) => [...triangles.subarray(3 * f, 3 * f + 3)]))
  // Facets around each vertex.
  const most = vertexOf.reduce((a, b) => Math.max(a, b), -1) + 1
  const { start, order: around } = groupByKey(vertexOf, most)
  const angles = new Float64Array(vertexOf.length)
  for (let c = 0; c < angles.length; c++)
    angles[c] = angleAt(vertices, 3 * taken[Math.floor(c / 3)] + (c % 3))
  const fit = new LinearNormals()
  for (let first = 0, t = 0; t < taken.length; t++) {
    const f = taken[t]
    if (t === first) fit.begin(rays, f)
    for (let i = 0; i < 3; i++) {
      let [x, y, z, within, other] = [0, 0, 0, 0, -1]
      let corner = false
      const v = vertexOf[3 * t + i]
      for (let a = start[v]; a < start[v + 1]; a++) {
        const g = taken[Math.floor(around[a] / 3)]
        const m = 4 * g
        const cosine = own[m] * own[4 * f] + own[m + 1] * own[4 * f + 1] + own[m + 2] * own[4 * f + 2]
        if (faceOf[g] === faceOf[f]) within += angles[around[a]]
        else if (surface[g] !== surface[f] || cosine < SMOOTH) continue
        else {
          corner ||= other >= 0 && other !== faceOf[g]
          other = faceOf[g]
        }
        x += angles[around[a]] * own[m]
        y += angles[around[a]] * own[m + 1]
        z += angles[around[a]] * own[m + 2]
      }
      // Points within the face, and on its border with one other, are there by the way it is cut into facets.
      corner ||= Math.abs(Math.sin(within)) > STRAIGHT || within < STRAIGHT
      const length = Math.sqrt(x * x + y * y + z * z)
      if (corner) fit.addCorner(9 * f + 3 * i, angles[3 * t + i], x / length, y / length, z / length)
    }
    if (t + 1 < taken.length && faceOf[taken[t + 1]] === faceOf[f]) continue
    if (fit.solve()) list.add(rays, fit, taken, first, t + 1)
    first = t + 1
  }
  return list.finish()
}

/** Gathers `CurvedFaces`. */
class FaceList {
  private readonly start = [0]
  private readonly corners = doubles()
  private readonly normals = doubles()
  private readonly facets: number[] = []
  private readonly middles = doubles()
  private readonly middleNormals = doubles()
  private readonly turns = doubles()
  private readonly bends = doubles()
  private readonly most = doubles()

  /** Adds a face, the facets first to end - 1 of `taken`, in pieces. */
  add({ vertices }: RayScene, fit: LinearNormals, taken: number[], first: number, end: number): void {
    const { least, step, pieces } = fit.slabs()
    for (let piece = 0; piece < pieces; piece++) {
      const sum = [0, 0, 0, 0]
      for (let t = first; t < end; t++) {
        const at = 9 * taken[t]
        let polygon = Array.from(vertices.subarray(at, at + 9))
        if (piece > 0) polygon = beyond(polygon, fit.long, least + piece * step, 1)
        if (piece + 1 < pieces) polygon = beyond(polygon, fit.long, least + (piece + 1) * step, -1)
        for (let i = 3; i + 5 < polygon.length; i += 3) this.addTriangle(taken[t], polygon, i, sum)
      }
      if (sum[3] > 0) this.endPiece(fit, [sum[0] / sum[3], sum[1] / sum[3], sum[2] / sum[3]])
    }
  }

  /** Adds the triangle of the first corner of a polygon, that at i and the next. @param sum  of area times centroid, and of area */
  private addTriangle(facet: number, polygon: number[], i: number, sum: number[]): void {
    const corners = [...polygon.slice(0, 3), ...polygon.slice(i, i + 6)]
    const area = areaOf(corners)
    if (area === 0) return
    for (let c = 0; c < 3; c++) sum[c] += (area / 3) * (corners[c] + corners[3 + c] + corners[6 + c])
    sum[3] += area
    this.corners.push(...corners)
    this.facets.push(facet)
  }

  /** Ends a piece whose triangles have been added. */
  private endPiece(fit: LinearNormals, middle: Vec3): void {
    const { corners, normals } = this
    const n: Vec3 = [NaN, NaN, NaN]
    const own: Vec3 = [NaN, NaN, NaN]
    fit.normalAt(...middle, own)
    let turn = 0
    for (let at = normals.length; at < corners.length; at += 3) {
      fit.normalAt(corners[at], corners[at + 1], corners[at + 2], n)
      normals.push(...n)
      turn = Math.max(turn, Math.hypot(n[0] - own[0], n[1] - own[1], n[2] - own[2]))
    }
    this.start.push(this.facets.length)
    this.middles.push(...middle)
    this.middleNormals.push(...own)
    this.turns.push(turn)
    this.bends.push(...fit.bend)
    this.most.push(Math.hypot(...fit.bend))
  }

  finish(): CurvedFaces {
    return {
      start: Uint32Array.from(this.start),
      corners: Float64Array.from(this.corners),
      normals: Float64Array.from(this.normals),
      facets: Uint32Array.from(this.facets),
      middles: Float64Array.from(this.middles),
      middleNormals: Float64Array.from(this.middleNormals),
      turns: Float64Array.from(this.turns),
      bends: Float64Array.from(this.bends),
      most: Float64Array.from(this.most),
    }
  }
}

/** The part of a convex polygon, three numbers a corner, on one side of a plane across `axis`. */
function beyond(polygon: number[], axis: Vec3, plane: number, sign: 1 | -1): number[] {
  const out: number[] = []
  const height = (i: number): number => sign * (dot(vectorAt(polygon, i), axis) - plane)
  for (let i = 0; i < polygon.length; i += 3) {
    const j = (i + 3) % polygon.length
    const [a, b] = [height(i), height(j)]
    if (a >= 0) out.push(polygon[i], polygon[i + 1], polygon[i + 2])
    if (a >= 0 === b >= 0) continue
    for (let c = 0; c < 3; c++) out.push(polygon[i + c] + (a / (a - b)) * (polygon[j + c] - polygon[i + c]))
  }
  return out
}

/** Sets `out` to the change of a face's normal along a direction [1/m]. */
export function bendAlong({ bends }: CurvedFaces, face: number, t: Vec3, out: Vec3): void {
  for (let c = 0; c < 3; c++) {
    const at = 9 * face + 3 * c
    out[c] = bends[at] * t[0] + bends[at + 1] * t[1] + bends[at + 2] * t[2]
  }
}

/** Interior angle of a facet at a corner [rad]. */
function angleAt(v: Float64Array, corner: number): number {
  const first = corner - (corner % 3)
  const [a, b] = [1, 2].map((i) => difference(v, 3 * (first + ((corner - first + i) % 3)), 3 * corner))
  return Math.acos(Math.max(-1, Math.min(1, dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b)))))
}

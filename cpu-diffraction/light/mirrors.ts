import { type Bvh, buildBvh, type RayScene } from '../../rays/index.js'
import { cross, dot, type Vec3 } from '../../scene/index.js'
import type { EdgeScene } from '../geometry/edge-scene.js'

/** Triangles of a face's outline cover its facets' area to this part. */
const SAME_AREA = 1e-6

/** The triangles that a target's plane faces reflect by, M of them. */
export interface Mirrors {
  /** 9 numbers each: corners [m]. */
  vertices: Float64Array
  /** The facet whose plane each lies in: the largest of its face, or itself. */
  facets: Uint32Array
  /** How many are parts of a face's outline, the first ones: facets may lie beside them by as much as planes are uneven. */
  outlined: number
  bvh: Bvh
}

/**
 * Finds the mirrors of a target: a face with a convex outline has those that its corners need, however it is cut into facets, any other its facets.
 *
 * @param largest  largest facet of each face
 */
export function findMirrors(scene: EdgeScene, rays: RayScene, largest: readonly number[]): Mirrors {
  const vertices: number[] = []
  const facets: number[] = []
  const counts = new Uint32Array(largest.length)
  const areas = new Float64Array(largest.length)
  for (let f = 0; f < rays.count; f++) {
    counts[scene.faceOf[f]]++
    areas[scene.faceOf[f]] += areaOf(rays.vertices, 9 * f)
  }
  const whole = new Uint8Array(largest.length)
  for (let face = 0; face < largest.length; face++) {
    // Facets of a face may be of several materials.
    const corners = counts[face] > 1 && !rays.materials ? convexOutline(scene, face) : null
    if (!corners || corners.length / 3 - 2 >= counts[face]) continue
    const fan: number[] = []
    for (let i = 3; i + 5 < corners.length; i += 3)
      fan.push(...corners.slice(0, 3), ...corners.slice(i, i + 6))
    let area = 0
    for (let at = 0; at < fan.length; at += 9) area += areaOf(fan, at)
    // The outline of a thin solid as a sheet lies beside its facets.
    if (Math.abs(area - areas[face]) > SAME_AREA * areas[face] || !liesIn(fan, rays, largest[face], scene))
      continue
    whole[face] = 1
    vertices.push(...fan)
    for (let i = 0; i < fan.length; i += 9) facets.push(largest[face])
  }
  const outlined = facets.length
  for (let f = 0; f < rays.count; f++) {
    if (whole[scene.faceOf[f]]) continue
    for (let i = 9 * f; i < 9 * f + 9; i++) vertices.push(rays.vertices[i])
    facets.push(f)
  }
  const positions = Float64Array.from(vertices)
  const bvh = buildBvh({ positions, triangles: Uint32Array.from({ length: 3 * facets.length }, (_, i) => i) })
  return { vertices: positions, facets: Uint32Array.from(facets), outlined, bvh }
}

/** Area of the triangle whose corners begin at `at` [m2]. */
export function areaOf(v: ArrayLike<number>, at = 0): number {
  const side = (to: number): Vec3 => [v[to] - v[at], v[to + 1] - v[at + 1], v[to + 2] - v[at + 2]]
  return 0.5 * Math.hypot(...cross(side(at + 3), side(at + 6)))
}

/** Whether points lie in the plane of facet f. */
function liesIn(points: number[], { normals }: RayScene, f: number, { tolerance }: EdgeScene): boolean {
  const n: Vec3 = [normals[4 * f], normals[4 * f + 1], normals[4 * f + 2]]
  for (let at = 0; at < points.length; at += 3)
    if (Math.abs(dot(n, [points[at], points[at + 1], points[at + 2]]) - normals[4 * f + 3]) > 2 * tolerance)
      return false
  return true
}

/** Corners of a face's outline in their order, three numbers each; null where it is not one convex loop. */
function convexOutline(scene: EdgeScene, face: number): number[] | null {
  const { outline, outlineStart, normals, tolerance } = scene
  const first = outlineStart[face]
  const count = outlineStart[face + 1] - first
  const point = (edge: number, end: 0 | 3): Vec3 => {
    const at = 6 * edge + end
    return [outline[at], outline[at + 1], outline[at + 2]]
  }
  const startAt = new Map<string, number>()
  for (let i = first; i < first + count; i++) startAt.set(point(i, 0).join(), i)
  if (count < 3 || startAt.size < count) return null
  const loop: Vec3[] = []
  let edge: number | undefined = first
  do {
    loop.push(point(edge, 0))
    edge = startAt.get(point(edge, 3).join())
  } while (edge !== undefined && edge !== first && loop.length <= count)
  if (edge !== first || loop.length !== count) return null
  const n: Vec3 = [normals[3 * face], normals[3 * face + 1], normals[3 * face + 2]]
  const corners: number[] = []
  for (let i = 0; i < count; i++) {
    const [a, b, c] = [loop[(i + count - 1) % count], loop[i], loop[(i + 1) % count]]
    const along: Vec3 = [c[0] - a[0], c[1] - a[1], c[2] - a[2]]
    const height = dot(cross([b[0] - a[0], b[1] - a[1], b[2] - a[2]], along), n) / Math.hypot(...along)
    if (height < -tolerance) return null
    if (height > tolerance) corners.push(...b)
  }
  return corners.length >= 9 ? corners : null
}

import { type Bvh, buildBvh, type RayScene } from '../../rays/index.js'
import { cross, type Vec3 } from '../../scene/index.js'
import { along, areaOf, difference, type EdgeScene, vectorAt } from '../geometry/edge-scene.js'

/** Triangles of a face's outline cover its facets' area to this part, and what straightening may have moved its sides by. */
const SAME_AREA = 1e-6
/** Points of a plane face lie within so many tolerances of the mesh of the plane of its largest facet. */
export const UNEVEN = 2

const known = new WeakMap<EdgeScene, Mirrors>()

/** The triangles that a target's plane faces reflect by, M of them. */
export interface Mirrors {
  /** 9 numbers each: corners [m]. */
  vertices: Float64Array
  /** The facet whose plane each lies in: the largest of its face, or itself. */
  facets: Uint32Array
  /** How many are parts of a face's outline, the first ones: facets may lie beside them by as much as planes are uneven. */
  outlined: number
  bvh: Pick<Bvh, 'nodes' | 'order' | 'depth'>
  /** Areas of the faces [m2]. */
  areas: Float64Array
}

/**
 * Finds the mirrors of a target. Where it halves their number, a face with a convex outline has those that its corners need, however it is cut into
 * facets, any other its facets; else all facets are mirrors, in the arrays of the scene.
 *
 * @param largest  largest facet of each face
 */
export function mirrorsOf(scene: EdgeScene, rays: RayScene, largest: readonly number[]): Mirrors {
  const mirrors = known.get(scene) ?? findMirrors(scene, rays, largest)
  known.set(scene, mirrors)
  return mirrors
}

function findMirrors(scene: EdgeScene, rays: RayScene, largest: readonly number[]): Mirrors {
  const areas = new Float64Array(largest.length)
  for (let f = 0; f < rays.count; f++) areas[scene.faceOf[f]] += areaOf(rays.vertices, 9 * f)
  const fans = convexFans(scene, rays, largest, areas)
  const others: number[] = []
  let outlined = 0
  for (let f = 0; f < rays.count; f++) if (!fans.has(scene.faceOf[f])) others.push(f)
  for (const fan of fans.values()) outlined += fan.length / 9
  const count = outlined + others.length
  if (2 * count > rays.count) {
    const { vertices, nodes, order, depth } = rays
    const facets = Uint32Array.from({ length: rays.count }, (_, f) => f)
    return { vertices, facets, outlined: 0, bvh: { nodes, order, depth }, areas }
  }
  const vertices = new Float64Array(9 * count)
  const facets = new Uint32Array(count)
  let m = 0
  for (const [face, fan] of fans) {
    vertices.set(fan, 9 * m)
    facets.fill(largest[face], m, (m += fan.length / 9))
  }
  for (const f of others) {
    vertices.set(rays.vertices.subarray(9 * f, 9 * f + 9), 9 * m)
    facets[m++] = f
  }
  const triangles = Uint32Array.from({ length: 3 * count }, (_, i) => i)
  return { vertices, facets, outlined, bvh: buildBvh({ positions: vertices, triangles }), areas }
}

/** Corners of the triangles that make up a face, by faces with a convex outline of fewer of them than facets. */
function convexFans(
  scene: EdgeScene,
  rays: RayScene,
  largest: readonly number[],
  areas: Float64Array,
): Map<number, number[]> {
  const fans = new Map<number, number[]>()
  const counts = new Uint32Array(largest.length)
  const uneven = new Uint8Array(largest.length)
  for (let f = 0; f < rays.count; f++) {
    const face = scene.faceOf[f]
    counts[face]++
    if (!liesIn(rays.vertices, 9 * f, 9 * f + 9, rays, largest[face], scene.tolerance)) uneven[face] = 1
  }
  for (let face = 0; face < largest.length; face++) {
    const corners = counts[face] > 1 && !uneven[face] ? convexOutline(scene, face) : null
    if (!corners || corners.length / 3 - 2 >= counts[face]) continue
    const fan: number[] = []
    for (let i = 3; i + 5 < corners.length; i += 3)
      fan.push(...corners.slice(0, 3), ...corners.slice(i, i + 6))
    let area = 0
    let around = 0
    for (let at = 0; at < fan.length; at += 9) {
      area += areaOf(fan, at)
      around += Math.hypot(...difference(fan, at + 6, at + 3))
    }
    const same = Math.abs(area - areas[face]) <= SAME_AREA * areas[face] + scene.tolerance * around
    // The outline of a thin solid as a sheet lies beside its facets.
    if (same && liesIn(fan, 0, fan.length, rays, largest[face], scene.tolerance)) fans.set(face, fan)
  }
  return fans
}

/** Whether the points from `at` to `end` lie in the plane of facet f. */
function liesIn(
  points: ArrayLike<number>,
  at: number,
  end: number,
  { normals }: RayScene,
  f: number,
  tolerance: number,
): boolean {
  const n = 4 * f
  for (; at < end; at += 3) {
    if (Math.abs(along(normals, n, vectorAt(points, at)) - normals[n + 3]) > UNEVEN * tolerance) return false
  }
  return true
}

/** Corners of a face's outline in their order, three numbers each; null where it is not one convex loop. */
function convexOutline(scene: EdgeScene, face: number): number[] | null {
  const { outline, outlineStart, normals, tolerance } = scene
  const first = outlineStart[face]
  const count = outlineStart[face + 1] - first
  const point = (edge: number, end: 0 | 3): Vec3 => vectorAt(outline, 6 * edge + end)
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
  const corners: number[] = []
  for (let i = 0; i < count; i++) {
    const [a, b, c] = [loop[(i + count - 1) % count], loop[i], loop[(i + 1) % count]]
    const [toB, toC] = [b, c].map((v) => v.map((x, i) => x - a[i]) as Vec3)
    const height = along(normals, 3 * face, cross(toB, toC)) / Math.hypot(...toC)
    if (height < -tolerance) return null
    if (height > tolerance) corners.push(...b)
  }
  return corners.length >= 9 ? corners : null
}

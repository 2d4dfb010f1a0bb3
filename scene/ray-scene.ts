import { type BoxPairs, pairBoxes } from './box-pairs.js'
import { buildBvh, type Bvh } from './bvh.js'
import type { Vec3 } from './direction.js'
import { findFlats, type Flats } from './flats.js'
import type { Mesh } from './mesh.js'
import { threadRopes } from './ropes.js'
import { share, shared } from './shared-memory.js'
import type { Target } from './target.js'

/**
 * What ray tracing needs of a target, in coordinates relative to `origin` (the target's centroid, so that single
 * precision on the GPU loses least). Arrays lie in shared memory: worker threads map them instead of copying.
 */
export interface RayScene {
  /** Point of the mesh's coordinates at which the arrays have their origin [m]. */
  origin: Vec3
  /** Facets, T. */
  count: number
  /** Box diagonal [m]. */
  diagonal: number
  /** See `Bvh`. */
  nodes: Float32Array
  order: Uint32Array
  depth: number
  /** The same hierarchy for rays on the processor. */
  pairs: BoxPairs
  /** Where rays go without a stack (`threadRopes`); absent where they take one. */
  ropes?: Uint32Array
  /** Rays of a lattice search the hierarchy for every facet they meet, as they do along ropes, instead of lists. */
  unlisted?: boolean
  /** 12 numbers per leaf slot (see `facetPlanes`), with the facets enlarged by DOUBLE_TOLERANCE. */
  planes: Float64Array
  /** 4 numbers per facet: outward unit normal n, and n . a for a point a of its plane. */
  normals: Float64Array
  /** Surface (smooth group) of each facet. */
  surface: Uint32Array
  /** 9 numbers per facet: its three vertices. */
  vertices: Float64Array
  /** 3 numbers per vertex, each once. */
  points: Float64Array
  /** Its connected parts of one plane; absent where nothing asks for them (`withFlats`). */
  flats?: Flats
}

/** A scene with what adaptive tubes need. */
export type FlatScene = RayScene & { flats: Flats }

/** Facets grow by this part of the box diagonal on each side, so that no ray slips between two of them. */
export const DOUBLE_TOLERANCE = 1e-12
/** A reflected ray starts this part of the box diagonal above the facet it leaves. */
export const DOUBLE_OFFSET = 1e-10
/** Rays that meet a facet's plane at less than this |cos| pass it by. */
export const GRAZING_COSINE = 1e-9

/** The part of a scene that is the facets themselves, without their hierarchy. */
export type FacetScene = Pick<RayScene, 'origin' | 'count' | 'diagonal' | 'normals' | 'vertices' | 'points'>

/** The facets of a target about its centroid. */
export function buildFacetScene(target: Target): FacetScene {
  const count = target.triangles.length / 3
  const origin = target.centroid
  const points = shared(Float64Array, target.positions.length)
  for (let i = 0; i < points.length; i++) points[i] = target.positions[i] - origin[i % 3]
  const vertices = shared(Float64Array, 9 * count)
  const normals = shared(Float64Array, 4 * count)
  for (let t = 0; t < count; t++) {
    for (let i = 0; i < 3; i++)
      for (let a = 0; a < 3; a++) vertices[9 * t + 3 * i + a] = points[3 * target.triangles[3 * t + i] + a]
    normals.set(target.normals.subarray(3 * t, 3 * t + 3), 4 * t)
    let offset = 0
    for (let a = 0; a < 3; a++)
      offset += normals[4 * t + a] * (vertices[9 * t + a] + vertices[9 * t + 3 + a] + vertices[9 * t + 6 + a])
    normals[4 * t + 3] = offset / 3
  }
  return { origin, count, diagonal: target.diagonal, normals, vertices, points }
}

/**
 * What rays are cast in: facets and hierarchy of a target, about its centroid.
 * @param hierarchy  makes the hierarchy of the mesh, about the centroid; the default builds it
 */
export function buildRayScene(target: Target, hierarchy: (mesh: Mesh) => Bvh = buildBvh): RayScene {
  const facets = buildFacetScene(target)
  const bvh = hierarchy({ positions: facets.points, triangles: target.triangles })
  return {
    ...facets,
    depth: bvh.depth,
    nodes: share(bvh.nodes),
    pairs: sharePairs(pairBoxes(bvh.nodes, target.diagonal)),
    order: share(bvh.order),
    surface: share(target.surface),
    planes: share(facetPlanes({ ...facets, order: bvh.order }, DOUBLE_TOLERANCE)),
  }
}

/** The scene, with the flats of the target that it was built from. */
export const withFlats = (scene: RayScene, target: Target): FlatScene => ({
  ...scene,
  flats: shareFlats(findFlats(target)),
})

/** The scene, with ropes for casters to follow instead of a stack. They meet the same facets. */
export const withRopes = (scene: RayScene): RayScene => ({ ...scene, ropes: share(threadRopes(scene.nodes)) })

/** The scene, to be searched for every facet that a ray meets. They meet the same facets. */
export const withoutLists = (scene: RayScene): RayScene => ({ ...scene, unlisted: true })

/**
 * Per leaf slot 12 numbers for the intersection test: n and n . a of the facet's plane; then (m, c) twice, such
 * that the barycentric coordinates of a point p of the plane are u = m1 . p + c1, v = m2 . p + c2. The facet is
 * enlarged by tolerance * diagonal on each side; the point is inside when u >= 0, v >= 0, u + v <= 1.
 */
export function facetPlanes(
  scene: Pick<RayScene, 'count' | 'diagonal' | 'normals' | 'vertices' | 'order'>,
  tolerance: number,
): Float64Array {
  const out = new Float64Array(12 * scene.count)
  for (let slot = 0; slot < scene.count; slot++) {
    const t = scene.order[slot]
    const { v, m1, m2, du, dv, dw } = barycentric(scene, t, tolerance)
    const scale = 1 / (1 + du + dv + dw)
    out.set(scene.normals.subarray(4 * t, 4 * t + 4), 12 * slot)
    for (let a = 0; a < 3; a++) {
      out[12 * slot + 4 + a] = m1[a] * scale
      out[12 * slot + 8 + a] = m2[a] * scale
    }
    out[12 * slot + 7] = (du - m1[0] * v[0] - m1[1] * v[1] - m1[2] * v[2]) * scale
    out[12 * slot + 11] = (dv - m2[0] * v[0] - m2[1] * v[1] - m2[2] * v[2]) * scale
  }
  return out
}

/**
 * Corners of the enlarged facets that `facetPlanes` describes, 9 numbers per leaf slot [m]: they lie a little outside
 * the facet's, far at the tips of slivers.
 */
export function enlargedCorners(
  scene: Pick<RayScene, 'count' | 'diagonal' | 'normals' | 'vertices' | 'order'>,
  tolerance: number,
): Float64Array {
  const out = new Float64Array(9 * scene.count)
  for (let slot = 0; slot < scene.count; slot++) {
    const { v, du, dv, dw } = barycentric(scene, scene.order[slot], tolerance)
    // In barycentric coordinates of the facet itself.
    const tips = [
      [-du, -dv],
      [1 + dv + dw, -dv],
      [-du, 1 + du + dw],
    ]
    tips.forEach(([s, r], i) => {
      for (let a = 0; a < 3; a++)
        out[9 * slot + 3 * i + a] = v[a] + s * (v[3 + a] - v[a]) + r * (v[6 + a] - v[a])
    })
  }
  return out
}

/** Vertices of a facet, gradients of its barycentric coordinates, and what those are off where it grows on a side. */
function barycentric(
  scene: Pick<RayScene, 'diagonal' | 'normals' | 'vertices'>,
  t: number,
  tolerance: number,
): { v: Float64Array; m1: Vec3; m2: Vec3; du: number; dv: number; dw: number } {
  const v = scene.vertices.subarray(9 * t, 9 * t + 9)
  const n = scene.normals.subarray(4 * t, 4 * t + 4)
  const m1 = inPlaneGradient(v, 0, 3, 6, n)
  const m2 = inPlaneGradient(v, 0, 6, 3, n)
  const grow = tolerance * scene.diagonal
  return {
    v,
    m1,
    m2,
    du: grow * Math.hypot(m1[0], m1[1], m1[2]),
    dv: grow * Math.hypot(m2[0], m2[1], m2[2]),
    dw: grow * Math.hypot(m1[0] + m2[0], m1[1] + m2[1], m1[2] + m2[2]),
  }
}

/** Gradient in the facet's plane of the barycentric coordinate of vertex b: 1 at b, 0 along the edge a-c. */
function inPlaneGradient(v: Float64Array, a: number, b: number, c: number, n: Float64Array): Vec3 {
  const e = [v[c] - v[a], v[c + 1] - v[a + 1], v[c + 2] - v[a + 2]]
  const m: Vec3 = [n[1] * e[2] - n[2] * e[1], n[2] * e[0] - n[0] * e[2], n[0] * e[1] - n[1] * e[0]]
  const height = m[0] * (v[b] - v[a]) + m[1] * (v[b + 1] - v[a + 1]) + m[2] * (v[b + 2] - v[a + 2])
  return [m[0] / height, m[1] / height, m[2] / height]
}

const shareFlats = ({ flat, rimStart, rim, curved, shell }: Flats): Flats => ({
  flat: share(flat),
  rimStart: share(rimStart),
  rim: share(rim),
  curved: share(curved),
  shell: share(shell),
})

const sharePairs = ({ boxes, links, root }: BoxPairs): BoxPairs => ({
  boxes: share(boxes),
  links: share(links),
  root,
})

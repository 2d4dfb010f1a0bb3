import { share, shared } from '../parallel/shared-memory.js'
import type { Vec3 } from '../scene/direction.js'
import { facetsBelow, type Ground, isMirror } from '../scene/ground/index.js'
import type { Material } from '../scene/materials/material.js'
import type { Mesh } from '../scene/mesh.js'
import type { Target } from '../scene/target.js'
import {
  type BoxPairs,
  buildBvh,
  type Bvh,
  pairBoxes,
  type QuadNodes,
  quadNodes,
  threadRopes,
} from './bvh.js'

/** What facets are made of. */
export interface SceneMaterials {
  list: Material[]
  /** Number in `list` of each facet. */
  of: Uint8Array
  /** Whether waves pass through facets of each material of `list`, and whether through any. */
  isSheet: boolean[]
  sheets: boolean
  /** A ground whose mirror image of the target sees waves changed (`crossing`); absent without one, and where it is a mirror. */
  ground?: SceneGround
}

/** The ground in a scene that holds the target's mirror image; its plane has the number T. */
interface SceneGround {
  ground: Ground
  /** 1 for each facet of the mirror image. */
  below: Uint8Array
}

function sceneMaterials(
  { materials: list, facetMaterial, areas }: Target,
  ground: SceneGround | undefined,
): SceneMaterials {
  const isSheet = list.map(({ kind }) => kind === 'sheet')
  const of = share(facetMaterial ?? new Uint8Array(areas.length))
  return { list, of, isSheet, sheets: isSheet.includes(true), ...(ground && { ground }) }
}

/** The ground of a target whose mirror image is part of it; undefined without one, and where it is a mirror. */
function groundOf(target: Target): SceneGround | undefined {
  const { ground } = target
  if (!ground || isMirror(ground)) return undefined
  return { ground, below: share(facetsBelow(target, ground.height)) }
}

/** The facets' planes and the ground's. */
function withPlane(
  { origin, count, normals }: { origin: Vec3; count: number; normals: Float64Array },
  height: number,
): Float64Array {
  const out = shared(Float64Array, 4 * (count + 1))
  out.set(normals)
  out.set([0, 0, 1, height - origin[2]], 4 * count)
  return out
}

/** Surfaces that end at the ground: waves of both sides differ. */
const apart = (surface: Uint32Array, count: number, below: Uint8Array): Uint32Array =>
  surface.map((s, t) => s + count * below[t])

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
  /** Twice the largest distance of a vertex from the origin [m]: the same however the target is turned, as its box is not. */
  extent: number
  /** The extent, or `SPREAD` times the diameter of the sphere of the target's area where that is less [m]: what is left out of waves goes by it. */
  size: number
  /** See `Bvh`. */
  nodes: Float32Array
  order: Uint32Array
  depth: number
  /** The same BVH for what is looked for on the processor, and for rays there. */
  pairs: BoxPairs
  quads: QuadNodes
  /** Where rays go without a stack (`threadRopes`); absent where they take one. */
  ropes?: Uint32Array
  /** Rays of a lattice search the BVH for every facet they meet, as they do along ropes, instead of lists. */
  unlisted?: boolean
  /** 12 numbers per leaf slot (see `facetPlanes`), with the facets enlarged by DOUBLE_TOLERANCE. */
  planes: Float64Array
  /** 4 numbers per facet: outward unit normal n, and n . a for a point a of its plane; last the plane of `SceneMaterials.ground`. */
  normals: Float64Array
  /** Surface (smooth group) of each facet. */
  surface: Uint32Array
  /** 9 numbers per facet: its three vertices. */
  vertices: Float64Array
  /** 3 numbers per vertex, each once. */
  points: Float64Array
  /** Absent where everything conducts. */
  materials?: SceneMaterials
}

/** Facets grow by this part of the box diagonal on each side, so that no ray slips between two of them. */
export const DOUBLE_TOLERANCE = 1e-12

/** The part of a scene that is the facets themselves, without their BVH. */
export type FacetScene = Pick<
  RayScene,
  'origin' | 'count' | 'diagonal' | 'extent' | 'size' | 'normals' | 'vertices' | 'points'
>

/** Extents of the samples are 1 to 2.6 such diameters, the missile's is 3.9; a stray facet, or bodies far apart, make it any number. */
const SPREAD = 2.6

/** The facets of a target about its centroid. */
function buildFacetScene(target: Target): FacetScene {
  const count = target.triangles.length / 3
  const origin = target.centroid
  const points = shared(Float64Array, target.positions.length)
  moveTo(origin, target.positions, points)
  const vertices = shared(Float64Array, 9 * count)
  takePoints(points, target.triangles, vertices)
  const normals = shared(Float64Array, 4 * count)
  setPlanes(target.normals, vertices, normals)
  const extent = extentOf(points)
  // In single precision, which the order of facets does not change.
  const size = Math.min(extent, Math.fround(SPREAD * Math.sqrt(target.area / Math.PI)))
  return { origin, count, diagonal: target.diagonal, extent, size, normals, vertices, points }
}

/** See `RayScene.extent`. */
function extentOf(points: Float64Array): number {
  let square = 0
  for (let i = 0; i < points.length; i += 3)
    square = Math.max(square, points[i] ** 2 + points[i + 1] ** 2 + points[i + 2] ** 2)
  return 2 * Math.sqrt(square)
}

/** Coordinates relative to an origin. */
export function moveTo(origin: Vec3, positions: Float64Array, out: Float64Array): void {
  const x = origin[0]
  const y = origin[1]
  const z = origin[2]
  for (let i = 0; i < positions.length; i += 3) {
    out[i] = positions[i] - x
    out[i + 1] = positions[i + 1] - y
    out[i + 2] = positions[i + 2] - z
  }
}

/** The coordinates of points by their numbers. */
export function takePoints(points: Float64Array, numbers: Uint32Array, out: Float64Array): void {
  for (let i = 0; i < numbers.length; i++) {
    const from = 3 * numbers[i]
    const to = 3 * i
    out[to] = points[from]
    out[to + 1] = points[from + 1]
    out[to + 2] = points[from + 2]
  }
}

/** See `RayScene.normals`; the offset is the mean over the three vertices. */
function setPlanes(normals: Float64Array, v: Float64Array, out: Float64Array): void {
  for (let t = 0; t < normals.length / 3; t++) {
    const x = normals[3 * t]
    const y = normals[3 * t + 1]
    const z = normals[3 * t + 2]
    const i = 9 * t
    out[4 * t] = x
    out[4 * t + 1] = y
    out[4 * t + 2] = z
    out[4 * t + 3] =
      (x * (v[i] + v[i + 3] + v[i + 6]) +
        y * (v[i + 1] + v[i + 4] + v[i + 7]) +
        z * (v[i + 2] + v[i + 5] + v[i + 8]) +
        // Makes -0 a plain 0.
        0) /
      3
  }
}

/**
 * What rays are cast in: facets and BVH of a target, about its centroid.
 * @param build  builds the BVH of the mesh, about the centroid; the default builds it
 */
export function buildRayScene(target: Target, build: (mesh: Mesh) => Bvh = buildBvh): RayScene {
  const facets = buildFacetScene(target)
  const bvh = build({ positions: facets.points, triangles: target.triangles })
  const pairs = sharePairs(pairBoxes(bvh.nodes, target.diagonal))
  const { nodes, root } = quadNodes(pairs)
  const ground = groundOf(target)
  const materials = target.facetMaterial || ground ? sceneMaterials(target, ground) : undefined
  return {
    ...facets,
    ...(ground && { normals: withPlane(facets, ground.ground.height) }),
    depth: bvh.depth,
    nodes: share(bvh.nodes),
    pairs,
    quads: { nodes: share(nodes), root },
    order: share(bvh.order),
    surface: share(ground ? apart(target.surface, target.surfaceCount, ground.below) : target.surface),
    planes: share(facetPlanes({ ...facets, order: bvh.order }, DOUBLE_TOLERANCE)),
    ...(materials && { materials }),
  }
}

/** The scene, with ropes for casters to follow instead of a stack. They meet the same facets. */
export const withRopes = (scene: RayScene): RayScene => ({ ...scene, ropes: share(threadRopes(scene.nodes)) })

/** The scene, to be searched for every facet that a ray meets. They meet the same facets. */
export const withoutLists = (scene: RayScene): RayScene => ({ ...scene, unlisted: true })

/** What `facetGradients` gives: 9 numbers per facet. */
type Gradients = Float64Array

/**
 * Per facet the gradients m1 and m2 in its plane of its barycentric coordinates of vertices 1 and 2, then the lengths of
 * m1, of m2 and of m1 + m2 (that of vertex 0) [1/m]: what a coordinate is off per metre that its side is moved.
 */
export function facetGradients({
  count,
  normals,
  vertices,
}: Pick<RayScene, 'count' | 'normals' | 'vertices'>): Gradients {
  const out = new Float64Array(9 * count)
  for (let t = 0; t < count; t++) {
    const at = 9 * t
    inPlaneGradient(vertices, normals, t, 1, out)
    inPlaneGradient(vertices, normals, t, 2, out)
    out[at + 6] = Math.hypot(out[at], out[at + 1], out[at + 2])
    out[at + 7] = Math.hypot(out[at + 3], out[at + 4], out[at + 5])
    out[at + 8] = Math.hypot(out[at] + out[at + 3], out[at + 1] + out[at + 4], out[at + 2] + out[at + 5])
  }
  return out
}

/** Gradient in facet t's plane of the barycentric coordinate of vertex 1 or 2, at b: 1 at b, 0 along the edge from vertex 0 to the other one. */
function inPlaneGradient(
  v: Float64Array,
  normals: Float64Array,
  t: number,
  vertex: 1 | 2,
  out: Float64Array,
): void {
  const n = 4 * t
  const a = 9 * t
  const b = a + 3 * vertex
  const c = a + 9 - 3 * vertex
  const to = b - 3
  const ex = v[c] - v[a]
  const ey = v[c + 1] - v[a + 1]
  const ez = v[c + 2] - v[a + 2]
  const mx = normals[n + 1] * ez - normals[n + 2] * ey
  const my = normals[n + 2] * ex - normals[n] * ez
  const mz = normals[n] * ey - normals[n + 1] * ex
  const height = mx * (v[b] - v[a]) + my * (v[b + 1] - v[a + 1]) + mz * (v[b + 2] - v[a + 2])
  out[to] = mx / height
  out[to + 1] = my / height
  out[to + 2] = mz / height
}

type Facets = Pick<RayScene, 'count' | 'diagonal' | 'normals' | 'vertices' | 'order'>

/**
 * Per leaf slot 12 numbers for the intersection test: n and n . a of the facet's plane; then (m, c) twice, such
 * that the barycentric coordinates of a point p of the plane are u = m1 . p + c1, v = m2 . p + c2. The facet is
 * enlarged by tolerance * diagonal on each side; the point is inside when u >= 0, v >= 0, u + v <= 1.
 */
export function facetPlanes(
  scene: Facets,
  tolerance: number,
  gradients: Gradients = facetGradients(scene),
): Float64Array {
  const { count, normals: n, vertices: v, order } = scene
  const growth = tolerance * scene.diagonal
  const out = new Float64Array(12 * count)
  for (let slot = 0; slot < count; slot++) {
    const t = order[slot]
    const m = 9 * t
    const du = growth * gradients[m + 6]
    const dv = growth * gradients[m + 7]
    const scale = 1 / (1 + du + dv + growth * gradients[m + 8])
    const at = 12 * slot
    const x = v[m]
    const y = v[m + 1]
    const z = v[m + 2]
    const ux = gradients[m]
    const uy = gradients[m + 1]
    const uz = gradients[m + 2]
    const vx = gradients[m + 3]
    const vy = gradients[m + 4]
    const vz = gradients[m + 5]
    out[at] = n[4 * t]
    out[at + 1] = n[4 * t + 1]
    out[at + 2] = n[4 * t + 2]
    out[at + 3] = n[4 * t + 3]
    out[at + 4] = ux * scale
    out[at + 5] = uy * scale
    out[at + 6] = uz * scale
    out[at + 7] = (du - ux * x - uy * y - uz * z) * scale
    out[at + 8] = vx * scale
    out[at + 9] = vy * scale
    out[at + 10] = vz * scale
    out[at + 11] = (dv - vx * x - vy * y - vz * z) * scale
  }
  return out
}

/**
 * Corners of the enlarged facets that `facetPlanes` describes, 9 numbers per leaf slot [m]: they lie a little outside
 * the facet's, far at the tips of slivers.
 */
export function enlargedCorners(
  scene: Facets,
  tolerance: number,
  gradients: Gradients = facetGradients(scene),
): Float64Array {
  const { count, vertices: v, order } = scene
  const growth = tolerance * scene.diagonal
  const out = new Float64Array(9 * count)
  for (let slot = 0; slot < count; slot++) {
    const m = 9 * order[slot]
    const du = growth * gradients[m + 6]
    const dv = growth * gradients[m + 7]
    const dw = growth * gradients[m + 8]
    // The tips in barycentric coordinates of the facet itself: (-du, -dv), (1 + dv + dw, -dv), (-du, 1 + du + dw).
    for (let a = 0; a < 3; a++) {
      const x = v[m + a]
      const u = v[m + 3 + a] - x
      const w = v[m + 6 + a] - x
      out[9 * slot + a] = x + -du * u + -dv * w
      out[9 * slot + 3 + a] = x + (1 + dv + dw) * u + -dv * w
      out[9 * slot + 6 + a] = x + -du * u + (1 + du + dw) * w
    }
  }
  return out
}

const sharePairs = ({ boxes, links, root }: BoxPairs): BoxPairs => ({
  boxes: share(boxes),
  links: share(links),
  root,
})

import { DOUBLE_OFFSET, RayCaster } from '../../rays/index.js'
import type { PropagationSetup } from '../setup.js'
import { classOf, type LaunchBatch, locate, rowStart, vertexDirection, vertexPlaces } from './geodesic.js'
import type { RayBatch } from './ray-batch.js'

/** An exact path misses its receiver by less than this part of its length (rounding alone). */
const MISS = 1e-7

/**
 * Paths of geometrical optics from the transmitter by reflections at planes, in double precision: images, and the walk along
 * an exact direction. One walker per thread; the result of the last `walk` stays in its arrays.
 */
export class PathWalker {
  /** Reflections of the last path. */
  count = 0
  /** Length [m]. */
  length = 0
  /** Facets met. */
  readonly facets: Int32Array
  /** Directions of its count + 1 segments, the points of reflection, the unit normals on the side that was met; 3 each. */
  readonly directions: Float64Array
  readonly points: Float64Array
  readonly normals: Float64Array
  private readonly v = new Float64Array(3)
  private readonly caster: RayCaster

  /** @param miss  how far a path may pass its receiver by, as a part of its length */
  constructor(
    private readonly setup: PropagationSetup,
    private readonly miss = MISS,
  ) {
    const most = setup.maxReflections
    this.facets = new Int32Array(most)
    this.directions = new Float64Array(3 * (most + 1))
    this.points = new Float64Array(3 * most)
    this.normals = new Float64Array(3 * most)
    this.caster = new RayCaster(setup.scene)
  }

  /** Image of the transmitter in the planes of facets met[at ... at + count), one after the other, into `out`. */
  image(met: Int32Array, at: number, count: number, out: Float64Array): void {
    out.set(this.setup.transmitter)
    for (let k = at; k < at + count; k++) this.mirrorPoint(met[k], out)
  }

  /** Point `p` mirrored in the plane of a facet (in place). */
  mirrorPoint(facet: number, p: Float64Array): void {
    const { normals } = this.setup.scene
    const f = 4 * facet
    const height = 2 * (normals[f] * p[0] + normals[f + 1] * p[1] + normals[f + 2] * p[2] - normals[f + 3])
    p[0] -= height * normals[f]
    p[1] -= height * normals[f + 1]
    p[2] -= height * normals[f + 2]
  }

  /** Whether a point lies on the side of a facet that a ray along d (after its reflection there) goes to. */
  front(facet: number, d: Float64Array, p: ArrayLike<number>): boolean {
    const { normals } = this.setup.scene
    const n = 4 * facet
    const side = normals[n] * d[0] + normals[n + 1] * d[1] + normals[n + 2] * d[2] > 0 ? 1 : -1
    return side * (normals[n] * p[0] + normals[n + 1] * p[1] + normals[n + 2] * p[2] - normals[n + 3]) > 0
  }

  /** Direction `v` after the last of these reflections, before the first (in place). */
  unreflect(met: Int32Array, at: number, count: number, v: Float64Array): void {
    for (let k = at + count - 1; k >= at; k--) this.mirror(met[k], v)
  }

  /** Direction `v` before the first of these reflections, after the last (in place). */
  reflect(met: Int32Array, at: number, count: number, v: Float64Array): void {
    for (let k = at; k < at + count; k++) this.mirror(met[k], v)
  }

  private mirror(facet: number, v: Float64Array): void {
    const { normals } = this.setup.scene
    const f = 4 * facet
    const height = 2 * (normals[f] * v[0] + normals[f + 1] * v[1] + normals[f + 2] * v[2])
    v[0] -= height * normals[f]
    v[1] -= height * normals[f + 1]
    v[2] -= height * normals[f + 2]
  }

  /**
   * Walks from the transmitter along w (of any length) by `count` reflections and on to point (px, py, pz). False
   * where the path leaves the region or meets nothing too early, does not come by the point, or something stands before it.
   */
  walk(w: Float64Array, count: number, px: number, py: number, pz: number): boolean {
    const { scene, transmitter, region } = this.setup
    const { caster, points, normals, facets } = this
    const lift = DOUBLE_OFFSET * scene.diagonal
    const scale = 1 / Math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    let [ox, oy, oz] = transmitter
    let dx = w[0] * scale
    let dy = w[1] * scale
    let dz = w[2] * scale
    let length = 0
    let skip = -1
    for (let k = 0; k < count; k++) {
      if (!caster.nearest(ox, oy, oz, dx, dy, dz, skip)) return false
      const facet = caster.facet
      const n = 4 * facet
      const side = scene.normals[n] * dx + scene.normals[n + 1] * dy + scene.normals[n + 2] * dz > 0 ? -1 : 1
      const nx = side * scene.normals[n]
      const ny = side * scene.normals[n + 1]
      const nz = side * scene.normals[n + 2]
      const nd = nx * dx + ny * dy + nz * dz
      const t = (side * scene.normals[n + 3] - nx * ox - ny * oy - nz * oz) / nd
      const at = 3 * k
      ox += t * dx
      oy += t * dy
      oz += t * dz
      const { min, max } = region
      if (ox < min[0] || oy < min[1] || oz < min[2] || ox > max[0] || oy > max[1] || oz > max[2]) return false
      points[at] = ox
      points[at + 1] = oy
      points[at + 2] = oz
      normals[at] = nx
      normals[at + 1] = ny
      normals[at + 2] = nz
      facets[k] = facet
      ox += lift * nx
      oy += lift * ny
      oz += lift * nz
      length += t
      skip = facet
      dx -= 2 * nd * nx
      dy -= 2 * nd * ny
      dz -= 2 * nd * nz
    }
    const vx = px - ox
    const vy = py - oy
    const vz = pz - oz
    const t = vx * dx + vy * dy + vz * dz
    if (!(t > 0)) return false
    const miss = Math.hypot(vx - t * dx, vy - t * dy, vz - t * dz)
    if (miss > this.miss * (length + t) + 4 * count * lift) return false
    // A receiver on a surface is in front of it.
    if (caster.nearest(ox, oy, oz, dx, dy, dz, skip) && caster.t < t - 10 * lift) return false
    this.count = count
    this.straighten(px, py, pz)
    return true
  }

  /**
   * Takes a ray itself as the path: from the transmitter along unit d by reflections at facets met[at ... at + count).
   * @param length  along the ray to where the path ends [m]
   */
  follow(met: Int32Array, at: number, count: number, d: Float64Array, length: number): void {
    const { setup, facets, points, normals, directions, v } = this
    const planes = setup.scene.normals
    let [x, y, z] = setup.transmitter
    v.set(d)
    directions.set(v)
    for (let k = 0; k < count; k++) {
      const n = 4 * (facets[k] = met[at + k])
      const rate = planes[n] * v[0] + planes[n + 1] * v[1] + planes[n + 2] * v[2]
      const t = (planes[n + 3] - planes[n] * x - planes[n + 1] * y - planes[n + 2] * z) / rate
      const side = rate > 0 ? -1 : 1
      points[3 * k] = x += t * v[0]
      points[3 * k + 1] = y += t * v[1]
      points[3 * k + 2] = z += t * v[2]
      for (let a = 0; a < 3; a++) normals[3 * k + a] = side * planes[n + a]
      this.mirror(facets[k], v)
      directions.set(v, 3 * (k + 1))
    }
    this.count = count
    this.length = length
  }

  /** Length and directions from the facets that were met alone, so that they do not show by which ray the path was found. */
  private straighten(px: number, py: number, pz: number): void {
    const { facets, directions, count, v } = this
    this.image(facets, 0, count, v)
    v[0] = px - v[0]
    v[1] = py - v[1]
    v[2] = pz - v[2]
    this.length = Math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    for (let a = 0; a < 3; a++) v[a] /= this.length
    this.unreflect(facets, 0, count, v)
    directions.set(v)
    for (let k = 0; k < count; k++) {
      this.mirror(facets[k], v)
      directions.set(v, 3 * (k + 1))
    }
  }
}

/** Two images are one when they are nearer than this part of the path's length. */
const SAME_IMAGE = 1e-7

/**
 * Decides for a ray and a receiver in its cone whether there is a path, and whether this ray is the one to count it (paper 004,
 * section III.B): of the three rays of the triangle that the receiver's exact direction lies in, the one of the lowest class that
 * finds the same path. So every path is counted once, whatever the batch, without an order.
 *
 * With exact reception a neighbour finds the same path where it has the same image and the receiver in its reach; the path is then
 * walked exactly. With reception spheres (section III.C) it does where it meets the receiver's sphere after as many reflections,
 * and the ray itself, its length, angles and direction, is the path.
 */
export class PathFinder {
  /** The path counted last. */
  readonly walker: PathWalker
  /** Whether no other ray of the triangle finds the last path. */
  single = false
  private readonly spheres: boolean
  private readonly triangle = new Int32Array(6)
  private readonly image = new Float64Array(3)
  private readonly other = new Float64Array(3)
  private readonly v = new Float64Array(3)
  private readonly d = new Float64Array(3)
  private readonly ofRay: Int32Array

  constructor(
    private readonly setup: PropagationSetup,
    private readonly batch: LaunchBatch,
    private readonly rays: RayBatch,
  ) {
    this.spheres = setup.reception === 'spheres'
    this.walker = new PathWalker(setup)
    this.ofRay = vertexPlaces(batch)
  }

  /** True where the ray counts a path to the receiver; it is then in `walker`. */
  find(ray: number, reflections: number, slot: number): boolean {
    const { setup, batch, rays, walker, spheres, triangle, image, v, d } = this
    const { points } = setup.receivers
    const first = ray * setup.maxReflections
    const px = points[3 * slot]
    const py = points[3 * slot + 1]
    const pz = points[3 * slot + 2]
    walker.image(rays.met, first, reflections, image)
    v[0] = px - image[0]
    v[1] = py - image[1]
    v[2] = pz - image[2]
    const length = Math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    walker.unreflect(rays.met, first, reflections, v)
    // Faces and batches share rays: the one that the receiver is seen in counts.
    if (!locate(batch.n, batch.face, v[0], v[1], v[2], triangle)) return false
    const row = Math.min(triangle[1], triangle[3], triangle[5])
    if (row < batch.j0 || row >= batch.j1) return false
    const i = this.ofRay[2 * ray]
    const j = this.ofRay[2 * ray + 1]
    const own = classOf(i, j)
    if (triangle[2 * own] !== i || triangle[2 * own + 1] !== j) return false
    for (let c = 0; c < own; c++) if (this.finds(c, reflections, px, py, pz, length)) return false
    this.single = false
    if (spheres) {
      vertexDirection(batch.n, batch.face, i, j, d)
      // Along the unfolded ray, that is along the launch direction.
      walker.follow(rays.met, first, reflections, d, v[0] * d[0] + v[1] * d[1] + v[2] * d[2])
      return true
    }
    if (!walker.walk(v, reflections, px, py, pz)) return false
    this.single = true
    for (let c = own + 1; c < 3; c++) if (this.finds(c, reflections, px, py, pz, length)) this.single = false
    return true
  }

  /** Whether the triangle's ray of a class finds the same path, of this length and with as many reflections, to the point. */
  private finds(c: number, reflections: number, px: number, py: number, pz: number, length: number): boolean {
    const { setup, batch, rays, walker, spheres, triangle, image, other, d } = this
    const most = setup.maxReflections
    const i = triangle[2 * c]
    const j = triangle[2 * c + 1]
    const ray = rowStart(batch, j) + i
    if (rays.counts[ray] < reflections) return false
    walker.image(rays.met, ray * most, reflections, other)
    if (!spheres) {
      const dx = other[0] - image[0]
      const dy = other[1] - image[1]
      const dz = other[2] - image[2]
      if (dx * dx + dy * dy + dz * dz > (SAME_IMAGE * length) ** 2) return false
    }
    vertexDirection(batch.n, batch.face, i, j, d)
    walker.reflect(rays.met, ray * most, reflections, d)
    const x = px - other[0]
    const y = py - other[1]
    const z = pz - other[2]
    const along = x * d[0] + y * d[1] + z * d[2]
    const at = ray * (most + 1) + reflections
    if (along < rays.from[at] || along > rays.to[at]) return false
    // The test of `RayBatch.list`.
    if (spheres && x * x + y * y + z * z - along * along > rays.tangents[ray] ** 2 * along * along)
      return false
    // Like the ray itself did: a receiver behind the last wall is none of its own.
    return reflections === 0 || walker.front(rays.met[ray * most + reflections - 1], d, [px, py, pz])
  }

  /**
   * Lists the reception spheres that rays meet, as candidates of the batch: every segment of every ray is tried. A sphere is as wide
   * as the ray's cone where the ray passes the receiver, and the cone reaches to the middle of its triangles (`circumradius`), so
   * that every wavefront meets one to three rays of one triangle.
   */
  listSpheres(): void {
    const { setup, batch, rays, walker, ofRay, image, d } = this
    const most = setup.maxReflections
    for (let ray = 0; ray < rays.counts.length; ray++) {
      vertexDirection(batch.n, batch.face, ofRay[2 * ray], ofRay[2 * ray + 1], d)
      image.set(setup.transmitter)
      for (let b = 0; ; b++) {
        const wall = b > 0 ? rays.met[ray * most + b - 1] : -1
        rays.list(ray, b, rays.tangents[ray], image, d, wall)
        if (b === rays.counts[ray]) break
        walker.mirrorPoint(rays.met[ray * most + b], image)
        walker.reflect(rays.met, ray * most + b, 1, d)
      }
    }
  }
}

/** A path of geometrical optics from the transmitter to a receiver. */
export interface PropagationPath {
  /** Number of the receiver, in the caller's order. */
  receiver: number
  /** Length [m]. */
  length: number
  /** Unit directions away from the transmitter, and from the receiver to where the path comes from. */
  departure: [number, number, number]
  arrival: [number, number, number]
  /** Points of reflection (or diffraction) [m]. */
  points: [number, number, number][]
  /** Facet met at each point; -1 - e for an edge e that diffracts. */
  facets: number[]
  /** re, im of h_v then h_h per excitation, the transfers of `SUM` without the factor 4 pi r0 / lambda. */
  transfers: Float64Array
}

/** Order of paths that no batch and no thread changes: by receiver, length, direction. */
export const byReceiverAndLength = (a: PropagationPath, b: PropagationPath): number =>
  a.receiver - b.receiver ||
  a.length - b.length ||
  a.departure[0] - b.departure[0] ||
  a.departure[1] - b.departure[1] ||
  a.departure[2] - b.departure[2]

/** The path that was walked last, in the caller's coordinates. */
export function pathOf(
  { scene: { origin } }: PropagationSetup,
  { directions, points, facets, count, length }: PathWalker,
  receiver: number,
  transfers: Float64Array,
): PropagationPath {
  return {
    receiver,
    length,
    departure: [directions[0], directions[1], directions[2]],
    arrival: [-directions[3 * count], -directions[3 * count + 1], -directions[3 * count + 2]],
    points: Array.from({ length: count }, (_, k) => [
      points[3 * k] + origin[0],
      points[3 * k + 1] + origin[1],
      points[3 * k + 2] + origin[2],
    ]),
    facets: Array.from(facets.subarray(0, count)),
    transfers,
  }
}

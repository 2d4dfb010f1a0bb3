import { classOf, type LaunchBatch, locate, rowStart, vertexDirection, vertexPlaces } from './geodesic.js'
import { PathWalker } from './path-walker.js'
import type { RayBatch } from './ray-batch.js'
import type { PropagationSetup } from '../setup.js'

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
        rays.list(ray, b, rays.tangents[ray], image[0], image[1], image[2], d[0], d[1], d[2], wall)
        if (b === rays.counts[ray]) break
        walker.mirrorPoint(rays.met[ray * most + b], image)
        walker.reflect(rays.met, ray * most + b, 1, d)
      }
    }
  }
}

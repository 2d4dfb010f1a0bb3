import { classOf, type LaunchBatch, locate, rowStart, vertexDirection, vertexPlaces } from './geodesic.js'
import { PathWalker } from './path-walker.js'
import type { RayBatch } from './ray-batch.js'
import type { PropagationSetup } from './setup.js'

/**
 * Reception spheres (paper 004, section III.C): a ray brings its own field to a receiver whose sphere it meets. The sphere is as wide as
 * the ray's cone where the ray passes the receiver, and the cone reaches to the middle of its triangles (`circumradius`), so that
 * every wavefront meets one to three rays of one triangle. Where neighbours meet the sphere after as many reflections they are one
 * wavefront (III.B): the three classes are gone through, and of such neighbours one is left, that of the lowest class. Unlike the
 * paths of `PathFinder`, length, angles and direction are those of the ray, and images are not compared.
 */
export class SphereFinder {
  /** The ray counted last, as a path. */
  readonly walker: PathWalker
  readonly single = false
  private readonly triangle = new Int32Array(6)
  private readonly image = new Float64Array(3)
  private readonly v = new Float64Array(3)
  private readonly d = new Float64Array(3)
  private readonly places: Int32Array

  constructor(
    private readonly setup: PropagationSetup,
    private readonly batch: LaunchBatch,
    private readonly rays: RayBatch,
  ) {
    this.walker = new PathWalker(setup)
    this.places = vertexPlaces(batch)
  }

  /** Lists the spheres that rays meet, as candidates of the batch: every segment of every ray is tried. */
  collect(): void {
    const { setup, batch, rays, walker, places, image, d } = this
    const most = setup.maxReflections
    for (let ray = 0; ray < rays.counts.length; ray++) {
      vertexDirection(batch.n, batch.face, places[2 * ray], places[2 * ray + 1], d)
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

  /** True where the ray is the one of its triangle to count; it is then in `walker`. */
  find(ray: number, reflections: number, slot: number): boolean {
    const { setup, batch, rays, walker, triangle, places, image, v, d } = this
    const first = ray * setup.maxReflections
    const p = setup.receivers.points.subarray(3 * slot, 3 * slot + 3)
    walker.image(rays.met, first, reflections, image)
    for (let a = 0; a < 3; a++) v[a] = p[a] - image[a]
    walker.unreflect(rays.met, first, reflections, v)
    // Faces and batches share rays: the one that the receiver is seen in counts.
    if (!locate(batch.n, batch.face, v[0], v[1], v[2], triangle)) return false
    const row = Math.min(triangle[1], triangle[3], triangle[5])
    if (row < batch.j0 || row >= batch.j1) return false
    const [i, j] = [places[2 * ray], places[2 * ray + 1]]
    const own = classOf(i, j)
    if (triangle[2 * own] !== i || triangle[2 * own + 1] !== j) return false
    for (let c = 0; c < own; c++)
      if (this.meets(triangle[2 * c], triangle[2 * c + 1], reflections, p)) return false
    vertexDirection(batch.n, batch.face, i, j, d)
    // Along the unfolded ray, that is along the launch direction.
    walker.follow(rays.met, first, reflections, d, v[0] * d[0] + v[1] * d[1] + v[2] * d[2])
    return true
  }

  /** Whether the ray of lattice vertex (i, j) meets the sphere after as many reflections: the test of `RayBatch.list`. */
  private meets(i: number, j: number, reflections: number, p: Float64Array): boolean {
    const { setup, batch, rays, walker, image, d } = this
    const most = setup.maxReflections
    const ray = rowStart(batch, j) + i
    if (rays.counts[ray] < reflections) return false
    walker.image(rays.met, ray * most, reflections, image)
    vertexDirection(batch.n, batch.face, i, j, d)
    walker.reflect(rays.met, ray * most, reflections, d)
    const [x, y, z] = [p[0] - image[0], p[1] - image[1], p[2] - image[2]]
    const along = x * d[0] + y * d[1] + z * d[2]
    const at = ray * (most + 1) + reflections
    if (along < rays.from[at] || along > rays.to[at]) return false
    if (x * x + y * y + z * z - along * along > rays.tangents[ray] ** 2 * along * along) return false
    return reflections === 0 || walker.front(rays.met[ray * most + reflections - 1], d, p)
  }
}

import { facetPlanes } from '../rays/index.js'
import { classOf, type LaunchBatch, locate, rowStart, vertexDirection, vertexPlaces } from './geodesic.js'
import { PathFields } from './fields.js'
import type { PropagationPath } from './path-list.js'
import { PathWalker } from './path-walker.js'
import { looseCaster, RayBatch } from './ray-batch.js'
import { SphereFinder } from './spheres.js'
import { type PropagationSetup, SUM, SUM_GRID } from './setup.js'

export interface PropagationTask {
  batch: LaunchBatch
  /** Slots of receivers whose paths are wanted one by one. */
  listed?: Uint8Array
}

export interface PropagationStatistics {
  segments: number
  /** Receivers found in cones, and paths that came of them. */
  candidates: number
  paths: number
  /** Rays that slipped through a seam of the mesh. */
  escaped: number
  /** Paths over edges. */
  diffracted: number
}

export interface PropagationTaskResult {
  /** Slots of the receivers reached, ascending, and their sums: SUM.length numbers per excitation. */
  slots: Int32Array
  sums: Float64Array
  paths: PropagationPath[]
  statistics: PropagationStatistics
}

/** Two images are one when they are nearer than this part of the path's length. */
const SAME_IMAGE = 1e-7

/**
 * Traces a batch of rays and sums the fields of the paths that they find. A ray only finds a path's image; the path itself is
 * then walked exactly (`PathWalker`). Of the corners of the triangle that the exact direction lies in, the lowest class whose
 * ray has the same image counts it (paper 004, section III.B): every path once, whatever the batch, without an order.
 */
export function runPropagationTask(
  setup: PropagationSetup,
  { batch, listed }: PropagationTask,
): PropagationTaskResult {
  const rays = new RayBatch(setup, looseCaster(setup.scene, facetPlanes), batch)
  rays.trace()
  const spheres = setup.reception === 'spheres' ? new SphereFinder(setup, batch, rays) : null
  spheres?.collect()
  const finder = spheres ?? new PathFinder(setup, batch, rays)
  const sums = new Map<number, Float64Array>()
  const paths: PropagationPath[] = []
  const numbers = new Float64Array(SUM.length * setup.excitations.length)
  const fields = new PathFields(setup)
  const { points, order } = setup.receivers
  const { transmitter } = setup
  let found = 0
  for (let c = 0; c < rays.candidateCount; c++) {
    const slot = rays.candidates[3 * c + 2]
    if (!finder.find(rays.candidates[3 * c], rays.candidates[3 * c + 1], slot)) continue
    found++
    const r0 = Math.hypot(
      points[3 * slot] - transmitter[0],
      points[3 * slot + 1] - transmitter[1],
      points[3 * slot + 2] - transmitter[2],
    )
    fields.evaluate(finder.walker, r0, finder.single, numbers)
    let sum = sums.get(slot)
    if (!sum) sums.set(slot, (sum = new Float64Array(numbers.length)))
    for (let k = 0; k < sum.length; k++) sum[k] += Math.round(numbers[k] / SUM_GRID) * SUM_GRID
    if (listed?.[slot]) paths.push(pathOf(setup, finder.walker, order[slot], fields.transfersOver(r0)))
  }
  const slots = Int32Array.from(sums.keys()).sort()
  const all = new Float64Array(slots.length * numbers.length)
  slots.forEach((slot, i) => all.set(sums.get(slot)!, i * numbers.length))
  return {
    slots,
    sums: all,
    paths,
    statistics: {
      segments: rays.segments,
      candidates: rays.candidateCount,
      paths: found,
      escaped: rays.escaped,
      diffracted: 0,
    },
  }
}

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

/** Decides for a ray and a receiver in its cone whether there is a path, and whether this ray is the one to count it. */
class PathFinder {
  readonly walker: PathWalker
  /** Whether no other ray of the triangle finds the last path. */
  single = false
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
    this.walker = new PathWalker(setup)
    this.ofRay = vertexPlaces(batch)
  }

  /** True where the ray counts a path to the receiver; it is then in `walker`. */
  find(ray: number, reflections: number, slot: number): boolean {
    const { setup, batch, rays, walker, triangle, image, v } = this
    const { points } = setup.receivers
    const most = setup.maxReflections
    const px = points[3 * slot]
    const py = points[3 * slot + 1]
    const pz = points[3 * slot + 2]
    walker.image(rays.met, ray * most, reflections, image)
    v[0] = px - image[0]
    v[1] = py - image[1]
    v[2] = pz - image[2]
    const length = Math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    walker.unreflect(rays.met, ray * most, reflections, v)
    if (!locate(batch.n, batch.face, v[0], v[1], v[2], triangle)) return false
    const row = Math.min(triangle[1], triangle[3], triangle[5])
    if (row < batch.j0 || row >= batch.j1) return false
    const i = this.ofRay[2 * ray]
    const j = this.ofRay[2 * ray + 1]
    const own = classOf(i, j)
    if (triangle[2 * own] !== i || triangle[2 * own + 1] !== j) return false
    for (let c = 0; c < own; c++)
      if (this.finds(triangle[2 * c], triangle[2 * c + 1], reflections, px, py, pz, length)) return false
    if (!walker.walk(v, reflections, px, py, pz)) return false
    this.single = true
    for (let c = own + 1; c < 3; c++)
      if (this.finds(triangle[2 * c], triangle[2 * c + 1], reflections, px, py, pz, length))
        this.single = false
    return true
  }

  /** Whether the ray of lattice vertex (i, j) has the same image after as many reflections, and the receiver in its reach. */
  private finds(
    i: number,
    j: number,
    reflections: number,
    px: number,
    py: number,
    pz: number,
    length: number,
  ): boolean {
    const { setup, batch, rays, walker, image, other, d } = this
    const most = setup.maxReflections
    const ray = rowStart(batch, j) + i
    if (rays.counts[ray] < reflections) return false
    walker.image(rays.met, ray * most, reflections, other)
    const x = other[0] - image[0]
    const y = other[1] - image[1]
    const z = other[2] - image[2]
    if (x * x + y * y + z * z > (SAME_IMAGE * length) ** 2) return false
    vertexDirection(batch.n, batch.face, i, j, d)
    walker.reflect(rays.met, ray * most, reflections, d)
    const along = (px - other[0]) * d[0] + (py - other[1]) * d[1] + (pz - other[2]) * d[2]
    const at = ray * (most + 1) + reflections
    if (along < rays.from[at] || along > rays.to[at]) return false
    if (reflections === 0) return true
    // Like the ray itself did: a receiver behind the last wall is none of its own.
    return walker.front(rays.met[ray * most + reflections - 1], d, [px, py, pz])
  }
}

import { mainFace, NO_ROPE, ROPE_WORDS, widenedBoxes } from './bvh.js'
import { GRAZING_COSINE, type RayScene } from './ray-scene.js'

/**
 * Nearest-hit and any-hit ray queries in double precision: ordered traversal of the two-child BVH with a
 * short stack, or without one along the ropes of a scene that has them. One caster per thread; the result of the last
 * `nearest` stays in `t` and `facet`.
 */
export class RayCaster {
  /** Distance along the (unit) ray to the last hit [m]. */
  t = NaN
  /** Facet of the last hit, or -1. */
  facet = -1
  /** Where the last hit stands in the leaves, and what was in the way last: rays that follow one another often meet the same. */
  private slot = 0
  private blocker = 0
  /** Of the query [m]. */
  private limit = Infinity
  private readonly words: Uint32Array
  /** Origin and direction of the ray, for `meetLeaf`: numbers as arguments would be put on the heap. */
  private readonly ray = new Float64Array(6)
  /** For ropes: 6 numbers per node, its box as in `BoxPairs`. */
  private readonly boxes: Float64Array
  /** Boxes to come back to, and where the ray enters them. */
  private readonly stack: Int32Array
  private readonly entries: Float64Array

  constructor(private readonly scene: RayScene) {
    this.words = new Uint32Array(scene.nodes.buffer, scene.nodes.byteOffset, scene.nodes.length)
    this.boxes = scene.ropes ? widenedBoxes(scene.nodes, scene.diagonal) : new Float64Array(0)
    this.stack = new Int32Array(scene.depth + 2)
    this.entries = new Float64Array(scene.depth + 2)
  }

  /**
   * Nearest facet in front of the origin along a unit direction, either side; facet `skip` is passed by (-1: none).
   * Of facets at the same distance the lower number wins, whatever the order of traversal.
   * @param limit  facets beyond this distance are passed by too [m]
   */
  nearest(
    ox: number,
    oy: number,
    oz: number,
    dx: number,
    dy: number,
    dz: number,
    skip: number,
    limit = Infinity,
  ): boolean {
    const { scene } = this
    this.limit = limit
    return scene.ropes
      ? this.walk(scene.ropes, ox, oy, oz, dx, dy, dz, skip, false)
      : this.traverse(ox, oy, oz, dx, dy, dz, skip, false)
  }

  /** Whether anything but facet `skip` lies in front of the origin. */
  occluded(ox: number, oy: number, oz: number, dx: number, dy: number, dz: number, skip: number): boolean {
    const { scene, t, facet, blocker } = this
    this.limit = Infinity
    this.begin(ox, oy, oz, dx, dy, dz)
    const found =
      this.meetLeaf(blocker, blocker + 1, skip) ||
      (scene.ropes
        ? this.walk(scene.ropes, ox, oy, oz, dx, dy, dz, skip, true)
        : this.traverse(ox, oy, oz, dx, dy, dz, skip, true))
    if (found) this.blocker = this.slot
    this.t = t
    this.facet = facet
    return found
  }

  /** Down the pairs of boxes, nearer ones first. */
  private traverse(
    ox: number,
    oy: number,
    oz: number,
    dx: number,
    dy: number,
    dz: number,
    skip: number,
    any: boolean,
  ): boolean {
    const { pairs } = this.scene
    const { boxes, links } = pairs
    const { stack, entries } = this
    const ix = inverse(dx)
    const iy = inverse(dy)
    const iz = inverse(dz)
    // Of a box's two planes across an axis, the one that the ray crosses first.
    const nearX = ix > 0 ? 0 : 3
    const nearY = iy > 0 ? 1 : 4
    const nearZ = iz > 0 ? 2 : 5
    let top = 0
    let at = pairs.root
    let nearest = this.limit
    this.begin(ox, oy, oz, dx, dy, dz)
    for (;;) {
      if (at < 0) {
        const first = ~at >> 3
        if (this.meetLeaf(first, first + (~at & 7), skip)) {
          if (any) return true
          nearest = this.t
        }
      } else {
        const enter0 = entry(boxes, 12 * at, nearX, nearY, nearZ, ox, oy, oz, ix, iy, iz, nearest)
        const enter1 = entry(boxes, 12 * at + 6, nearX, nearY, nearZ, ox, oy, oz, ix, iy, iz, nearest)
        const child0 = links[2 * at]
        const child1 = links[2 * at + 1]
        if (enter1 < enter0) {
          if (enter0 < MISSED) {
            stack[top] = child0
            entries[top++] = enter0
          }
          at = child1
          continue
        }
        if (enter0 < MISSED) {
          if (enter1 < MISSED) {
            stack[top] = child1
            entries[top++] = enter1
          }
          at = child0
          continue
        }
      }
      // Boxes that begin beyond the hit found meanwhile are left out.
      do {
        if (top === 0) return this.facet >= 0
        top--
      } while (entries[top] > nearest)
      at = stack[top]
    }
  }

  /** Along the ropes, without a stack. */
  private walk(
    ropes: Uint32Array,
    ox: number,
    oy: number,
    oz: number,
    dx: number,
    dy: number,
    dz: number,
    skip: number,
    any: boolean,
  ): boolean {
    const { words, boxes } = this
    const face = mainFace(dx, dy, dz)
    // As in `traverse`: kept in fields for both they cost 11 % here (decision 004).
    const ix = inverse(dx)
    const iy = inverse(dy)
    const iz = inverse(dz)
    const nearX = ix > 0 ? 0 : 3
    const nearY = iy > 0 ? 1 : 4
    const nearZ = iz > 0 ? 2 : 5
    this.begin(ox, oy, oz, dx, dy, dz)
    for (let node = 0; node !== NO_ROPE;) {
      if (entry(boxes, 6 * node, nearX, nearY, nearZ, ox, oy, oz, ix, iy, iz, this.t) < MISSED) {
        const count = words[8 * node + 7]
        const first = words[8 * node + 3]
        if (count === 0) {
          node = first + ((ropes[ROPE_WORDS * node + 6] >>> face) & 1)
          continue
        }
        if (this.meetLeaf(first, first + count, skip) && any) return true
      }
      node = ropes[ROPE_WORDS * node + face]
    }
    return this.facet >= 0
  }

  private begin(ox: number, oy: number, oz: number, dx: number, dy: number, dz: number): void {
    const { ray } = this
    ray[0] = ox
    ray[1] = oy
    ray[2] = oz
    ray[3] = dx
    ray[4] = dy
    ray[5] = dz
    this.t = this.limit
    this.facet = -1
  }

  /** Tests the facets of slots first to end - 1: one that is met no farther than t becomes the hit. Whether any was. */
  private meetLeaf(first: number, end: number, skip: number): boolean {
    const { order, planes } = this.scene
    const { ray } = this
    const ox = ray[0]
    const oy = ray[1]
    const oz = ray[2]
    const dx = ray[3]
    const dy = ray[4]
    const dz = ray[5]
    let best = this.t
    let facet = this.facet
    let met = false
    for (let slot = first; slot < end; slot++) {
      const p = 12 * slot
      const cosine = planes[p] * dx + planes[p + 1] * dy + planes[p + 2] * dz
      if (cosine < GRAZING_COSINE && cosine > -GRAZING_COSINE) continue
      // `facetDistance` written out: a call costs 3 to 5 % here (decision 004).
      const t = (planes[p + 3] - planes[p] * ox - planes[p + 1] * oy - planes[p + 2] * oz) / cosine
      if (!(t > 0 && t <= best)) continue
      const x = ox + t * dx
      const y = oy + t * dy
      const z = oz + t * dz
      if (!insideFacet(planes, p, x, y, z)) continue
      const hit = order[slot]
      if (hit === skip || (t === best && hit > facet)) continue
      best = t
      facet = hit
      this.slot = slot
      met = true
    }
    if (met) {
      this.t = best
      this.facet = facet
    }
    return met
  }
}

/** Whether a point of the plane of the facet that `facetPlanes` put at p lies in the facet, or in the rim it was enlarged by. */
export function insideFacet(planes: Float64Array, p: number, x: number, y: number, z: number): boolean {
  const u = planes[p + 4] * x + planes[p + 5] * y + planes[p + 6] * z + planes[p + 7]
  if (u < 0) return false
  const v = planes[p + 8] * x + planes[p + 9] * y + planes[p + 10] * z + planes[p + 11]
  return !(v < 0 || u + v > 1)
}

/**
 * Distance along a unit ray to the facet that `facetPlanes` put at p, or to the rim it was enlarged by [m]; -1 where the ray meets
 * neither within 0 < t <= limit. @param cosine  of the ray with the facet's normal; NaN: no hit
 */
export function facetDistance(
  planes: Float64Array,
  p: number,
  cosine: number,
  ox: number,
  oy: number,
  oz: number,
  dx: number,
  dy: number,
  dz: number,
  limit: number,
): number {
  const t = (planes[p + 3] - planes[p] * ox - planes[p + 1] * oy - planes[p + 2] * oz) / cosine
  if (!(t > 0 && t <= limit)) return -1
  return insideFacet(planes, p, ox + t * dx, oy + t * dy, oz + t * dz) ? t : -1
}

/** 1 / x, but a huge number instead of an infinite one: 0 * infinity would be NaN for an origin in a slab's plane. */
const inverse = (x: number): number => (x === 0 ? 1e300 : 1 / x)

/** Where a ray enters a box that it does not meet. */
const MISSED = Infinity

/** Where the ray enters the box (least x y z, largest x y z; negative from inside), or MISSED when it does so beyond `limit` or not at all. */
function entry(
  boxes: Float64Array,
  at: number,
  nearX: number,
  nearY: number,
  nearZ: number,
  ox: number,
  oy: number,
  oz: number,
  ix: number,
  iy: number,
  iz: number,
  limit: number,
): number {
  // Each entry against the exits of the other axes: one that misses is known early, which branches predict better than largest and least.
  const enterX = (boxes[at + nearX] - ox) * ix
  const leaveY = (boxes[at + 5 - nearY] - oy) * iy
  if (enterX > leaveY || leaveY < 0) return MISSED
  const enterY = (boxes[at + nearY] - oy) * iy
  const leaveX = (boxes[at + 3 - nearX] - ox) * ix
  if (enterY > leaveX || leaveX < 0) return MISSED
  const enterZ = (boxes[at + nearZ] - oz) * iz
  if (enterZ > leaveX || enterZ > leaveY || enterZ > limit) return MISSED
  const leaveZ = (boxes[at + 7 - nearZ] - oz) * iz
  if (enterX > leaveZ || enterY > leaveZ || leaveZ < 0 || enterX > limit || enterY > limit) return MISSED
  const enter = enterX > enterY ? enterX : enterY
  return enter > enterZ ? enter : enterZ
}

import { mainFace, NO_ROPE, ROPE_WORDS } from './ropes.js'
import { GRAZING_COSINE, type RayScene } from './ray-scene.js'

/**
 * Boxes are widened by this part of the box diagonal on each side: more than facets are enlarged and than rounding errs by,
 * so that of facets at (nearly) the same distance none is passed by, in whatever order boxes are taken.
 */
const BOX_MARGIN = 1e-10

/**
 * Nearest-hit and any-hit ray queries in double precision: ordered traversal of the two-child hierarchy with a
 * short stack, or without one along the ropes of a scene that has them. One caster per thread; the result of the last
 * `nearest` stays in `t` and `facet`.
 */
export class RayCaster {
  /** Distance along the (unit) ray to the last hit [m]. */
  t = 0
  /** Facet of the last hit, or -1. */
  facet = -1
  private readonly words: Uint32Array
  private readonly stack: Int32Array

  constructor(private readonly scene: RayScene) {
    this.words = new Uint32Array(scene.nodes.buffer, scene.nodes.byteOffset, scene.nodes.length)
    this.stack = new Int32Array(scene.depth + 2)
  }

  /**
   * Nearest facet in front of the origin along a unit direction, either side; facet `skip` is passed by (-1: none).
   * Of facets at the same distance the lower number wins, whatever the order of traversal.
   */
  nearest(ox: number, oy: number, oz: number, dx: number, dy: number, dz: number, skip: number): boolean {
    return this.traverse(ox, oy, oz, dx, dy, dz, skip, false)
  }

  /** Whether anything but facet `skip` lies in front of the origin. */
  occluded(ox: number, oy: number, oz: number, dx: number, dy: number, dz: number, skip: number): boolean {
    return this.traverse(ox, oy, oz, dx, dy, dz, skip, true)
  }

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
    const { nodes, order, planes, ropes } = this.scene
    const { words, stack } = this
    const margin = BOX_MARGIN * this.scene.diagonal
    const face = ropes ? mainFace(dx, dy, dz) : 0
    // A huge number instead of an infinite one: 0 * infinity would be NaN for an origin in a slab's plane.
    const ix = dx === 0 ? 1e300 : 1 / dx
    const iy = dy === 0 ? 1e300 : 1 / dy
    const iz = dz === 0 ? 1e300 : 1 / dz
    let best = Infinity
    let facet = -1
    let top = 0
    let node = 0
    if (entry(nodes, 0, ox, oy, oz, ix, iy, iz, best, margin) < 0) {
      this.facet = -1
      return false
    }
    for (;;) {
      const count = words[8 * node + 7]
      const first = words[8 * node + 3]
      if (ropes && node > 0 && entry(nodes, 8 * node, ox, oy, oz, ix, iy, iz, best, margin) < 0) {
        // A box that is missed is left by its rope, below.
      } else if (count > 0) {
        for (let slot = first; slot < first + count; slot++) {
          const p = 12 * slot
          const cosine = planes[p] * dx + planes[p + 1] * dy + planes[p + 2] * dz
          if (cosine < GRAZING_COSINE && cosine > -GRAZING_COSINE) continue
          const t = (planes[p + 3] - planes[p] * ox - planes[p + 1] * oy - planes[p + 2] * oz) / cosine
          if (!(t > 0 && t <= best)) continue
          const x = ox + t * dx
          const y = oy + t * dy
          const z = oz + t * dz
          const u = planes[p + 4] * x + planes[p + 5] * y + planes[p + 6] * z + planes[p + 7]
          if (u < 0) continue
          const v = planes[p + 8] * x + planes[p + 9] * y + planes[p + 10] * z + planes[p + 11]
          if (v < 0 || u + v > 1) continue
          const hit = order[slot]
          if (hit === skip || (t === best && hit > facet)) continue
          if (any) return true
          best = t
          facet = hit
        }
      } else if (ropes) {
        node = first + ((ropes[ROPE_WORDS * node + 6] >>> face) & 1)
        continue
      } else {
        let near = first
        let far = first + 1
        let tNear = entry(nodes, 8 * near, ox, oy, oz, ix, iy, iz, best, margin)
        let tFar = entry(nodes, 8 * far, ox, oy, oz, ix, iy, iz, best, margin)
        if (tFar >= 0 && (tNear < 0 || tFar < tNear)) {
          const n = near
          near = far
          far = n
          const t = tNear
          tNear = tFar
          tFar = t
        }
        if (tNear >= 0) {
          if (tFar >= 0) stack[top++] = far
          node = near
          continue
        }
      }
      if (ropes) {
        node = ropes[ROPE_WORDS * node + face]
        if (node === NO_ROPE) break
        continue
      }
      if (top === 0) break
      node = stack[--top]
    }
    this.t = best
    this.facet = facet
    return facet >= 0
  }
}

/** Where the ray enters the box widened by `margin` (0 from inside), or -1 when it misses it or enters beyond `limit`. */
function entry(
  nodes: Float32Array,
  at: number,
  ox: number,
  oy: number,
  oz: number,
  ix: number,
  iy: number,
  iz: number,
  limit: number,
  margin: number,
): number {
  let t0 = 0
  let t1 = limit
  const ax = (nodes[at] - margin - ox) * ix
  const bx = (nodes[at + 4] + margin - ox) * ix
  const lx = ax < bx ? ax : bx
  const hx = ax < bx ? bx : ax
  if (lx > t0) t0 = lx
  if (hx < t1) t1 = hx
  const ay = (nodes[at + 1] - margin - oy) * iy
  const by = (nodes[at + 5] + margin - oy) * iy
  const ly = ay < by ? ay : by
  const hy = ay < by ? by : ay
  if (ly > t0) t0 = ly
  if (hy < t1) t1 = hy
  const az = (nodes[at + 2] - margin - oz) * iz
  const bz = (nodes[at + 6] + margin - oz) * iz
  const lz = az < bz ? az : bz
  const hz = az < bz ? bz : az
  if (lz > t0) t0 = lz
  if (hz < t1) t1 = hz
  return t0 <= t1 ? t0 : -1
}

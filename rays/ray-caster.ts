import { BOX_MARGIN } from './box-pairs.js'
import { mainFace, NO_ROPE, ROPE_WORDS } from './ropes.js'
import { GRAZING_COSINE, type RayScene } from './ray-scene.js'

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
  /** Boxes to come back to, and where the ray enters them. */
  private readonly stack: Int32Array
  private readonly entries: Float64Array

  constructor(private readonly scene: RayScene) {
    this.words = new Uint32Array(scene.nodes.buffer, scene.nodes.byteOffset, scene.nodes.length)
    this.stack = new Int32Array(scene.depth + 2)
    this.entries = new Float64Array(scene.depth + 2)
  }

  /**
   * Nearest facet in front of the origin along a unit direction, either side; facet `skip` is passed by (-1: none).
   * Of facets at the same distance the lower number wins, whatever the order of traversal.
   */
  nearest(ox: number, oy: number, oz: number, dx: number, dy: number, dz: number, skip: number): boolean {
    const { scene } = this
    return scene.ropes
      ? this.walk(scene.ropes, ox, oy, oz, dx, dy, dz, skip, false)
      : this.traverse(ox, oy, oz, dx, dy, dz, skip, false)
  }

  /** Whether anything but facet `skip` lies in front of the origin. */
  occluded(ox: number, oy: number, oz: number, dx: number, dy: number, dz: number, skip: number): boolean {
    const { scene } = this
    return scene.ropes
      ? this.walk(scene.ropes, ox, oy, oz, dx, dy, dz, skip, true)
      : this.traverse(ox, oy, oz, dx, dy, dz, skip, true)
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
    const { order, planes, pairs } = this.scene
    const { boxes, links } = pairs
    const { stack, entries } = this
    const ix = inverse(dx)
    const iy = inverse(dy)
    const iz = inverse(dz)
    // Of a box's two planes across an axis, the one that the ray crosses first, and the other.
    const nx = ix > 0 ? 0 : 3
    const ny = iy > 0 ? 1 : 4
    const nz = iz > 0 ? 2 : 5
    const fx = 3 - nx
    const fy = 5 - ny
    const fz = 7 - nz
    let best = Infinity
    let facet = -1
    let top = 0
    let at = pairs.root
    for (;;) {
      if (at < 0) {
        const first = ~at >> 3
        const end = first + (~at & 7)
        for (let slot = first; slot < end; slot++) {
          const p = 12 * slot
          const cosine = planes[p] * dx + planes[p + 1] * dy + planes[p + 2] * dz
          if (cosine < GRAZING_COSINE && cosine > -GRAZING_COSINE) continue
          const t = (planes[p + 3] - planes[p] * ox - planes[p + 1] * oy - planes[p + 2] * oz) / cosine
          if (!(t > 0 && t <= best)) continue
          const x = ox + t * dx
          const y = oy + t * dy
          const z = oz + t * dz
          if (!insideFacet(planes, p, x, y, z)) continue
          const hit = order[slot]
          if (hit === skip || (t === best && hit > facet)) continue
          if (any) return true
          best = t
          facet = hit
        }
      } else {
        const a = 12 * at
        let enter = (boxes[a + nx] - ox) * ix
        let leave = (boxes[a + fx] - ox) * ix
        let p = (boxes[a + ny] - oy) * iy
        let q = (boxes[a + fy] - oy) * iy
        if (p > enter) enter = p
        if (q < leave) leave = q
        p = (boxes[a + nz] - oz) * iz
        q = (boxes[a + fz] - oz) * iz
        if (p > enter) enter = p
        if (q < leave) leave = q
        const b = a + 6
        let enterB = (boxes[b + nx] - ox) * ix
        let leaveB = (boxes[b + fx] - ox) * ix
        p = (boxes[b + ny] - oy) * iy
        q = (boxes[b + fy] - oy) * iy
        if (p > enterB) enterB = p
        if (q < leaveB) leaveB = q
        p = (boxes[b + nz] - oz) * iz
        q = (boxes[b + fz] - oz) * iz
        if (p > enterB) enterB = p
        if (q < leaveB) leaveB = q
        const met = leave >= 0 && enter <= leave && enter <= best
        const metB = leaveB >= 0 && enterB <= leaveB && enterB <= best
        const second = links[2 * at + 1]
        at = links[2 * at]
        if (met && metB) {
          if (enterB < enter) {
            stack[top] = at
            entries[top++] = enter
            at = second
          } else {
            stack[top] = second
            entries[top++] = enterB
          }
          continue
        }
        if (met) continue
        if (metB) {
          at = second
          continue
        }
      }
      // Boxes that begin beyond the hit found meanwhile are left out.
      do {
        if (top === 0) {
          this.t = best
          this.facet = facet
          return facet >= 0
        }
        top--
      } while (entries[top] > best)
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
    const { nodes, order, planes } = this.scene
    const { words } = this
    const margin = BOX_MARGIN * this.scene.diagonal
    const face = mainFace(dx, dy, dz)
    const ix = inverse(dx)
    const iy = inverse(dy)
    const iz = inverse(dz)
    let best = Infinity
    let facet = -1
    for (let node = 0; node !== NO_ROPE;) {
      if (entry(nodes, 8 * node, ox, oy, oz, ix, iy, iz, best, margin) >= 0) {
        const count = words[8 * node + 7]
        const first = words[8 * node + 3]
        if (count === 0) {
          node = first + ((ropes[ROPE_WORDS * node + 6] >>> face) & 1)
          continue
        }
        for (let slot = first; slot < first + count; slot++) {
          const p = 12 * slot
          const cosine = planes[p] * dx + planes[p + 1] * dy + planes[p + 2] * dz
          if (cosine < GRAZING_COSINE && cosine > -GRAZING_COSINE) continue
          const t = (planes[p + 3] - planes[p] * ox - planes[p + 1] * oy - planes[p + 2] * oz) / cosine
          if (!(t > 0 && t <= best)) continue
          const x = ox + t * dx
          const y = oy + t * dy
          const z = oz + t * dz
          if (!insideFacet(planes, p, x, y, z)) continue
          const hit = order[slot]
          if (hit === skip || (t === best && hit > facet)) continue
          if (any) return true
          best = t
          facet = hit
        }
      }
      node = ropes[ROPE_WORDS * node + face]
    }
    this.t = best
    this.facet = facet
    return facet >= 0
  }
}

/** Whether a point of the plane of the facet that `facetPlanes` put at p lies in the facet, or in the rim it was enlarged by. */
export function insideFacet(planes: Float64Array, p: number, x: number, y: number, z: number): boolean {
  const u = planes[p + 4] * x + planes[p + 5] * y + planes[p + 6] * z + planes[p + 7]
  if (u < 0) return false
  const v = planes[p + 8] * x + planes[p + 9] * y + planes[p + 10] * z + planes[p + 11]
  return !(v < 0 || u + v > 1)
}

/** 1 / x, but a huge number instead of an infinite one: 0 * infinity would be NaN for an origin in a slab's plane. */
const inverse = (x: number): number => (x === 0 ? 1e300 : 1 / x)

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

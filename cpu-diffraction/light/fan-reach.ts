import type { RayScene } from '../../rays/index.js'
import type { Vec3 } from '../../scene/index.js'

/** Azimuths are looked up in this many equal parts of the circle. */
const PARTS = 512
/** Facets are taken this much wider [rad]: more than rounding and their own tolerance make of it beyond `NEAREST`. */
const WIDER = 1e-5
/** As a part of the target's diagonal. */
const LONGER = 1e-9
const CIRCLE = 2 * Math.PI

/** A lit edge: its line and wedge, and the light's cone. */
export interface FanEdge {
  /** Start, a little off the faces, and unit tangent. */
  start: Vec3
  tangent: Vec3
  /** Frame of its first face, at a position of an array. */
  frame: Float64Array
  at: number
  N: number
  /** See `coneDirection` (`ray-fan.ts`). */
  sinBeta: number
  cosBeta: number
  /** Azimuth of the light [rad]. */
  phi0: number
}

/**
 * Says which rays of an edge's fans may meet a facet at all: most of an edge's surroundings are empty. The BVH is gone through once for all
 * places of an edge, whose rays in one half-plane lie between two parallel lines. One object per thread.
 */
export class FanReach {
  /** By ray: whether it may, from any place. */
  readonly reached: Uint8Array
  private readonly azimuths: Float64Array
  /** Distance from the edge's line that a ray goes to [m]. */
  private readonly far: Float64Array
  private rays = 0
  /** By part of the circle: the first azimuth that is not before it. */
  private readonly firsts = new Int32Array(PARTS + 1)
  /** Start, and the rows of the frame. */
  private readonly from = new Float64Array(3)
  private readonly rows = new Float64Array(9)
  private cot = 0.5
  /** 1 where places count along the frame's edge, -1 where against it; the places that rays come from, along it [m]. */
  private along = 1
  private low = 0.5
  private high = 0.5
  /** Corners of a facet across the edge, and along it. */
  private readonly x = new Float64Array(3)
  private readonly y = new Float64Array(3)
  private readonly z = new Float64Array(3)
  private readonly stack: Int32Array

  constructor(
    private readonly scene: RayScene,
    mostRays: number,
  ) {
    this.reached = new Uint8Array(mostRays)
    this.azimuths = new Float64Array(mostRays)
    this.far = new Float64Array(mostRays)
    this.stack = new Int32Array(2 * scene.depth + 4)
  }

  /**
   * Takes the rays of an edge, in ascending order.
   * @param limit  length that each ray is followed to, of a ray by its azimuth [m]
   */
  aim(
    { start, tangent, frame, at, sinBeta, cosBeta }: FanEdge,
    azimuths: Float64Array,
    rays: number,
    limit: (azimuth: number) => number,
  ): void {
    const { firsts } = this
    for (let c = 0; c < 3; c++) this.from[c] = start[c]
    for (let c = 0; c < 9; c++) this.rows[c] = frame[at + c]
    this.cot = cosBeta / sinBeta
    this.along = Math.sign(
      tangent[0] * frame[at + 6] + tangent[1] * frame[at + 7] + tangent[2] * frame[at + 8],
    )
    this.rays = rays
    let part = 0
    for (let i = 0; i < rays; i++) {
      const azimuth = azimuths[i]
      this.azimuths[i] = azimuth
      this.far[i] = sinBeta * limit(azimuth)
      for (const last = (azimuth / CIRCLE) * PARTS; part <= last && part <= PARTS; part++) firsts[part] = i
    }
    for (; part <= PARTS; part++) firsts[part] = rays
  }

  /** Sets `reached` for rays from places between two [m from the start]. */
  find(low: number, high: number): void {
    const { scene, stack, reached } = this
    const { boxes, links, root } = scene.pairs
    const margin = LONGER * scene.diagonal
    this.low = (this.along > 0 ? low : -high) - margin
    this.high = (this.along > 0 ? high : -low) + margin
    reached.fill(0, 0, this.rays)
    let top = 0
    stack[top++] = root
    while (top > 0) {
      const link = stack[--top]
      if (link < 0) {
        const first = ~link >> 3
        this.meetLeaf(first, first + (~link & 7))
        continue
      }
      if (this.mayMeet(boxes, 12 * link)) stack[top++] = links[2 * link]
      if (this.mayMeet(boxes, 12 * link + 6)) stack[top++] = links[2 * link + 1]
    }
  }

  /** Whether rays that are not yet `reached` may meet a box. */
  private mayMeet(boxes: Float64Array, at: number): boolean {
    const { rows, from } = this
    const hx = 0.5 * (boxes[at + 3] - boxes[at])
    const hy = 0.5 * (boxes[at + 4] - boxes[at + 1])
    const hz = 0.5 * (boxes[at + 5] - boxes[at + 2])
    const px = boxes[at] + hx - from[0]
    const py = boxes[at + 1] + hy - from[1]
    const pz = boxes[at + 2] + hz - from[2]
    const x = px * rows[0] + py * rows[1] + pz * rows[2]
    const y = px * rows[3] + py * rows[4] + pz * rows[5]
    const z = px * rows[6] + py * rows[7] + pz * rows[8]
    const ex = hx * Math.abs(rows[0]) + hy * Math.abs(rows[1]) + hz * Math.abs(rows[2])
    const ey = hx * Math.abs(rows[3]) + hy * Math.abs(rows[4]) + hz * Math.abs(rows[5])
    const ez = hx * Math.abs(rows[6]) + hy * Math.abs(rows[7]) + hz * Math.abs(rows[8])
    const rho = Math.sqrt(x * x + y * y)
    const radius = Math.sqrt(ex * ex + ey * ey)
    const near = Math.max(0, rho - radius)
    if (!this.between(z - ez, z + ez, near, rho + radius)) return false
    if (!(rho > radius)) return this.take(0, CIRCLE, near, 0)
    const azimuth = Math.atan2(y, x)
    const half = Math.asin(radius / rho)
    return this.take(azimuth - half, azimuth + half, near, 0)
  }

  /** Whether what lies between two places along the edge and distances from it [m] lies on the way of rays, whatever their azimuth. */
  private between(z0: number, z1: number, near: number, far: number): boolean {
    const { cot } = this
    const least = z0 - (cot > 0 ? far : near) * cot
    const most = z1 - (cot > 0 ? near : far) * cot
    return most >= this.low && least <= this.high
  }

  /** Whether rays between two azimuths go as far as `near` and are not yet `reached`; sets these to `mark` if that is not 0. */
  private take(from: number, to: number, near: number, mark: number): boolean {
    const { azimuths, far, firsts, reached, rays } = this
    for (let turn = -CIRCLE; turn <= CIRCLE; turn += CIRCLE) {
      const low = from + turn - WIDER
      const high = to + turn + WIDER
      if (high < 0 || low >= CIRCLE) continue
      for (let i = low <= 0 ? 0 : firsts[Math.floor((low / CIRCLE) * PARTS)]; i < rays; i++) {
        if (azimuths[i] > high) break
        if (reached[i] !== 0 || azimuths[i] < low || far[i] < near) continue
        if (mark === 0) return true
        reached[i] = mark
      }
    }
    return false
  }

  private meetLeaf(first: number, end: number): void {
    const { scene, from, rows, x, y, z } = this
    const { order, vertices, diagonal } = scene
    for (let slot = first; slot < end; slot++) {
      let far = 0
      for (let v = 0, o = 9 * order[slot]; v < 3; v++, o += 3) {
        const px = vertices[o] - from[0]
        const py = vertices[o + 1] - from[1]
        const pz = vertices[o + 2] - from[2]
        x[v] = px * rows[0] + py * rows[1] + pz * rows[2]
        y[v] = px * rows[3] + py * rows[4] + pz * rows[5]
        z[v] = px * rows[6] + py * rows[7] + pz * rows[8]
        far = Math.max(far, x[v] * x[v] + y[v] * y[v])
      }
      const cx = (x[0] + x[1] + x[2]) / 3
      const cy = (y[0] + y[1] + y[2]) / 3
      let radius = 0
      for (let v = 0; v < 3; v++) radius = Math.max(radius, (x[v] - cx) ** 2 + (y[v] - cy) ** 2)
      const near = Math.max(0, Math.sqrt(cx * cx + cy * cy) - Math.sqrt(radius) - LONGER * diagonal)
      if (
        !this.between(
          Math.min(z[0], z[1], z[2]),
          Math.max(z[0], z[1], z[2]),
          near,
          Math.sqrt(far) + LONGER * diagonal,
        )
      )
        continue
      const azimuth = Math.atan2(y[0], x[0])
      const d1 = this.turn(0, 1)
      const d2 = d1 + this.turn(1, 2)
      // The edge's line meets the facet.
      if (Math.abs(d2 + this.turn(2, 0)) > 1) this.take(0, CIRCLE, near, 1)
      else this.take(azimuth + Math.min(0, d1, d2), azimuth + Math.max(0, d1, d2), near, 1)
    }
  }

  /** Angle from one corner of the facet to another, as seen along the edge [rad]. */
  private turn(a: number, b: number): number {
    const { x, y } = this
    return Math.atan2(x[a] * y[b] - y[a] * x[b], x[a] * x[b] + y[a] * y[b])
  }
}

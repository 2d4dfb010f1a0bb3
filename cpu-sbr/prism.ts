import { GRAZING_COSINE, type RayScene } from '../rays/index.js'

/** Slack of outlines compared along a direction, as a part of the box diagonal: far more than rounding and the lift of rays move them. */
export const OUTLINE_SLACK = 1e-9
/** Rays start 1e-10 of the diagonal above their facet; what does not reach half as high is not met ... */
const REACH = 0.5e-10
/** ... unless the rays graze it, when rounding moves the hit along them: then what stays so far below. */
const GRAZED_REACH = -1e-6
const GRAZED = 1e-4
/** Longest list. */
const MOST_LISTED = 128
/** Outlines have no side where an edge runs along the direction but for this. */
const ALONG = 1e-6

/** Corners of the facets enlarged as `RayScene.planes` has them, 9 numbers per leaf slot [m], and the slot of each facet. */
export interface SlotCorners {
  corners: Float64Array
  slotOf: Uint32Array
}

/**
 * Facets that rays leaving one facet along one direction, or any within a cone about it, may meet: those in the prism over it, which
 * then widens with the distance (docs/ray-engine.md, "Prisms"). A superset of what any search of the BVH accepts.
 */
export class PrismQuery {
  private readonly stack: Int32Array
  /** Sides of the prism and the plane that it stands on, as linear forms [n, c] that are positive inside. */
  private readonly sides = new Float64Array(16)
  private planes = 0
  private readonly d = new Float64Array(3)
  /** Per side the numbers of a box (`BoxPairs`) that its form is largest with. */
  private readonly far = new Int32Array(12)
  /** GRAZED_REACH [m]. */
  private readonly below: number
  /** Tangent of the cone's half angle, and where its prism begins along the direction [m]. */
  private spread = NaN
  private base = NaN
  /** Leaf slots found by the last `search`. */
  readonly slots = new Int32Array(MOST_LISTED)
  count = 0

  readonly corners: Float64Array
  private readonly slotOf: Uint32Array

  constructor(
    private readonly scene: RayScene,
    { corners, slotOf }: SlotCorners,
  ) {
    this.corners = corners
    this.slotOf = slotOf
    this.below = GRAZED_REACH * scene.diagonal
    this.stack = new Int32Array(2 * scene.depth + 2)
  }

  /**
   * Looks for what rays along unit (dx, dy, dz), or off it by an angle of at most tangent `spread`, may meet that leave facet f on the
   * side that they go to. False where that is more than `slots` holds, or where some all but run in its plane.
   */
  search(f: number, dx: number, dy: number, dz: number, spread = 0): boolean {
    const { order, pairs } = this.scene
    const { boxes, links } = pairs
    const { stack } = this
    const own = 9 * this.slotOf[f]
    this.spread = spread
    if (!this.stand(f, own, dx, dy, dz)) return false
    this.d[0] = dx
    this.d[1] = dy
    this.d[2] = dz
    this.count = 0
    let top = 0
    stack[top++] = pairs.root
    while (top > 0) {
      const at = stack[--top]
      if (at >= 0) {
        if (this.reachesBox(boxes, 12 * at + 6)) stack[top++] = links[2 * at + 1]
        if (this.reachesBox(boxes, 12 * at)) stack[top++] = links[2 * at]
        continue
      }
      const first = ~at >> 3
      const end = first + (~at & 7)
      for (let slot = first; slot < end; slot++) {
        if (order[slot] === f || !this.reaches(slot, own)) continue
        if (this.count === MOST_LISTED) return false
        this.slots[this.count++] = slot
      }
    }
    return true
  }

  private stand(f: number, own: number, dx: number, dy: number, dz: number): boolean {
    const { sides, corners, spread } = this
    const { normals, diagonal } = this.scene
    const n = 4 * f
    const cosine = normals[n] * dx + normals[n + 1] * dy + normals[n + 2] * dz
    if (Math.abs(cosine) < ALONG + spread) return false
    this.base = Math.min(
      corners[own] * dx + corners[own + 1] * dy + corners[own + 2] * dz,
      corners[own + 3] * dx + corners[own + 4] * dy + corners[own + 5] * dz,
      corners[own + 6] * dx + corners[own + 7] * dy + corners[own + 8] * dz,
    )
    const up = cosine > 0 ? 1 : -1
    for (let a = 0; a < 4; a++) sides[a] = up * normals[n + a]
    sides[3] = -sides[3]
    this.planes = 1
    for (let i = 0; i < 3; i++) {
      const a = own + 3 * i
      const b = own + 3 * ((i + 1) % 3)
      const c = own + 3 * ((i + 2) % 3)
      const ex = corners[b] - corners[a]
      const ey = corners[b + 1] - corners[a + 1]
      const ez = corners[b + 2] - corners[a + 2]
      let x = ey * dz - ez * dy
      let y = ez * dx - ex * dz
      let z = ex * dy - ey * dx
      const length = Math.hypot(x, y, z)
      if (!(length > ALONG * Math.hypot(ex, ey, ez))) continue
      const inward =
        x * (corners[c] - corners[a]) +
        y * (corners[c + 1] - corners[a + 1]) +
        z * (corners[c + 2] - corners[a + 2])
      const scale = (inward < 0 ? -1 : 1) / length
      x *= scale
      y *= scale
      z *= scale
      // Tilted outwards: what a ray of the cone has moved aside is at most the spread times what it has gone along the direction.
      const at = 4 * this.planes++
      sides[at] = x + spread * dx
      sides[at + 1] = y + spread * dy
      sides[at + 2] = z + spread * dz
      sides[at + 3] =
        OUTLINE_SLACK * diagonal -
        spread * this.base -
        (x * corners[a] + y * corners[a + 1] + z * corners[a + 2])
    }
    for (let p = 0; p < this.planes; p++)
      for (let a = 0; a < 3; a++) this.far[3 * p + a] = sides[4 * p + a] > 0 ? a + 3 : a
    return true
  }

  private reachesBox(boxes: Float64Array, at: number): boolean {
    const { sides, far, planes } = this
    for (let p = 0; p < planes; p++) {
      const s = 4 * p
      const most =
        sides[s] * boxes[at + far[3 * p]] +
        sides[s + 1] * boxes[at + far[3 * p + 1]] +
        sides[s + 2] * boxes[at + far[3 * p + 2]]
      if (most + sides[s + 3] < (p === 0 ? this.below : 0)) return false
    }
    return true
  }

  private reaches(slot: number, own: number): boolean {
    const { sides, corners, d, spread } = this
    const dx = d[0]
    const dy = d[1]
    const dz = d[2]
    const { planes, diagonal } = this.scene
    const g = 9 * slot
    const n = 12 * slot
    const cosine = Math.abs(planes[n] * dx + planes[n + 1] * dy + planes[n + 2] * dz)
    if (cosine + spread < GRAZING_COSINE) return false
    const reach = (cosine - spread < GRAZED ? GRAZED_REACH : REACH) * diagonal
    for (let p = 0; p < this.planes; p++) {
      const s = 4 * p
      const x = sides[s]
      const y = sides[s + 1]
      const z = sides[s + 2]
      const limit = (p === 0 ? reach : 0) - sides[s + 3]
      if (
        x * corners[g] + y * corners[g + 1] + z * corners[g + 2] < limit &&
        x * corners[g + 3] + y * corners[g + 4] + z * corners[g + 5] < limit &&
        x * corners[g + 6] + y * corners[g + 7] + z * corners[g + 8] < limit
      )
        return false
    }
    // The same with the other facet's sides.
    const farthest = Math.max(
      corners[g] * dx + corners[g + 1] * dy + corners[g + 2] * dz,
      corners[g + 3] * dx + corners[g + 4] * dy + corners[g + 5] * dz,
      corners[g + 6] * dx + corners[g + 7] * dy + corners[g + 8] * dz,
    )
    const slack = OUTLINE_SLACK * diagonal + spread * Math.max(0, farthest - this.base)
    for (let i = 0; i < 9; i += 3) {
      const a = g + i
      const b = g + (i === 6 ? 0 : i + 3)
      const c = g + (i === 0 ? 6 : i - 3)
      const ex = corners[b] - corners[a]
      const ey = corners[b + 1] - corners[a + 1]
      const ez = corners[b + 2] - corners[a + 2]
      const x = ey * dz - ez * dy
      const y = ez * dx - ex * dz
      const z = ex * dy - ey * dx
      const at = x * corners[a] + y * corners[a + 1] + z * corners[a + 2]
      const inward = x * corners[c] + y * corners[c + 1] + z * corners[c + 2] - at
      const sign = inward < 0 ? -1 : 1
      const p = sign * (x * corners[own] + y * corners[own + 1] + z * corners[own + 2] - at)
      const q = sign * (x * corners[own + 3] + y * corners[own + 4] + z * corners[own + 5] - at)
      const r = sign * (x * corners[own + 6] + y * corners[own + 7] + z * corners[own + 8] - at)
      if (p >= 0 || q >= 0 || r >= 0) continue
      const most = p > q ? (p > r ? p : r) : q > r ? q : r
      const square = x * x + y * y + z * z
      if (most * most > slack * slack * square && square > ALONG * ALONG * (ex * ex + ey * ey + ez * ez))
        return false
    }
    return true
  }
}

/** Three coordinates. Functions write their result to `out`, which may be one of their arguments: nothing is allocated per ray. */
export type Vector = Float64Array

export const vector = (from: ArrayLike<number> = [0, 0, 0]): Vector => Float64Array.from(from)

export function copy(a: Vector, out: Vector): void {
  out[0] = a[0]
  out[1] = a[1]
  out[2] = a[2]
}

/** a + t b */
export function along(a: Vector, t: number, b: Vector, out: Vector): void {
  out[0] = a[0] + t * b[0]
  out[1] = a[1] + t * b[1]
  out[2] = a[2] + t * b[2]
}

/** x a + y b */
export function combine(x: number, a: Vector, y: number, b: Vector, out: Vector): void {
  out[0] = x * a[0] + y * b[0]
  out[1] = x * a[1] + y * b[1]
  out[2] = x * a[2] + y * b[2]
}

export function cross(a: Vector, b: Vector, out: Vector): void {
  const x = a[1] * b[2] - a[2] * b[1]
  const y = a[2] * b[0] - a[0] * b[2]
  const z = a[0] * b[1] - a[1] * b[0]
  out[0] = x
  out[1] = y
  out[2] = z
}

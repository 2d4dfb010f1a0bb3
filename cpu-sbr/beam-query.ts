import { GRAZING_COSINE, type FlatScene } from '../scene/index.js'

/** Facets no farther than this part of the box diagonal from a beam's end planes belong to them (FLAT_TOLERANCE and rounding). */
const PLANE_TOLERANCE = 5e-7
/** Part of a beam's width that a facet must overlap it by. */
const SIDE_TOLERANCE = 1e-9

/**
 * Queries with a beam: the points p = o + alpha a + beta b + tau d with |alpha|, |beta| <= 1/2, between two planes. A
 * beam's sides run along its rays, so that an edge crosses the beam exactly where its projection crosses the square of
 * (alpha, beta).
 */
export class BeamQuery {
  /** Linear forms [n, c] that are negative inside: alpha, -alpha, beta, -beta, start, end plane. */
  private readonly sides = new Float64Array(24)
  private planes = 4
  /** What `inside` has found last. */
  found = -1
  /** Direction of the rays. */
  private readonly d = new Float64Array(3)
  /** Per side the numbers of a box (`BoxPairs`) that its form is least with. */
  private readonly near = new Int32Array(18)
  private readonly stack: Int32Array
  private from = new Float64Array(30)
  private to = new Float64Array(30)

  constructor(private readonly scene: FlatScene) {
    this.stack = new Int32Array(2 * scene.depth + 2)
  }

  /**
   * Sets the beam of sides a, b (any, not along d) about the ray from o along unit d, without end planes. False when it
   * is too thin to be told from a plane.
   */
  aim(o: ArrayLike<number>, a: ArrayLike<number>, b: ArrayLike<number>, d: ArrayLike<number>): boolean {
    const { sides } = this
    const across = (out: number, p: ArrayLike<number>, q: ArrayLike<number>): boolean => {
      // Dual vector: 1 along p, 0 along q and d.
      const x = q[1] * d[2] - q[2] * d[1]
      const y = q[2] * d[0] - q[0] * d[2]
      const z = q[0] * d[1] - q[1] * d[0]
      const volume = p[0] * x + p[1] * y + p[2] * z
      if (Math.abs(volume) < 1e-9 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2])) return false
      const at = (x * o[0] + y * o[1] + z * o[2]) / volume
      sides[out] = x / volume
      sides[out + 1] = y / volume
      sides[out + 2] = z / volume
      sides[out + 3] = -at - 0.5 + SIDE_TOLERANCE
      sides[out + 4] = -x / volume
      sides[out + 5] = -y / volume
      sides[out + 6] = -z / volume
      sides[out + 7] = at - 0.5 + SIDE_TOLERANCE
      return true
    }
    this.planes = 4
    for (let c = 0; c < 3; c++) this.d[c] = d[c]
    return across(0, a, b) && across(8, b, a)
  }

  /** Sets the beam of a facet: along unit d through its three sides, without end planes. */
  aimFacet(t: number, d: ArrayLike<number>): void {
    const { sides } = this
    const { vertices } = this.scene
    for (let c = 0; c < 3; c++) this.d[c] = d[c]
    for (let i = 0; i < 3; i++) {
      const a = 9 * t + 3 * i
      const b = 9 * t + 3 * ((i + 1) % 3)
      const c = 9 * t + 3 * ((i + 2) % 3)
      const ex = vertices[b] - vertices[a]
      const ey = vertices[b + 1] - vertices[a + 1]
      const ez = vertices[b + 2] - vertices[a + 2]
      const x = ey * d[2] - ez * d[1]
      const y = ez * d[0] - ex * d[2]
      const z = ex * d[1] - ey * d[0]
      // 0 along the side from a to b, -1 at the corner across.
      const scale =
        -1 /
        (x * (vertices[c] - vertices[a]) +
          y * (vertices[c + 1] - vertices[a + 1]) +
          z * (vertices[c + 2] - vertices[a + 2]))
      sides[4 * i] = scale * x
      sides[4 * i + 1] = scale * y
      sides[4 * i + 2] = scale * z
      sides[4 * i + 3] =
        SIDE_TOLERANCE - scale * (x * vertices[a] + y * vertices[a + 1] + z * vertices[a + 2])
    }
    this.planes = 3
  }

  /**
   * Keeps of the beam what lies on the side of the plane of `facet` that direction (x, y, z) points to, and off it or,
   * with `inPlane`, in it too.
   */
  cut(facet: number, x: number, y: number, z: number, inPlane = false): void {
    const { normals, diagonal } = this.scene
    const f = 4 * facet
    const sign = normals[f] * x + normals[f + 1] * y + normals[f + 2] * z > 0 ? -1 : 1
    const at = 4 * this.planes++
    for (let c = 0; c < 3; c++) this.sides[at + c] = sign * normals[f + c]
    this.sides[at + 3] = -sign * normals[f + 3] + (inPlane ? -1 : 1) * PLANE_TOLERANCE * diagonal
  }

  /** Whether an edge of the rim of this facet's flat crosses the beam, seen along its rays. */
  rimCrosses(facet: number): boolean {
    const { points, flats } = this.scene
    const { rim } = flats
    const f = flats.flat[facet]
    for (let e = 2 * flats.rimStart[f]; e < 2 * flats.rimStart[f + 1]; e += 2)
      if (this.segmentCrosses(points, 3 * rim[e], 3 * rim[e + 1])) return true
    return false
  }

  /**
   * What stands within the beam of facets list[start ... end): one of another surface than `surface`: 2; of that surface
   * only: 1; nothing: 0. With `any` the first found ends the search.
   */
  insideList(list: Int32Array, start: number, end: number, surface: number, any: boolean): 0 | 1 | 2 {
    const surfaces = this.scene.surface
    let found: 0 | 1 = 0
    for (let i = start; i < end; i++) {
      const t = list[i]
      const same = surfaces[t] === surface
      if ((same && found === 1) || !this.overlapsFacet(t)) continue
      if (any || !same) return same ? 1 : 2
      found = 1
    }
    return found
  }

  /** Whether any facet stands within the beam; with `own`, any but this one and the backs of closed shells. */
  inside(own = -1): boolean {
    const { order, normals, flats, pairs } = this.scene
    const { boxes, links } = pairs
    const { stack, d, sides, near } = this
    for (let p = 0; p < this.planes; p++)
      for (let a = 0; a < 3; a++) near[3 * p + a] = sides[4 * p + a] > 0 ? a : a + 3
    let top = 0
    stack[top++] = pairs.root
    while (top > 0) {
      const at = stack[--top]
      if (at >= 0) {
        if (this.overlapsBox(boxes, 12 * at)) stack[top++] = links[2 * at]
        if (this.overlapsBox(boxes, 12 * at + 6)) stack[top++] = links[2 * at + 1]
        continue
      }
      const first = ~at >> 3
      const end = first + (~at & 7)
      for (let slot = first; slot < end; slot++) {
        const t = order[slot]
        const cosine = normals[4 * t] * d[0] + normals[4 * t + 1] * d[1] + normals[4 * t + 2] * d[2]
        // Rays pass by facets that they graze.
        if (cosine < GRAZING_COSINE && cosine > -GRAZING_COSINE) continue
        if (own >= 0 && (t === own || flats.shell[t] * cosine > 0)) continue
        if (!this.overlapsFacet(t)) continue
        this.found = t
        return true
      }
    }
    return false
  }

  /** Whether facet t, which the rays of the beam do not graze, stands within it. */
  holds(t: number): boolean {
    return this.overlapsFacet(t)
  }

  /** `inside` for a beam that can hold no facets but those of slots[start ... end). */
  insideListed(slots: Int32Array, start: number, end: number): boolean {
    const { order } = this.scene
    for (let i = start; i < end; i++) {
      const t = order[slots[i]]
      if (this.overlapsFacet(t) && !this.grazes(t)) return true
    }
    return false
  }

  /** Whether the beam's rays graze facet t: they pass it by. */
  private grazes(t: number): boolean {
    const { d } = this
    const { normals } = this.scene
    const cosine = normals[4 * t] * d[0] + normals[4 * t + 1] * d[1] + normals[4 * t + 2] * d[2]
    return cosine < GRAZING_COSINE && cosine > -GRAZING_COSINE
  }

  /** Whether the beam, seen along its rays, lies on facet t as a whole: by its square of sides a, b about o. */
  liesOn(t: number, o: ArrayLike<number>, a: ArrayLike<number>, b: ArrayLike<number>): boolean {
    const { d } = this
    const { vertices } = this.scene
    for (let i = 0; i < 9; i += 3) {
      const p = 9 * t + i
      const q = 9 * t + (i === 6 ? 0 : i + 3)
      const r = 9 * t + (i === 0 ? 6 : i - 3)
      const ex = vertices[q] - vertices[p]
      const ey = vertices[q + 1] - vertices[p + 1]
      const ez = vertices[q + 2] - vertices[p + 2]
      const x = ey * d[2] - ez * d[1]
      const y = ez * d[0] - ex * d[2]
      const z = ex * d[1] - ey * d[0]
      const at = x * vertices[p] + y * vertices[p + 1] + z * vertices[p + 2]
      const inward = x * vertices[r] + y * vertices[r + 1] + z * vertices[r + 2] - at
      const middle = x * o[0] + y * o[1] + z * o[2] - at
      const half = Math.abs(x * a[0] + y * a[1] + z * a[2]) + Math.abs(x * b[0] + y * b[1] + z * b[2])
      if ((inward > 0 ? middle : -middle) < half / 2) return false
    }
    return true
  }

  /** Whether each side's form has negative values over a box. */
  private overlapsBox(boxes: Float64Array, at: number): boolean {
    const { sides, near, planes } = this
    for (let p = 0; p < planes; p++) {
      const s = 4 * p
      const least =
        sides[s] * boxes[at + near[3 * p]] +
        sides[s + 1] * boxes[at + near[3 * p + 1]] +
        sides[s + 2] * boxes[at + near[3 * p + 2]]
      if (least + sides[s + 3] >= 0) return false
    }
    return true
  }

  /** Whether something of the facet is left after clipping it at every side of the beam (Sutherland and Hodgman). */
  private overlapsFacet(t: number): boolean {
    const { sides } = this
    const { vertices } = this.scene
    const v = 9 * t
    // Most facets lie wholly beyond one side.
    for (let p = 0; p < 4 * this.planes; p += 4) {
      const x = sides[p]
      const y = sides[p + 1]
      const z = sides[p + 2]
      const c = -sides[p + 3]
      if (
        x * vertices[v] + y * vertices[v + 1] + z * vertices[v + 2] >= c &&
        x * vertices[v + 3] + y * vertices[v + 4] + z * vertices[v + 5] >= c &&
        x * vertices[v + 6] + y * vertices[v + 7] + z * vertices[v + 8] >= c
      )
        return false
    }
    let { from, to } = this
    for (let i = 0; i < 9; i++) from[i] = vertices[v + i]
    let n = 3
    for (let p = 0; p < 4 * this.planes; p += 4) {
      let kept = 0
      let k = 3 * (n - 1)
      let last = sides[p] * from[k] + sides[p + 1] * from[k + 1] + sides[p + 2] * from[k + 2] + sides[p + 3]
      for (let i = 0; i < 3 * n; i += 3) {
        const value =
          sides[p] * from[i] + sides[p + 1] * from[i + 1] + sides[p + 2] * from[i + 2] + sides[p + 3]
        if (value < 0 !== last < 0) {
          const part = last / (last - value)
          for (let c = 0; c < 3; c++) to[3 * kept + c] = from[k + c] + part * (from[i + c] - from[k + c])
          kept++
        }
        if (value < 0) {
          for (let c = 0; c < 3; c++) to[3 * kept + c] = from[i + c]
          kept++
        }
        last = value
        k = i
      }
      if (kept === 0) return false
      n = kept
      const swap = from
      from = to
      to = swap
    }
    return true
  }

  /** Whether the segment between two points crosses the beam, seen along its rays: clipped at its four sides. */
  private segmentCrosses(points: Float64Array, a: number, b: number): boolean {
    const { sides } = this
    let t0 = 0
    let t1 = 1
    for (let p = 0; p < 16; p += 4) {
      const x = sides[p]
      const y = sides[p + 1]
      const z = sides[p + 2]
      const fa = x * points[a] + y * points[a + 1] + z * points[a + 2] + sides[p + 3]
      const fb = x * points[b] + y * points[b + 1] + z * points[b + 2] + sides[p + 3]
      if (fa >= 0 && fb >= 0) return false
      if (fa < 0 && fb < 0) continue
      const t = fa / (fa - fb)
      if (fa >= 0) {
        if (t > t0) t0 = t
      } else if (t < t1) t1 = t
      if (t0 >= t1) return false
    }
    return true
  }
}

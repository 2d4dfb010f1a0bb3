import type { RayScene } from './ray-scene.js'
import { GRAZING_COSINE } from './wasm/constants.js'

/** Shadows that leave a smaller gap between them, in parts of the box diagonal, are one: facets that nearly meet cast no line of light. */
const LEAST_GAP = 1e-7

/**
 * Finds which parts of a straight line a plane wave lights: the facets that cut the half-plane from the line towards the source are
 * projected onto the line, exactly and without samples. One object serves many lines in turn.
 */
export class LitParts {
  /** Disjoint shadows on the current line, from and to in turn [m from its start], ascending. */
  private shadows = new Float64Array(64)
  private count = 0
  private readonly stack: Int32Array
  private readonly gap: number
  /** Per plane across space, p = n x - offset: height over the half-plane, place along the line [m], distance towards the source [m]. */
  private readonly height = new Float64Array(4)
  private readonly place = new Float64Array(4)
  private readonly distance = new Float64Array(4)
  private length = NaN

  constructor(private readonly scene: RayScene) {
    this.stack = new Int32Array(scene.depth + 2)
    this.gap = LEAST_GAP * scene.diagonal
  }

  /**
   * Writes the parts of the line p + t e, 0 <= t <= length, from which nothing is met along d, to `lit`: from and to in turn [m].
   *
   * @param p       start of the line [m], in the scene's coordinates
   * @param e,d     unit vectors along the line and towards the source, not parallel
   */
  find(
    p: ArrayLike<number>,
    e: ArrayLike<number>,
    d: ArrayLike<number>,
    length: number,
    lit: number[],
  ): void {
    this.aim(p, e, d, length)
    this.count = 0
    this.traverse(d)
    const { shadows, gap } = this
    lit.length = 0
    let from = 0
    for (let i = 0; i < this.count; i++) {
      if (shadows[2 * i] - from > gap) lit.push(from, shadows[2 * i])
      from = shadows[2 * i + 1]
    }
    if (length - from > gap || (this.count === 0 && length > 0)) lit.push(from, length)
  }

  /** Sets coordinates in which the half-plane is height 0, distance > 0. */
  private aim(p: ArrayLike<number>, e: ArrayLike<number>, d: ArrayLike<number>, length: number): void {
    const nx = e[1] * d[2] - e[2] * d[1]
    const ny = e[2] * d[0] - e[0] * d[2]
    const nz = e[0] * d[1] - e[1] * d[0]
    // |e x d|^2: in e along and d towards the source, x = t e + s d + h n / |n|^2.
    const square = nx * nx + ny * ny + nz * nz
    setPlane(this.height, nx, ny, nz, 1 / Math.sqrt(square), p)
    setPlane(this.place, d[1] * nz - d[2] * ny, d[2] * nx - d[0] * nz, d[0] * ny - d[1] * nx, 1 / square, p)
    setPlane(
      this.distance,
      ny * e[2] - nz * e[1],
      nz * e[0] - nx * e[2],
      nx * e[1] - ny * e[0],
      1 / square,
      p,
    )
    this.length = length
  }

  private traverse(d: ArrayLike<number>): void {
    const { boxes, links, root } = this.scene.pairs
    const { stack } = this
    let top = 0
    stack[top++] = root
    while (top > 0) {
      const at = stack[--top]
      if (at < 0) {
        const first = ~at >> 3
        if (this.shadeLeaf(first, first + (~at & 7), d)) return
        continue
      }
      for (let child = 0; child < 2; child++)
        if (this.mayShade(boxes, 12 * at + 6 * child)) stack[top++] = links[2 * at + child]
    }
  }

  /** Whether a box meets the half-plane where the line is not in shadow yet. */
  private mayShade(boxes: Float64Array, b: number): boolean {
    const { height: n, place: m, distance: q } = this
    const x = 0.5 * (boxes[b] + boxes[b + 3])
    const y = 0.5 * (boxes[b + 1] + boxes[b + 4])
    const z = 0.5 * (boxes[b + 2] + boxes[b + 5])
    const hx = boxes[b + 3] - x
    const hy = boxes[b + 4] - y
    const hz = boxes[b + 5] - z
    const h = n[0] * x + n[1] * y + n[2] * z - n[3]
    if (Math.abs(h) > Math.abs(n[0]) * hx + Math.abs(n[1]) * hy + Math.abs(n[2]) * hz) return false
    if (
      q[0] * x + q[1] * y + q[2] * z - q[3] <
      -(Math.abs(q[0]) * hx + Math.abs(q[1]) * hy + Math.abs(q[2]) * hz)
    )
      return false
    const t = m[0] * x + m[1] * y + m[2] * z - m[3]
    const reach = Math.abs(m[0]) * hx + Math.abs(m[1]) * hy + Math.abs(m[2]) * hz
    const from = Math.max(0, t - reach)
    const to = Math.min(this.length, t + reach)
    return from <= to && !this.isShaded(from, to)
  }

  private isShaded(from: number, to: number): boolean {
    const { shadows } = this
    for (let i = 0; i < this.count; i++)
      if (shadows[2 * i] <= from) {
        if (shadows[2 * i + 1] >= to) return true
      } else return false
    return false
  }

  /** Adds the shadows of the facets of slots first to end - 1. True where all of the line is in shadow. */
  private shadeLeaf(first: number, end: number, d: ArrayLike<number>): boolean {
    const { order, vertices, normals } = this.scene
    const { height: n, place: m, distance: q } = this
    for (let slot = first; slot < end; slot++) {
      const f = order[slot]
      const cosine = normals[4 * f] * d[0] + normals[4 * f + 1] * d[1] + normals[4 * f + 2] * d[2]
      if (cosine < GRAZING_COSINE && cosine > -GRAZING_COSINE) continue
      const v = 9 * f
      const h0 = n[0] * vertices[v] + n[1] * vertices[v + 1] + n[2] * vertices[v + 2] - n[3]
      const h1 = n[0] * vertices[v + 3] + n[1] * vertices[v + 4] + n[2] * vertices[v + 5] - n[3]
      const h2 = n[0] * vertices[v + 6] + n[1] * vertices[v + 7] + n[2] * vertices[v + 8] - n[3]
      const above = (h0 > 0 ? 1 : 0) + (h1 > 0 ? 2 : 0) + (h2 > 0 ? 4 : 0)
      if (above === 0 || above === 7) continue
      // The vertex that lies alone on its side, and the other two.
      const alone = above === 1 || above === 6 ? 0 : above === 2 || above === 5 ? 1 : 2
      const a = v + 3 * alone
      const b = v + 3 * ((alone + 1) % 3)
      const c = v + 3 * ((alone + 2) % 3)
      const ha = alone === 0 ? h0 : alone === 1 ? h1 : h2
      const hb = alone === 0 ? h1 : alone === 1 ? h2 : h0
      const hc = alone === 0 ? h2 : alone === 1 ? h0 : h1
      const ta = m[0] * vertices[a] + m[1] * vertices[a + 1] + m[2] * vertices[a + 2] - m[3]
      const tb = m[0] * vertices[b] + m[1] * vertices[b + 1] + m[2] * vertices[b + 2] - m[3]
      const tc = m[0] * vertices[c] + m[1] * vertices[c + 1] + m[2] * vertices[c + 2] - m[3]
      const sa = q[0] * vertices[a] + q[1] * vertices[a + 1] + q[2] * vertices[a + 2] - q[3]
      const sb = q[0] * vertices[b] + q[1] * vertices[b + 1] + q[2] * vertices[b + 2] - q[3]
      const sc = q[0] * vertices[c] + q[1] * vertices[c + 1] + q[2] * vertices[c + 2] - q[3]
      // Both places where the facet cuts the half-plane's plane.
      const x = ha / (ha - hb)
      const y = ha / (ha - hc)
      let t0 = ta + x * (tb - ta)
      let t1 = ta + y * (tc - ta)
      const s0 = sa + x * (sb - sa)
      const s1 = sa + y * (sc - sa)
      if (s0 <= 0 && s1 <= 0) continue
      if (s0 <= 0) t0 += (s0 / (s0 - s1)) * (t1 - t0)
      else if (s1 <= 0) t1 += (s1 / (s1 - s0)) * (t0 - t1)
      if (this.shade(Math.min(t0, t1), Math.max(t0, t1))) return true
    }
    return false
  }

  /** Adds a shadow. True where all of the line is in shadow. */
  private shade(from: number, to: number): boolean {
    const { gap, length } = this
    if (to < 0 || from > length) return false
    let { shadows, count } = this
    // Those before it, and those that it meets.
    let first = 0
    while (first < count && shadows[2 * first + 1] < from - gap) first++
    let last = first
    while (last < count && shadows[2 * last] <= to + gap) {
      from = Math.min(from, shadows[2 * last])
      to = Math.max(to, shadows[2 * last + 1])
      last++
    }
    if (2 * (count + 1) > shadows.length) {
      const larger = new Float64Array(2 * shadows.length)
      larger.set(shadows)
      this.shadows = shadows = larger
    }
    shadows.copyWithin(2 * (first + 1), 2 * last, 2 * count)
    shadows[2 * first] = from
    shadows[2 * first + 1] = to
    this.count = count = count + 1 - (last - first)
    return count === 1 && shadows[0] <= gap && shadows[1] >= length - gap
  }
}

/** The plane whose normal is `scale` times (x, y, z), through p. */
function setPlane(
  out: Float64Array,
  x: number,
  y: number,
  z: number,
  scale: number,
  p: ArrayLike<number>,
): void {
  out[0] = scale * x
  out[1] = scale * y
  out[2] = scale * z
  out[3] = out[0] * p[0] + out[1] * p[1] + out[2] * p[2]
}

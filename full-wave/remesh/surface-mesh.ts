import { InputError } from '../../scene/index.js'
import { edgeKey, type Features, type InputSurface, type Line } from './features.js'
import type { SizeField } from './size-field.js'

/**
 * The point of a triangle nearest to x (Ericson, Real-Time Collision Detection, 5.1.5), written to `out`; returns the squared distance.
 *
 * @param p  coordinates of vertices; a, b and c are vertex numbers
 */
function closestOnTriangle(
  p: ArrayLike<number>,
  a: number,
  b: number,
  c: number,
  x: ArrayLike<number>,
  out: Float64Array,
): number {
  const ax = p[3 * a]
  const ay = p[3 * a + 1]
  const az = p[3 * a + 2]
  const ux = p[3 * b] - ax
  const uy = p[3 * b + 1] - ay
  const uz = p[3 * b + 2] - az
  const vx = p[3 * c] - ax
  const vy = p[3 * c + 1] - ay
  const vz = p[3 * c + 2] - az
  const wx = x[0] - ax
  const wy = x[1] - ay
  const wz = x[2] - az
  const d1 = ux * wx + uy * wy + uz * wz
  const d2 = vx * wx + vy * wy + vz * wz
  const uu = ux * ux + uy * uy + uz * uz
  const uv = ux * vx + uy * vy + uz * vz
  const vv = vx * vx + vy * vy + vz * vz
  const d3 = d1 - uu
  const d4 = d2 - uv
  const d5 = d1 - uv
  const d6 = d2 - vv
  let s = 0
  let t = 0
  const vc = d1 * d4 - d3 * d2
  const vb = d5 * d2 - d1 * d6
  const va = d3 * d6 - d5 * d4
  if (d1 <= 0 && d2 <= 0) s = t = 0
  else if (d3 >= 0 && d4 <= d3) s = 1
  else if (vc <= 0 && d1 >= 0 && d3 <= 0) s = d1 / (d1 - d3)
  else if (d6 >= 0 && d5 <= d6) t = 1
  else if (vb <= 0 && d2 >= 0 && d6 <= 0) t = d2 / (d2 - d6)
  else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    t = (d4 - d3) / (d4 - d3 + (d5 - d6))
    s = 1 - t
  } else {
    const sum = va + vb + vc
    s = vb / sum
    t = vc / sum
  }
  if (!(s >= 0 && t >= 0)) s = t = 0
  out[0] = ax + s * ux + t * vx
  out[1] = ay + s * uy + t * vy
  out[2] = az + s * uz + t * vz
  const ex = out[0] - x[0]
  const ey = out[1] - x[1]
  const ez = out[2] - x[2]
  return ex * ex + ey * ey + ez * ez
}

/** A mesh that operations change; vertices are on the input's surface. Lengths in wavelengths. */
export class SurfaceMesh {
  readonly p: number[] = []
  /** 0: within a patch, 1: on a line, 2: corner. */
  readonly kind: number[] = []
  /** Line of a vertex on one, and where on it. */
  readonly line: number[] = []
  readonly s: number[] = []
  /** The input's facet at a vertex within a patch. */
  readonly facetAt: number[] = []
  /** Metric tensor of each vertex, six numbers. */
  readonly m: number[] = []
  /** Three vertices each; -1 where the triangle is gone. */
  readonly t: number[] = []
  readonly patch: number[] = []
  readonly facet: number[] = []
  /** 1 for a triangle that has changed since its edges were last tried for flips. */
  readonly changed: number[] = []
  /** Triangles at each vertex. */
  readonly at: number[][] = []
  readonly lineOf: Map<number, number>
  readonly lines: Line[]
  triangleCount = 0
  /** Triangles, segments and facets visited so far: what meshing costs, the same on every machine. */
  private work = 0
  private readonly x = new Float64Array(3)
  private readonly closest = new Float64Array(3)
  private readonly near = new Float64Array(3)
  private readonly tensor = new Float64Array(6)
  private readonly seen = new Map<number, number>()

  constructor(
    private readonly surface: InputSurface,
    private readonly features: Features,
    private readonly field: SizeField,
    /** How far the mesh may be off the surface. */
    readonly chord: number,
    /** Edges longer than this stay within the chord when they are flipped. */
    readonly longFlip: number,
    private readonly mostWork: number,
  ) {
    const { positions, triangles } = surface
    this.lineOf = new Map(features.lineOf)
    this.lines = features.lines
    for (let v = 0; v < positions.length / 3; v++) {
      this.p.push(positions[3 * v], positions[3 * v + 1], positions[3 * v + 2])
      this.kind.push(features.kind[v])
      this.line.push(-1)
      this.s.push(0)
      this.facetAt.push(-1)
      this.at.push([])
    }
    for (const [k, { vertices, s }] of features.lines.entries())
      for (let i = 1; i < vertices.length - 1; i++) {
        this.line[vertices[i]] = k
        this.s[vertices[i]] = s[i]
      }
    for (let t = 0; t < triangles.length / 3; t++) {
      this.addTriangle(triangles[3 * t], triangles[3 * t + 1], triangles[3 * t + 2], features.patch[t], t)
      for (let i = 0; i < 3; i++) this.facetAt[triangles[3 * t + i]] = t
    }
    for (let v = 0; v < this.kind.length; v++) {
      this.m.push(0, 0, 0, 0, 0, 0)
      if (this.at[v].length > 0) this.measure(v)
    }
  }

  addTriangle(a: number, b: number, c: number, patch: number, facet: number): number {
    const t = this.patch.length
    this.t.push(a, b, c)
    this.patch.push(patch)
    this.facet.push(facet)
    this.changed.push(1)
    this.at[a].push(t)
    this.at[b].push(t)
    this.at[c].push(t)
    this.triangleCount++
    return t
  }

  removeTriangle(t: number): void {
    for (let i = 0; i < 3; i++) {
      this.detach(this.t[3 * t + i], t)
      this.t[3 * t + i] = -1
    }
    this.triangleCount--
  }

  detach(v: number, t: number): void {
    const list = this.at[v]
    const i = list.indexOf(t)
    list[i] = list[list.length - 1]
    list.pop()
  }

  /** Corner of t that is v: 0, 1 or 2; -1 where none is. */
  cornerOf(t: number, v: number): number {
    const { t: tri } = this
    return tri[3 * t] === v ? 0 : tri[3 * t + 1] === v ? 1 : tri[3 * t + 2] === v ? 2 : -1
  }

  private spend(visits: number): void {
    this.work += visits
    if (this.work > this.mostWork)
      throw new InputError(
        `the target has too many small details and borders for a mesh for currents at this wavelength; simplify the mesh or use --method sbr`,
      )
  }

  /** Triangles that have both vertices. */
  around(a: number, b: number): number[] {
    const found: number[] = []
    const list = this.at[a]
    this.spend(list.length)
    for (let i = 0; i < list.length; i++) if (this.cornerOf(list[i], b) >= 0) found.push(list[i])
    return found
  }

  isEdge(a: number, b: number): boolean {
    const list = this.at[a]
    this.spend(list.length)
    for (let i = 0; i < list.length; i++) if (this.cornerOf(list[i], b) >= 0) return true
    return false
  }

  /** The line that an edge lies on; -1 for an edge within a patch. */
  lineAt(a: number, b: number): number {
    return this.kind[a] > 0 && this.kind[b] > 0 ? (this.lineOf.get(edgeKey(a, b)) ?? -1) : -1
  }

  /** The third vertex of a triangle with the edge a b. */
  third(t: number, a: number, b: number): number {
    const { t: tri } = this
    return tri[3 * t] + tri[3 * t + 1] + tri[3 * t + 2] - a - b
  }

  /** Length in the metric: sizes grow linearly between the ends. */
  length(a: number, b: number): number {
    const { p, m } = this
    const x = p[3 * b] - p[3 * a]
    const y = p[3 * b + 1] - p[3 * a + 1]
    const z = p[3 * b + 2] - p[3 * a + 2]
    const la = Math.sqrt(form(m, 6 * a, x, y, z))
    const lb = Math.sqrt(form(m, 6 * b, x, y, z))
    const d = la - lb
    return Math.abs(d) < 0.02 * la ? (la + lb) / 2 : (la * lb * Math.log(la / lb)) / d
  }

  /** 1 for a triangle that is equilateral in the metric, 0 for one without area. */
  quality(a: number, b: number, c: number): number {
    const { p, m } = this
    const ux = p[3 * b] - p[3 * a]
    const uy = p[3 * b + 1] - p[3 * a + 1]
    const uz = p[3 * b + 2] - p[3 * a + 2]
    const vx = p[3 * c] - p[3 * a]
    const vy = p[3 * c + 1] - p[3 * a + 1]
    const vz = p[3 * c + 2] - p[3 * a + 2]
    const xx = m[6 * a] + m[6 * b] + m[6 * c]
    const xy = m[6 * a + 1] + m[6 * b + 1] + m[6 * c + 1]
    const xz = m[6 * a + 2] + m[6 * b + 2] + m[6 * c + 2]
    const yy = m[6 * a + 3] + m[6 * b + 3] + m[6 * c + 3]
    const yz = m[6 * a + 4] + m[6 * b + 4] + m[6 * c + 4]
    const zz = m[6 * a + 5] + m[6 * b + 5] + m[6 * c + 5]
    const mux = xx * ux + xy * uy + xz * uz
    const muy = xy * ux + yy * uy + yz * uz
    const muz = xz * ux + yz * uy + zz * uz
    const uu = ux * mux + uy * muy + uz * muz
    const uv = vx * mux + vy * muy + vz * muz
    const vv = xx * vx * vx + yy * vy * vy + zz * vz * vz + 2 * (xy * vx * vy + xz * vx * vz + yz * vy * vz)
    const det = uu * vv - uv * uv
    const sum = 2 * (uu + vv - uv)
    return det > 0 && sum > 0 ? (2 * Math.sqrt(3) * Math.sqrt(det)) / sum : 0
  }

  /** Cosine between a triangle's normal and that of the surface at one of the input's facets; -1 for one without area. */
  agreement(a: number, b: number, c: number, facet: number): number {
    const [nx, ny, nz] = this.normalOf(a, b, c)
    const norm = Math.sqrt(nx * nx + ny * ny + nz * nz)
    const n = this.surface.normals
    return norm > 1e-14 ? (nx * n[3 * facet] + ny * n[3 * facet + 1] + nz * n[3 * facet + 2]) / norm : -1
  }

  /** Area of a triangle over what it was when v takes the place of vertex a; negative where it turns over. */
  shareOf(t: number, a: number, v: number): number {
    const { t: tri } = this
    const [i, j, k] = [tri[3 * t], tri[3 * t + 1], tri[3 * t + 2]]
    const n = this.normalOf(i, j, k)
    const m = this.normalOf(i === a ? v : i, j === a ? v : j, k === a ? v : k)
    return (n[0] * m[0] + n[1] * m[1] + n[2] * m[2]) / (n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
  }

  private normalOf(a: number, b: number, c: number): [number, number, number] {
    const { p } = this
    const ux = p[3 * b] - p[3 * a]
    const uy = p[3 * b + 1] - p[3 * a + 1]
    const uz = p[3 * b + 2] - p[3 * a + 2]
    const vx = p[3 * c] - p[3 * a]
    const vy = p[3 * c + 1] - p[3 * a + 1]
    const vz = p[3 * c + 2] - p[3 * a + 2]
    return [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx]
  }

  /** The least cosine that a triangle of the patch may have with its surface. */
  leastAgreement(patch: number): number {
    return this.features.planes[patch] ? 0.9 : 0.5
  }

  isPlane(patch: number): boolean {
    return this.features.planes[patch] !== undefined
  }

  /** Moves a vertex within a patch onto its surface; returns how far off it was. */
  project(v: number, patch: number): number {
    const { p, x } = this
    const plane = this.features.planes[patch]
    for (let c = 0; c < 3; c++) x[c] = p[3 * v + c]
    if (plane) {
      const d = plane[0] * x[0] + plane[1] * x[1] + plane[2] * x[2] - plane[3]
      for (let c = 0; c < 3; c++) p[3 * v + c] -= d * plane[c]
      return Math.abs(d)
    }
    const { facet, distance } = this.walk(this.facetAt[v])
    this.facetAt[v] = facet
    for (let c = 0; c < 3; c++) p[3 * v + c] = this.closest[c]
    return distance
  }

  /** How far the middle of an edge within a curved patch is off the surface. */
  chordError(a: number, b: number, facet: number): number {
    for (let c = 0; c < 3; c++) this.x[c] = (this.p[3 * a + c] + this.p[3 * b + c]) / 2
    return this.walk(facet).distance
  }

  /** The nearest point to `x` of a patch, to `closest`, going from facet to facet as long as they come nearer. */
  private walk(from: number): { facet: number; distance: number } {
    const { seen, x, closest, near } = this
    const { positions, triangles } = this.surface
    const { neighbour } = this.features
    seen.clear()
    const queue = [from]
    let best = Infinity
    let facet = from
    seen.set(from, Infinity)
    for (let i = 0; i < queue.length && i < 300; i++) {
      const f = queue[i]
      const d2 = closestOnTriangle(
        positions,
        triangles[3 * f],
        triangles[3 * f + 1],
        triangles[3 * f + 2],
        x,
        near,
      )
      if (d2 < best - 1e-18) {
        best = d2
        facet = f
        closest.set(near)
      }
      // Facets about one vertex are equally near: all of them are tried.
      if (d2 > best * (1 + 1e-9) + 1e-16) continue
      for (let k = 0; k < 3; k++) {
        const g = neighbour[3 * f + k]
        if (g >= 0 && !seen.has(g)) {
          seen.set(g, 1)
          queue.push(g)
        }
      }
    }
    this.spend(queue.length)
    return { facet, distance: Math.sqrt(best) }
  }

  /** A vertex at distance s along a line; returns its number. */
  addOnLine(k: number, s: number, facet: number): number {
    const v = this.addVertex(1, facet)
    this.line[v] = k
    this.moveOnLine(v, s)
    return v
  }

  addVertex(kind: number, facet: number): number {
    const v = this.kind.length
    this.p.push(0, 0, 0)
    this.kind.push(kind)
    this.line.push(-1)
    this.s.push(0)
    this.facetAt.push(facet)
    this.m.push(0, 0, 0, 0, 0, 0)
    this.at.push([])
    return v
  }

  moveOnLine(v: number, s: number): void {
    const { vertices, s: at } = this.lines[this.line[v]]
    const low = this.segmentAt(this.line[v], s)
    const high = low + 1
    const q = this.surface.positions
    const u = (s - at[low]) / (at[high] - at[low])
    for (let c = 0; c < 3; c++) {
      const a = q[3 * vertices[low] + c]
      this.p[3 * v + c] = a + u * (q[3 * vertices[high] + c] - a)
    }
    this.s[v] = s
  }

  /** The segment of line k at distance s along it. */
  private segmentAt(k: number, s: number): number {
    const { s: at } = this.lines[k]
    let low = 0
    let high = at.length - 1
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (at[middle] <= s) low = middle
      else high = middle
    }
    return low
  }

  /** How far the middle of line k between two of its vertices is off their chord. */
  chordOnLine(k: number, v: number, w: number): number {
    const { vertices, s: at } = this.lines[k]
    const [s0, s1] = [this.along(k, v, w), this.along(k, w, v)]
    const [low, high] = s0 < s1 ? [s0, s1] : [s1, s0]
    const q = this.surface.positions
    const p = this.p
    const t = [0, 1, 2].map((c) => p[3 * w + c] - p[3 * v + c])
    const tt = t[0] * t[0] + t[1] * t[1] + t[2] * t[2]
    let off = 0
    for (let i = this.segmentAt(k, low) + 1; i < at.length - 1 && at[i] < high; i++) {
      const x = [0, 1, 2].map((c) => q[3 * vertices[i] + c] - p[3 * v + c])
      const u = tt > 0 ? (x[0] * t[0] + x[1] * t[1] + x[2] * t[2]) / tt : 0
      off = Math.max(off, Math.hypot(x[0] - u * t[0], x[1] - u * t[1], x[2] - u * t[2]))
    }
    return off
  }

  normalAt(facet: number): Float64Array {
    return this.surface.normals.subarray(3 * facet, 3 * facet + 3)
  }

  /** Where along line k an end of one of its edges is, the other end being w. */
  along(k: number, v: number, w: number): number {
    if (this.kind[v] === 1) return this.s[v]
    const { vertices, s } = this.lines[k]
    const end = s[s.length - 1]
    if (vertices[0] !== vertices[vertices.length - 1]) return v === vertices[0] ? 0 : end
    return this.s[w] < end / 2 ? 0 : end
  }

  /** Unit normal of the surface at a triangle. */
  normalOn(t: number): ArrayLike<number> & Iterable<number> {
    return this.features.planes[this.patch[t]]?.slice(0, 3) ?? this.normalAt(this.facet[t])
  }

  /** Sets the metric at a vertex from the size field. */
  measure(v: number): void {
    const { x, tensor, p } = this
    for (let c = 0; c < 3; c++) x[c] = p[3 * v + c]
    const patches: number[] = []
    const normals: number[] = []
    const list = this.at[v]
    const count = this.kind[v] === 0 ? 1 : list.length
    let curved = Infinity
    for (let i = 0; i < count; i++) {
      const f = this.kind[v] === 0 ? this.facetAt[v] : this.facet[list[i]]
      curved = Math.min(curved, this.field.curvedSize(f))
      const patch = this.patch[list[i]]
      if (patches.includes(patch)) continue
      patches.push(patch)
      const plane = this.features.planes[patch]
      for (let c = 0; c < 3; c++) normals.push(plane ? plane[c] : this.surface.normals[3 * f + c])
    }
    this.spend(this.field.at(x, patches, normals, curved, tensor))
    for (let i = 0; i < 6; i++) this.m[6 * v + i] = tensor[i]
  }
}

/** Value of a quadratic form of a tensor. */
function form(m: number[], i: number, x: number, y: number, z: number): number {
  return (
    m[i] * x * x +
    m[i + 3] * y * y +
    m[i + 5] * z * z +
    2 * (m[i + 1] * x * y + m[i + 2] * x * z + m[i + 4] * y * z)
  )
}

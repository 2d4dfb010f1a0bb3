import type { Features, InputSurface } from './features.js'

/** Sizes of the mesh to come, in wavelengths. */
export interface Sizes {
  /** Edge length away from edges and of edges along a graded line. */
  size: number
  /** Height of the first row of triangles at a graded line. */
  firstRow: number
  /** How much higher each next row is. */
  growth: number
  /** How far the mesh may be off the surface. */
  chord: number
}

/** Height over edge of an equilateral triangle. */
const ROW = Math.sqrt(3) / 2
/** Curved surfaces are not meshed finer than this part of the size. */
export const FINEST = 1 / 6

/**
 * The metric of the mesh: a symmetric tensor at each point, by which every edge should have length 1. Near a graded line it is short
 * across the line and has the plain size along it; at corners it is short both ways.
 */
export class SizeField {
  private readonly reach: number
  private readonly gain: number
  private readonly first: number
  /** Segments by cell of `reach` and patch. */
  private readonly cells = new Map<string, number[]>()
  /** Segments of graded lines, and tips: start, end; whether an end is the line's own. */
  private readonly segments: Float64Array
  private readonly ends: Uint8Array
  private readonly patches: number[][] = []
  /** Size that the curvature allows at each facet of the input. */
  private readonly curved: Float64Array
  private readonly found: {
    d: number
    x: number
    y: number
    z: number
    radial: boolean
    patches: number[]
  }[] = []

  constructor(
    private readonly sizes: Sizes,
    surface: InputSurface,
    features: Features,
  ) {
    const { size, firstRow, growth } = sizes
    this.first = Math.min(size, firstRow / ROW)
    // Rows of height w, then w times the growth: the height grows by (growth - 1) a unit of distance.
    this.gain = (growth - 1) / ROW
    this.reach = (size - this.first) / this.gain
    const ends: number[] = []
    const coordinates: number[] = []
    const p = surface.positions
    const add = (a: number, b: number, patches: number[], atEnds: number): void => {
      for (const v of [a, b]) coordinates.push(p[3 * v], p[3 * v + 1], p[3 * v + 2])
      ends.push(atEnds)
      this.patches.push(patches)
    }
    if (this.reach > 0) {
      for (const { vertices, graded, patches } of features.lines) {
        if (!graded) continue
        const kept = thinned(p, vertices, sizes.chord / 4, this.reach)
        const closed = vertices[0] === vertices[vertices.length - 1]
        for (let i = 1; i < kept.length; i++)
          add(kept[i - 1], kept[i], patches, closed ? 0 : (i === 1 ? 1 : 0) + (i === kept.length - 1 ? 2 : 0))
      }
      for (const { vertex, patch } of features.tips) add(vertex, vertex, [patch], 3)
    }
    this.segments = Float64Array.from(coordinates)
    this.ends = Uint8Array.from(ends)
    for (let i = 0; i < ends.length; i++) this.insert(i)
    this.curved = curvatureSizes(surface, features, sizes)
  }

  /** Size that the curvature allows at a facet of the input. */
  curvedSize(facet: number): number {
    return this.curved[facet]
  }

  private insert(i: number): void {
    const s = this.segments
    const { reach } = this
    const a = 6 * i
    const length = Math.hypot(s[a + 3] - s[a], s[a + 4] - s[a + 1], s[a + 5] - s[a + 2])
    const steps = Math.max(1, Math.ceil(length / (reach / 2)))
    const seen = new Set<string>()
    for (let k = 0; k <= steps; k++) {
      const c = [0, 1, 2].map((j) => Math.floor((s[a + j] + ((s[a + 3 + j] - s[a + j]) * k) / steps) / reach))
      for (let x = -1; x <= 1; x++)
        for (let y = -1; y <= 1; y++)
          for (let z = -1; z <= 1; z++)
            for (const patch of this.patches[i]) seen.add(`${c[0] + x},${c[1] + y},${c[2] + z},${patch}`)
    }
    for (const key of seen) {
      const list = this.cells.get(key)
      if (list) list.push(i)
      else this.cells.set(key, [i])
    }
  }

  /**
   * Writes the tensor xx, xy, xz, yy, yz, zz at a point; returns how many segments are within reach.
   *
   * @param patches  patches of the surface that the point belongs to
   * @param normals  3 components each
   * @param curved   least `curvedSize` of the facets at the point
   */
  at(
    x: ArrayLike<number>,
    patches: number[],
    normals: ArrayLike<number>,
    curved: number,
    out: Float64Array,
  ): number {
    const base = 1 / Math.min(this.sizes.size, curved) ** 2
    out.fill(0)
    out[0] = out[3] = out[5] = base
    const near = this.nearest(x, patches)
    for (let i = 0; i < near.length; i++) {
      const { d, x: tx, y: ty, z: tz, radial, patches: of } = near[i]
      const wanted = 1 / (this.first + this.gain * d) ** 2
      for (let k = 0; k < patches.length; k++) {
        if (!of.includes(patches[k])) continue
        const nx = normals[3 * k]
        const ny = normals[3 * k + 1]
        const nz = normals[3 * k + 2]
        let ux = ny * tz - nz * ty
        let uy = nz * tx - nx * tz
        let uz = nx * ty - ny * tx
        let norm = Math.hypot(ux, uy, uz)
        if (norm < 0.1) {
          ;[ux, uy, uz] = Math.abs(nx) < 0.6 ? [0, nz, -ny] : [-nz, 0, nx]
          norm = Math.hypot(ux, uy, uz)
        }
        raise(out, ux / norm, uy / norm, uz / norm, wanted)
        if (radial) {
          const vx = (ny * uz - nz * uy) / norm
          const vy = (nz * ux - nx * uz) / norm
          const vz = (nx * uy - ny * ux) / norm
          raise(out, vx, vy, vz, wanted)
        }
      }
    }
    return near.length
  }

  /** Segments within reach that bound one of the patches, nearest first: distance, direction, whether the nearest point is a line's end. */
  private nearest(x: ArrayLike<number>, patches: number[]): typeof this.found {
    const { found, reach } = this
    found.length = 0
    if (!(reach > 0)) return found
    const cell = `${Math.floor(x[0] / reach)},${Math.floor(x[1] / reach)},${Math.floor(x[2] / reach)},`
    for (let k = 0; k < patches.length; k++)
      for (const i of this.cells.get(cell + patches[k]) ?? []) {
        // One that bounds several of the patches is taken with the first.
        const of = this.patches[i]
        let isFirst = true
        for (let j = 0; j < k; j++) if (of.includes(patches[j])) isFirst = false
        if (isFirst) this.consider(i, x)
      }
    return found.sort((a, b) => a.d - b.d)
  }

  /** Adds a segment to `found` where it is within reach of x. */
  private consider(i: number, x: ArrayLike<number>): void {
    const { segments: s, reach } = this
    const a = 6 * i
    const tx = s[a + 3] - s[a]
    const ty = s[a + 4] - s[a + 1]
    const tz = s[a + 5] - s[a + 2]
    const tt = tx * tx + ty * ty + tz * tz
    const wx = x[0] - s[a]
    const wy = x[1] - s[a + 1]
    const wz = x[2] - s[a + 2]
    const along = tt > 0 ? (tx * wx + ty * wy + tz * wz) / tt : 0
    const u = along < 0 ? 0 : along > 1 ? 1 : along
    const d = Math.hypot(wx - u * tx, wy - u * ty, wz - u * tz)
    if (d >= reach) return
    const beyond = 1e-6
    const radial =
      tt === 0 ||
      (along < -beyond && (this.ends[i] & 1) > 0) ||
      (along > 1 + beyond && (this.ends[i] & 2) > 0)
    this.found.push({ d, x: tx, y: ty, z: tz, radial, patches: this.patches[i] })
  }
}

/** Raises the tensor along a unit vector to what is wanted. */
function raise(m: Float64Array, x: number, y: number, z: number, wanted: number): void {
  const has = m[0] * x * x + m[3] * y * y + m[5] * z * z + 2 * (m[1] * x * y + m[2] * x * z + m[4] * y * z)
  const d = wanted - has
  if (d <= 0.01 * wanted) return
  m[0] += d * x * x
  m[1] += d * x * y
  m[2] += d * x * z
  m[3] += d * y * y
  m[4] += d * y * z
  m[5] += d * z * z
}

/** A polyline's vertices, without those that are within `off` of the rest; segments no longer than `reach` unless they were. */
function thinned(p: Float64Array, vertices: number[], off: number, reach: number): number[] {
  const kept = [vertices[0]]
  for (let i = 0; i < vertices.length - 1;) {
    let j = i + 1
    while (j + 1 < vertices.length && within(p, vertices, i, j + 1, off, reach)) j++
    kept.push(vertices[j])
    i = j
  }
  return kept
}

function within(
  p: Float64Array,
  vertices: number[],
  i: number,
  j: number,
  off: number,
  reach: number,
): boolean {
  const a = 3 * vertices[i]
  const b = 3 * vertices[j]
  const t = [0, 1, 2].map((c) => p[b + c] - p[a + c])
  const tt = t[0] ** 2 + t[1] ** 2 + t[2] ** 2
  if (tt > reach * reach || tt === 0) return false
  for (let k = i + 1; k < j; k++) {
    const w = [0, 1, 2].map((c) => p[3 * vertices[k] + c] - p[a + c])
    const u = (w[0] * t[0] + w[1] * t[1] + w[2] * t[2]) / tt
    if (Math.hypot(w[0] - u * t[0], w[1] - u * t[1], w[2] - u * t[2]) > off) return false
  }
  return true
}

/** Size that keeps the chord, by the bends of neighbouring facets over their distance. */
function curvatureSizes(
  surface: InputSurface,
  { patch, planes, neighbour }: Features,
  { size, chord }: Sizes,
): Float64Array {
  const { positions: p, triangles: tri, normals: n } = surface
  const facets = tri.length / 3
  const own = new Float64Array(facets).fill(size)
  const centre = (t: number, c: number): number =>
    (p[3 * tri[3 * t] + c] + p[3 * tri[3 * t + 1] + c] + p[3 * tri[3 * t + 2] + c]) / 3
  const curvature = new Float64Array(facets)
  for (let h = 0; h < tri.length; h++) {
    const t = (h / 3) | 0
    const o = neighbour[h]
    if (o < 0 || planes[patch[t]]) continue
    const bend = Math.hypot(n[3 * t] - n[3 * o], n[3 * t + 1] - n[3 * o + 1], n[3 * t + 2] - n[3 * o + 2])
    // Distance across the edge: facets may be long along it.
    const i = h % 3
    const a = 3 * tri[h]
    const b = 3 * tri[3 * t + ((i + 1) % 3)]
    const e = [0, 1, 2].map((c) => p[b + c] - p[a + c])
    const w = [0, 1, 2].map((c) => centre(t, c) - centre(o, c))
    const ee = e[0] ** 2 + e[1] ** 2 + e[2] ** 2
    const u = ee > 0 ? (e[0] * w[0] + e[1] * w[1] + e[2] * w[2]) / ee : 0
    const apart = Math.hypot(w[0] - u * e[0], w[1] - u * e[1], w[2] - u * e[2])
    const k = bend / Math.max(apart, chord)
    if (k > curvature[t]) curvature[t] = k
  }
  for (let t = 0; t < facets; t++)
    if (curvature[t] > 0)
      own[t] = Math.max(FINEST * size, Math.min(size, Math.sqrt((8 * chord) / curvature[t])))
  return own
}

import type { Functions } from './functions.js'

/** Quadrature over a triangle: barycentric coordinates (3 a point) and weights that sum to 1. */
export interface TriangleRule {
  points: Float64Array
  weights: Float64Array
}

/** The centre, and points (a, b, 1 − a − b) and their permutations; b is a where it is not given. */
function symmetricRule(
  centre: number,
  ...orbits: ([a: number, weight: number] | [a: number, b: number, weight: number])[]
): TriangleRule {
  const points: number[] = []
  const weights: number[] = []
  if (centre > 0) {
    points.push(1 / 3, 1 / 3, 1 / 3)
    weights.push(centre)
  }
  for (const [a, ...rest] of orbits) {
    const [b, weight] = rest.length === 2 ? rest : [a, rest[0]]
    const c = 1 - (a + b)
    const triples = a === b ? [[c, a, a]] : [[a, b, c], [b, a, c]] // prettier-ignore
    for (const triple of triples)
      for (let i = 0; i < 3; i++) {
        for (let j = 0; j < 3; j++) points.push(triple[(j - i + 3) % 3])
        weights.push(weight)
      }
  }
  return { points: Float64Array.from(points), weights: Float64Array.from(weights) }
}

/** Dunavant's rules of degree 2, 4, 5 and 8 (Int. J. Num. Meth. Eng. 21, 1985). */
export const RULE_3 = symmetricRule(0, [1 / 6, 1 / 3])
export const RULE_6 = symmetricRule(
  0,
  [0.445948490915965, 0.223381589678011],
  [0.091576213509771, 0.109951743655322],
)
export const RULE_7 = symmetricRule(
  0.225,
  [0.470142064105115, 0.132394152788506],
  [0.101286507323456, 0.125939180544827],
)
export const RULE_16 = symmetricRule(
  0.144315607677787,
  [0.459292588292723, 0.095091634267285],
  [0.17056930775176, 0.103217370534718],
  [0.050547228317031, 0.032458497623198],
  [0.263112829634638, 0.728492392955404, 0.027230314174435],
)
/** The rule of 7 points on each of 4 equal parts. */
const RULE_28 = split(RULE_7, 2)

/** A rule on each of n^2 equal parts. */
function split({ points, weights }: TriangleRule, n: number): TriangleRule {
  const out: TriangleRule = { points: new Float64Array(3 * weights.length * n * n), weights: new Float64Array(weights.length * n * n) } // prettier-ignore
  let at = 0
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n - i; j++)
      for (const up of j < n - i - 1 ? [true, false] : [true])
        for (let q = 0; q < weights.length; q++) {
          const [u, v] = points.subarray(3 * q, 3 * q + 2)
          const b0 = (up ? i + u : i + 1 - u) / n
          const b1 = (up ? j + v : j + 1 - v) / n
          out.points.set([b0, b1, 1 - b0 - b1], 3 * at)
          out.weights[at++] = weights[q] / (n * n)
        }
  return out
}

/**
 * Static potentials of a triangle at r (Wilton et al., IEEE Trans. AP-32, 1984; Graglia, AP-41, 1993), written to `out`:
 * ∫ 1/R dS', ∫ R dS', ∫ (r' − r)/R dS' (3), ∫ (r' − r) R dS' (3), ∇ ∫ 1/R dS' (3; its principal value on the triangle).
 * @param corners  coordinates of the triangle's vertices from `at`
 * @param normal   unit normal by the vertices' order
 */
function staticPotentials(
  corners: Float64Array,
  at: number,
  normal: ArrayLike<number>,
  r: ArrayLike<number>,
  out: Float64Array,
): void {
  const x = r[0]
  const y = r[1]
  const z = r[2]
  const nx = normal[0]
  const ny = normal[1]
  const nz = normal[2]
  const d = nx * (x - corners[at]) + ny * (y - corners[at + 1]) + nz * (z - corners[at + 2])
  const height = Math.abs(d)
  let i0 = 0
  let i1 = 0
  let solid = 0
  let vx = 0
  let vy = 0
  let vz = 0
  let wx = 0
  let wy = 0
  let wz = 0
  let gx = 0
  let gy = 0
  let gz = 0
  for (let e = 0; e < 3; e++) {
    const a = at + 3 * e
    const b = at + 3 * ((e + 1) % 3)
    let lx = corners[b] - corners[a]
    let ly = corners[b + 1] - corners[a + 1]
    let lz = corners[b + 2] - corners[a + 2]
    const length = Math.sqrt(lx * lx + ly * ly + lz * lz)
    lx /= length
    ly /= length
    lz /= length
    // Outwards in the triangle's plane.
    const ux = ly * nz - lz * ny
    const uy = lz * nx - lx * nz
    const uz = lx * ny - ly * nx
    const ax = corners[a] - x
    const ay = corners[a + 1] - y
    const az = corners[a + 2] - z
    const l0 = ax * lx + ay * ly + az * lz
    const l1 = l0 + length
    const t = ax * ux + ay * uy + az * uz
    const r02 = t * t + d * d
    const r0 = Math.sqrt(r02 + l0 * l0)
    const r1 = Math.sqrt(r02 + l1 * l1)
    // ln((R1 + l1) / (R0 + l0)), without cancellation where the l are negative, and 0 on the line beyond the edge's ends.
    let f = 0
    if (r02 > 1e-24 * length * length)
      f = l0 + l1 >= 0 ? Math.log((r1 + l1) / (r0 + l0)) : Math.log((r0 - l0) / (r1 - l1))
    const beta =
      Math.abs(t) < 1e-12 * length
        ? 0
        : Math.atan((t * l1) / (r02 + height * r1)) - Math.atan((t * l0) / (r02 + height * r0))
    const k1 = 0.5 * (l1 * r1 - l0 * r0 + r02 * f)
    const k3 = 0.25 * (l1 * r1 * r1 * r1 - l0 * r0 * r0 * r0) + 0.75 * r02 * k1
    i0 += t * f - height * beta
    i1 += t * k1
    solid += beta
    vx += ux * k1
    vy += uy * k1
    vz += uz * k1
    wx += ux * k3
    wy += uy * k3
    wz += uz * k3
    gx -= ux * f
    gy -= uy * f
    gz -= uz * f
  }
  i1 = (i1 + d * d * i0) / 3
  const side = d > 0 ? -solid : d < 0 ? solid : 0
  out[0] = i0
  out[1] = i1
  // r' − r is that from the foot of r less d times the normal.
  out[2] = vx - d * nx * i0
  out[3] = vy - d * ny * i0
  out[4] = vz - d * nz * i0
  out[5] = wx / 3 - d * nx * i1
  out[6] = wy / 3 - d * ny * i1
  out[7] = wz / 3 - d * nz * i1
  out[8] = gx + side * nx
  out[9] = gy + side * ny
  out[10] = gz + side * nz
}

/** Distances of centroids, in longest edges of the pair, up to which a rule holds (docs/full-wave.md, "Integrals"). */
const TOUCHING = 1
export const NEAR = 2.5
export const MIDDLE = 5

/** Part of the electric equation in the combined one, on closed bodies. */
export const ELECTRIC = 0.95

/** Points of a rule on every triangle: 3 coordinates each. */
const pointsOn = (corners: Float64Array, { points, weights }: TriangleRule): Float64Array => {
  const count = corners.length / 9
  const out = new Float64Array(3 * weights.length * count)
  let at = 0
  for (let t = 0; t < count; t++)
    for (let q = 0; q < weights.length; q++)
      for (let a = 0; a < 3; a++) {
        const c = 9 * t + a
        out[at++] = points[3 * q] * corners[c] + points[3 * q + 1] * corners[c + 3] + points[3 * q + 2] * corners[c + 6] // prettier-ignore
      }
  return out
}

/**
 * Integrals over pairs of triangles, of the equation for X = η J [V/m]: with test function f_m and current f_n, G = exp(−jkR) / 4πR,
 *
 *     α jk ∬ (f_m · f_n − ∇·f_m ∇'·f_n / k²) G + (1 − α) [½ ∫ f_m · f_n − ∬ f_m · n × (∇G × f_n)]
 *       = α ∫ f_m · E + (1 − α) ∫ f_m · n × η H,
 *
 * with α = 1 on open surfaces and `ELECTRIC` on closed ones. 1/R and R are integrated in closed form over the source near by.
 */
export class PairIntegrals {
  /** 9 complex numbers: of test corner i and source corner j at 2 (3 i + j); without the factors ± l / 2A of either. */
  readonly values = new Float64Array(18)
  private readonly on = new Map<TriangleRule, Float64Array>()
  private readonly centres: Float64Array
  private readonly sizes: Float64Array
  private readonly potentials = new Float64Array(11)
  /** Of the outer rule. */
  private readonly point = new Float64Array(3)
  /** ∬ G, r G (3), r' G (3), r · r' G, complex; positions from the test triangle's centre. */
  private readonly moments = new Float64Array(16)
  /** ∬ ∇G (3), r · ∇G, r n · ∇G (3), r² n · ∇G, complex; n of the test triangle. */
  private readonly magnetic = new Float64Array(16)
  /** Of one outer point: ∫ G, ∫ r' G, and W = ∫ R̂ G'(R), complex. */
  private readonly inner = new Float64Array(14)

  constructor(
    private readonly f: Functions,
    private readonly k: number,
  ) {
    const { corners } = f
    for (const rule of [RULE_3, RULE_6, RULE_7]) this.on.set(rule, pointsOn(corners, rule))
    const count = corners.length / 9
    this.centres = new Float64Array(3 * count)
    this.sizes = new Float64Array(count)
    for (let t = 0; t < count; t++) {
      const c = corners.subarray(9 * t, 9 * t + 9)
      for (let a = 0; a < 3; a++) this.centres[3 * t + a] = (c[a] + c[a + 3] + c[a + 6]) / 3
      this.sizes[t] = Math.max(
        Math.hypot(c[3] - c[0], c[4] - c[1], c[5] - c[2]),
        Math.hypot(c[6] - c[3], c[7] - c[4], c[8] - c[5]),
        Math.hypot(c[0] - c[6], c[1] - c[7], c[2] - c[8]),
      )
    }
  }

  /** Computes `values` of a test triangle m and a source triangle n. */
  compute(m: number, n: number): void {
    const { f, k, moments, magnetic, values, centres, sizes } = this
    const dx = centres[3 * m] - centres[3 * n]
    const dy = centres[3 * m + 1] - centres[3 * n + 1]
    const dz = centres[3 * m + 2] - centres[3 * n + 2]
    const far = Math.sqrt(dx * dx + dy * dy + dz * dz) / Math.max(sizes[m], sizes[n])
    moments.fill(0)
    magnetic.fill(0)
    const isClosed = f.outward[m] !== 0
    if (far < TOUCHING) this.add(m, n, RULE_28, null, RULE_3, isClosed)
    else if (far < NEAR) this.add(m, n, RULE_7, this.on.get(RULE_7)!, RULE_6, isClosed)
    else if (far < MIDDLE) this.addFar(m, n, RULE_6, isClosed)
    else this.addFar(m, n, RULE_3, isClosed)
    const electric = isClosed ? ELECTRIC : 1
    const scale = electric * k
    const area = f.areas[m]
    const { corners } = f
    // ∬ (r − p_i) · (r' − p_j) G = C − p_i · B − p_j · A + p_i · p_j S
    const sRe = moments[0]
    const sIm = moments[1]
    const charge = 4 / (k * k)
    const nx = f.outward[m] * f.normals[3 * m]
    const ny = f.outward[m] * f.normals[3 * m + 1]
    const nz = f.outward[m] * f.normals[3 * m + 2]
    for (let i = 0; i < 3; i++) {
      const px = corners[9 * m + 3 * i] - centres[3 * m]
      const py = corners[9 * m + 3 * i + 1] - centres[3 * m + 1]
      const pz = corners[9 * m + 3 * i + 2] - centres[3 * m + 2]
      for (let j = 0; j < 3; j++) {
        const qx = corners[9 * n + 3 * j] - centres[3 * m]
        const qy = corners[9 * n + 3 * j + 1] - centres[3 * m + 1]
        const qz = corners[9 * n + 3 * j + 2] - centres[3 * m + 2]
        const pq = px * qx + py * qy + pz * qz - charge
        const re =
          moments[14] -
          (px * moments[8] + py * moments[10] + pz * moments[12]) -
          (qx * moments[2] + qy * moments[4] + qz * moments[6]) +
          pq * sRe
        const im =
          moments[15] -
          (px * moments[9] + py * moments[11] + pz * moments[13]) -
          (qx * moments[3] + qy * moments[5] + qz * moments[7]) +
          pq * sIm
        const at = 2 * (3 * i + j)
        // times j
        values[at] = -scale * im
        values[at + 1] = scale * re
        if (isClosed) {
          // ∇G × (r' − p_j) = ∇G × (r − p_j), n × (a × b) = a (n · b) − b (n · a), and n · (r − p_j) is the same for all r of the triangle.
          const [h, rr, x, y, z] = [-(nx * qx + ny * qy + nz * qz), px * qx + py * qy + pz * qz, px + qx, py + qy, pz + qz] // prettier-ignore
          for (let c = 0; c < 2; c++) {
            const pw = px * magnetic[c] + py * magnetic[c + 2] + pz * magnetic[c + 4]
            const nw = nx * magnetic[c] + ny * magnetic[c + 2] + nz * magnetic[c + 4]
            const sr = x * magnetic[c + 8] + y * magnetic[c + 10] + z * magnetic[c + 12]
            values[at + c] += (1 - ELECTRIC) * (magnetic[c + 14] - sr + rr * nw - h * (magnetic[c + 6] - pw))
          }
          if (m === n) values[at] += (1 - ELECTRIC) * 0.5 * selfProduct(corners, 9 * m, i, j, area)
        }
      }
    }
  }

  /** A pair apart: the same rule on both. */
  private addFar(m: number, n: number, rule: TriangleRule, isClosed: boolean): void {
    const { k, inner, centres } = this
    const { weights } = rule
    const points = this.on.get(rule)!
    const count = weights.length
    const [x0, y0, z0] = [centres[3 * m], centres[3 * m + 1], centres[3 * m + 2]]
    const areaN = this.f.areas[n]
    const areaM = this.f.areas[m]
    for (let p = 0; p < count; p++) {
      const at = 3 * (m * count + p)
      const x = points[at]
      const y = points[at + 1]
      const z = points[at + 2]
      inner.fill(0)
      for (let q = 0; q < count; q++) {
        const from = 3 * (n * count + q)
        const rx = x - points[from]
        const ry = y - points[from + 1]
        const rz = z - points[from + 2]
        const r2 = rx * rx + ry * ry + rz * rz
        const r = Math.sqrt(r2)
        const w = (weights[q] * areaN) / (4 * Math.PI * r)
        const c = w * Math.cos(k * r)
        const s = -w * Math.sin(k * r)
        const sx = points[from] - x0
        const sy = points[from + 1] - y0
        const sz = points[from + 2] - z0
        inner[0] += c
        inner[1] += s
        inner[2] += sx * c
        inner[3] += sx * s
        inner[4] += sy * c
        inner[5] += sy * s
        inner[6] += sz * c
        inner[7] += sz * s
        if (!isClosed) continue
        // −(1 + jkR) G / R²
        const hRe = -(c - k * r * s) / r2
        const hIm = -(s + k * r * c) / r2
        inner[8] += rx * hRe
        inner[9] += rx * hIm
        inner[10] += ry * hRe
        inner[11] += ry * hIm
        inner[12] += rz * hRe
        inner[13] += rz * hIm
      }
      this.addOuter(m, weights[p] * areaM, x - x0, y - y0, z - z0, isClosed)
    }
  }

  /** A pair close by: 1/R and R of the source in closed form, the smooth rest by a rule. @param on  points of the outer rule, where kept */
  private add(
    m: number,
    n: number,
    outer: TriangleRule,
    on: Float64Array | null,
    rest: TriangleRule,
    isClosed: boolean,
  ): void {
    const { f, k, inner, centres, potentials, point } = this
    const { corners, areas, normals } = f
    const [x0, y0, z0] = [centres[3 * m], centres[3 * m + 1], centres[3 * m + 2]]
    const sources = this.on.get(rest)!
    const { weights } = rest
    const normal = normals.subarray(3 * n, 3 * n + 3)
    const count = outer.weights.length
    const half = (k * k) / 2
    for (let p = 0; p < count; p++) {
      if (on) {
        const at = 3 * (m * count + p)
        for (let a = 0; a < 3; a++) point[a] = on[at + a]
      } else {
        const c = 9 * m
        const b0 = outer.points[3 * p]
        const b1 = outer.points[3 * p + 1]
        const b2 = outer.points[3 * p + 2]
        for (let a = 0; a < 3; a++)
          point[a] = b0 * corners[c + a] + b1 * corners[c + 3 + a] + b2 * corners[c + 6 + a]
      }
      const x = point[0]
      const y = point[1]
      const z = point[2]
      staticPotentials(corners, 9 * n, normal, point, potentials)
      const by = 1 / (4 * Math.PI)
      const [ax, ay, az] = [x - x0, y - y0, z - z0]
      // 1/R − k² R / 2, real.
      const s = by * (potentials[0] - half * potentials[1])
      inner[0] = s
      inner[1] = 0
      inner[2] = ax * s + by * (potentials[2] - half * potentials[5])
      inner[3] = 0
      inner[4] = ay * s + by * (potentials[3] - half * potentials[6])
      inner[5] = 0
      inner[6] = az * s + by * (potentials[4] - half * potentials[7])
      inner[7] = 0
      // ∇(1/R) − k² / 2 ∇R, with ∇R = (r − r') / R.
      inner[8] = by * (potentials[8] + half * potentials[2])
      inner[9] = 0
      inner[10] = by * (potentials[9] + half * potentials[3])
      inner[11] = 0
      inner[12] = by * (potentials[10] + half * potentials[4])
      inner[13] = 0
      for (let q = 0; q < weights.length; q++) {
        const from = 3 * (n * weights.length + q)
        const rx = x - sources[from]
        const ry = y - sources[from + 1]
        const rz = z - sources[from + 2]
        const r = Math.sqrt(rx * rx + ry * ry + rz * rz)
        const w = (weights[q] * areas[n]) / (4 * Math.PI)
        const t = k * r
        let c, si, hRe, hIm
        if (t < 0.1) {
          // (exp(−jt) − 1 + t²/2) / t and −[(1 + jt) exp(−jt) − 1 − t²/2] / t³ by their series.
          const t2 = t * t
          c = k * t * t2 * (1 / 24 - t2 / 720)
          si = k * (-1 + t2 / 6 - (t2 * t2) / 120)
          hRe = k * k * k * t * (1 / 8 - t2 / 144)
          hIm = k * k * k * (1 / 3 - t2 / 30 + (t2 * t2) / 840)
        } else {
          const cos = Math.cos(t)
          const sin = Math.sin(t)
          c = (cos - 1 + (t * t) / 2) / r
          si = -sin / r
          hRe = -(cos + t * sin - 1 - (t * t) / 2) / (r * r * r)
          hIm = -(t * cos - sin) / (r * r * r)
        }
        c *= w
        si *= w
        const sx = sources[from] - x0
        const sy = sources[from + 1] - y0
        const sz = sources[from + 2] - z0
        inner[0] += c
        inner[1] += si
        inner[2] += sx * c
        inner[3] += sx * si
        inner[4] += sy * c
        inner[5] += sy * si
        inner[6] += sz * c
        inner[7] += sz * si
        if (!isClosed) continue
        hRe *= w
        hIm *= w
        inner[8] += rx * hRe
        inner[9] += rx * hIm
        inner[10] += ry * hRe
        inner[11] += ry * hIm
        inner[12] += rz * hRe
        inner[13] += rz * hIm
      }
      this.addOuter(m, outer.weights[p] * areas[m], ax, ay, az, isClosed && m !== n)
    }
  }

  /** Adds an outer point: weight w, position from the test triangle's centre. On a plane of both triangles the magnetic part is zero. */
  private addOuter(m: number, w: number, x: number, y: number, z: number, isMagnetic: boolean): void {
    const { moments, inner, magnetic, f } = this
    const sRe = w * inner[0]
    const sIm = w * inner[1]
    moments[0] += sRe
    moments[1] += sIm
    moments[2] += x * sRe
    moments[3] += x * sIm
    moments[4] += y * sRe
    moments[5] += y * sIm
    moments[6] += z * sRe
    moments[7] += z * sIm
    for (let a = 0; a < 6; a++) moments[8 + a] += w * inner[2 + a]
    moments[14] += w * (x * inner[2] + y * inner[4] + z * inner[6])
    moments[15] += w * (x * inner[3] + y * inner[5] + z * inner[7])
    if (!isMagnetic) return
    const { normals, outward } = f
    const nx = outward[m] * normals[3 * m]
    const ny = outward[m] * normals[3 * m + 1]
    const nz = outward[m] * normals[3 * m + 2]
    const rr = x * x + y * y + z * z
    for (let c = 0; c < 2; c++) {
      const gx = w * inner[8 + c]
      const gy = w * inner[10 + c]
      const gz = w * inner[12 + c]
      const ng = nx * gx + ny * gy + nz * gz
      magnetic[c] += gx
      magnetic[c + 2] += gy
      magnetic[c + 4] += gz
      magnetic[c + 6] += x * gx + y * gy + z * gz
      magnetic[c + 8] += x * ng
      magnetic[c + 10] += y * ng
      magnetic[c + 12] += z * ng
      magnetic[c + 14] += rr * ng
    }
  }
}

/** ∫ (r − p_i) · (r − p_j) over a triangle. */
function selfProduct(corners: Float64Array, at: number, i: number, j: number, area: number): number {
  let sum = 0
  for (let a = 0; a < 3; a++) {
    const [v0, v1, v2] = [corners[at + a], corners[at + 3 + a], corners[at + 6 + a]]
    const mean = (v0 + v1 + v2) / 3
    const [p, q] = [corners[at + 3 * i + a], corners[at + 3 * j + a]]
    // ∫ x² = A (Σ v_i² + (Σ v_i)²) / 12
    const square = (v0 * v0 + v1 * v1 + v2 * v2 + 9 * mean * mean) / 12
    sum += square - (p + q) * mean + p * q
  }
  return area * sum
}

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
export const RULE_28 = split(RULE_7, 2)

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
export function staticPotentials(
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

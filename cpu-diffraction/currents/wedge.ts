import { InputError } from '../../scene/index.js'

/** Coefficients |B_2n|/(2n)! of the cotangent's series. */
const BERNOULLI = [
  1 / 12,
  1 / 720,
  1 / 30240,
  1 / 1209600,
  1 / 47900160,
  691 / 1307674368000,
  1 / 74724249600,
]

/**
 * chi(x) = cot(x/N)/N - cot(x/2)/2, the difference of the pole terms of a wedge of exterior angle N pi and of a half-plane;
 * analytic at 0 (docs/edge-diffraction.md, "Untruncated current"). |x| < N pi.
 */
export function chi(x: number, N: number): number {
  if (Math.abs(x) >= 0.35) return 1 / (N * Math.tan(x / N)) - 0.5 / Math.tan(x / 2)
  const y = x * x
  const inverse = 1 / (N * N)
  let sum = 0
  let power = x
  let a = 1
  for (let n = 0; n < BERNOULLI.length; n++) {
    // 4^n (N^-2n - 4^-n)
    a *= 4 * inverse
    sum -= BERNOULLI[n] * power * (a - 1)
    power *= y
  }
  return sum
}

/**
 * Difference between the untruncated (Michaeli 1986) strip integrals of a wedge and of a half-plane, both real:
 * out[o] = dS/j, out[o + 1] = dT. c >= 0 as in `FaceStrip`, 0 <= phi0 <= N pi.
 */
export function deltaUntruncated(N: number, phi0: number, c: number, out: Float64Array, o: number): void {
  const inside = c <= 1
  const w0 = inside ? 2 * Math.acos(c) : 2 * Math.acosh(c)
  const w2 = inside ? w0 * w0 : -w0 * w0
  const f2 = phi0 * phi0
  if (f2 < 0.25 && Math.abs(w2) < 0.25) {
    // Both poles near 0: power series in w^2 and phi0^2 (w imaginary when c > 1).
    const s2 = (w2 - f2) / 4
    const g = w2 - 2 * s2
    const h = s2 * s2
    let e0 = 1
    let e1 = w2 - 3 * s2
    let g0 = 1
    let g1 = w2 - s2
    let sumS = 0
    let sumT = 0
    let a = 1
    for (let n = 0; n < BERNOULLI.length; n++) {
      a *= 4 / (N * N)
      const d = -BERNOULLI[n] * (a - 1)
      sumS += d * e0
      sumT += d * g0
      const e2 = g * e1 - h * e0
      const g2 = g * g1 - h * g0
      e0 = e1
      e1 = e2
      g0 = g1
      g1 = g2
    }
    // w / sin w
    const bySine = 1 / (1 - (w2 / 6) * (1 - (w2 / 20) * (1 - (w2 / 42) * (1 - w2 / 72))))
    out[o] = 0.5 * bySine * sumS
    out[o + 1] = -0.5 * phi0 * sumT
    return
  }
  const w = Math.max(w0, 1e-6)
  if (inside) {
    const p = chi((w + phi0) / 2, N)
    const q = chi((w - phi0) / 2, N)
    out[o] = (0.25 * (q + p)) / (c * Math.sin(w / 2))
    out[o + 1] = 0.5 * (q - p)
    return
  }
  const kN = 1 / (N * (Math.cos(phi0 / N) - Math.cosh(w / N)))
  const k2 = 1 / (2 * (Math.cos(phi0 / 2) - Math.cosh(w / 2)))
  out[o] = (Math.sinh(w / N) * kN - Math.sinh(w / 2) * k2) / Math.sinh(w)
  out[o + 1] = Math.sin(phi0 / N) * kN - Math.sin(phi0 / 2) * k2
}

/** Numbers per node of a `NodeSet`, and where they stand. */
export const NODE_SIZE = 9
export const NODE_SINH_SQR = 0
export const NODE_COSH = 1
export const NODE_S_SINH = 3
export const NODE_INVERSE_ROOT = 5
export const NODE_WEIGHT = 7

/**
 * Nodes of the exponential sum that holds the smooth remainder of a wedge's current (`RemainderSum`): s_n = e^{-j pi/4} sinh v_n, where
 * exp(-2jL s_n^2) = exp(-2L sinh^2 v_n) is real. They depend on the wedge and on a range of strip lengths only.
 */
export interface NodeSet {
  count: number
  /**
   * count x NODE_SIZE: sinh^2 v_n (so that s_n^2 = -j sinh^2 v_n), then as pairs cosh(t_n/N), s_n sinh(t_n/N),
   * 1/(N sqrt(1 + s_n^2)) and the weight 2h e^{-j pi/4} cosh v_n, where s_n = sinh(t_n/2).
   */
  data: Float64Array
  /** sinh^2 of the residual node, which takes what lies below the last one. */
  residual: number
}

/**
 * A class of strip lengths is L in [lower edge, upper edge], L = k l sin^2 beta0 over a band: class i starts at its lower edge
 * and has room for four times (the next class) the band's frequency ratio. Edges beyond the list go on by factors of four.
 */
const CLASS_EDGES = [0, 9e-5, 2.2e-3, 0.05, 2]

const lowerEdge = (i: number): number => (i < CLASS_EDGES.length ? CLASS_EDGES[i] : 2 * 4 ** (i - 4))

/** Class of a strip whose L is `lowest` at the lowest frequency. */
export function lengthClass(lowest: number): number {
  if (lowest >= 2) return 4 + Math.max(0, Math.floor(0.5 * Math.log2(lowest / 2)))
  return lowest >= 0.05 ? 3 : lowest >= 2.2e-3 ? 2 : lowest >= 9e-5 ? 1 : 0
}

/**
 * A length range is L at the highest frequency of a band from `rangeEdge(i)` to `rangeEdge(i + 1)`: wider than a class, for integrals along
 * edges whose strips grow or shorten. A factor of 64 takes some 35 nodes, all that is shorter than 9 takes 45.
 */
export const rangeEdge = (i: number): number => (i === 0 ? 0 : 9 * 64 ** (i - 1))

/** Range of a strip whose L is `highest` at the highest frequency. */
export const lengthRange = (highest: number): number =>
  highest < 9 ? 0 : Math.min(MOST_RANGES - 1, 1 + Math.floor(Math.log2(highest / 9) / 6))

/** Step and number of the nodes for L from `lower` to `upper`. Measured rule: step 0.594/sqrt(L) bounds the trapezoidal error, 8/L the tail. */
function spacing(lower: number, upper: number): { h: number; count: number } {
  const h = Math.min(0.2, 0.594 / Math.sqrt(upper))
  return { h, count: Math.max(8, Math.ceil(Math.asinh(Math.sqrt(8 / Math.max(lower, 4.8e-7))) / h)) }
}

/** Length ranges that strips of any target lie in. */
const MOST_RANGES = 7

/** Most terms of the exponential sum of a length range, the residual one included, for a band of this ratio. */
export const mostTerms = (bandRatio: number): number =>
  1 +
  Math.max(
    ...Array.from(
      { length: MOST_RANGES },
      (_, i) => spacing(rangeEdge(i) / bandRatio, rangeEdge(i + 1)).count,
    ),
  )

/** Constants of one exterior wedge 0 < phi < N pi, 1 < N <= 2; node sets are made when first asked for. */
export class Wedge {
  /** A half-plane: its strip integrals are closed forms, without nodes. */
  readonly half: boolean
  private readonly sets: NodeSet[] = []
  private readonly rangeSets: NodeSet[] = []

  /**
   * @param N          exterior angle over pi
   * @param bandRatio  highest over lowest frequency of the sweep, 1 for a single frequency
   */
  constructor(
    readonly N: number,
    readonly bandRatio = 1,
  ) {
    if (!(N > 1 && N <= 2 + 1e-9))
      throw new InputError(
        `a wedge needs an exterior angle between 180 and 360 degrees, not ${180 * N}; leave concave edges out`,
      )
    if (!(bandRatio >= 1 && bandRatio < Infinity))
      throw new InputError(
        `the ratio of highest to lowest frequency is ${bandRatio}; give a band of positive frequencies`,
      )
    this.half = Math.abs(N - 2) < 1e-9
  }

  /** Nodes good to about 2e-7 (absolute, of S and T) for the strips of a length class. */
  nodes(lengthClass: number): NodeSet {
    return (this.sets[lengthClass] ??= this.build(
      lowerEdge(lengthClass),
      lowerEdge(lengthClass + 1) * this.bandRatio,
    ))
  }

  /** As good, for all strips of a length range. */
  rangeNodes(range: number): NodeSet {
    return (this.rangeSets[range] ??= this.build(rangeEdge(range) / this.bandRatio, rangeEdge(range + 1)))
  }

  /** For L from `lower` to `upper`. */
  private build(lower: number, upper: number): NodeSet {
    const { h, count } = spacing(lower, upper)
    const data = new Float64Array(NODE_SIZE * count)
    const N = this.N
    for (let n = 0; n < count; n++) {
      const v = (n + 0.5) * h
      const sinh = Math.sinh(v)
      const sRe = Math.SQRT1_2 * sinh
      // s = sRe (1 - j); 1 + s^2 = 1 - j sinh^2; root = sqrt(1 + s^2); t = 2 asinh s = 2 log(s + root)
      const modulus = Math.hypot(1, sinh * sinh)
      const rootRe = Math.sqrt(0.5 * (modulus + 1))
      const rootIm = -Math.sqrt(0.5 * (modulus - 1))
      const tRe = 2 * Math.log(Math.hypot(sRe + rootRe, rootIm - sRe))
      const tIm = 2 * Math.atan2(rootIm - sRe, sRe + rootRe)
      const cosh = Math.cosh(tRe / N)
      const sinhT = Math.sinh(tRe / N)
      const cos = Math.cos(tIm / N)
      const sin = Math.sin(tIm / N)
      const weight = 2 * h * Math.SQRT1_2 * Math.cosh(v)
      const sinhRe = sinhT * cos
      const sinhIm = cosh * sin
      data.set(
        [
          sinh * sinh,
          cosh * cos,
          sinhT * sin,
          sRe * (sinhRe + sinhIm),
          sRe * (sinhIm - sinhRe),
          rootRe / (N * modulus),
          -rootIm / (N * modulus),
          weight,
          -weight,
        ],
        NODE_SIZE * n,
      )
    }
    return { count, data, residual: Math.sinh(count * h + 0.5 * N) ** 2 }
  }
}

/** The wedges of a mesh by their N: edges of the same angle share their constants. */
export class WedgeCache {
  private readonly wedges = new Map<number, Wedge>()

  /** @param bandRatio  highest over lowest frequency of the sweep */
  constructor(readonly bandRatio: number) {}

  get(N: number): Wedge {
    let wedge = this.wedges.get(N)
    if (wedge === undefined) this.wedges.set(N, (wedge = new Wedge(N, this.bandRatio)))
    return wedge
  }
}

/**
 * The other face's pole psi = |pi + phi0 - 2 pi N|, close to the path of integration only for phi0 > 2 pi (N - 1):
 * a = sin(psi/2), b = cos(psi/2) (docs/edge-diffraction.md, "Exact truncation").
 */
export interface SecondPole {
  present: boolean
  angle: number
  a: number
  b: number
}

export function secondPole(N: number, phi0: number, out: SecondPole): void {
  out.angle = Math.abs(Math.PI + phi0 - 2 * Math.PI * N)
  out.present = out.angle < Math.PI
  out.a = out.present ? Math.sin(out.angle / 2) : 1
  out.b = out.present ? Math.cos(out.angle / 2) : 0
}

/** chi(x) without its pole at pi: chi(x) - tan(x/2)/2. */
const chiWithoutPole = (x: number, N: number): number => chi(x, N) - 0.5 * Math.tan(x / 2)

/**
 * Residues of the steepest-descent kernels g_h and g_s (`fillRemainderSum`) at the observation pole s^2 = -c^2, out[o] = rho_h and
 * out[o + 1] = rho_s / j; zero for c >= 1 (docs/edge-diffraction.md, "Exact truncation"). With w = 2 acos c, p, q = (w +- phi0)/2,
 *   rho_h   = sin(w/2) [chi(q) + chi(p) + chi(pi - q) + chi(pi - p)] / 2,
 *   rho_s/j = c sin^2(w/2) [chi(p) - chi(q) + chi(pi - p) - chi(pi - q)];
 * where the second pole is present its part, which has a term of its own, is taken out of them.
 */
export function poleResidues(
  N: number,
  phi0: number,
  c: number,
  second: SecondPole,
  out: Float64Array,
  o: number,
): void {
  if (c >= 1) {
    out[o] = out[o + 1] = 0
    return
  }
  const w = Math.max(2 * Math.acos(c), 1e-7)
  const sinHalfW = Math.sin(w / 2)
  const p = (w + phi0) / 2
  const q = (w - phi0) / 2
  let sumH: number
  let sumS: number
  if (second.present) {
    const alpha = Math.PI - w
    const chiQ = chiWithoutPole(q, N)
    const chiPiP = chiWithoutPole(Math.PI - p, N)
    const chiMinus = chiWithoutPole((second.angle - alpha) / 2, N)
    const chiPlus = chiWithoutPole((second.angle + alpha) / 2, N)
    sumH = 0.5 * (chiQ + chiPiP - chiMinus - chiPlus) - second.a / sinHalfW
    sumS = -(chiQ - chiPiP) + (chiMinus - chiPlus) + (2 * second.b * c) / (sinHalfW * sinHalfW)
  } else {
    const chiQ = chi(q, N)
    const chiP = chi(p, N)
    const chiPiQ = chi(Math.PI - q, N)
    const chiPiP = chi(Math.PI - p, N)
    sumH = 0.5 * (chiQ + chiP + chiPiQ + chiPiP)
    sumS = -(chiQ - chiPiP) + (chiP - chiPiQ)
  }
  out[o] = sumH * sinHalfW
  out[o + 1] = c * sumS * sinHalfW * sinHalfW
}

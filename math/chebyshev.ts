/** Chebyshev nodes (first kind) on [a, b]. */
export const chebyshevNodes = (a: number, b: number, count: number): Float64Array =>
  Float64Array.from(
    { length: count },
    (_, i) => 0.5 * (a + b) - 0.5 * (b - a) * Math.cos((Math.PI * (2 * i + 1)) / (2 * count)),
  )

/** Values at x of the Lagrange polynomials of the nodes. */
export function lagrange(nodes: Float64Array, x: number): Float64Array {
  return nodes.map((xi, i) => nodes.reduce((f, xj, j) => (j === i ? f : (f * (x - xj)) / (xi - xj)), 1))
}

/** Shape of the kernel per grid point of its width, for twofold oversampling. */
const SHAPE = 2.3
/** Grid points evaluated at a time. */
const LANES = 4
/** Quadrature points of the kernel's Fourier transform. */
const POINTS = 100
/** Corrections cached per kernel: one per number of frequencies. */
const MOST_CORRECTIONS = 64

/** exp(beta (sqrt(1 - x^2) - 1)) of Barnett, Magland and af Klinteberg, x = distance over half the width. */
const exact = (x: number, width: number): number =>
  Math.exp(SHAPE * width * (Math.sqrt(Math.max(0, 1 - x * x)) - 1))

/**
 * The spreading kernel of `DelaySum`, as one polynomial per grid point within its width (A. H. Barnett, J. Magland and
 * L. af Klinteberg, SIAM J. Sci. Comput. 41, 2019, section 5.3). The polynomials' error is about 2 % of the kernel's own.
 * One instance per width is shared.
 */
export class SpreadingKernel {
  /** Values at the grid points within the width, set by `at`, then zeros. */
  readonly weight: Float64Array
  readonly degree: number
  /** Per power, highest first: coefficients of `lanes` grid points, zero beyond the width. */
  readonly coefficients: Float64Array
  readonly lanes: number
  /** Quadrature nodes of the kernel's Fourier transform, in halves of the width, and their weights. */
  private readonly nodes = new Float64Array(POINTS)
  private readonly nodeWeights = new Float64Array(POINTS)
  private readonly corrections = new Map<string, Float64Array>()

  private constructor(readonly width: number) {
    this.degree = Math.max(8, width + 2)
    this.lanes = LANES * Math.ceil(width / LANES)
    this.weight = new Float64Array(this.lanes)
    this.coefficients = new Float64Array(this.lanes * (this.degree + 1))
    for (let i = 0; i < POINTS; i++) {
      const t = (Math.PI * (i + 0.5)) / POINTS - Math.PI / 2
      this.nodes[i] = Math.sin(t)
      this.nodeWeights[i] = exact(Math.sin(t), width) * Math.cos(t)
    }
    for (let i = 0; i < width; i++) {
      const powers = polynomial(
        (z) => exact((0.5 * (z + 1) + i - 0.5 * width) * (2 / width), width),
        this.degree,
      )
      powers.forEach((c, n) => (this.coefficients[this.lanes * (this.degree - n) + i] = c))
    }
  }

  private static readonly made = new Map<number, SpreadingKernel>()

  /** @param width  in grid points */
  static of(width: number): SpreadingKernel {
    const kernel = this.made.get(width) ?? new SpreadingKernel(width)
    this.made.set(width, kernel)
    return kernel
  }

  /** Deconvolution factors: 1 over the kernel's Fourier transform at n frequencies around the middle one, for a grid of `rows` points. */
  correction(n: number, rows: number): Float64Array {
    const key = `${n} of ${rows}`
    const known = this.corrections.get(key)
    if (known) return known
    if (this.corrections.size >= MOST_CORRECTIONS) this.corrections.clear()
    const middle = Math.floor(n / 2)
    const made = new Float64Array(n)
    for (let i = 0; i < n; i++) made[i] = 1 / this.transform((i - middle) / rows)
    this.corrections.set(key, made)
    return made
  }

  /** Fourier transform at nu cycles per grid point (midpoint rule in asin x, far more accurate than the kernel). */
  private transform(nu: number): number {
    const { width, nodes, nodeWeights } = this
    let sum = 0
    for (let i = 0; i < POINTS; i++) sum += nodeWeights[i] * Math.cos(Math.PI * nu * width * nodes[i])
    return (0.5 * width * sum * Math.PI) / POINTS
  }

  /** Computes `weight` about a position on the grid and returns the first grid point. */
  at(position: number): number {
    const { width, weight, coefficients, lanes, degree } = this
    const first = Math.ceil(position - 0.5 * width)
    const z = 2 * (first - position + 0.5 * width) - 1
    for (let i = 0; i < lanes; i += LANES) {
      let a = 0
      let b = 0
      let c = 0
      let d = 0
      for (let o = i; o <= lanes * degree + i; o += lanes) {
        a = a * z + coefficients[o]
        b = b * z + coefficients[o + 1]
        c = c * z + coefficients[o + 2]
        d = d * z + coefficients[o + 3]
      }
      weight[i] = a
      weight[i + 1] = b
      weight[i + 2] = c
      weight[i + 3] = d
    }
    return first
  }
}

/** Coefficients, of power 0 first, of the polynomial that interpolates f at the Chebyshev nodes of [-1, 1]. */
function polynomial(f: (z: number) => number, degree: number): number[] {
  const count = degree + 1
  const nodes = Array.from({ length: count }, (_, i) => Math.cos((Math.PI * (i + 0.5)) / count))
  const values = nodes.map(f)
  // Chebyshev polynomials T(n), T(n - 1) as coefficients of powers.
  let [last, now] = [[0], [1]]
  const sum = Array.from({ length: count }, () => 0)
  for (let n = 0; n < count; n++) {
    const scale = (n === 0 ? 1 : 2) / count
    const part = scale * values.reduce((s, y, i) => s + y * Math.cos((Math.PI * n * (i + 0.5)) / count), 0)
    now.forEach((c, i) => (sum[i] += part * c))
    const factor = n === 0 ? 1 : 2
    const next = [0, ...now.map((c) => factor * c)]
    if (n > 0) last.forEach((c, i) => (next[i] -= c))
    ;[last, now] = [now, next]
  }
  return sum
}

/** Sets the weights of values at -1, 0, 1 and 2 in Lagrange's cubic through them, at t from 0 to 1. */
export function setCubicWeights(t: number, out: Float64Array): void {
  out[0] = (t * (t - 1) * (2 - t)) / 6
  out[1] = 0.5 * (t + 1) * (t - 1) * (t - 2)
  out[2] = 0.5 * (t + 1) * t * (2 - t)
  out[3] = ((t + 1) * t * (t - 1)) / 6
}

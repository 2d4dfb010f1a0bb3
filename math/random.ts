/** Multipliers and key steps of Philox-4x32 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers", SC 2011, table 2). */
const M0 = 0xd2511f53
const M1 = 0xcd9e8d57
const W0 = 0x9e3779b9
const W1 = 0xbb67ae85
const ROUNDS = 10

/** Purpose of a stream of random numbers: streams of different purposes are independent. */
export const PURPOSE = {
  aspects: 1,
  jitter: 2,
  copy: 3,
  split: 4,
  noise: 5,
  speckle: 6,
  texture: 7,
  motion: 8,
  dropout: 9,
  material: 10,
  pulses: 11,
} as const

/** Upper 32 bits of the product of two unsigned 32-bit numbers. */
function high(a: number, b: number): number {
  const [al, ah, bl, bh] = [a & 0xffff, a >>> 16, b & 0xffff, b >>> 16]
  const mid = ah * bl + ((al * bl) >>> 16)
  const low = (mid & 0xffff) + al * bh
  return (ah * bh + Math.floor(mid / 65536) + Math.floor(low / 65536)) >>> 0
}

/** One block of Philox-4x32-10: four 32-bit numbers of a counter of four and a key of two. */
export function philox(counter: readonly number[], key: readonly number[]): number[] {
  let [c0, c1, c2, c3] = counter.map((x) => x >>> 0)
  let [k0, k1] = key.map((x) => x >>> 0)
  for (let round = 0; round < ROUNDS; round++) {
    const [h0, l0] = [high(M0, c0), Math.imul(M0, c0) >>> 0]
    const [h1, l1] = [high(M1, c2), Math.imul(M1, c2) >>> 0]
    ;[c0, c1, c2, c3] = [(h1 ^ c1 ^ k0) >>> 0, l1, (h0 ^ c3 ^ k1) >>> 0, l0]
    k0 = (k0 + W0) >>> 0
    k1 = (k1 + W1) >>> 0
  }
  return [c0, c1, c2, c3]
}

/**
 * A stream of random numbers of a dataset: a function of the seed, the purpose and two numbers alone, so that chips come out the
 * same in whatever order, and on whichever machine, they are made.
 *
 * @param seed  whole number from 0 to 2^53 - 1
 */
export class Random {
  private block: number[] = []
  private next = 0
  private readonly key: number[]
  private spare: number | null = null

  constructor(
    seed: number,
    private readonly purpose: number,
    private readonly a = 0,
    private readonly b = 0,
  ) {
    this.key = [seed >>> 0, Math.floor(seed / 2 ** 32)]
  }

  /** A number in (0, 1), never an end, of 32 bits. */
  uniform(): number {
    const at = this.next % 4
    if (at === 0) this.block = philox([this.next / 4, this.a, this.b, this.purpose], this.key)
    this.next++
    return (this.block[at] + 0.5) / 2 ** 32
  }

  /** Uniform in [-half, half]. */
  within(half: number): number {
    return half * (2 * this.uniform() - 1)
  }

  /** Standard normal (Box and Muller, 1958). */
  normal(): number {
    if (this.spare !== null) {
      const value = this.spare
      this.spare = null
      return value
    }
    const radius = Math.sqrt(-2 * Math.log(this.uniform()))
    const angle = 2 * Math.PI * this.uniform()
    this.spare = radius * Math.sin(angle)
    return radius * Math.cos(angle)
  }

  /** The numbers 0 ... n - 1 in random order (Fisher and Yates). */
  permutation(n: number): number[] {
    const order = Array.from({ length: n }, (_, i) => i)
    for (let i = n - 1; i > 0; i--) {
      const j = Math.floor(this.uniform() * (i + 1))
      ;[order[i], order[j]] = [order[j], order[i]]
    }
    return order
  }
}

/** Logarithm of the gamma function for x > 0 (Lanczos, g = 7, 9 terms; relative error below 1e-14). */
function logGamma(x: number): number {
  const c = [
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
    12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
  ]
  const t = x + 6.5
  let sum = c[0]
  for (let i = 1; i < 9; i++) sum += c[i] / (x - 1 + i)
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum)
}

/** Regularised lower incomplete gamma function P(a, x), by its series below a + 1 and its continued fraction above. */
export function gammaCdf(a: number, x: number): number {
  if (x <= 0) return 0
  const front = Math.exp(-x + a * Math.log(x) - logGamma(a))
  if (x < a + 1) {
    let term = 1 / a
    let sum = term
    for (let n = a + 1; Math.abs(term) > 1e-16 * sum; n++) {
      term *= x / n
      sum += term
    }
    return sum * front
  }
  let b = x + 1 - a
  let c = 1e300
  let d = 1 / b
  let h = d
  for (let i = 1; i < 1000; i++) {
    const an = -i * (i - a)
    b += 2
    d = 1 / (an * d + b)
    c = b + an / c
    h *= d * c
    if (Math.abs(d * c - 1) < 1e-16) break
  }
  return 1 - front * h
}

/** Standard normal distribution function, by P(1/2, z^2 / 2). */
function normalCdf(z: number): number {
  const tail = 0.5 * gammaCdf(0.5, (z * z) / 2)
  return z < 0 ? 0.5 - tail : 0.5 + tail
}

const STEP = 0.02
const REACH = 6
/** The table of the last shape. */
let last: { shape: number; table: Float64Array } | undefined

/**
 * Turns a standard normal variable into a gamma variable of the given shape and mean 1 that grows with it (the quantile
 * of the normal's probability), from a table with linear interpolation.
 */
export function gammaOfNormal(shape: number): (z: number) => number {
  const n = Math.round((2 * REACH) / STEP)
  // The table takes longer than a chip's texture, and all chips of a set have the same.
  if (last?.shape !== shape)
    last = {
      shape,
      table: Float64Array.from({ length: n + 1 }, (_, i) => quantile(shape, normalCdf(i * STEP - REACH))),
    }
  const { table } = last
  return (z) => {
    const at = Math.max(0, Math.min(n - 1e-9, (z + REACH) / STEP))
    const i = Math.floor(at)
    return (table[i] + (at - i) * (table[i + 1] - table[i])) / shape
  }
}

/** x with P(shape, x) = p, by bisection of ln x. */
function quantile(shape: number, p: number): number {
  if (p <= 0) return 0
  let [low, high] = [-700, Math.log(shape + 100 * Math.sqrt(shape) + 100)]
  for (let i = 0; i < 70; i++) {
    const mid = (low + high) / 2
    if (gammaCdf(shape, Math.exp(mid)) < p) low = mid
    else high = mid
  }
  return Math.exp((low + high) / 2)
}

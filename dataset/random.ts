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

/** Image z[row][x] = sum_n g[row][n] exp(-j phase_n) exp(-2 pi j x u_n) and its adjoint. */
export class AspectImager {
  readonly n: number
  /** Pixels in cross-range. */
  readonly x: number
  /** cos and sin of 2 pi x u_n, [n][x]. */
  private readonly cos: Float64Array
  private readonly sin: Float64Array

  constructor(positions: Float64Array) {
    const n = (this.n = this.x = positions.length)
    this.cos = new Float64Array(n * n)
    this.sin = new Float64Array(n * n)
    for (let i = 0; i < n; i++)
      for (let x = 0; x < n; x++) {
        const angle = 2 * Math.PI * (x - (n >> 1)) * positions[i]
        this.cos[i * n + x] = Math.cos(angle)
        this.sin[i * n + x] = Math.sin(angle)
      }
  }

  form(g: Float64Array, phase: Float64Array): Float64Array {
    const { n, x: size, cos, sin } = this
    const out = new Float64Array(g.length)
    const turns = Array.from(phase, (p) => [Math.cos(p), -Math.sin(p)])
    for (let at = 0; at < g.length; at += 2 * n)
      for (let i = 0; i < n; i++) {
        const [c, s] = turns[i]
        const re = g[at + 2 * i] * c - g[at + 2 * i + 1] * s
        const im = g[at + 2 * i] * s + g[at + 2 * i + 1] * c
        for (let x = 0; x < size; x++) {
          const [cc, ss] = [cos[i * size + x], sin[i * size + x]]
          out[at + 2 * x] += re * cc + im * ss
          out[at + 2 * x + 1] += im * cc - re * ss
        }
      }
    return out
  }

  /** h[row][n] = sum_x z[row][x] exp(+2 pi j x u_n). */
  back(z: Float64Array): Float64Array {
    const { n, x: size, cos, sin } = this
    const out = new Float64Array(z.length)
    for (let at = 0; at < z.length; at += 2 * size)
      for (let i = 0; i < n; i++) {
        let [re, im] = [0, 0]
        for (let x = 0; x < size; x++) {
          const [c, s] = [cos[i * size + x], sin[i * size + x]]
          re += z[at + 2 * x] * c - z[at + 2 * x + 1] * s
          im += z[at + 2 * x] * s + z[at + 2 * x + 1] * c
        }
        out[at + 2 * i] = re
        out[at + 2 * i + 1] = im
      }
    return out
  }

  entropy(g: Float64Array, phase: Float64Array): number {
    return entropyOf(this.form(g, phase))
  }
}

/** Entropy of normalised power, -sum p ln p, of complex numbers interleaved re, im. */
export function entropyOf(z: Float64Array): number {
  let [total, sum] = [0, 0]
  for (let i = 0; i < z.length; i += 2) {
    const p = z[i] * z[i] + z[i + 1] * z[i + 1]
    total += p
    if (p > 0) sum += p * Math.log(p)
  }
  return Math.log(total) - sum / total
}

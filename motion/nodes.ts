import { chebyshevNodes } from '../signal/index.js'

/** Points of one variable at which fields are solved, and how values between them follow. */
export interface NodeAxis {
  nodes: Float64Array
  /** Weights of the nodes for the value at `x`: value = sum weights[i] value(nodes[i]). */
  weights: (x: number) => Float64Array
}

/** Samples taken more than a band-limited function needs, and harmonics beyond the highest: Bessel functions J_n(z) vanish past z + O(z^(1/3)). */
const SAFETY = 1.1
const beyond = (harmonics: number): number => 6 + 4 * Math.cbrt(harmonics)
/** Phase that moves by less over the whole range is constant [rad]. */
const STILL = 1e-4

/**
 * Axis of a periodic function whose phase changes by at most `harmonics` rad per rad of a turn: uniform nodes over a period, an odd
 * number, between which the trigonometric interpolation runs (exact for |harmonic| <= (n - 1) / 2).
 * @param fold  periods of a turn
 */
export function periodicAxis(period: number, harmonics: number, fold = 1): NodeAxis {
  const n = harmonics < STILL ? 1 : 2 * Math.ceil((SAFETY * harmonics + beyond(harmonics)) / fold) + 1
  const nodes = Float64Array.from({ length: n }, (_, i) => (i * period) / n)
  return {
    nodes,
    weights: (x) => {
      const out = new Float64Array(n)
      for (let i = 0; i < n; i++) {
        // Dirichlet kernel sin(n a) / (n sin a), whose sign alternates with the period for no odd n.
        const a = (Math.PI * (x - nodes[i])) / period
        const s = Math.sin(a)
        if (Math.abs(s) < 1e-14) return out.fill(0).fill(1, i, i + 1)
        out[i] = Math.sin(n * a) / (n * s)
      }
      return out
    },
  }
}

/**
 * Axis of a function on [from, to] whose phase moves by at most `rate` rad per unit: Chebyshev nodes, barycentric interpolation
 * (J.-P. Berrut, L. N. Trefethen, SIAM Review 46, 2004, eq. 5.4). exp(jcx) on [-1, 1] needs somewhat more than c of them.
 */
export function spanAxis(from: number, to: number, rate: number): NodeAxis {
  const c = (rate * (to - from)) / 2
  if (!(c > STILL)) return { nodes: Float64Array.of((from + to) / 2), weights: () => Float64Array.of(1) }
  const n = Math.ceil(SAFETY * c + beyond(c))
  const nodes = chebyshevNodes(from, to, n)
  const own = nodes.map((_, i) => (i % 2 === 0 ? 1 : -1) * Math.sin((Math.PI * (2 * i + 1)) / (2 * n)))
  return {
    nodes,
    weights: (x) => {
      const out = new Float64Array(n)
      let sum = 0
      for (let i = 0; i < n; i++) {
        if (x === nodes[i]) return out.fill(0).fill(1, i, i + 1)
        sum += out[i] = own[i] / (x - nodes[i])
      }
      for (let i = 0; i < n; i++) out[i] /= sum
      return out
    },
  }
}

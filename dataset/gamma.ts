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

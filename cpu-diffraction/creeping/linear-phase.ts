/** Phases that are no further apart are summed as a series [rad], by so many terms: to 1e-8. */
const NEAR = 1
const TERMS = 11
/** Two phases no further apart are one [rad]. */
const SAME = 1e-3
/** 2/(n + 3)! */
const WEIGHTS = Float64Array.from({ length: TERMS }, (_, n) => {
  let weight = 2
  for (let i = 2; i <= n + 3; i++) weight /= i
  return weight
})

/**
 * Integrals over a triangle of unit area of its barycentric coordinates times a linear phase. By Hermite's and Genocchi's formula they are divided
 * differences of the exponential function, of which one argument occurs twice:
 *
 *   E_i = int l_i exp(j sum l t) dS = 2 exp[jt_0, jt_1, jt_2, jt_i]
 *
 * so that an amplitude that is linear, A_i at the corners, has the integral sum A_i E_i.
 */
export class CornerIntegrals {
  /** re, im of each corner. */
  readonly values = new Float64Array(6)
  private readonly near = new Float64Array(2)
  private readonly mid = new Float64Array(2)
  private readonly far = new Float64Array(2)
  private readonly three = new Float64Array(2)
  private readonly one = new Float64Array(2)
  private readonly two = new Float64Array(2)

  /** @param t0  phases at the corners [rad] */
  set(t0: number, t1: number, t2: number): void {
    const low = Math.min(t0, t1, t2)
    const high = Math.max(t0, t1, t2)
    if (high - low < NEAR) return this.setNear(t0, t1, t2)
    const first = t0 === low ? 0 : t1 === low ? 1 : 2
    const last = t2 === high ? 2 : t1 === high ? 1 : 0
    const between = 3 - first - last
    const middle = between === 0 ? t0 : between === 1 ? t1 : t2
    const { near, mid, far, three, one, two, values } = this
    setWave(low, near)
    setWave(middle, mid)
    setWave(high, far)
    // exp[a, b, c, d] = (exp[a, b, c] - exp[b, c, d])/j(a - d)
    const apart = high - low
    setPair(near, mid, middle - low, one)
    setPair(mid, far, high - middle, two)
    setQuotient(one, two, apart, three, 0, 1)
    setTwice(near, mid, middle - low, one)
    setQuotient(one, three, apart, values, 2 * first, 2)
    setTwice(far, mid, middle - high, one)
    setQuotient(three, one, apart, values, 2 * last, 2)
    setTwice(mid, near, low - middle, one)
    setTwice(mid, far, high - middle, two)
    setQuotient(one, two, apart, values, 2 * between, 2)
  }

  /** exp(jm) times the sum over n of j^n h_n(t_0 - m, t_1 - m, t_2 - m, t_i - m) 2/(n + 3)!, h the complete homogeneous symmetric polynomials. */
  private setNear(t0: number, t1: number, t2: number): void {
    const { values } = this
    const mean = (t0 + t1 + t2) / 3
    const a = t0 - mean
    const b = t1 - mean
    const c = t2 - mean
    const e2 = a * b + a * c + b * c
    const e3 = a * b * c
    // h of three arguments: their sum is zero.
    let h = 1
    let before = 0
    let earlier = 0
    let h0 = 1
    let h1 = 1
    let h2 = 1
    values[0] = values[2] = values[4] = WEIGHTS[0]
    values[1] = values[3] = values[5] = 0
    for (let n = 1; n < TERMS; n++) {
      const next = e3 * earlier - e2 * before
      earlier = before
      before = h
      h = next
      h0 = h + a * h0
      h1 = h + b * h1
      h2 = h + c * h2
      const weight = (n & 2) === 0 ? WEIGHTS[n] : -WEIGHTS[n]
      const part = n & 1
      values[part] += weight * h0
      values[2 + part] += weight * h1
      values[4 + part] += weight * h2
    }
    const cos = Math.cos(mean)
    const sin = Math.sin(mean)
    for (let i = 0; i < 6; i += 2) {
      const re = values[i]
      values[i] = re * cos - values[i + 1] * sin
      values[i + 1] = re * sin + values[i + 1] * cos
    }
  }
}

/** Sets two numbers at `at` to factor (a - b)/(-j apart). */
function setQuotient(
  a: Float64Array,
  b: Float64Array,
  apart: number,
  out: Float64Array,
  at: number,
  factor: number,
): void {
  const re = a[0] - b[0]
  out[at] = (-factor * (a[1] - b[1])) / apart
  out[at + 1] = (factor * re) / apart
}

function setWave(phase: number, out: Float64Array): void {
  out[0] = Math.cos(phase)
  out[1] = Math.sin(phase)
}

/** exp[ja, jb] = (exp(ja) - exp(jb))/j(a - b), of both waves and b - a. */
function setPair(a: Float64Array, b: Float64Array, apart: number, out: Float64Array): void {
  if (Math.abs(apart) > SAME) return setQuotient(a, b, apart, out, 0, 1)
  out[0] = (a[0] + b[0]) / 2
  out[1] = (a[1] + b[1]) / 2
}

/** exp[ja, ja, jb] = (exp[ja, ja] - exp[ja, jb])/j(a - b), of both waves and b - a. */
function setTwice(a: Float64Array, b: Float64Array, apart: number, out: Float64Array): void {
  if (Math.abs(apart) > SAME) {
    setQuotient(a, b, apart, out, 0, 1)
    return setQuotient(a, out, apart, out, 0, 1)
  }
  out[0] = (2 * a[0] + b[0]) / 6
  out[1] = (2 * a[1] + b[1]) / 6
}

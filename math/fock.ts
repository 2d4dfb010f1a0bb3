import { setCubicWeights } from './chebyshev.js'

/** Arguments that are tabulated: below the currents are those of physical optics to 1 %, beyond they are nothing. */
export const RANGE = { lit: -3, shadow: 8 }
const STEP = 1 / 16
/** Upper limit and points of the integrals: their integrands have fallen below 1e-9 there. */
const REACH = 20
const POINTS = 1600
const HALF_ROOT = Math.sqrt(3) / 2

/**
 * Fock functions of the currents near the shadow boundary of a convex conductor (Fock 1946; Logan 1959; exp(+jwt)), with
 * w2 = sqrt(pi) (Bi - j Ai):
 *
 *   g(x) = pi^-1/2 int e^{-jxt}/w2'(t) dt,   f(x) = pi^-1/2 int e^{-jxt}/w2(t) dt
 *
 * g is that of H across the plane of incidence, which without diffraction is 2, and -jf that of E across it, which is -2x. In the light (x < 0)
 * times exp(-jx^3/3), which leaves them without the phase of the incident wave. Tables are read by cubics through four neighbours.
 */
export class FockFunctions {
  private readonly table: Float64Array
  private readonly weights = new Float64Array(4)

  constructor() {
    // One more on either side of the range, and one for the range's end itself.
    const size = Math.round((RANGE.shadow - RANGE.lit) / STEP) + 4
    this.table = new Float64Array(4 * size)
    const samples = airySamples()
    for (let i = 0; i < size; i++) integrals(samples, RANGE.lit + (i - 1) * STEP, this.table, 4 * i)
  }

  /** Sets out to re, im of g and of -jf at x, within `RANGE`. */
  at(x: number, out: Float64Array): void {
    const { table, weights } = this
    const at = (x - RANGE.lit) / STEP
    const i = Math.floor(at)
    setCubicWeights(at - i, weights)
    const [before, here, next, after] = [weights[0], weights[1], weights[2], weights[3]]
    for (let c = 4 * i; c < 4 * i + 4; c++)
      out[c - 4 * i] = before * table[c] + here * table[c + 4] + next * table[c + 8] + after * table[c + 12]
  }
}

let made: FockFunctions | undefined
/** Those of this thread. */
export const fockFunctions = (): FockFunctions => (made ??= new FockFunctions())

/** Sets four numbers at `at` to both functions at x, by Simpson's rule over 0 to infinity and over the ray to infinity exp(-2j pi/3). */
function integrals(samples: Float64Array, x: number, out: Float64Array, at: number): void {
  const h = REACH / POINTS
  let gr = 0
  let gi = 0
  let fr = 0
  let fi = 0
  // exp(-jxt) on the real axis; on the ray exp(-jx t e^{-2j pi/3}), times e^{-2j pi/3}, to be subtracted. Both from step to step.
  let axisRe = 1
  let axisIm = 0
  let rayRe = 1
  let rayIm = 0
  const axisCos = Math.cos(x * h)
  const axisSin = -Math.sin(x * h)
  const grows = Math.exp(-HALF_ROOT * x * h)
  const rayCos = grows * Math.cos((x * h) / 2)
  const raySin = grows * Math.sin((x * h) / 2)
  for (let i = 0; i <= POINTS; i++) {
    const weight = ((i === 0 || i === POINTS ? 1 : i % 2 === 1 ? 4 : 2) * h) / (3 * Math.PI)
    // 1/(b - ja) on the axis, e^{j pi/3}/(b + ja) of w2 and e^{-j pi/3}/(b + ja) of w2' on the ray.
    const a = samples[4 * i]
    const b = samples[4 * i + 1]
    // e^{-2j pi/3} e^{-j pi/3} = -1
    const g = weight / (a * a + b * b)
    gr += g * (axisRe * b - axisIm * a + rayRe * b + rayIm * a)
    gi += g * (axisRe * a + axisIm * b - rayRe * a + rayIm * b)
    const c = samples[4 * i + 2]
    const d = samples[4 * i + 3]
    // e^{-2j pi/3} e^{j pi/3}
    const otherRe = rayRe / 2 + HALF_ROOT * rayIm
    const otherIm = rayIm / 2 - HALF_ROOT * rayRe
    const f = weight / (c * c + d * d)
    fr += f * (axisRe * d - axisIm * c - otherRe * d - otherIm * c)
    fi += f * (axisRe * c + axisIm * d + otherRe * c - otherIm * d)
    const cos = axisRe * axisCos - axisIm * axisSin
    axisIm = axisRe * axisSin + axisIm * axisCos
    axisRe = cos
    const re = rayRe * rayCos - rayIm * raySin
    rayIm = rayRe * raySin + rayIm * rayCos
    rayRe = re
  }
  const phase = x < 0 ? (-x * x * x) / 3 : 0
  const [cos, sin] = [Math.cos(phase), Math.sin(phase)]
  out[at] = gr * cos - gi * sin
  out[at + 1] = gr * sin + gi * cos
  // -jf
  out[at + 2] = fr * sin + fi * cos
  out[at + 3] = fi * sin - fr * cos
}

/** Ai', Bi', Ai, Bi at the points of the rule, by their power series. */
function airySamples(): Float64Array {
  const out = new Float64Array(4 * (POINTS + 1))
  for (let i = 0; i <= POINTS; i++) {
    const t = (i * REACH) / POINTS
    // f = 1 + t^3/3! ..., g = t + 2 t^4/4! ... and their derivatives.
    let f = 1
    let g = t
    let df = 0
    let dg = 1
    let p = 1
    let q = t
    const step = t * t * t
    for (let n = 1; n < 200 && p > 1e-18 * f; n++) {
      p *= step / ((3 * n - 1) * 3 * n)
      q *= step / (3 * n * (3 * n + 1))
      f += p
      g += q
      if (t > 0) {
        df += (3 * n * p) / t
        dg += ((3 * n + 1) * q) / t
      }
    }
    const [c1, c2] = [0.3550280538878172, 0.2588194037928068]
    // Where the difference has no digits left Ai is nothing beside Bi.
    out[4 * i] = t < 6 ? c1 * df - c2 * dg : 0
    out[4 * i + 1] = Math.sqrt(3) * (c1 * df + c2 * dg)
    out[4 * i + 2] = t < 6 ? c1 * f - c2 * g : 0
    out[4 * i + 3] = Math.sqrt(3) * (c1 * f + c2 * g)
  }
  return out
}

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

/** Arguments that are tabulated: below the currents are those of physical optics to 1 %, beyond they are nothing. */
export const RANGE = { lit: -3, shadow: 8 }
const STEP = 1 / 32
/** Upper limit and points of the integrals: their integrands have fallen below 1e-9 there. */
const REACH = 20
const POINTS = 1600

/**
 * Fock functions of the currents near the shadow boundary of a convex conductor (Fock 1946; Logan 1959; exp(+jwt)), with
 * w2 = sqrt(pi) (Bi - j Ai):
 *
 *   g(x) = pi^-1/2 int e^{-jxt}/w2'(t) dt,   f(x) = pi^-1/2 int e^{-jxt}/w2(t) dt
 *
 * g is that of H across the plane of incidence, which without diffraction is 2, and -jf that of E across it, which is -2x. In the light (x < 0)
 * times exp(-jx^3/3), which leaves them without the phase of the incident wave; tables are read linearly.
 */
export class FockFunctions {
  private readonly table: Float64Array

  constructor() {
    const size = Math.round((RANGE.shadow - RANGE.lit) / STEP) + 1
    this.table = new Float64Array(4 * size)
    const samples = airySamples()
    for (let i = 0; i < size; i++) integrals(samples, RANGE.lit + i * STEP, this.table, 4 * i)
  }

  /** Sets out to re, im of g and of -jf at x, within `RANGE`. */
  at(x: number, out: Float64Array): void {
    const { table } = this
    const at = (x - RANGE.lit) / STEP
    const i = Math.floor(at)
    const part = at - i
    for (let c = 0; c < 4; c++) out[c] = table[4 * i + c] + part * (table[4 * i + 4 + c] - table[4 * i + c])
  }
}

let made: FockFunctions | undefined
/** Those of this thread. */
export const fockFunctions = (): FockFunctions => (made ??= new FockFunctions())

/** Sets four numbers at `at` to both functions at x, by Simpson's rule over 0 to infinity and over the ray to infinity exp(-2j pi/3). */
function integrals(samples: Float64Array, x: number, out: Float64Array, at: number): void {
  const h = REACH / POINTS
  const sum = [0, 0, 0, 0]
  for (let i = 0; i <= POINTS; i++) {
    const t = i * h
    const weight = ((i === 0 || i === POINTS ? 1 : i % 2 === 1 ? 4 : 2) * h) / (3 * Math.PI)
    // exp(-jxt) on the real axis; the ray's is exp(-jx t e^{-2j pi/3}) e^{-2j pi/3}, to be subtracted.
    const grows = Math.exp((-Math.sqrt(3) / 2) * x * t)
    for (let which = 0; which < 2; which++) {
      const a = samples[4 * i + 2 * which]
      const b = samples[4 * i + 2 * which + 1]
      const square = a * a + b * b
      // 1/(b - ja) on the axis, e^{j pi/3}/(b + ja) of w2 and e^{-j pi/3}/(b + ja) of w2' on the ray.
      const phase = -x * t
      const turn = (x * t) / 2 - (2 * Math.PI) / 3 + (which === 0 ? -Math.PI / 3 : Math.PI / 3)
      const onAxis = [Math.cos(phase), Math.sin(phase)]
      const onRay = [grows * Math.cos(turn), grows * Math.sin(turn)]
      sum[2 * which] += (weight * (onAxis[0] * b - onAxis[1] * a - onRay[0] * b - onRay[1] * a)) / square
      sum[2 * which + 1] += (weight * (onAxis[0] * a + onAxis[1] * b + onRay[0] * a - onRay[1] * b)) / square
    }
  }
  const phase = x < 0 ? (-x * x * x) / 3 : 0
  const [cos, sin] = [Math.cos(phase), Math.sin(phase)]
  out[at] = sum[0] * cos - sum[1] * sin
  out[at + 1] = sum[0] * sin + sum[1] * cos
  // -jf
  out[at + 2] = sum[2] * sin + sum[3] * cos
  out[at + 3] = sum[3] * sin - sum[2] * cos
}

/** Ai', Bi', Ai, Bi at the points of the rule, by their power series. */
function airySamples(): Float64Array {
  const out = new Float64Array(4 * (POINTS + 1))
  for (let i = 0; i <= POINTS; i++) {
    const t = (i * REACH) / POINTS
    // f = 1 + t^3/3! ..., g = t + 2 t^4/4! ... and their derivatives.
    let [f, g, df, dg] = [1, t, 0, 1]
    let [p, q] = [1, t]
    for (let n = 1; n < 200; n++) {
      const step = t * t * t
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

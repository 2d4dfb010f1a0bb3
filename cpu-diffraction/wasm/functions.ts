// Elementary functions of two doubles at a time: Cody and Waite's reduction of the argument, then a series. Against Math.exp, Math.sin
// and Math.cos the error is some 2e-16 (relative, absolute), which a test holds.
import { add, div, mul, splat, sub } from './lanes'

/** Added, it rounds to the nearest integer, which the low bits then hold: 1.5 * 2^52. */
const ROUNDER: f64 = 6755399441055744

// Parts of ln 2 and pi/2: the first ones have so few digits that an integer times them is exact.
const LN2_1: f64 = 0.6931471803691238
const LN2_2: f64 = 1.9082149292705877e-10
const HALF_PI_1: f64 = 1.5707963267341256
const HALF_PI_2: f64 = 6.077100506303966e-11
const HALF_PI_3: f64 = 2.0222662487959506e-21

/** exp(x), |x| < 700; below, exp(-700). */
export function exp(x: v128): v128 {
  const y = f64x2.pmax(x, splat(-700))
  const m = add(mul(y, splat(1.4426950408889634)), splat(ROUNDER))
  const n = sub(m, splat(ROUNDER))
  const r = sub(sub(y, mul(n, splat(LN2_1))), mul(n, splat(LN2_2)))
  // exp(r) = 1 + 2r/(q - r) with q = r coth(r/2), a series in r^2 of Bernoulli's numbers.
  const t = mul(r, r)
  let q = sub(splat(1.0 / 23950080), mul(t, splat(691.0 / 653837184000)))
  q = sub(mul(t, q), splat(1.0 / 604800))
  q = add(mul(t, q), splat(1.0 / 15120))
  q = sub(mul(t, q), splat(1.0 / 360))
  q = add(mul(t, q), splat(1.0 / 6))
  q = add(mul(t, q), splat(2))
  const e = add(splat(1), div(add(r, r), sub(q, r)))
  // 2^n by its exponent.
  return mul(e, i64x2.shl(i64x2.add(m, i64x2.splat(1023)), 52))
}

/** cos of the last argument of `sin`. */
export let cosine: v128 = i64x2(0, 0)

/** sin(x), and cos(x) to `cosine`; |x| < 1e6 (beyond, the error grows as the rounding of x does). */
export function sin(x: v128): v128 {
  const m = add(mul(x, splat(0.6366197723675814)), splat(ROUNDER))
  const n = sub(m, splat(ROUNDER))
  const r = sub(sub(sub(x, mul(n, splat(HALF_PI_1))), mul(n, splat(HALF_PI_2))), mul(n, splat(HALF_PI_3)))
  const t = mul(r, r)
  // Taylor's series for |r| <= pi/4.
  let s = sub(splat(1.0 / 6227020800), mul(t, splat(1.0 / 1307674368000)))
  s = sub(mul(t, s), splat(1.0 / 39916800))
  s = add(mul(t, s), splat(1.0 / 362880))
  s = sub(mul(t, s), splat(1.0 / 5040))
  s = add(mul(t, s), splat(1.0 / 120))
  s = sub(mul(t, s), splat(1.0 / 6))
  s = add(r, mul(mul(r, t), s))
  let c = sub(mul(t, splat(1.0 / 20922789888000)), splat(1.0 / 87178291200))
  c = add(mul(t, c), splat(1.0 / 479001600))
  c = sub(mul(t, c), splat(1.0 / 3628800))
  c = add(mul(t, c), splat(1.0 / 40320))
  c = sub(mul(t, c), splat(1.0 / 720))
  c = add(mul(t, c), splat(1.0 / 24))
  c = add(sub(splat(1), mul(t, splat(0.5))), mul(mul(t, t), c))
  // The quadrant: odd ones exchange the two, the second bit of n and of n + 1 is the sign.
  const one = i64x2.splat(1)
  const two = i64x2.splat(2)
  const odd = i64x2.eq(v128.and(m, one), one)
  const signS = i64x2.shl(v128.and(m, two), 62)
  const signC = i64x2.shl(v128.and(i64x2.add(m, one), two), 62)
  cosine = v128.xor(v128.bitselect(s, c, odd), signC)
  return v128.xor(v128.bitselect(c, s, odd), signS)
}

/** sin(x)/x. */
export function sinc(x: v128): v128 {
  const zero = f64x2.eq(x, splat(0))
  return v128.bitselect(splat(1), div(sin(x), x), zero)
}

// The arithmetic of the module, two doubles at a time.

// AssemblyScript has no operators for lanes; the optimiser puts these in line.

export function splat(x: f64): v128 {
  return f64x2.splat(x)
}
export function add(a: v128, b: v128): v128 {
  return f64x2.add(a, b)
}
export function sub(a: v128, b: v128): v128 {
  return f64x2.sub(a, b)
}
export function mul(a: v128, b: v128): v128 {
  return f64x2.mul(a, b)
}
export function div(a: v128, b: v128): v128 {
  return f64x2.div(a, b)
}
/** The number at `at` in both lanes. */
export function same(at: usize): v128 {
  return v128.load64_splat(at)
}
/** A pair times re + j im, where `re` has re in both lanes and `im` has -im and im. */
export function rotated(pair: v128, re: v128, im: v128): v128 {
  return add(mul(pair, re), mul(v128.shuffle<f64>(pair, pair, 1, 0), im))
}

// Elementary functions of two doubles at a time: Cody and Waite's reduction of the argument, then a series. Against Math.exp, Math.sin
// and Math.cos the error is some 2e-16 (relative, absolute), which a test holds.

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

// W(x) = e^{jx^2} erfc(e^{j pi/4} x) of two arguments at a time: as `fresnelW` of math/fresnel.ts, which see.

const POINTS = 11
/** sqrt(pi/11.5) */
const STEP: f64 = 0.5226661850725535
const SCALE: f64 = Math.PI / STEP
const POLE: f64 = Math.SQRT2 * SCALE
const POLE_LIMIT: f64 = 40

/** Per point: weight, node, square of the node. Filled by `makeTable`. */
const table = memory.data(24 * POINTS, 16)

export function makeTable(): void {
  for (let i = 0; i < POINTS; i++) {
    const at = table + 24 * i
    const t = (<f64>i + 0.5) * STEP
    store<f64>(at, f64x2.extract_lane(exp(splat(-t * t)), 0))
    store<f64>(at, t * t, 8)
    store<f64>(at, t * t * t * t, 16)
  }
}

/** Imaginary parts of the last results of `fresnelW`. */
export let imaginary: v128 = i64x2(0, 0)

/** Re W(x), and Im W(x) to `imaginary`; x >= 0. */
export function fresnelW(x: v128): v128 {
  const x2 = mul(x, x)
  const x4 = mul(x2, x2)
  let sum = splat(0)
  let sumT = splat(0)
  for (let at = table; at < table + 24 * POINTS; at += 24) {
    const d = div(same(at), add(x4, same(at + 16)))
    sum = add(sum, d)
    sumT = add(sumT, mul(d, same(at + 8)))
  }
  const f = mul(x, splat(Math.SQRT2 / SCALE))
  let re = mul(f, add(mul(x2, sum), sumT))
  let im = mul(f, sub(sumT, mul(x2, sum)))
  const z = mul(x, splat(POLE))
  const small = f64x2.lt(z, splat(POLE_LIMIT))
  if (v128.any_true(small)) {
    // The poles of the integrand: 2 e^{jx^2} / (e^{z(1+j)} + 1).
    const e = exp(f64x2.pmin(z, splat(POLE_LIMIT)))
    const di = mul(e, sin(z))
    const dr = add(mul(e, cosine), splat(1))
    const g = v128.and(small, div(splat(2), add(mul(dr, dr), mul(di, di))))
    const s = sin(x2)
    const c = cosine
    re = add(re, mul(g, add(mul(c, dr), mul(s, di))))
    im = add(im, mul(g, sub(mul(s, dr), mul(c, di))))
  }
  imaginary = im
  return re
}

// W(x) = e^{jx^2} erfc(e^{j pi/4} x) of two arguments at a time: as `fresnelW` of math/fresnel.ts, which see.
import { cosine, exp, sin } from './functions'
import { add, div, mul, same, splat, sub } from './lanes'

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

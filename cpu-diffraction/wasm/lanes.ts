// Two doubles at a time. AssemblyScript has no operators for them; the optimiser puts these in line.

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

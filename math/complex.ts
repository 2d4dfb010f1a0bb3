/**
 * A complex number [re, im], for formulas written as their source has them. Hot loops keep real and imaginary parts in variables or
 * arrays instead.
 */
export type Complex = readonly [re: number, im: number]

export const multiply = (a: Complex, b: Complex): Complex => [
  a[0] * b[0] - a[1] * b[1],
  a[0] * b[1] + a[1] * b[0],
]

export const add = (a: Complex, b: Complex): Complex => [a[0] + b[0], a[1] + b[1]]
export const subtract = (a: Complex, b: Complex): Complex => [a[0] - b[0], a[1] - b[1]]
export const scale = (x: number, a: Complex): Complex => [x * a[0], x * a[1]]

export function divide(a: Complex, b: Complex): Complex {
  const size = b[0] * b[0] + b[1] * b[1]
  return [(a[0] * b[0] + a[1] * b[1]) / size, (a[1] * b[0] - a[0] * b[1]) / size]
}

export const magnitude = (a: Complex): number => Math.hypot(a[0], a[1])

export function exp(a: Complex): Complex {
  const size = Math.exp(a[0])
  return [size * Math.cos(a[1]), size * Math.sin(a[1])]
}

export const sin = ([re, im]: Complex): Complex => [
  Math.sin(re) * Math.cosh(im),
  Math.cos(re) * Math.sinh(im),
]
export const cos = ([re, im]: Complex): Complex => [
  Math.cos(re) * Math.cosh(im),
  -Math.sin(re) * Math.sinh(im),
]

/** The principal value, with a real part of at least 0. */
export function sqrt([re, im]: Complex): Complex {
  const size = Math.hypot(re, im)
  if (size === 0) return [0, 0]
  const larger = Math.sqrt((size + Math.abs(re)) / 2)
  const smaller = Math.abs(im) / (2 * larger)
  const [x, y] = re >= 0 ? [larger, smaller] : [smaller, larger]
  return [x, im < 0 ? -y : y]
}

/** The principal value, -j log(jz + sqrt(1 - z^2)), with a real part between -pi/2 and pi/2. */
export function asin(z: Complex): Complex {
  const root = multiply(sqrt([1 - z[0], -z[1]]), sqrt([1 + z[0], z[1]]))
  // Of jz + root and root - jz, whose product is 1, the larger one has all its digits.
  const plus: Complex = [root[0] - z[1], root[1] + z[0]]
  const minus: Complex = [root[0] + z[1], root[1] - z[0]]
  const isPlus = magnitude(plus) >= magnitude(minus)
  const [re, im] = isPlus ? plus : minus
  const sign = isPlus ? 1 : -1
  return [sign * Math.atan2(im, re), -sign * Math.log(Math.hypot(re, im))]
}

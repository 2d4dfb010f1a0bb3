/**
 * A complex number [re, im], for formulas written as their source has them. Hot loops keep real and imaginary parts in variables or
 * arrays instead.
 */
export type Complex = readonly [re: number, im: number]

export const add = (a: Complex, b: Complex): Complex => [a[0] + b[0], a[1] + b[1]]

export const subtract = (a: Complex, b: Complex): Complex => [a[0] - b[0], a[1] - b[1]]

export const scale = (z: Complex, factor: number): Complex => [z[0] * factor, z[1] * factor]

export const multiply = (a: Complex, b: Complex): Complex => [
  a[0] * b[0] - a[1] * b[1],
  a[0] * b[1] + a[1] * b[0],
]

export const divide = (a: Complex, b: Complex): Complex => {
  const modulusSqr = b[0] * b[0] + b[1] * b[1]
  return [(a[0] * b[0] + a[1] * b[1]) / modulusSqr, (a[1] * b[0] - a[0] * b[1]) / modulusSqr]
}

/**
 * The square root with positive real part, whose imaginary part has the sign of z's; -j sqrt|z| for negative reals, the limit of
 * small losses where the time factor is exp(+jwt).
 */
export function squareRoot(z: Complex): Complex {
  const modulus = Math.sqrt(z[0] * z[0] + z[1] * z[1])
  const re = Math.sqrt((modulus + z[0]) / 2)
  return [re, re > 0 ? z[1] / (2 * re) : -Math.sqrt(modulus)]
}

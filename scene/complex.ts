/**
 * A complex number [re, im], for formulas written as their source has them. Hot loops keep real and imaginary parts in variables or
 * arrays instead.
 */
export type Complex = readonly [re: number, im: number]

export const multiply = (a: Complex, b: Complex): Complex => [
  a[0] * b[0] - a[1] * b[1],
  a[0] * b[1] + a[1] * b[0],
]

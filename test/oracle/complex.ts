/** Real and imaginary part. */
export type Complex = [number, number]

export const product = (a: Complex, b: Complex): Complex => [
  a[0] * b[0] - a[1] * b[1],
  a[0] * b[1] + a[1] * b[0],
]
export const sum = (a: Complex, b: Complex): Complex => [a[0] + b[0], a[1] + b[1]]
export const scaled = (factor: number, a: Complex): Complex => [factor * a[0], factor * a[1]]

/** exp(j radians). */
export const phasor = (radians: number): Complex => [Math.cos(radians), Math.sin(radians)]

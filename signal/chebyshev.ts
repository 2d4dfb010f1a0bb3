/** Chebyshev nodes (first kind) on [a, b]. */
export const chebyshevNodes = (a: number, b: number, count: number): Float64Array =>
  Float64Array.from(
    { length: count },
    (_, i) => 0.5 * (a + b) - 0.5 * (b - a) * Math.cos((Math.PI * (2 * i + 1)) / (2 * count)),
  )

/** Values at x of the Lagrange polynomials of the nodes. */
export function lagrange(nodes: Float64Array, x: number): Float64Array {
  return nodes.map((xi, i) => nodes.reduce((f, xj, j) => (j === i ? f : (f * (x - xj)) / (xi - xj)), 1))
}

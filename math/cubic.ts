/** Sets the weights of values at -1, 0, 1 and 2 in Lagrange's cubic through them, at t from 0 to 1. */
export function setCubicWeights(t: number, out: Float64Array): void {
  out[0] = (t * (t - 1) * (2 - t)) / 6
  out[1] = 0.5 * (t + 1) * (t - 1) * (t - 2)
  out[2] = 0.5 * (t + 1) * t * (2 - t)
  out[3] = ((t + 1) * t * (t - 1)) / 6
}

/** Phases may be this far from their mean at most [rad]. */
export const FARTHEST = 3.4
/** Terms for phases up to t: these and so many per radian leave 1e-7. */
const FIRST_TERMS = 6
const MORE_TERMS = 3.7
const TERMS = FIRST_TERMS + Math.ceil(MORE_TERMS * FARTHEST)
/** 2/(n + 3)! */
const WEIGHTS = Float64Array.from({ length: TERMS }, (_, n) => {
  let weight = 2
  for (let i = 2; i <= n + 3; i++) weight /= i
  return weight
})

/**
 * Sets `out` to re, im of the three integrals over a triangle of unit area of the barycentric coordinate l_i times exp(j sum l t):
 *
 *   E_i = 2 sum over n of j^n h_n(t_0, t_1, t_2, t_i)/(n + 3)!,   h the complete homogeneous symmetric polynomials
 *
 * (Hermite and Genocchi's formula of divided differences). A linear amplitude with the values A_i at the corners has the integral sum A_i E_i.
 *
 * @param t  phases at the corners [rad], with the mean zero
 */
export function cornerIntegrals(t0: number, t1: number, t2: number, out: Float64Array): void {
  const e2 = t0 * t1 + t0 * t2 + t1 * t2
  const e3 = t0 * t1 * t2
  // h of three arguments: their sum is zero.
  let [h, before, earlier] = [1, 0, 0]
  let [h0, h1, h2] = [1, 1, 1]
  let [re0, re1, re2, im0, im1, im2] = [WEIGHTS[0], WEIGHTS[0], WEIGHTS[0], 0, 0, 0]
  const terms = Math.min(TERMS, FIRST_TERMS + MORE_TERMS * Math.max(Math.abs(t0), Math.abs(t1), Math.abs(t2)))
  for (let n = 1; n < terms; n++) {
    const next = e3 * earlier - e2 * before
    earlier = before
    before = h
    h = next
    h0 = h + t0 * h0
    h1 = h + t1 * h1
    h2 = h + t2 * h2
    const weight = (n & 2) === 0 ? WEIGHTS[n] : -WEIGHTS[n]
    if ((n & 1) === 0) {
      re0 += weight * h0
      re1 += weight * h1
      re2 += weight * h2
    } else {
      im0 += weight * h0
      im1 += weight * h1
      im2 += weight * h2
    }
  }
  out[0] = re0
  out[1] = im0
  out[2] = re1
  out[3] = im1
  out[4] = re2
  out[5] = im2
}

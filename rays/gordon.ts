/** sin(x)/x - 1, by its series near 0 so that no digits cancel. */
export function sincMinusOne(x: number): number {
  const y = x * x
  if (y > 1) return Math.sin(x) / x - 1
  return (
    (-y / 6) *
    (1 - (y / 20) * (1 - (y / 42) * (1 - (y / 72) * (1 - (y / 110) * (1 - (y / 156) * (1 - y / 210))))))
  )
}

export const sinc = (x: number): number => 1 + sincMinusOne(x)

/**
 * Coefficients of Gordon's polygon integral that do not depend on frequency. For the phase gradient k w the integral
 * I(k) of exp(j k w . r) over the polygon is `gordonSum`. Written to out[at ...]: per edge i of `n` the numbers
 * x_i = w_t . a_i / 2, phi_i = w_t . m_i and g_i / |w_t|^2, g_i = w_t . (a_i x p).
 *
 * @param q   3n vertex coordinates relative to a point inside the polygon, counter-clockwise about p
 * @param w   phase gradient per unit wavenumber
 * @param p   unit normal of the polygon (of its vector area)
 */
export function gordonCoefficients(
  q: Float64Array,
  n: number,
  w: ArrayLike<number>,
  p: ArrayLike<number>,
  out: Float64Array,
  at: number,
): void {
  const wp = w[0] * p[0] + w[1] * p[1] + w[2] * p[2]
  let tx = w[0] - wp * p[0]
  let ty = w[1] - wp * p[1]
  let tz = w[2] - wp * p[2]
  if (tx * tx + ty * ty + tz * tz < 1e-18) {
    // Any tiny gradient in the plane gives the area, which is the limit; a zero one would give 0/0.
    const length = Math.hypot(q[3] - q[0], q[4] - q[1], q[5] - q[2]) || 1
    tx = (1e-9 * (q[3] - q[0])) / length
    ty = (1e-9 * (q[4] - q[1])) / length
    tz = (1e-9 * (q[5] - q[2])) / length
  }
  const t2 = tx * tx + ty * ty + tz * tz
  for (let i = 0; i < n; i++) {
    const j = 3 * ((i + 1) % n)
    const ax = q[j] - q[3 * i]
    const ay = q[j + 1] - q[3 * i + 1]
    const az = q[j + 2] - q[3 * i + 2]
    out[at + 3 * i] = 0.5 * (tx * ax + ty * ay + tz * az)
    out[at + 3 * i + 1] =
      0.5 * (tx * (q[j] + q[3 * i]) + ty * (q[j + 1] + q[3 * i + 1]) + tz * (q[j + 2] + q[3 * i + 2]))
    const g = tx * (ay * p[2] - az * p[1]) + ty * (az * p[0] - ax * p[2]) + tz * (ax * p[1] - ay * p[0])
    out[at + 3 * i + 2] = g / t2
  }
}

/**
 * Gordon's integral [m^2] from its coefficients at wavenumber k, in the form that stays exact for small k |w|
 * (docs/theory.md, "Shape function"; W. B. Gordon, IEEE Trans. AP 23, 1975): with s1 = sinc(k x) - 1,
 * I = 1/(jk) sum_i (g_i/|w_t|^2) [ s1 + (1 + s1)(-2 sin^2(k phi/2)) + j (1 + s1) sin(k phi) ].
 * The result goes to out[0] (real) and out[1] (imaginary part).
 */
export function gordonSum(c: Float64Array, at: number, n: number, k: number, out: Float64Array): void {
  let re = 0
  let im = 0
  for (let i = at; i < at + 3 * n; i += 3) {
    const s1 = sincMinusOne(k * c[i])
    const half = Math.sin(0.5 * k * c[i + 1])
    re += c[i + 2] * (s1 - 2 * (1 + s1) * half * half)
    im += c[i + 2] * (1 + s1) * Math.sin(k * c[i + 1])
  }
  out[0] = im / k
  out[1] = -re / k
}

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
 * Coefficients of Gordon's polygon integral (docs/theory.md, "Shape function", equation (12)) that do not depend on frequency. For the
 * phase gradient k w the integral I(k) of exp(j k w . r) over the polygon is `gordonSum`. Written to out[at ...]: per edge i of `n` the
 * numbers x_i / k = w_t . edge / 2, phi_i / k = w_t . midpoint and g_i / |w_t|^2, g_i = w_t . (edge x normal).
 *
 * @param vertices  3n coordinates relative to a point inside the polygon, counter-clockwise about the normal
 * @param w         phase gradient per unit wavenumber
 * @param normal    unit normal N of the polygon (of its vector area)
 */
export function gordonCoefficients(
  vertices: Float64Array,
  n: number,
  w: ArrayLike<number>,
  normal: ArrayLike<number>,
  out: Float64Array,
  at: number,
): void {
  const alongNormal = w[0] * normal[0] + w[1] * normal[1] + w[2] * normal[2]
  let tx = w[0] - alongNormal * normal[0]
  let ty = w[1] - alongNormal * normal[1]
  let tz = w[2] - alongNormal * normal[2]
  if (tx * tx + ty * ty + tz * tz < 1e-18) {
    // Any tiny gradient in the plane gives the area, which is the limit; a zero one would give 0/0.
    const sideX = vertices[3] - vertices[0]
    const sideY = vertices[4] - vertices[1]
    const sideZ = vertices[5] - vertices[2]
    const length = Math.hypot(sideX, sideY, sideZ) || 1
    tx = (1e-9 * sideX) / length
    ty = (1e-9 * sideY) / length
    tz = (1e-9 * sideZ) / length
  }
  const t2 = tx * tx + ty * ty + tz * tz
  for (let i = 0; i < n; i++) {
    const v = 3 * i
    const next = 3 * ((i + 1) % n)
    const edgeX = vertices[next] - vertices[v]
    const edgeY = vertices[next + 1] - vertices[v + 1]
    const edgeZ = vertices[next + 2] - vertices[v + 2]
    out[at + v] = 0.5 * (tx * edgeX + ty * edgeY + tz * edgeZ)
    out[at + v + 1] =
      0.5 *
      (tx * (vertices[next] + vertices[v]) +
        ty * (vertices[next + 1] + vertices[v + 1]) +
        tz * (vertices[next + 2] + vertices[v + 2]))
    const g =
      tx * (edgeY * normal[2] - edgeZ * normal[1]) +
      ty * (edgeZ * normal[0] - edgeX * normal[2]) +
      tz * (edgeX * normal[1] - edgeY * normal[0])
    out[at + v + 2] = g / t2
  }
}

/**
 * Gordon's integral [m^2] from its coefficients at wavenumber k, in the form that stays exact for small k |w|
 * (docs/theory.md, "Shape function", equation (12)): with y = sinc x_i - 1,
 * I = 1/(jk) sum_i (g_i/|w_t|^2) [ y + (1 + y)(-2 sin^2(phi_i/2)) + j (1 + y) sin phi_i ].
 * The result goes to out[0] (real) and out[1] (imaginary part).
 */
export function gordonSum(c: Float64Array, at: number, n: number, k: number, out: Float64Array): void {
  let re = 0
  let im = 0
  for (let i = at; i < at + 3 * n; i += 3) {
    const y = sincMinusOne(k * c[i])
    const half = Math.sin(0.5 * k * c[i + 1])
    re += c[i + 2] * (y - 2 * (1 + y) * half * half)
    im += c[i + 2] * (1 + y) * Math.sin(k * c[i + 1])
  }
  out[0] = im / k
  out[1] = -re / k
}

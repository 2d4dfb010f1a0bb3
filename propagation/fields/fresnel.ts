/** Fresnel's coefficients of a half-space: [re, im] of s (perpendicular, TE) then p (parallel, TM). */
export type Fresnel = [number, number, number, number]

/**
 * Reflection at a half-space of complex relative permittivity eps = [re, im <= 0] (null: a perfect conductor), incidence
 * from vacuum at cosine c to the normal, time factor exp(+jwt):
 * r_s = (c - q) / (c + q), r_p = (eps c - q) / (eps c + q), q = sqrt(eps - sin^2)
 * (Recommendation ITU-R P.2040, eqs. (31) and (32); r_p with the polarisation vectors of `reflectField`, so that a conductor
 * has r_s = -1, r_p = +1).
 */
export function fresnel(eps: [number, number] | null, c: number, out: Fresnel): void {
  if (!eps) {
    out[0] = -1
    out[1] = 0
    out[2] = 1
    out[3] = 0
    return
  }
  const [er, ei] = eps
  const a = er - 1 + c * c
  const size = Math.sqrt(a * a + ei * ei)
  // The root with positive real part; the imaginary part then has the sign of ei.
  const qr = Math.sqrt((size + a) / 2)
  const qi = qr > 0 ? ei / (2 * qr) : -Math.sqrt(size)
  quotient(c - qr, -qi, c + qr, qi, out, 0)
  quotient(er * c - qr, ei * c - qi, er * c + qr, ei * c + qi, out, 2)
}

function quotient(ar: number, ai: number, br: number, bi: number, out: Fresnel, at: 0 | 2): void {
  const size = br * br + bi * bi
  out[at] = (ar * br + ai * bi) / size
  out[at + 1] = (ai * br - ar * bi) / size
}

const coefficients: Fresnel = [0, 0, 0, 0]

/**
 * Reflects a field (3 real, then 3 imaginary components, in place) that travels along unit d at a plane of unit normal n on
 * the side it comes from. Polarisation vectors: s = d x n, p = d x s before and d_r x s after the reflection.
 */
export function reflectField(
  field: Float64Array,
  dx: number,
  dy: number,
  dz: number,
  nx: number,
  ny: number,
  nz: number,
  eps: [number, number] | null,
): void {
  const c = -(dx * nx + dy * ny + dz * nz)
  let sx = dy * nz - dz * ny
  let sy = dz * nx - dx * nz
  let sz = dx * ny - dy * nx
  const length = Math.sqrt(sx * sx + sy * sy + sz * sz)
  if (length > 1e-12) {
    sx /= length
    sy /= length
    sz /= length
  } else {
    // At normal incidence any s will do; the axis farthest from n gives one.
    const [ax, ay, az] = Math.abs(nx) <= Math.abs(ny) && Math.abs(nx) <= Math.abs(nz) ? [1, 0, 0] : Math.abs(ny) <= Math.abs(nz) ? [0, 1, 0] : [0, 0, 1] // prettier-ignore
    const [x, y, z] = [ny * az - nz * ay, nz * ax - nx * az, nx * ay - ny * ax]
    const size = Math.hypot(x, y, z)
    ;[sx, sy, sz] = [x / size, y / size, z / size]
  }
  const px = dy * sz - dz * sy
  const py = dz * sx - dx * sz
  const pz = dx * sy - dy * sx
  const rx = dx + 2 * c * nx
  const ry = dy + 2 * c * ny
  const rz = dz + 2 * c * nz
  const qx = ry * sz - rz * sy
  const qy = rz * sx - rx * sz
  const qz = rx * sy - ry * sx
  fresnel(eps, c, coefficients)
  const [sr, si, pr, pi] = coefficients
  const asr = field[0] * sx + field[1] * sy + field[2] * sz
  const asi = field[3] * sx + field[4] * sy + field[5] * sz
  const apr = field[0] * px + field[1] * py + field[2] * pz
  const api = field[3] * px + field[4] * py + field[5] * pz
  const er = sr * asr - si * asi
  const ei = sr * asi + si * asr
  const fr = pr * apr - pi * api
  const fi = pr * api + pi * apr
  field[0] = er * sx + fr * qx
  field[1] = er * sy + fr * qy
  field[2] = er * sz + fr * qz
  field[3] = ei * sx + fi * qx
  field[4] = ei * sy + fi * qy
  field[5] = ei * sz + fi * qz
}

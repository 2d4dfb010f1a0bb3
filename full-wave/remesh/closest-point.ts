/**
 * The point of a triangle nearest to x (Ericson, Real-Time Collision Detection, 5.1.5), written to `out`; returns the squared distance.
 *
 * @param p  coordinates of vertices; a, b and c are vertex numbers
 */
export function closestOnTriangle(
  p: ArrayLike<number>,
  a: number,
  b: number,
  c: number,
  x: ArrayLike<number>,
  out: Float64Array,
): number {
  const ax = p[3 * a]
  const ay = p[3 * a + 1]
  const az = p[3 * a + 2]
  const ux = p[3 * b] - ax
  const uy = p[3 * b + 1] - ay
  const uz = p[3 * b + 2] - az
  const vx = p[3 * c] - ax
  const vy = p[3 * c + 1] - ay
  const vz = p[3 * c + 2] - az
  const wx = x[0] - ax
  const wy = x[1] - ay
  const wz = x[2] - az
  const d1 = ux * wx + uy * wy + uz * wz
  const d2 = vx * wx + vy * wy + vz * wz
  const uu = ux * ux + uy * uy + uz * uz
  const uv = ux * vx + uy * vy + uz * vz
  const vv = vx * vx + vy * vy + vz * vz
  const d3 = d1 - uu
  const d4 = d2 - uv
  const d5 = d1 - uv
  const d6 = d2 - vv
  let s = 0
  let t = 0
  const vc = d1 * d4 - d3 * d2
  const vb = d5 * d2 - d1 * d6
  const va = d3 * d6 - d5 * d4
  if (d1 <= 0 && d2 <= 0) s = t = 0
  else if (d3 >= 0 && d4 <= d3) s = 1
  else if (vc <= 0 && d1 >= 0 && d3 <= 0) s = d1 / (d1 - d3)
  else if (d6 >= 0 && d5 <= d6) t = 1
  else if (vb <= 0 && d2 >= 0 && d6 <= 0) t = d2 / (d2 - d6)
  else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    t = (d4 - d3) / (d4 - d3 + (d5 - d6))
    s = 1 - t
  } else {
    const sum = va + vb + vc
    s = vb / sum
    t = vc / sum
  }
  if (!(s >= 0 && t >= 0)) s = t = 0
  out[0] = ax + s * ux + t * vx
  out[1] = ay + s * uy + t * vy
  out[2] = az + s * uz + t * vz
  const ex = out[0] - x[0]
  const ey = out[1] - x[1]
  const ez = out[2] - x[2]
  return ex * ex + ey * ey + ez * ez
}

import type { Vec3 } from '../../scene/index.js'

/** Directivity of a half-wave dipole, 4 / Cin(2 pi). */
const DIPOLE_DIRECTIVITY = 1.6409223769

/**
 * An antenna: a far-field pattern about an axis. theta is counted from the axis, phi about it from `side`; V is theta-hat,
 * H is phi-hat there. A pattern's vector g(direction) has |g|^2 = gain.
 */
export interface Antenna {
  pattern: Pattern
  /** Unit vector. */
  axis: Vec3
  /** Unit vector across the axis: phi = 0. */
  side: Vec3
}

export type Pattern =
  /** Gain 1 everywhere, polarised as asked. */
  | { kind: 'isotropic' }
  /** A half-wave dipole along the axis, gain 1.64 (cos(pi/2 cos theta) / sin theta)^2, polarised as asked. */
  | { kind: 'dipole' }
  /** A short dipole along the axis, gain 1.5 sin^2 theta, polarised as asked. */
  | { kind: 'short-dipole' }
  /** A table that says itself how it is polarised; V and H both radiate it as it is. */
  | { kind: 'table'; table: PatternTable }

/** Pattern on a regular grid, theta from 0 to 180 degrees and phi from 0 to 360 both ends included. */
export interface PatternTable {
  thetas: number
  phis: number
  /** 4 numbers per grid point, theta outermost: g_theta re, im, g_phi re, im. */
  values: Float64Array
}

export type Polarisation = 'v' | 'h'

/** The axes of an antenna whose axis points along `axis`; `side` as near to x (or, of an axis near x, to y) as can be. */
export function antennaAxes(axis: Vec3): Pick<Antenna, 'axis' | 'side'> {
  const length = Math.hypot(...axis)
  const a = axis.map((x) => x / length) as Vec3
  const near: Vec3 = Math.abs(a[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0]
  const along = a[0] * near[0] + a[1] * near[1] + a[2] * near[2]
  const across = near.map((x, i) => x - along * a[i]) as Vec3
  const size = Math.hypot(...across)
  return { axis: a, side: across.map((x) => x / size) as Vec3 }
}

/**
 * The vector g(r) of an antenna towards unit direction r: 3 real, then 3 imaginary components into `out`.
 */
export function antennaVector(
  { pattern, axis, side }: Antenna,
  polarisation: Polarisation,
  rx: number,
  ry: number,
  rz: number,
  out: Float64Array,
): void {
  const c = Math.max(-1, Math.min(1, axis[0] * rx + axis[1] * ry + axis[2] * rz))
  const s = Math.sqrt(
    (axis[1] * rz - axis[2] * ry) ** 2 +
      (axis[2] * rx - axis[0] * rz) ** 2 +
      (axis[0] * ry - axis[1] * rx) ** 2,
  )
  // phi-hat = axis x r / sin theta, theta-hat = phi-hat x r; along the axis phi = 0.
  let hx = axis[1] * rz - axis[2] * ry
  let hy = axis[2] * rx - axis[0] * rz
  let hz = axis[0] * ry - axis[1] * rx
  if (s > 1e-12) {
    hx /= s
    hy /= s
    hz /= s
  } else {
    hx = axis[1] * side[2] - axis[2] * side[1]
    hy = axis[2] * side[0] - axis[0] * side[2]
    hz = axis[0] * side[1] - axis[1] * side[0]
  }
  const vx = hy * rz - hz * ry
  const vy = hz * rx - hx * rz
  const vz = hx * ry - hy * rx
  if (pattern.kind === 'table') {
    const up = [axis[1] * side[2] - axis[2] * side[1], axis[2] * side[0] - axis[0] * side[2], axis[0] * side[1] - axis[1] * side[0]] // prettier-ignore
    const phi = Math.atan2(up[0] * rx + up[1] * ry + up[2] * rz, side[0] * rx + side[1] * ry + side[2] * rz)
    const [vr, vi, hr, hi] = interpolate(pattern.table, Math.atan2(s, c), phi)
    for (let part = 0; part < 2; part++) {
      const v = part === 0 ? vr : vi
      const h = part === 0 ? hr : hi
      out[3 * part] = v * vx + h * hx
      out[3 * part + 1] = v * vy + h * hy
      out[3 * part + 2] = v * vz + h * hz
    }
    return
  }
  const g = amplitude(pattern.kind, c, s)
  const vertical = polarisation === 'v'
  out[0] = g * (vertical ? vx : hx)
  out[1] = g * (vertical ? vy : hy)
  out[2] = g * (vertical ? vz : hz)
  out[3] = out[4] = out[5] = 0
}

/** sqrt(gain) at the cosine and sine of theta. */
function amplitude(kind: 'isotropic' | 'dipole' | 'short-dipole', c: number, s: number): number {
  if (kind === 'isotropic') return 1
  if (kind === 'short-dipole') return Math.sqrt(1.5) * s
  return s > 1e-6 ? (Math.sqrt(DIPOLE_DIRECTIVITY) * Math.cos((Math.PI / 2) * c)) / s : 0
}

/** Bilinear in theta and phi [rad]. */
function interpolate({ thetas, phis, values }: PatternTable, theta: number, phi: number): number[] {
  const t = (theta / Math.PI) * (thetas - 1)
  const turn = phi / (2 * Math.PI)
  const p = (turn - Math.floor(turn)) * (phis - 1)
  const i = Math.max(0, Math.min(thetas - 2, Math.floor(t)))
  const j = Math.max(0, Math.min(phis - 2, Math.floor(p)))
  const [a, b] = [t - i, p - j]
  const at = 4 * (i * phis + j)
  return [0, 1, 2, 3].map(
    (k) =>
      (1 - a) * ((1 - b) * values[at + k] + b * values[at + 4 + k]) +
      a * ((1 - b) * values[at + 4 * phis + k] + b * values[at + 4 * phis + 4 + k]),
  )
}

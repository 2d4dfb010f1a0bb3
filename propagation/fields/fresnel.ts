import { type Complex, multiply } from '../../scene/complex.js'
import { cross, dot, type Vec3 } from '../../scene/direction.js'
import { halfSpace } from '../../scene/materials/index.js'

/** Reflection coefficients of a half-space: E perpendicular to the plane of incidence (TE) and in it (TM). */
export interface ReflectionCoefficients {
  rTe: Complex
  rTm: Complex
}

const CONDUCTOR: ReflectionCoefficients = { rTe: [-1, 0], rTm: [1, 0] }
const coefficients = new Float64Array(4)

/**
 * Coefficients of a half-space, incidence from vacuum, as `slab` has them (`scene/materials`): a conductor has r_TE = -1, r_TM = +1.
 *
 * @param eta       complex relative permittivity, imaginary part <= 0 (null: a perfect conductor)
 * @param cosTheta  of the angle of incidence to the normal
 */
export function fresnel(eta: Complex | null, cosTheta: number): ReflectionCoefficients {
  if (!eta) return CONDUCTOR
  halfSpace(eta[0], eta[1], cosTheta, coefficients)
  return { rTe: [coefficients[0], coefficients[1]], rTm: [coefficients[2], coefficients[3]] }
}

/**
 * Reflects a field (3 real, then 3 imaginary components, in place) at a half-space of relative permittivity eta:
 *   E_r = r_TE (E . e_TE) e_TE + r_TM (E . e_TM) e_TM',  e_TE = d x n,  e_TM = d x e_TE,  e_TM' = d' x e_TE
 *
 * @param d  direction of incidence, unit
 * @param n  normal on the side that the field comes from, unit
 */
export function reflectField(field: Float64Array, d: Vec3, n: Vec3, eta: Complex | null): void {
  const cosTheta = -dot(d, n)
  const reflected: Vec3 = [d[0] + 2 * cosTheta * n[0], d[1] + 2 * cosTheta * n[1], d[2] + 2 * cosTheta * n[2]]
  const eTe = perpendicular(d, n)
  const eTm = cross(d, eTe)
  const eTmReflected = cross(reflected, eTe)
  const { rTe, rTm } = fresnel(eta, cosTheta)
  const te = multiply(rTe, component(field, eTe))
  const tm = multiply(rTm, component(field, eTm))
  for (let i = 0; i < 3; i++) {
    field[i] = te[0] * eTe[i] + tm[0] * eTmReflected[i]
    field[3 + i] = te[1] * eTe[i] + tm[1] * eTmReflected[i]
  }
}

/** Component of a field along a real unit vector. */
const component = (field: Float64Array, e: Vec3): Complex => [
  field[0] * e[0] + field[1] * e[1] + field[2] * e[2],
  field[3] * e[0] + field[4] * e[1] + field[5] * e[2],
]

/** Unit vector perpendicular to the plane of incidence; at normal incidence any across n, from the axis farthest from n. */
function perpendicular(d: Vec3, n: Vec3): Vec3 {
  const across = cross(d, n)
  const length = Math.sqrt(dot(across, across))
  if (length > 1e-12) return [across[0] / length, across[1] / length, across[2] / length]
  const [nx, ny, nz] = n.map(Math.abs)
  const axis: Vec3 = nx <= ny && nx <= nz ? [1, 0, 0] : ny <= nz ? [0, 1, 0] : [0, 0, 1]
  const [x, y, z] = cross(n, axis)
  const size = Math.hypot(x, y, z)
  return [x / size, y / size, z / size]
}

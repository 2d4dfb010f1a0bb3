import type { Aspect, Direction, Vec3 } from '../scene/index.js'
import type { Functions } from './functions.js'
import { ELECTRIC } from './pair-integrals.js'
import { RULE_6 } from './potentials.js'

const { points: POINTS, weights: WEIGHTS } = RULE_6
const COUNT = WEIGHTS.length

/**
 * Right-hand sides of plane waves of unit amplitude from a direction r̂, E = e exp(jk r̂·r), of both polarisations, e = θ̂ then φ̂:
 * α ∫ f·E + (1 − α) ∫ f · n × ηH with ηH = −r̂ × E, each 2 · unknowns numbers from `at`.
 */
export function planeWave(f: Functions, k: number, from: Direction, out: Float64Array, at: number): void {
  const { r, thetaHat, phiHat } = from
  // −r̂ × θ̂ = −φ̂, −r̂ × φ̂ = θ̂
  const minus: Vec3 = [-phiHat[0], -phiHat[1], -phiHat[2]]
  const { count, corners, areas, normals, outward, first, functions, factors } = f
  out.fill(0, at, at + 4 * count)
  const integral = new Float64Array(8)
  for (let t = 0; t < areas.length; t++) {
    if (first[3 * t] === first[3 * t + 3]) continue
    integrate(corners, areas[t], 9 * t, k, r, integral)
    const part = outward[t] ? ELECTRIC : 1
    const n: Vec3 = [normals[3 * t], normals[3 * t + 1], normals[3 * t + 2]]
    for (let p = 0; p < 2; p++) {
      const e = p ? phiHat : thetaHat
      const h = p ? thetaHat : minus
      // α e + (1 − α) n × h
      const s = (1 - part) * outward[t]
      const vx = part * e[0] + s * (n[1] * h[2] - n[2] * h[1])
      const vy = part * e[1] + s * (n[2] * h[0] - n[0] * h[2])
      const vz = part * e[2] + s * (n[0] * h[1] - n[1] * h[0])
      const re = vx * integral[0] + vy * integral[2] + vz * integral[4]
      const im = vx * integral[1] + vy * integral[3] + vz * integral[5]
      for (let i = 0; i < 3; i++) {
        const c = 9 * t + 3 * i
        const pv = corners[c] * vx + corners[c + 1] * vy + corners[c + 2] * vz
        for (let a = first[3 * t + i]; a < first[3 * t + i + 1]; a++) {
          const to = at + 2 * (p * count + functions[a])
          out[to] += factors[a] * (re - pv * integral[6])
          out[to + 1] += factors[a] * (im - pv * integral[7])
        }
      }
    }
  }
}

/** ∫ r exp(jk s·r) (3) and ∫ exp(jk s·r) over a triangle, complex. */
function integrate(
  corners: Float64Array,
  area: number,
  c: number,
  k: number,
  s: Vec3,
  out: Float64Array,
): void {
  out.fill(0)
  for (let q = 0; q < COUNT; q++) {
    const b0 = POINTS[3 * q]
    const b1 = POINTS[3 * q + 1]
    const b2 = POINTS[3 * q + 2]
    const x = b0 * corners[c] + b1 * corners[c + 3] + b2 * corners[c + 6]
    const y = b0 * corners[c + 1] + b1 * corners[c + 4] + b2 * corners[c + 7]
    const z = b0 * corners[c + 2] + b1 * corners[c + 5] + b2 * corners[c + 8]
    const phase = k * (s[0] * x + s[1] * y + s[2] * z)
    const re = area * WEIGHTS[q] * Math.cos(phase)
    const im = area * WEIGHTS[q] * Math.sin(phase)
    out[0] += x * re
    out[1] += x * im
    out[2] += y * re
    out[3] += y * im
    out[4] += z * re
    out[5] += z * im
    out[6] += re
    out[7] += im
  }
}

/**
 * Amplitudes F [m] about the mesh's origin that currents X = η Σ x f radiate towards s, F = −(jk/4π) ê · ∫ X exp(jk s·r) dS: of θ̂ then φ̂
 * of s, re and im, for each set of coefficients.
 * @param x   coefficients, 2 · unknowns numbers each, from each of `at`
 * @param out 4 numbers a set
 */
export class FarField {
  /** ∫ f exp(jk s·r) of each function: x, y and z, complex, without the triangles' own factors. */
  private readonly theta: Float64Array
  private readonly phi: Float64Array
  private readonly integral = new Float64Array(8)

  constructor(
    private readonly f: Functions,
    private readonly k: number,
  ) {
    this.theta = new Float64Array(2 * f.count)
    this.phi = new Float64Array(2 * f.count)
  }

  towards({ r, thetaHat: e, phiHat: h }: Direction, x: Float64Array, at: number[], out: Float64Array): void {
    const { theta, phi, integral, k } = this
    const { count, corners, areas, first, functions, factors } = this.f
    theta.fill(0)
    phi.fill(0)
    for (let t = 0; t < areas.length; t++) {
      if (first[3 * t] === first[3 * t + 3]) continue
      integrate(corners, areas[t], 9 * t, k, r, integral)
      const eRe = e[0] * integral[0] + e[1] * integral[2] + e[2] * integral[4]
      const eIm = e[0] * integral[1] + e[1] * integral[3] + e[2] * integral[5]
      const hRe = h[0] * integral[0] + h[1] * integral[2] + h[2] * integral[4]
      const hIm = h[0] * integral[1] + h[1] * integral[3] + h[2] * integral[5]
      for (let i = 0; i < 3; i++) {
        const c = 9 * t + 3 * i
        const pe = corners[c] * e[0] + corners[c + 1] * e[1] + corners[c + 2] * e[2]
        const ph = corners[c] * h[0] + corners[c + 1] * h[1] + corners[c + 2] * h[2]
        for (let a = first[3 * t + i]; a < first[3 * t + i + 1]; a++) {
          const to = 2 * functions[a]
          theta[to] += factors[a] * (eRe - pe * integral[6])
          theta[to + 1] += factors[a] * (eIm - pe * integral[7])
          phi[to] += factors[a] * (hRe - ph * integral[6])
          phi[to + 1] += factors[a] * (hIm - ph * integral[7])
        }
      }
    }
    const scale = k / (4 * Math.PI)
    at.forEach((from, set) => {
      let tRe = 0
      let tIm = 0
      let pRe = 0
      let pIm = 0
      for (let m = 0; m < 2 * count; m += 2) {
        const re = x[from + m]
        const im = x[from + m + 1]
        tRe += re * theta[m] - im * theta[m + 1]
        tIm += re * theta[m + 1] + im * theta[m]
        pRe += re * phi[m] - im * phi[m + 1]
        pIm += re * phi[m + 1] + im * phi[m]
      }
      // times −j k / 4π
      out[4 * set] = scale * tIm
      out[4 * set + 1] = -scale * tRe
      out[4 * set + 2] = scale * pIm
      out[4 * set + 3] = -scale * pRe
    })
  }
}

/** Directions of transmission of aspects, each once: by their angles. */
export function transmitters(aspects: Aspect[]): { directions: Direction[]; of: Int32Array } {
  const places = new Map<string, number>()
  const directions: Direction[] = []
  const of = Int32Array.from(aspects, ({ tx }) => {
    const key = `${tx.thetaDeg} ${tx.phiDeg}`
    let place = places.get(key)
    if (place === undefined) {
      places.set(key, (place = directions.length))
      directions.push(tx)
    }
    return place
  })
  return { directions, of }
}

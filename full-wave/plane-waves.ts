import { cross, type Direction, type Vec3 } from '../scene/index.js'
import { mirrored } from './current-mesh.js'
import type { Functions } from './functions.js'
import { ELECTRIC } from './pair-integrals.js'
import { RULE_7 } from './potentials.js'

/**
 * Adds ∫ f · v exp(jk r̂ · r) dS of every function, for the vectors v of a triangle: complex, N numbers re, im for each vector.
 * @param vectors  of a triangle's number; the same count for all
 */
function project(
  f: Functions,
  k: number,
  r: Vec3,
  vectors: (triangle: number) => Vec3[],
  scale: number,
  out: Float64Array[],
): void {
  const { triangles, corners, areas, first, functions, factors } = f
  const { points, weights } = RULE_7
  const moments = new Float64Array(8)
  for (let t = 0; t < triangles; t++) {
    if (first[3 * t] === first[3 * t + 3]) continue
    const c = 9 * t
    moments.fill(0)
    for (let q = 0; q < weights.length; q++) {
      const [b0, b1, b2] = [points[3 * q], points[3 * q + 1], points[3 * q + 2]]
      const x = b0 * corners[c] + b1 * corners[c + 3] + b2 * corners[c + 6]
      const y = b0 * corners[c + 1] + b1 * corners[c + 4] + b2 * corners[c + 7]
      const z = b0 * corners[c + 2] + b1 * corners[c + 5] + b2 * corners[c + 8]
      const phase = k * (r[0] * x + r[1] * y + r[2] * z)
      const re = weights[q] * areas[t] * Math.cos(phase)
      const im = weights[q] * areas[t] * Math.sin(phase)
      moments[0] += re
      moments[1] += im
      moments[2] += x * re
      moments[3] += x * im
      moments[4] += y * re
      moments[5] += y * im
      moments[6] += z * re
      moments[7] += z * im
    }
    const all = vectors(t)
    for (let i = 0; i < 3; i++) {
      const [px, py, pz] = [corners[c + 3 * i], corners[c + 3 * i + 1], corners[c + 3 * i + 2]]
      for (let v = 0; v < all.length; v++) {
        const [vx, vy, vz] = all[v]
        const p = px * vx + py * vy + pz * vz
        const re = vx * moments[2] + vy * moments[4] + vz * moments[6] - p * moments[0]
        const im = vx * moments[3] + vy * moments[5] + vz * moments[7] - p * moments[1]
        for (let a = first[3 * t + i]; a < first[3 * t + i + 1]; a++) {
          out[v][2 * functions[a]] += scale * factors[a] * re
          out[v][2 * functions[a] + 1] += scale * factors[a] * im
        }
      }
    }
  }
}

/** ∫ f · θ̂ exp(jk r̂ · r) dS of every function, and the same of φ̂: what a plane wave of 1 V/m drives, and what far fields are made of. */
export function receive(f: Functions, k: number, d: Direction): [v: Float64Array, h: Float64Array] {
  const out: [Float64Array, Float64Array] = [new Float64Array(2 * f.count), new Float64Array(2 * f.count)]
  f.signs.forEach((sign, image) => {
    // On an image, the wave that its mirror makes of this one.
    const [r, ...vectors] = [d.r, d.thetaHat, d.phiHat].map((v) => mirrored(v, f.mirrors, image))
    project(f, k, r, () => vectors, sign, out)
  })
  return out
}

/** Right-hand sides of the equation (`PairIntegrals`) for plane waves V and H of 1 V/m from a direction, a part of them in each set of functions. */
export function excite(f: Functions, k: number, d: Direction): [v: Float64Array, h: Float64Array] {
  const { normals, outward, signs, mirrors } = f
  const out: [Float64Array, Float64Array] = [new Float64Array(2 * f.count), new Float64Array(2 * f.count)]
  signs.forEach((sign, image) => {
    const [r, ...electric] = [d.r, d.thetaHat, d.phiHat].map((v) => mirrored(v, mirrors, image))
    // η H = −r̂ × E.
    const magnetic = electric.map((e) => cross(e, r))
    const vectors = (t: number): Vec3[] => {
      if (outward[t] === 0) return electric
      const n = [0, 1, 2].map((a) => outward[t] * normals[3 * t + a]) as Vec3
      return electric.map((e, i) => {
        const m = cross(n, magnetic[i])
        return [0, 1, 2].map((a) => ELECTRIC * e[a] + (1 - ELECTRIC) * m[a]) as Vec3
      })
    }
    project(f, k, r, vectors, sign / signs.length, out)
  })
  return out
}

/**
 * Amplitudes F [m] about the mesh's origin that currents X = η Σ x f radiate towards s, F = −(jk/4π) ê · ∫ X exp(jk s·r) dS (docs/theory.md
 * (1)), for ê = θ̂ and φ̂ of s.
 * @param x    coefficients, a set of 2 · unknowns numbers from each of `at`
 * @param out  re, im of both, 4 numbers a set
 */
export function radiate(
  f: Functions,
  k: number,
  s: Direction,
  x: Float64Array,
  at: number[],
  out: Float64Array,
): void {
  const scale = k / (4 * Math.PI)
  receive(f, k, s).forEach((e, p) =>
    at.forEach((from, set) => {
      let re = 0
      let im = 0
      for (let m = 0; m < e.length; m += 2) {
        re += x[from + m] * e[m] - x[from + m + 1] * e[m + 1]
        im += x[from + m] * e[m + 1] + x[from + m + 1] * e[m]
      }
      // Times −jk/4π.
      out[4 * set + 2 * p] = scale * im
      out[4 * set + 2 * p + 1] = -scale * re
    }),
  )
}

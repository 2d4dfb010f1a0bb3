import type { Direction, Vec3 } from '../scene/index.js'
import { type Functions, isOdd } from './functions.js'
import { ELECTRIC, RULE_3, RULE_7, type TriangleRule } from './pair-integrals.js'

/**
 * Sets of functions that do not couple (`symmetricFunctions`), on the same triangles and images: what plane waves drive, and what currents
 * radiate. Phases of a direction are computed once for all of them.
 */
export type FunctionSets = readonly [Functions, ...Functions[]]

/** How many points of a triangle count: 7 (degree 5), or 3 (degree 2) for sums over many directions. */
export type WavePoints = 3 | 7

/** ∫ exp(jk r̂ · r) dS and ∫ r exp(jk r̂ · r) dS of each triangle and image, 8 numbers of `out`. */
function moments(
  { corners, areas }: Functions,
  k: number,
  [rx, ry, rz]: Vec3,
  { points, weights }: TriangleRule,
  out: Float64Array,
): void {
  const count = weights.length
  for (let t = 0; t < areas.length; t++) {
    const c = 9 * t
    const x0 = corners[c]
    const y0 = corners[c + 1]
    const z0 = corners[c + 2]
    // From the first corner, where the exponential is taken; towards the others it is a short series.
    const [ux, uy, uz] = [corners[c + 3] - x0, corners[c + 4] - y0, corners[c + 5] - z0]
    const [vx, vy, vz] = [corners[c + 6] - x0, corners[c + 7] - y0, corners[c + 8] - z0]
    const toU = k * (rx * ux + ry * uy + rz * uz)
    const toV = k * (rx * vx + ry * vy + rz * vz)
    let sRe = 0
    let sIm = 0
    let uRe = 0
    let uIm = 0
    let vRe = 0
    let vIm = 0
    for (let q = 0; q < count; q++) {
      const u = points[3 * q + 1]
      const v = points[3 * q + 2]
      const phase = u * toU + v * toV
      const square = phase * phase
      let cos
      let sin
      if (square < 0.8) {
        cos = 1 - square * (1 / 2 - square * (1 / 24 - square * (1 / 720 - square * (1 / 40320 - square / 3628800)))) // prettier-ignore
        sin = phase * (1 - square * (1 / 6 - square * (1 / 120 - square * (1 / 5040 - square / 362880))))
      } else {
        cos = Math.cos(phase)
        sin = Math.sin(phase)
      }
      const re = weights[q] * cos
      const im = weights[q] * sin
      sRe += re
      sIm += im
      uRe += u * re
      uIm += u * im
      vRe += v * re
      vIm += v * im
    }
    const first = k * (rx * x0 + ry * y0 + rz * z0)
    const cos = areas[t] * Math.cos(first)
    const sin = areas[t] * Math.sin(first)
    const at = 8 * t
    out[at] = cos * sRe - sin * sIm
    out[at + 1] = cos * sIm + sin * sRe
    const [aRe, aIm] = [cos * uRe - sin * uIm, cos * uIm + sin * uRe]
    const [bRe, bIm] = [cos * vRe - sin * vIm, cos * vIm + sin * vRe]
    out[at + 2] = x0 * out[at] + ux * aRe + vx * bRe
    out[at + 3] = x0 * out[at + 1] + ux * aIm + vx * bIm
    out[at + 4] = y0 * out[at] + uy * aRe + vy * bRe
    out[at + 5] = y0 * out[at + 1] + uy * aIm + vy * bIm
    out[at + 6] = z0 * out[at] + uz * aRe + vz * bRe
    out[at + 7] = z0 * out[at + 1] + uz * aIm + vz * bIm
  }
}

/** Directions one after the other, over the same memory. */
export class PlaneWave {
  private readonly moments: Float64Array
  /** Of each triangle and image, two currents X = A r − B: re, im of A, then of the components of B. */
  private readonly currents: [Float64Array, Float64Array]

  constructor(
    private readonly sets: FunctionSets,
    private readonly k: number,
  ) {
    const count = sets[0].areas.length
    this.moments = new Float64Array(8 * count)
    this.currents = [new Float64Array(8 * count), new Float64Array(8 * count)]
  }

  /**
   * Right-hand sides of the equation (`PairIntegrals`) for plane waves V and H of 1 V/m from a direction, a part of them in each set of
   * functions: adds to the 4 · unknowns numbers of direction number `at` in b[set].
   */
  excite(d: Direction, b: readonly Float64Array[], at: number): void {
    const { sets } = this
    const [f] = sets
    const { triangles, corners, normals, outward, signs } = f
    moments(f, this.k, d.r, RULE_7, this.moments)
    const images = signs.length
    const [rx, ry, rz] = d.r
    /** Of each image, w; and of a corner of each, ∫ (r − corner) · w exp(jk r̂ · r) dS. */
    const w = new Float64Array(3 * images)
    const values = new Float64Array(2 * images)
    const m = this.moments
    for (const [p, e] of [d.thetaHat, d.phiHat].entries()) {
      const [ex, ey, ez] = e
      // η H = −r̂ × E.
      const [hx, hy, hz] = [ey * rz - ez * ry, ez * rx - ex * rz, ex * ry - ey * rx]
      const begins = sets.map(({ count }) => 2 * count * (2 * at + p))
      for (let t = 0; t < triangles; t++) {
        for (let image = 0; image < images; image++) {
          const n = 3 * (image * triangles + t)
          const electric = outward[t] === 0 ? 1 : ELECTRIC
          const magnetic = (1 - ELECTRIC) * outward[t] * (isOdd(image) ? -1 : 1)
          w[3 * image] = electric * ex + magnetic * (normals[n + 1] * hz - normals[n + 2] * hy)
          w[3 * image + 1] = electric * ey + magnetic * (normals[n + 2] * hx - normals[n] * hz)
          w[3 * image + 2] = electric * ez + magnetic * (normals[n] * hy - normals[n + 1] * hx)
        }
        for (let i = 0; i < 3; i++) {
          for (let image = 0; image < images; image++) {
            const n = image * triangles + t
            const c = 9 * n + 3 * i
            const wx = w[3 * image]
            const wy = w[3 * image + 1]
            const wz = w[3 * image + 2]
            const s = corners[c] * wx + corners[c + 1] * wy + corners[c + 2] * wz
            for (let part = 0; part < 2; part++) {
              const from = 8 * n + part
              values[2 * image + part] = wx * m[from + 2] + wy * m[from + 4] + wz * m[from + 6] - s * m[from]
            }
          }
          for (let set = 0; set < sets.length; set++) {
            const { signs, first, functions, factors } = sets[set]
            let re = 0
            let im = 0
            for (let image = 0; image < images; image++) {
              re += signs[image] * values[2 * image]
              im += signs[image] * values[2 * image + 1]
            }
            const out = b[set]
            for (let a = first[3 * t + i]; a < first[3 * t + i + 1]; a++) {
              const to = begins[set] + 2 * functions[a]
              out[to] += (factors[a] / images) * re
              out[to + 1] += (factors[a] / images) * im
            }
          }
        }
      }
    }
  }

  /**
   * Takes the currents X = η Σ x f of two sets of coefficients, for `radiate`.
   * @param x   of each set of functions: coefficients, 2 · unknowns numbers a column
   * @param at  the first of both columns
   */
  carry(x: readonly Float64Array[], at: number): void {
    const { sets } = this
    const [{ triangles, corners, signs }] = sets
    const images = signs.length
    /** Of each image, the current is Σ c (r − corner). */
    const c = new Float64Array(2 * images)
    for (let column = 0; column < 2; column++) {
      const to = this.currents[column].fill(0)
      for (let t = 0; t < triangles; t++)
        for (let i = 0; i < 3; i++) {
          c.fill(0)
          for (let set = 0; set < sets.length; set++) {
            const { count, first, functions, factors, signs } = sets[set]
            const begin = 2 * count * (at + column)
            let re = 0
            let im = 0
            for (let a = first[3 * t + i]; a < first[3 * t + i + 1]; a++) {
              re += factors[a] * x[set][begin + 2 * functions[a]]
              im += factors[a] * x[set][begin + 2 * functions[a] + 1]
            }
            for (let image = 0; image < images; image++) {
              c[2 * image] += signs[image] * re
              c[2 * image + 1] += signs[image] * im
            }
          }
          for (let image = 0; image < images; image++) {
            const n = image * triangles + t
            const from = 9 * n + 3 * i
            for (let part = 0; part < 2; part++) {
              const value = c[2 * image + part]
              to[8 * n + part] += value
              for (let a = 0; a < 3; a++) to[8 * n + 2 + 2 * a + part] += value * corners[from + a]
            }
          }
        }
    }
  }

  /**
   * Amplitudes F [m] about the mesh's origin that both currents radiate towards s, F = −(jk/4π) ê · ∫ X exp(jk s·r) dS (docs/theory.md (1)),
   * for ê = θ̂ and φ̂ of s.
   * @param out  re, im of both, 4 numbers a current, from `to` on
   */
  radiate(s: Direction, points: WavePoints, out: Float64Array, to: number): void {
    moments(this.sets[0], this.k, s.r, points === 3 ? RULE_3 : RULE_7, this.moments)
    const m = this.moments
    const scale = this.k / (4 * Math.PI)
    for (let column = 0; column < 2; column++) {
      const x = this.currents[column]
      /** ∫ X exp(jk s·r) dS. */
      let xRe = 0
      let xIm = 0
      let yRe = 0
      let yIm = 0
      let zRe = 0
      let zIm = 0
      for (let at = 0; at < m.length; at += 8) {
        const aRe = x[at]
        const aIm = x[at + 1]
        const sRe = m[at]
        const sIm = m[at + 1]
        xRe += aRe * m[at + 2] - aIm * m[at + 3] - x[at + 2] * sRe + x[at + 3] * sIm
        xIm += aRe * m[at + 3] + aIm * m[at + 2] - x[at + 2] * sIm - x[at + 3] * sRe
        yRe += aRe * m[at + 4] - aIm * m[at + 5] - x[at + 4] * sRe + x[at + 5] * sIm
        yIm += aRe * m[at + 5] + aIm * m[at + 4] - x[at + 4] * sIm - x[at + 5] * sRe
        zRe += aRe * m[at + 6] - aIm * m[at + 7] - x[at + 6] * sRe + x[at + 7] * sIm
        zIm += aRe * m[at + 7] + aIm * m[at + 6] - x[at + 6] * sIm - x[at + 7] * sRe
      }
      for (const [p, [ex, ey, ez]] of [s.thetaHat, s.phiHat].entries()) {
        // Times −jk/4π.
        out[to + 4 * column + 2 * p] = scale * (ex * xIm + ey * yIm + ez * zIm)
        out[to + 4 * column + 2 * p + 1] = -scale * (ex * xRe + ey * yRe + ez * zRe)
      }
    }
  }
}

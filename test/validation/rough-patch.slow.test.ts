import { expect, test } from 'vitest'
import { random } from '../../samples/models/found.js'
import type { Mesh } from '../../scene/index.js'
import { amplitude, db, monostatic, oneFrequency, sbrJob, solve, testScene } from '../helpers/sbr.js'

/** In wavelengths. */
const SIDE = 12
const RMS = 0.25
const CORRELATION = 1.6

/** A realised random surface. Lengths in metres. */
interface RoughPatch {
  /** Side of the square, and of the squares of two facets that it consists of. */
  side: number
  spacing: number
  rmsHeight: number
  /** Distance at which the correlation of heights, exp(-(distance / correlation)^2), has fallen to 1/e. */
  correlation: number
  /** Whole number from 1 on. */
  seed: number
}

/** Normal numbers (Box and Muller) from uniform ones. */
const normal = (next: () => number): number =>
  Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next())

/**
 * Open sheet about the origin near z = 0 whose heights are a stationary Gaussian process of mean zero with a Gaussian correlation:
 * white noise on the grid, convolved with exp(-2 (distance / correlation)^2) along x and y.
 */
function roughPatch({ side, spacing, rmsHeight, correlation, seed }: RoughPatch): Mesh {
  const n = Math.round(side / spacing) + 1
  const reach = Math.ceil((1.6 * correlation) / spacing)
  const kernel = Array.from({ length: 2 * reach + 1 }, (_, i) =>
    Math.exp(-2 * (((i - reach) * spacing) / correlation) ** 2),
  )
  const energy = Math.hypot(...kernel)
  const wide = n + 2 * reach
  const next = random(seed)
  const noise = Float64Array.from({ length: wide * wide }, () => normal(next))
  const along = new Float64Array(wide * n)
  for (let i = 0; i < wide; i++)
    for (let j = 0; j < n; j++) {
      let sum = 0
      for (let k = 0; k < kernel.length; k++) sum += (kernel[k] / energy) * noise[i * wide + j + k]
      along[i * n + j] = sum
    }
  const positions = new Float64Array(3 * n * n)
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) {
      let z = 0
      for (let k = 0; k < kernel.length; k++) z += (kernel[k] / energy) * along[(i + k) * n + j]
      positions.set(
        [(i - (n - 1) / 2) * spacing, (j - (n - 1) / 2) * spacing, rmsHeight * z],
        3 * (i * n + j),
      )
    }
  const triangles: number[] = []
  for (let i = 0; i + 1 < n; i++)
    for (let j = 0; j + 1 < n; j++) {
      const [a, b, c, d] = [i * n + j, (i + 1) * n + j, (i + 1) * n + j + 1, i * n + j + 1]
      triangles.push(a, b, c, a, c, d)
    }
  return { positions, triangles: Uint32Array.from(triangles) }
}

/**
 * Incoherent backscatter coefficient of a perfectly conducting Gaussian surface by the Kirchhoff approximation (P. Beckmann, A.
 * Spizzichino, 1963, chapter 5; slopes by integration by parts, so that F = (jk / 2 pi cos theta) times the integral of exp(jq.r)), the
 * same in VV and HH: k^2 l^2 / cos^2 exp(-s) sum_n s^n / (n! n) exp(-(k l sin)^2 / n), s = (2 k sigma cos theta)^2.
 */
function kirchhoff(thetaDeg: number): number {
  const k = 2 * Math.PI
  const [cos, sin] = [Math.cos, Math.sin].map((f) => f((thetaDeg * Math.PI) / 180))
  const s = (2 * k * RMS * cos) ** 2
  let sum = 0
  let term = 1
  for (let n = 1; n < 80; n++) {
    term *= s / n
    sum += (term / n) * Math.exp(-((k * CORRELATION * sin) ** 2) / n)
  }
  return ((k * CORRELATION) ** 2 / cos ** 2) * Math.exp(-s) * sum
}

test('facets of a realised rough surface scatter as the Kirchhoff approximation says, within 1 dB to 25 degrees', async () => {
  const angles = [0, 12.5, 25]
  const realisations = 60
  const sums = angles.map(() => ({ re: 0, im: 0, power: 0 }))
  for (let seed = 1; seed <= realisations; seed++) {
    const mesh = roughPatch({ side: SIDE, spacing: 0.2, rmsHeight: RMS, correlation: CORRELATION, seed })
    const target = testScene(mesh)
    for (const [i, theta] of angles.entries()) {
      const job = sbrJob(monostatic(theta, 0), oneFrequency(1), { maxBounces: 1, subdivisions: 0, raysPerWavelength: 8 })
      const [re, im] = amplitude((await solve(target, job)).field, 'vv')
      sums[i].re += re
      sums[i].im += im
      sums[i].power += re * re + im * im
    }
  }
  for (const [i, theta] of angles.entries()) {
    const { re, im, power } = sums[i]
    const spread = (power - (re * re + im * im) / realisations) / (realisations - 1)
    const sigma0 = (4 * Math.PI * spread) / SIDE ** 2
    expect(Math.abs(db(sigma0 / kirchhoff(theta)))).toBeLessThan(1)
  }
})

import { expect, test } from 'vitest'
import { roughPatch } from '../../samples/models/found.js'
import { amplitude, db, monostatic, oneFrequency, sbrJob, solve, testScene } from '../helpers/sbr.js'

/** In wavelengths. */
const SIDE = 12
const RMS = 0.25
const CORRELATION = 1.6

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

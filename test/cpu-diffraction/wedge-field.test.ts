import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { FaceStrip, Wedge } from '../../cpu-diffraction/index.js'

// Fields diffracted by wedges in the plane across the edge (the exact series less geometrical optics) at k rho = 10 pi and
// 40 pi, from the isar validation set, every 7th of its rows: E along the edge (soft) and H along it (hard).
const rows = readFileSync(new URL('data/wedge-field.csv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split(',').map(Number))

/**
 * Diffraction coefficients are the first term of a series in 1/x, x = k rho (1 + cos) of the angle to the nearest shadow
 * or reflection boundary (UTD: F(x) = 1 + j/2x ...; several boundaries add up). Rows nearer to one than this x are left out.
 */
const TRANSITION = 5

it('fringe strips and physical optics together radiate the wedge’s diffracted field', () => {
  const strip = new FaceStrip('eec')
  const moments = new Float64Array(12)
  const worst = new Map<number, number>()
  const counted = new Map<number, number>()
  for (const [interior, phiDeg, phi0Deg, kRho, ...field] of rows) {
    const wedge = new Wedge((360 - interior) / 180)
    const [phi, phi0] = [phiDeg, phi0Deg].map((x) => (x * Math.PI) / 180)
    const faces = [
      [phi, phi0],
      [wedge.N * Math.PI - phi, wedge.N * Math.PI - phi0],
    ]
    const boundaries = [phi - phi0, ...faces.map(([p, p0]) => p + p0)]
    const x = kRho * (1 + Math.min(...boundaries.map(Math.cos)))
    if (x < TRANSITION) continue
    let [f, g] = [0, 0]
    for (const [p, p0] of faces) {
      strip.set(wedge, 1, 0, p0, Math.abs(Math.sin(p / 2)), p0 < Math.PI)
      strip.moments(Infinity, Infinity, moments)
      f += moments[2]
      g -= moments[1] * Math.sin(p)
      // Physical optics of a lit face (Ufimtsev): f0 = sin p0 / (cos p + cos p0), g0 = -sin p / (cos p + cos p0).
      if (p0 < Math.PI) {
        f += Math.sin(p0) / (Math.cos(p) + Math.cos(p0))
        g -= Math.sin(p) / (Math.cos(p) + Math.cos(p0))
      }
    }
    // u_d = f exp(-j (k rho + pi/4)) / sqrt(2 pi k rho), less terms of order 1/k rho
    const size = 1 / Math.sqrt(2 * Math.PI * kRho)
    const [re, im] = [Math.cos(kRho + Math.PI / 4) * size, -Math.sin(kRho + Math.PI / 4) * size]
    for (const [u, at] of [
      [f, 0],
      [g, 2],
    ]) {
      const error = Math.hypot(u * re - field[at], u * im - field[at + 1]) / (size * (1 + Math.abs(u)))
      worst.set(kRho, Math.max(worst.get(kRho) ?? 0, error * x))
      counted.set(kRho, (counted.get(kRho) ?? 0) + 1)
    }
  }
  expect(worst.size).toBe(2)
  for (const k of worst.keys()) {
    expect(counted.get(k)).toBeGreaterThan(900)
    expect(worst.get(k)).toBeLessThan(1)
  }
})

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { FaceStrip, Wedge } from '../../cpu-diffraction/index.js'

// Fringe coefficients f1 (E along the edge) and g1 (H along the edge) of Ufimtsev's theory, from the isar validation set
// (total less physical optics of the exact wedge), every 17th of its rows: u_d = f1 exp(-j(k rho + pi/4))/sqrt(2 pi k rho).
const rows = readFileSync(new URL('data/ufimtsev.csv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split(',').map(Number))

it('untruncated strips at normal incidence are Ufimtsev’s coefficients, for half-planes and wedges', () => {
  expect(rows.length).toBeGreaterThan(600)
  const strip = new FaceStrip('eec')
  const moments = new Float64Array(12)
  let worst = 0
  for (const [interior, phiDeg, phi0Deg, f1, g1] of rows) {
    const wedge = new Wedge((360 - interior) / 180)
    const [phi, phi0] = [phiDeg, phi0Deg].map((x) => (x * Math.PI) / 180)
    // Each face counts its angles from itself.
    let f = 0
    let g = 0
    for (const [p, p0] of [
      [phi, phi0],
      [wedge.N * Math.PI - phi, wedge.N * Math.PI - phi0],
    ]) {
      strip.set(wedge, 1, 0, p0, Math.abs(Math.sin(p / 2)), p0 < Math.PI)
      strip.moments(Infinity, Infinity, moments)
      // S is imaginary, T real: f1 = sum of T, g1 = j sum of S sin(phi).
      f += moments[2]
      g -= moments[1] * Math.sin(p)
    }
    worst = Math.max(worst, Math.hypot(f - f1, g - g1) / (1 + Math.hypot(f1, g1)))
  }
  // The file has nine digits.
  expect(worst).toBeLessThan(1e-8)
})

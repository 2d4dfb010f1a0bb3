import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { transition, utdCoefficients } from '../../propagation/fields/diffraction.js'

/** Exact diffracted fields of conducting wedges (test/cpu-diffraction/wedge.test.ts): plane waves across the edge, k rho = 10 pi and 40 pi. */
const rows = readFileSync(new URL('../cpu-diffraction/data/wedge-field.csv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split(',').map(Number))

describe('uniform theory of diffraction', () => {
  it('has the transition function of Kouyoumjian and Pathak', () => {
    // F(x) ~ 1 + j/2x for large x, (sqrt(pi x) - 2 x exp(j pi/4)) exp(j(pi/4 + x)) for small (their eq. (27)).
    for (const x of [1e-6, 1e-5]) {
      const [re, im] = transition(x)
      const root = Math.sqrt(Math.PI * x)
      const [ar, ai] = [root - 2 * x * Math.SQRT1_2, -2 * x * Math.SQRT1_2]
      const angle = Math.PI / 4 + x
      expect(re).toBeCloseTo(ar * Math.cos(angle) - ai * Math.sin(angle), 7)
      expect(im).toBeCloseTo(ar * Math.sin(angle) + ai * Math.cos(angle), 7)
    }
    expect(transition(1e4)[0]).toBeCloseTo(1, 7)
    expect(transition(1e4)[1]).toBeCloseTo(0.5e-4, 8)
    // The two ways of computing it meet.
    const [a, b] = [transition(4 - 1e-12), transition(4 + 1e-12)]
    expect(a[0]).toBeCloseTo(b[0], 11)
    expect(a[1]).toBeCloseTo(b[1], 11)
  })

  it('gives the exact wedge fields at every angle, boundaries included', () => {
    const out = new Float64Array(4)
    let [worstPlane, worstWedge] = [0, 0]
    for (const [interior, phiDeg, phi0Deg, kRho, ...field] of rows) {
      const [phiOut, phiIn] = [phiDeg, phi0Deg].map((x) => (x * Math.PI) / 180)
      utdCoefficients(
        { n: (360 - interior) / 180, sinBeta: 1, phiIn, phiOut, kL: kRho, k: 1, first: null, last: null },
        out,
      )
      const [c, s] = [Math.cos(kRho) / Math.sqrt(kRho), -Math.sin(kRho) / Math.sqrt(kRho)]
      for (const p of [0, 2]) {
        const re = out[p] * c - out[p + 1] * s
        const im = out[p] * s + out[p + 1] * c
        const error = Math.hypot(re - field[p], im - field[p + 1])
        if (interior === 0) worstPlane = Math.max(worstPlane, error)
        else worstWedge = Math.max(worstWedge, error)
      }
    }
    // Of the incident field. The half-plane is exact; a wedge's next term falls as (k rho)^(-3/2).
    expect(worstPlane).toBeLessThan(1e-8)
    expect(worstWedge).toBeLessThan(0.01)
  })
})

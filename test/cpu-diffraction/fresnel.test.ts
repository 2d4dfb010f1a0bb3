import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { fresnelE1, fresnelW, psiEnd, psiFrom, sincDifference } from '../../math/fresnel.js'
import { rows } from '../scene/shapes.js'

const read = (name: string) => JSON.parse(readFileSync(new URL(`data/${name}.json`, import.meta.url), 'utf8'))
const exact = read('functions') as { W: number[][]; Psi: number[][] }
const vectors = read('tw-ildc') as {
  w: { x: number; W: [number, number] }[]
  psi: { a: number; c: number; L: number; Psi: [number, number] }[]
}
const out = new Float64Array(4)
const error = (o: number, re: number, im: number): number => Math.hypot(out[o] - re, out[o + 1] - im)

describe('fresnelW', () => {
  it('agrees with arbitrary-precision values to 2e-15', () => {
    for (const [x, re, im] of exact.W) {
      fresnelW(x, out, 0)
      expect(error(0, re, im), `W(${x})`).toBeLessThan(2e-15)
      expect(error(0, re, im) / Math.hypot(re, im), `relative W(${x})`).toBeLessThan(1e-13)
    }
  })

  it('agrees with the validation set to 1e-13', () => {
    expect(vectors.w.length).toBe(23)
    for (const { x, W } of vectors.w) {
      fresnelW(x, out, 0)
      expect(error(0, ...W), `W(${x})`).toBeLessThan(1e-13)
    }
  })
})

describe('fresnelE1', () => {
  it('agrees with arbitrary-precision values to the rounding of x^2', () => {
    for (const [x, , , re, im] of exact.W) {
      fresnelW(x, out, 0)
      fresnelE1(x, out, 0, out, 2)
      expect(error(2, re, im) / Math.hypot(re, im), `e1(${x})`).toBeLessThan(3e-15 + 2e-16 * x)
    }
  })
})

/** Psi(a, c; L) to out[0..1]. */
function psi(a: number, c: number, L: number): void {
  const w = new Float64Array(8)
  const r = Math.sqrt(2 * L)
  fresnelW(r * a, w, 0)
  fresnelW(r * c, w, 2)
  fresnelE1(r * a, w, 0, w, 4)
  fresnelE1(r * c, w, 2, w, 6)
  psiFrom(a, c, L, w, { wa: 0, ea: 4, ec: 6 }, out)
}

describe('psiFrom', () => {
  it('agrees with arbitrary-precision values to 1e-11 relative', () => {
    for (const [a, c, L, re, im] of exact.Psi) {
      psi(a, c, L)
      const e = error(0, re, im) / Math.hypot(re, im)
      expect(e, `Psi(${a}, ${c}; ${L})`).toBeLessThan(1e-11)
    }
  })

  it('agrees with the validation set to 1e-11 relative', () => {
    expect(vectors.psi.length).toBe(25)
    for (const { a, c, L, Psi } of vectors.psi) {
      psi(a, c, L)
      expect(error(0, ...Psi) / Math.hypot(...Psi), `Psi(${a}, ${c}; ${L})`).toBeLessThan(1e-11)
    }
  })

  it('is exactly zero for a strip of no length', () => {
    for (const a of [0, 0.3, 1])
      for (const c of [0, 0.3, 1, 2]) {
        psi(a, c, 0)
        expect([Math.abs(out[0]), Math.abs(out[1])]).toEqual([0, 0])
      }
  })
})

describe('psiEnd', () => {
  it('is what is missing at infinite length, in terms of W', () => {
    for (const [a, c, r] of rows('0.6 0.9 10, 0.9 0.5 12, 1 1.5 70')) {
      // prettier-ignore
      psiEnd(a, c, r, out, 0)
      fresnelW(r * a, out, 2)
      const [wr, wi] = [out[2], out[3]]
      fresnelW(r * c, out, 2)
      const f = 0.25 / (c * (c * c - a * a))
      expect(error(0, -f * (c * wi - a * out[3]), f * (c * wr - a * out[2]))).toBeLessThan(1e-15)
    }
  })
})

test('differences of sinc keep their digits', () => {
  // Integral of cos(xt) over 0..1: the difference is -2 int sin((2x-d)t/2) sin(dt/2) dt, by Simpson's rule.
  const reference = (x: number, d: number): number => {
    const f = (t: number): number => -2 * Math.sin((x - d / 2) * t) * Math.sin((d * t) / 2)
    const m = 2000
    let sum = f(0) + f(1)
    for (let i = 1; i < m; i++) sum += (i % 2 ? 4 : 2) * f(i / m)
    return sum / (3 * m)
  }
  for (const x of [0, 1e-8, 0.1, 0.499, 0.501, 1.3, Math.PI, 4, -2])
    for (const d of [1e-18, 1e-9, 1e-3, 0.2, -0.7, 2, 2.6]) {
      const want = reference(x, d)
      expect(Math.abs(sincDifference(x, d) - want), `${x}, ${d}`).toBeLessThan(
        1e-11 * Math.abs(d) * (Math.abs(x) + Math.abs(d)),
      )
    }
  expect(sincDifference(1.2, 0)).toBe(0)
})

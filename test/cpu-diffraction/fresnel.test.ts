import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { fresnelE1, fresnelW, psiEnd, psiFrom } from '../../math/fresnel.js'

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
    for (const [a, c, r] of [
      [0.6, 0.9, 10],
      [0.9, 0.5, 12],
      [1, 1.5, 70],
    ]) {
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

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { FaceStrip, MOMENTS, type Truncation, Wedge } from '../../cpu-diffraction/index.js'

type Complex = [number, number]
interface Vector {
  category: string
  N: number
  beta0: number
  phi0: number
  beta: number
  phi: number
  Ez0: Complex
  Hz0: Complex
  k: number
  l: number | 'inf'
  lit: boolean
  c: number
  Px: Complex
  Pz: Complex
  I_T_J?: Complex
  M_T_J?: Complex
  I_UT: Complex
  M_UT: Complex
  I_exact?: Complex
  M_exact?: Complex
}
const Z0 = 376.730313668
const file = readFileSync(new URL('data/tw-ildc.json', import.meta.url), 'utf8')
const { vectors } = JSON.parse(file) as { vectors: Vector[] }
const mul = (a: Complex, b: Complex): Complex => [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
const moments = new Float64Array(MOMENTS)

/** Px, Pz [A] of the moments at out[o...], for complex fields. */
function current(v: Vector, m: Float64Array, o: number): { Px: Complex; Pz: Complex } {
  const sinb = Math.sin(v.beta0)
  const S: Complex = [m[o], m[o + 1]]
  const T: Complex = [m[o + 2], m[o + 3]]
  const R: Complex = [m[o + 4], m[o + 5]]
  const f = 2 / (v.k * sinb)
  const hs = mul(v.Hz0, S)
  const et = mul(v.Ez0, T)
  const hr = mul(v.Hz0, R)
  const cosb = Math.cos(v.beta0)
  const z: Complex = [et[0] / Z0 + cosb * hr[0], et[1] / Z0 + cosb * hr[1]]
  return { Px: [f * hs[0], f * hs[1]], Pz: [(-f / sinb) * z[1], (f / sinb) * z[0]] }
}

function evaluate(v: Vector, truncation: Truncation): void {
  const strip = new FaceStrip(truncation)
  const sinb = Math.sin(v.beta0)
  strip.set(new Wedge(v.N), sinb, Math.cos(v.beta0), v.phi0, v.c, v.lit)
  const L = v.l === 'inf' ? Infinity : v.k * v.l * sinb * sinb
  strip.moments(L, L, moments)
}

/** Equivalent currents I_T = Pz - Px cot beta cos phi, M_T = -Z Px sin phi/sin beta, as one vector (Z I, M). */
function equivalent(v: Vector, P: { Px: Complex; Pz: Complex }): number[] {
  const f = Math.cos(v.phi) / Math.tan(v.beta)
  const g = (-Z0 * Math.sin(v.phi)) / Math.sin(v.beta)
  return [Z0 * (P.Pz[0] - f * P.Px[0]), Z0 * (P.Pz[1] - f * P.Px[1]), g * P.Px[0], g * P.Px[1]]
}

const relative = (x: number[], y: number[]): number =>
  Math.hypot(...x.map((a, i) => a - y[i])) / Math.hypot(...y)

describe('FaceStrip.moments', () => {
  const finite = vectors.filter((v) => v.l !== 'inf')

  it('agrees with the validation set: tier X to 2e-6, half-planes to 1e-10', () => {
    expect(vectors.length).toBe(195)
    for (const v of finite) {
      evaluate(v, 'tw-ildc')
      const { Px, Pz } = current(v, moments, 0)
      const name = `${v.category}, N = ${v.N}, L = ${v.k * Number(v.l) * Math.sin(v.beta0) ** 2}`
      if (v.l === 0) {
        expect([...Px, ...Pz].map(Math.abs), name).toEqual([0, 0, 0, 0])
        continue
      }
      const e = relative([...Px, ...Pz], [...v.Px, ...v.Pz])
      expect(e, name).toBeLessThan(v.N === 2 ? 1e-10 : 2e-6)
    }
  })

  it('agrees with direct integration of the exact current', () => {
    for (const v of finite) {
      if (v.I_exact === undefined || v.M_exact === undefined || v.l === 0) continue
      const want = [...v.I_exact.map((x) => Z0 * x), ...v.M_exact]
      evaluate(v, 'tw-ildc')
      const e = relative(equivalent(v, current(v, moments, 0)), want)
      // Strips far below a wavelength have next to no current: absolute accuracy is what counts there.
      expect(e, `${v.category}, N = ${v.N}`).toBeLessThan(v.category === 'tiny_length' ? 1e-4 : 2e-6)
    }
  })

  it('gives the untruncated currents, alone and as truncated plus taken away', () => {
    let count = 0
    for (const v of vectors) {
      if (v.c < 1e-7) continue
      count++
      const want = [...v.I_UT.map((x) => Z0 * x), ...v.M_UT]
      evaluate(v, 'eec')
      const P = current(v, moments, 0)
      const e = relative(equivalent(v, P), want)
      expect(e, v.category).toBeLessThan(1e-9)
      if (v.l === 'inf') {
        expect(relative([...P.Px, ...P.Pz], [...v.Px, ...v.Pz]), v.category).toBeLessThan(1e-10)
        continue
      }
      evaluate(v, 'tw-ildc')
      for (let i = 0; i < 6; i++) moments[i] += moments[i + 6]
      const sum = current(v, moments, 0)
      expect(relative([...sum.Px, ...sum.Pz], [...P.Px, ...P.Pz]), v.category).toBeLessThan(1e-10)
    }
    expect(count).toBeGreaterThan(160)
  })

  it("gives Johansen's currents to 1e-9", () => {
    for (const v of finite) {
      if (v.I_T_J === undefined || v.M_T_J === undefined || (v.l === 0 && v.N === 2)) continue
      evaluate(v, 'tw-ildc-j')
      const want = [...v.I_T_J.map((x) => Z0 * x), ...v.M_T_J]
      const e = relative(equivalent(v, current(v, moments, 0)), want)
      expect(e, `${v.category}, N = ${v.N}, c = ${v.c}`).toBeLessThan(1e-9)
    }
  })
})

describe('FaceStrip', () => {
  it('is exactly zero for a strip of no length, the whole current taken away', () => {
    const strip = new FaceStrip('tw-ildc')
    for (const N of [1.02, 1.3, 1.5, 1.97, 2])
      for (const phi0 of [0, 0.4, Math.PI, N * Math.PI])
        for (const c of [0, 1e-6, 0.3, 1, 1.7]) {
          strip.set(new Wedge(N), 0.8, 0.6, phi0, c, phi0 < Math.PI)
          strip.moments(0, 0, moments)
          for (let i = 0; i < 6; i++) expect(Math.abs(moments[i])).toBe(0)
          expect([moments[7], moments[8], moments[10]]).toEqual([strip.S0, strip.T0, strip.R0])
        }
  })

  it('vanishes with the strip length', () => {
    const strip = new FaceStrip('tw-ildc')
    for (const N of [1.1, 1.5, 1.9, 2]) {
      strip.set(new Wedge(N), 1, 0, 1.1, 0.4, true)
      strip.moments(1e-7, 1e-7, moments)
      // Vd ~ X^{1/N} beside the edge, T ~ L^{1/N}
      for (let i = 0; i < 6; i++) expect(Math.abs(moments[i])).toBeLessThan(2e-3)
      expect(Math.hypot(moments[0], moments[1])).toBeLessThan(1e-6)
    }
  })

  it('holds its accuracy over a length class and the bandwidth', () => {
    // The same L with the nodes of a class that begins far below it, and with its own.
    const wide = new FaceStrip('tw-ildc')
    const own = new FaceStrip('tw-ildc')
    const want = new Float64Array(MOMENTS)
    let worst = 0
    for (const N of [1.1, 1.5, 1.9])
      for (const phi0 of [0.3, 2.5, 3.4, N * Math.PI - 0.01])
        for (const c of [0.02, 0.5, 0.99, 1.6]) {
          wide.set(new Wedge(N, 1.9), 0.9, 0.4, phi0, c, phi0 < Math.PI)
          own.set(new Wedge(N), 0.9, 0.4, phi0, c, phi0 < Math.PI)
          for (let lowest = 1e-4; lowest < 3000; lowest *= 2.7)
            for (const ratio of [1, 1.4, 1.9]) {
              wide.moments(lowest * ratio, lowest, moments)
              own.moments(lowest * ratio, lowest * ratio, want)
              for (let i = 0; i < 4; i++) worst = Math.max(worst, Math.abs(moments[i] - want[i]))
            }
        }
    expect(worst).toBeLessThan(1e-6)
  })

  it('gives the same from one object in turn as from new ones', () => {
    const strip = new FaceStrip('tw-ildc')
    const first = new Float64Array(MOMENTS)
    const wedges = [new Wedge(1.5), new Wedge(1.25), new Wedge(2), new Wedge(1.5, 1.3)]
    for (let i = 0; i < 40; i++) {
      const wedge = wedges[i % 4]
      const phi0 = ((i * 0.7) % 1) * wedge.N * Math.PI
      const args = [wedge, 0.9, -0.4, phi0, 0.03 + (i % 7) * 0.2, phi0 < 3] as const
      strip.set(...args)
      strip.moments(0.3 * 2 ** (i % 9), 0.3 * 2 ** (i % 9), moments)
      const fresh = new FaceStrip('tw-ildc')
      fresh.set(...args)
      fresh.moments(0.3 * 2 ** (i % 9), 0.3 * 2 ** (i % 9), first)
      expect(moments).toEqual(first)
    }
  })
})

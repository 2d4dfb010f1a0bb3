import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  EdgeFace,
  EdgeField,
  MOMENTS,
  FaceStrip,
  type Truncation,
  Wedge,
} from '../../cpu-diffraction/index.js'
import {
  C0,
  direction,
  dot,
  type Aspect,
  type Vec3,
  type Band,
  frequency,
  wavenumber,
} from '../../scene/index.js'
import { type Complex, product } from '../oracle/complex.js'
import { random } from '../helpers/random.js'
import { at } from '../helpers/sbr.js'
import { aspectAlong, inFrame, phasePath, randomDirection, randomFrame } from './meshes.js'
import { amplitude } from '../../cpu-diffraction/currents/face.js'
import type { SegmentSink } from '../../cpu-diffraction/currents/edge-field.js'
import { sincDifference } from '../../math/fresnel.js'
import { type AspectField, sinc } from '../../rays/index.js'

interface Segment {
  N: number
  x: Vec3
  y: Vec3
  z: Vec3
  ki: Vec3
  s: Vec3
  E0: Complex[]
  r_mid: Vec3
  seg_len: number
  l: number
  dldz: number
  k: number
  Q: Complex[]
}
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
const file = readFileSync(new URL('data/tw-ildc.json', import.meta.url), 'utf8')
const { segments, vectors } = JSON.parse(file) as { segments: Segment[]; vectors: Vector[] }
const Z0 = 376.730313668

/** The oracle of `EdgeField`: every segment at every frequency by its midpoint, in which strips have one length; for short segments. */
class MidpointField implements SegmentSink {
  private readonly k: Float64Array
  private readonly lowest: number
  private readonly sum: Float64Array
  private readonly moments = new Float64Array(MOMENTS)
  private readonly part = new Float64Array(2)
  private psi = 0
  private length = 0

  constructor(band: Band) {
    this.k = Float64Array.from({ length: band.n }, (_, i) => wavenumber(frequency(band, i)))
    this.lowest = this.k.reduce((a, b) => Math.min(a, b), Infinity)
    this.sum = new Float64Array(8 * band.n)
  }

  reset(): void {
    this.sum.fill(0)
  }

  openSegment(psi: number, length: number): void {
    this.psi = psi
    this.length = length
  }

  addFace(face: EdgeFace, l: number, slope: number): void {
    const { moments, part, sum, k } = this
    const { strip } = face
    const perK = l * strip.sinBeta0 * strip.sinBeta0
    const x = 0.5 * face.slide * this.length
    const d = 0.5 * slope * face.cone * this.length
    for (let f = 0; f < k.length; f++) {
      strip.moments(k[f] * perK, this.lowest * perK, moments)
      const s1 = sinc(k[f] * x)
      const ds = sincDifference(k[f] * x, k[f] * d)
      const re = this.length * Math.cos(k[f] * this.psi)
      const im = this.length * Math.sin(k[f] * this.psi)
      for (let ch = 0, o = 8 * f; ch < 4; ch++, o += 2) {
        amplitude(face, ch, moments, s1, ds, part)
        sum[o] += re * part[0] - im * part[1]
        sum[o + 1] += re * part[1] + im * part[0]
      }
    }
  }

  closeSegment(): void {}

  finish(out: AspectField): void {
    out.set(this.sum)
  }
}

describe('EdgeFace and its segments', () => {
  it('agree with the segments of the validation set to 2e-6', () => {
    expect(segments.length).toBe(24)
    for (const g of segments) {
      const frame = Float64Array.of(...g.x, ...g.y, ...g.z)
      const band = at((g.k * C0) / (2 * Math.PI))
      // The "polarisations" here are the real and imaginary parts of E0 and the axes.
      const axes: Vec3[] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]] // prettier-ignore
      const Q = axes.map((axis): Complex => {
        const base = direction(0, 0)
        const tx = {
          ...base,
          r: g.ki.map((v) => -v) as Vec3,
          thetaHat: g.E0.map((e) => e[0]) as Vec3,
          phiHat: g.E0.map((e) => e[1]) as Vec3,
        }
        const aspect: Aspect = { tx, rx: { ...base, r: g.s, thetaHat: axis, phiHat: axis } }
        const face = new EdgeFace('tw-ildc')
        expect(face.aim(new Wedge(g.N), frame, 0, aspect, dot(g.ki, g.y) < 0)).toBe(true)
        const field = new MidpointField(band)
        field.openSegment(phasePath(aspect, g.r_mid), g.seg_len)
        field.addFace(face, g.l, g.dldz)
        field.closeSegment()
        const F = new Float64Array(8)
        field.finish(F)
        // F = -(jkZ/4pi) Q, transmit V + j transmit H.
        const [re, im] = [F[0] - F[7], F[1] + F[6]]
        return [(-im * 4 * Math.PI) / (g.k * Z0), (re * 4 * Math.PI) / (g.k * Z0)]
      })
      const error = Math.hypot(...Q.flatMap((q, i) => [q[0] - g.Q[i][0], q[1] - g.Q[i][1]]))
      const e = error / Math.hypot(...g.Q.flat())
      expect(e).toBeLessThan(2e-6)
    }
  })

  it('are reciprocal on the Keller cone at normal incidence: VH = HV of both faces', () => {
    const next = random(2)
    const frame = randomFrame(next)
    const N = 1.5
    const [cos, sin] = [Math.cos(N * Math.PI), Math.sin(N * Math.PI)]
    const x2 = inFrame(frame, cos, sin, 0)
    const y2 = inFrame(frame, sin, -cos, 0)
    const z2 = inFrame(frame, 0, 0, -1)
    const r = inFrame(frame, Math.cos(2), Math.sin(2), 0)
    const aspect = aspectAlong([-r[0], -r[1], -r[2]], r)
    const field = new MidpointField(at(1e10))
    const wedge = new Wedge(N)
    field.openSegment(0.3, 0.01)
    for (const f of [frame, Float64Array.of(...x2, ...y2, ...z2)]) {
      const face = new EdgeFace('tw-ildc')
      face.aim(wedge, f, 0, aspect, r[0] * f[3] + r[1] * f[4] + r[2] * f[5] > 0)
      field.addFace(face, 0.04, 0)
    }
    field.closeSegment()
    const F = new Float64Array(8)
    field.finish(F)
    const size = Math.hypot(...F)
    expect(size).toBeGreaterThan(1e-5)
    expect(Math.hypot(F[4] - F[6], F[5] - F[7])).toBeLessThan(1e-13 * size)
  })

  it('mirror with the edge', () => {
    const frame = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
    const r: Vec3 = [0.48, 0.8, 0.36]
    const mirrored: Vec3 = [0.48, 0.8, -0.36]
    const band = at(1e10)
    const of = (r: Vec3, slope: number): Float64Array => {
      const aspect = aspectAlong([-r[0], -r[1], -r[2]], r)
      const face = new EdgeFace('tw-ildc')
      face.aim(new Wedge(1.6), frame, 0, aspect, true)
      const field = new MidpointField(band)
      field.openSegment(0.1, 0.012)
      field.addFace(face, 0.07, slope)
      const F = new Float64Array(8)
      field.finish(F)
      return F
    }
    const [a, b] = [of(r, 0.7), of(mirrored, -0.7)]
    // Co-polar amplitudes are even in z, cross-polar ones odd.
    for (let i = 0; i < 8; i++) expect(a[i]).toBeCloseTo(i < 4 ? b[i] : -b[i], 12)
  })
})

describe('fuzz', () => {
  const pick = <T>(next: () => number, list: T[]): T => list[Math.floor(next() * list.length)]

  it('finds every value finite, and S within its bound, among 100,000 strips at random and special directions', () => {
    const next = random(77)
    const wedges = [1.001, 1.02, 1.1, 1.25, 1.5, 1.75, 1.9, 1.9999, 2].map((N) => new Wedge(N))
    const strips = (['tw-ildc', 'tw-ildc', 'tw-ildc-j', 'eec'] as Truncation[]).map((t) => new FaceStrip(t))
    const out = new Float64Array(MOMENTS)
    for (let i = 0; i < 100_000; i++) {
      const wedge = pick(next, wedges)
      const full = wedge.N * Math.PI
      const special = [0, Math.PI, full, 2 * Math.PI * (wedge.N - 1), Math.PI / 2, full - Math.PI]
      const off = pick(next, [0, 0, 1e-15, -1e-15, 1e-9, -1e-9, 1e-4])
      const phi0 = Math.min(full, Math.max(0, next() < 0.4 ? full * next() : pick(next, special) + off))
      const sinBeta0 = pick(next, [1, next(), 1e-4, 1e-3])
      const pole = Math.abs(Math.cos(phi0 / 2))
      const near = pick(next, [0, pole, 1, Math.sin(phi0 / 2), 1 / sinBeta0, 1e-9, 1e-5, 1e-6])
      const c = next() < 0.4 ? 2 * next() : Math.abs(near + pick(next, [0, 0, 1e-16, -1e-16, 1e-8, 1e-5]))
      const L = pick(next, [0, 1e-12, 0.05, 2, 10 ** (8 * next() - 4), 10 ** (8 * next() - 4)])
      const strip = pick(next, strips)
      strip.set(wedge, sinBeta0, Math.sqrt(1 - sinBeta0 ** 2), phi0, c, phi0 < Math.PI === next() < 0.98)
      strip.moments(L, L, out)
      let sum = 0
      for (let m = 0; m < MOMENTS; m++) sum += out[m]
      // |S| <= int |Vd| dX with |Vd| <= 1.
      const bounded = strip.truncation !== 'tw-ildc' || Math.hypot(out[0], out[1]) < L + 1e-6
      if (!Number.isFinite(sum) || !bounded)
        throw new Error(`N ${wedge.N} phi0 ${phi0} c ${c} L ${L} ${strip.truncation}: ${out.join(' ')}`)
    }
  })

  it('gives finite fields at grazing, shadow boundary, forward, end-on and Ufimtsev directions', () => {
    const next = random(78)
    const band = { f0: 9e9, df: 1e8, n: 21 }
    const fields = [EdgeField.of(band), EdgeField.of(band, true)]
    const out = new Float64Array(8 * band.n)
    const wedges = [1.05, 1.3, 1.5, 1.8, 2].map((N) => new Wedge(N, 11 / 9))
    const face = new EdgeFace('tw-ildc')
    let aimed = 0
    for (let i = 0; i < 6000; i++) {
      const wedge = pick(next, wedges)
      const frame = i % 2 ? randomFrame(next) : Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1)
      const phi0 = pick(next, [
        0,
        Math.PI / 2,
        Math.PI,
        wedge.N * Math.PI,
        wedge.N * Math.PI * next(),
        Math.PI * next(),
      ])
      const z = pick(next, [0, 0, 1, -1, 2 * next() - 1, 1 - 1e-7])
      const r = Math.sqrt(1 - z * z)
      const ki = inFrame(frame, -r * Math.cos(phi0), -r * Math.sin(phi0), z)
      const s = pick<Vec3>(next, [
        [-ki[0], -ki[1], -ki[2]],
        [ki[0], ki[1], ki[2]],
        inFrame(frame, r, 0, z),
        inFrame(frame, -r, 0, z),
        inFrame(frame, 0, 0, 1),
        randomDirection(next),
      ])
      if (!face.aim(wedge, frame, 0, aspectAlong(ki, s), phi0 < Math.PI)) continue
      aimed++
      for (const field of fields) {
        field.reset()
        field.openSegment(next(), 0.015)
        field.addFace(face, pick(next, [0, 1e-6, 0.01, 1, 30]), 4 * next() - 2)
        field.closeSegment()
        field.finish(out)
        if (!Number.isFinite(out.reduce((a, b) => a + b, 0)))
          throw new Error(`N ${wedge.N} phi0 ${phi0} ki ${ki} s ${s}`)
      }
    }
    expect(aimed).toBeGreaterThan(3500)
  })
})

const moments = new Float64Array(MOMENTS)

/** Px, Pz [A] of the moments at out[o...], for complex fields. */
function current(v: Vector, m: Float64Array, o: number): { Px: Complex; Pz: Complex } {
  const sinb = Math.sin(v.beta0)
  const S: Complex = [m[o], m[o + 1]]
  const T: Complex = [m[o + 2], m[o + 3]]
  const R: Complex = [m[o + 4], m[o + 5]]
  const f = 2 / (v.k * sinb)
  const hs = product(v.Hz0, S)
  const et = product(v.Ez0, T)
  const hr = product(v.Hz0, R)
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

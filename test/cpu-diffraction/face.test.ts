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
import { C0, direction, dot, type Aspect, type Vec3 } from '../../scene/index.js'
import { Z0 } from '../../scene/band.js'
import { random } from '../helpers/random.js'
import { MidpointField } from './midpoint-field.js'
import { aspectOf, inFrame, phasePath, randomDirection, randomFrame } from './scenes.js'

interface Segment {
  N: number
  x: Vec3
  y: Vec3
  z: Vec3
  ki: Vec3
  s: Vec3
  E0: [number, number][]
  r_mid: Vec3
  seg_len: number
  l: number
  dldz: number
  k: number
  Q: [number, number][]
}
const file = readFileSync(new URL('data/tw-ildc.json', import.meta.url), 'utf8')
const { segments } = JSON.parse(file) as { segments: Segment[] }

describe('EdgeFace and its segments', () => {
  it('agree with the segments of the validation set to 2e-6', () => {
    expect(segments.length).toBe(24)
    for (const g of segments) {
      const frame = Float64Array.of(...g.x, ...g.y, ...g.z)
      const band = { f0: (g.k * C0) / (2 * Math.PI), df: 0, n: 1 }
      // The "polarisations" here are the real and imaginary parts of E0 and the axes.
      const axes: Vec3[] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]] // prettier-ignore
      const Q = axes.map((axis): [number, number] => {
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
    const aspect = aspectOf([-r[0], -r[1], -r[2]], r)
    const field = new MidpointField({ f0: 1e10, df: 0, n: 1 })
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
    const band = { f0: 1e10, df: 0, n: 1 }
    const of = (r: Vec3, slope: number): Float64Array => {
      const aspect = aspectOf([-r[0], -r[1], -r[2]], r)
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
      if (!face.aim(wedge, frame, 0, aspectOf(ki, s), phi0 < Math.PI)) continue
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

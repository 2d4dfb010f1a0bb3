import { describe, expect, it } from 'vitest'
import { EdgeFace, nodeCount, EdgeField, type Truncation, Wedge } from '../../cpu-diffraction/index.js'
import { chebyshevNodes, lagrange } from '../../math/chebyshev.js'
import { type Vec3, C0 } from '../../scene/index.js'
import { random } from '../helpers/random.js'
import { aspectOf, inFrame, randomDirection, randomFrame } from './scenes.js'

const CENTRE = 10e9
const LAMBDA = C0 / CENTRE
const bandOf = (width: number, n: number) => ({
  f0: CENTRE * (1 - width / 2),
  df: (CENTRE * width) / (n - 1),
  n,
})

/** Largest |exact - interpolated| of single faces over their own peak, with what it was. */
function worst(
  width: number,
  truncation: Truncation,
  count: number,
  seed: number,
): { error: number; special: number; where: string } {
  const next = random(seed)
  const band = bandOf(width, 128)
  const ratio = (1 + width / 2) / (1 - width / 2)
  const exact = EdgeField.of(band, true)
  const fast = EdgeField.of(band)
  const face = new EdgeFace(truncation)
  const [x, y] = [new Float64Array(8 * band.n), new Float64Array(8 * band.n)]
  const result = { error: 0, special: 0, where: '' }
  for (let i = 0; i < count; i++) {
    const frame = randomFrame(next)
    const N = [1.02, 1.2, 1.5, 1.8, 2][i % 5]
    const phi0 = next() * N * Math.PI
    const z = i % 4 === 0 ? 0 : 1.9 * next() - 0.95
    const r = Math.sqrt(1 - z * z)
    const ki = inFrame(frame, -r * Math.cos(phi0), -r * Math.sin(phi0), z)
    let s: Vec3 = i % 2 ? [-ki[0], -ki[1], -ki[2]] : randomDirection(next)
    // Every other tier has no pole at c = 0, where the two parts of the current merge.
    if (i % 7 === 3 && truncation !== 'eec') {
      const t = inFrame(frame, r, i % 3 === 0 ? 0 : 10 ** (-6 * next()), z)
      const n = Math.hypot(...t)
      s = [t[0] / n, t[1] / n, t[2] / n]
    }
    // The reflection boundary c = a, where Fresnel arguments meet.
    if (i % 7 === 5) s = inFrame(frame, -r * Math.cos(phi0), r * Math.sin(phi0), z)
    if (!face.aim(new Wedge(N, ratio), frame, 0, aspectOf(ki, s), phi0 < Math.PI)) continue
    const l = LAMBDA * 10 ** (3 * next() - 1.5)
    const slope = 2 * next() - 1
    const psi = 24 * next() - 12
    for (const field of [exact, fast]) {
      field.reset()
      field.openSegment(psi, 0.5 * LAMBDA)
      field.addFace(face, l, slope)
      field.closeSegment()
      field.finish(field === exact ? x : y)
    }
    const peak = x.reduce((m, v) => Math.max(m, Math.abs(v)), 0)
    const error = x.reduce((m, v, j) => Math.max(m, Math.abs(v - y[j])), 0) / peak
    const special = i % 7 === 3 || i % 7 === 5
    const key = special ? 'special' : 'error'
    if (!(error <= result[key]))
      Object.assign(result, {
        [key]: error,
        where: `N ${N} phi0 ${phi0} c ${face.strip.c} l/lambda ${l / LAMBDA}`,
      })
  }
  return result
}

describe('EdgeField', () => {
  for (const width of [0.01, 0.15, 0.6])
    for (const truncation of ['tw-ildc', 'tw-ildc-j', 'eec'] as const)
      it(`agrees with the exact sum to 2e-8 of its peak, ${100 * width} % band, ${truncation}`, () => {
        const { error, special, where } = worst(width, truncation, 400, 5)
        expect(error, where).toBeLessThan(2e-8)
        // Where arguments of W meet, and the phase is stationary against one: the closed form loses digits.
        expect(special, where).toBeLessThan(5e-4)
      })

  it('starts afresh after reset and sums segments and faces', () => {
    const band = bandOf(0.15, 64)
    const next = random(9)
    const a = new EdgeFace('tw-ildc')
    const b = new EdgeFace('tw-ildc')
    const frame = randomFrame(next)
    const aspect = aspectOf(inFrame(frame, -0.6, -0.8, 0), inFrame(frame, 0.6, 0.8, 0))
    a.aim(new Wedge(1.5, 1.17), frame, 0, aspect, true)
    b.aim(new Wedge(1.7, 1.17), frame, 0, aspect, true)
    const [x, y] = [new Float64Array(512), new Float64Array(512)]
    const [fast, exact] = [EdgeField.of(band), EdgeField.of(band, true)]
    for (let round = 0; round < 2; round++)
      for (const field of [fast, exact]) {
        field.reset()
        for (const psi of [-3, 0.2, 7]) {
          field.openSegment(psi, 0.01)
          field.addFace(a, 0.1, 0.3)
          field.addFace(b, 0.05 * psi ** 2, -0.4)
          field.closeSegment()
        }
        field.finish(field === fast ? x : y)
      }
    const peak = Math.max(...y.map(Math.abs))
    for (let i = 0; i < 512; i++) expect(Math.abs(x[i] - y[i])).toBeLessThan(1e-8 * peak)
  })
})

describe('interpolation', () => {
  it('takes more nodes for wider bands', () => {
    expect([0.01, 0.15, 0.6].map((w) => nodeCount(1 - w / 2, 1 + w / 2))).toEqual([4, 7, 11])
    expect(nodeCount(1e9, 1e9)).toBe(1)
  })

  it('reproduces polynomials', () => {
    const nodes = chebyshevNodes(2, 3, 5)
    const value = (x: number): number => 1 - 2 * x + x ** 4
    for (const x of [2, 2.3, 3]) {
      const l = lagrange(nodes, x)
      expect(nodes.reduce((sum, n, i) => sum + l[i] * value(n), 0)).toBeCloseTo(value(x), 11)
    }
  })
})

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { EdgeFace, nodeCount, EdgeField, type Truncation, Wedge } from '../../cpu-diffraction/index.js'
import { chebyshevNodes, lagrange } from '../../math/chebyshev.js'
import { type Vec3, C0, frequency, wavenumber, type Band, InputError } from '../../scene/index.js'
import { random } from '../helpers/random.js'
import { aspectAlong, inFrame, randomDirection, randomFrame } from './meshes.js'
import { EdgeModule } from '../../cpu-diffraction/currents/edge-module.js'
import { fresnelW } from '../../math/fresnel.js'
import { offGrazing } from '../../cpu-diffraction/currents/wedge-wave.js'
import { nearTheEdge, WedgeWave } from '../oracle/wedge-wave.js'
import { sinc } from '../../math/gordon.js'

const CENTRE = 10e9
const LAMBDA = C0 / CENTRE
const bandOf = (width: number, n: number): Band => ({
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
    if (!face.aim(new Wedge(N, ratio), frame, 0, aspectAlong(ki, s), phi0 < Math.PI)) continue
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
    const aspect = aspectAlong(inFrame(frame, -0.6, -0.8, 0), inFrame(frame, 0.6, 0.8, 0))
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

const module = new EdgeModule(12)
const at = module.reserve(12)
const numbers = module.view(at, 12)

interface Values {
  exp: number
  sin: number
  cos: number
  W: [number, number]
}

/** The module's functions of two numbers. */
function functions(a: number, b: number): [Values, Values] {
  numbers.set([a, b])
  module.run.functions(at)
  const of = (i: number): Values => ({
    exp: numbers[2 + i],
    sin: numbers[4 + i],
    cos: numbers[6 + i],
    W: [numbers[8 + i], numbers[10 + i]],
  })
  return [of(0), of(1)]
}

describe('functions of the edge module', () => {
  it('exp to 1e-15 of itself, from -700 to 700', () => {
    const next = random(1)
    let worst = 0
    for (let i = 0; i < 20_000; i++) {
      const range = i % 2 ? 45 : 700
      const [a, b] = [0, -0].map((x) => x + range * (2 * next() - 1))
      for (const [x, { exp }] of [a, b].map((x, j) => [x, functions(a, b)[j]] as const))
        worst = Math.max(worst, Math.abs(exp / Math.exp(x) - 1))
    }
    expect(worst).toBeLessThan(1e-15)
    expect(functions(0, -1e4)[0].exp).toBe(1)
    expect(functions(0, -1e4)[1].exp).toBeLessThan(1e-300)
    expect(functions(0, NaN)[1].exp).toBeNaN()
  })

  it('sin and cos to 1e-15, as far as a million', () => {
    const next = random(2)
    let worst = 0
    const look = (x: number, { sin, cos }: Values): void => {
      worst = Math.max(worst, Math.abs(sin - Math.sin(x)), Math.abs(cos - Math.cos(x)))
    }
    for (let i = 0; i < 20_000; i++) {
      const x = 10 ** (8 * next() - 2) * (i % 2 ? 1 : -1)
      // Near multiples of pi/2 the most digits cancel.
      const y = Math.round(next() * 6e5) * (Math.PI / 2)
      const values = functions(x, y)
      look(x, values[0])
      look(y, values[1])
    }
    expect(worst).toBeLessThan(1e-15)
  })

  it('W to 1e-14 of arbitrary-precision values, and of fresnelW', () => {
    const data = readFileSync(new URL('data/functions.json', import.meta.url), 'utf8')
    const { W } = JSON.parse(data) as { W: number[][] }
    for (const [x, re, im] of W) {
      const [{ W: w }] = functions(x, 1)
      expect(Math.hypot(w[0] - re, w[1] - im), `W(${x})`).toBeLessThan(1e-14)
      expect(Math.hypot(w[0] - re, w[1] - im) / Math.hypot(re, im), `relative W(${x})`).toBeLessThan(1e-13)
    }
    const next = random(3)
    const out = new Float64Array(2)
    for (let i = 0; i < 20_000; i++) {
      const x = 10 ** (6 * next() - 3)
      fresnelW(x, out, 0)
      const [{ W: w }] = functions(x, 10 * next())
      expect(Math.hypot(w[0] - out[0], w[1] - out[1])).toBeLessThan(3e-15)
    }
  })

  it('give a number the same bits in either lane, whatever the other holds', () => {
    const next = random(4)
    for (let i = 0; i < 1000; i++) {
      const [a, b] = [20 * next(), 20 * next()]
      expect(functions(a, b)).toEqual(functions(b, a).reverse())
      expect(functions(a, 0)[0]).toEqual(functions(a, b)[0])
    }
  })
})

const difference = (a: Float64Array, b: Float64Array): number =>
  a.reduce((m, v, i) => Math.max(m, Math.abs(v - b[i])), 0)

describe('footprints of fans', () => {
  it('radiate jk times amplitudes, u_d of the wedge and both sincs, less what grazes', () => {
    const next = random(11)
    const [minus, plus] = [new WedgeWave(), new WedgeWave()]
    const u = new Float64Array(4)
    // Even and odd numbers of nodes.
    const fields = [2, 3].map((n) => EdgeField.of(bandOf(0.15, n)))
    for (let i = 0; i < 4000; i++) {
      const band = bandOf(0.15, 2 + (i % 2))
      const field = fields[i % 2]
      const N = i % 5 === 0 ? 2 : 1 + next()
      const [phi, phi0] = [next() * N * Math.PI, next() * N * Math.PI]
      minus.set(N, phi - phi0)
      plus.set(N, phi + phi0)
      const { module, numbers, sum } = field.takeFootprints()
      const footprint = module.view(numbers, 16)
      minus.put(footprint, 0)
      plus.put(footprint, 2)
      const amplitudes = Array.from({ length: 8 }, () => 2 * next() - 1)
      footprint.set(amplitudes, 8)
      const sinBeta = 0.1 + 0.9 * next()
      // From beside the edge to far beyond the near zone; grazing and clear; shorter than a radian and longer.
      const path = LAMBDA * 10 ** (4 * next() - 2)
      const [late, seen] = [0, 1].map(() => LAMBDA * 10 ** (5 * next() - 4))
      const over = i % 3 === 0 ? Infinity : LAMBDA * 10 ** (5 * next() - 4)
      const [alongP, alongQ] = [0, 1].map(() => LAMBDA * 10 ** (3 * next() - 2))
      const delay = LAMBDA * next()
      field.reset()
      module.run.footprint(numbers, sinBeta, path, late, seen, over, alongP, alongQ, sum)
      module.calls.radiate(delay)
      const out = new Float64Array(8 * band.n)
      field.finish(out)
      const expected = new Float64Array(8 * band.n)
      for (let f = 0; f < band.n; f++) {
        const k = wavenumber(frequency(band, f))
        const near = nearTheEdge((k * path) / (2 * Math.PI))
        minus.at(sinBeta * Math.sqrt(2 * k * path), near, u, 0)
        plus.at(sinBeta * Math.sqrt(2 * k * path), near, u, 2)
        const shape = k * sinc(k * alongP) * sinc(k * alongQ) * offGrazing(k * late) * offGrazing(k * seen)
        const hard = shape * offGrazing(k * over)
        for (let ch = 0; ch < 4; ch++) {
          const re = amplitudes[ch] * shape * (u[0] - u[2]) + amplitudes[4 + ch] * hard * (u[0] + u[2])
          const im = amplitudes[ch] * shape * (u[1] - u[3]) + amplitudes[4 + ch] * hard * (u[1] + u[3])
          const [cos, sin] = [Math.cos(k * delay), Math.sin(k * delay)]
          expected[8 * f + 2 * ch] = -im * cos - re * sin
          expected[8 * f + 2 * ch + 1] = re * cos - im * sin
        }
      }
      expect(difference(out, expected)).toBeLessThan(1e-12 * wavenumber(band.f0))
    }
  })
})

describe('memory', () => {
  it('too much of it is an error of one line', () => {
    let message = ''
    try {
      void new EdgeModule(1e10)
    } catch (error) {
      expect(error).toBeInstanceOf(InputError)
      message = (error as Error).message
    }
    expect(message).toMatch(
      /^edge diffraction: no WebAssembly module with 80000\.0 MB of memory \(.+\); use fewer threads or frequencies\. .+ NODE_OPTIONS=--disable-wasm-trap-handler$/,
    )
  })

  it('of fields that are gone is given back', () => {
    for (let i = 0; i < 2000; i++) void EdgeField.of(bandOf(0.15, 64))
  })
})

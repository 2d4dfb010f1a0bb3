import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { EdgeModule } from '../../cpu-diffraction/currents/edge-module.js'
import { EdgeField } from '../../cpu-diffraction/index.js'
import { fresnelW } from '../../math/fresnel.js'
import { offGrazing } from '../../cpu-diffraction/currents/wedge-wave.js'
import { nearTheEdge, WedgeWave } from '../oracle/wedge-wave.js'
import { frequency, wavenumber, type Band, InputError } from '../../scene/index.js'
import { sinc } from '../../math/gordon.js'
import { random } from '../helpers/random.js'

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

const CENTRE = 10e9
const LAMBDA = 299792458 / CENTRE
const bandOf = (width: number, n: number): Band => ({
  f0: CENTRE * (1 - width / 2),
  df: (CENTRE * width) / (n - 1),
  n,
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

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { EdgeModule } from '../../cpu-diffraction/currents/edge-module.js'
import {
  EdgeFace,
  nodeCount,
  EdgeField,
  type FaceStrip,
  MOMENTS,
  type Truncation,
  Wedge,
} from '../../cpu-diffraction/index.js'
import { FaceEnds, facesRoom } from '../../cpu-diffraction/currents/face.js'
import { fresnelW } from '../../math/fresnel.js'
import { chebyshevBasis, delayAmplitudes, SPREAD } from '../../cpu-diffraction/engine/delay-amplitudes.js'
import { nearTheEdge, offGrazing, WedgeWave } from '../../cpu-diffraction/currents/wedge-wave.js'
import { mostTerms } from '../../cpu-diffraction/currents/wedge.js'
import { frequency, wavenumber, type Band, InputError } from '../../scene/index.js'
import { chebyshevNodes, lagrange } from '../../math/chebyshev.js'
import { DelaySum } from '../../rays/delay-sum.js'
import { sinc } from '../../math/gordon.js'
import { random } from '../helpers/random.js'
import { aspectOf, inFrame, randomDirection, randomFrame } from './scenes.js'

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

/** Aims the face at a random, often special direction, monostatic or not; false where it does not diffract. */
function aim(face: EdgeFace, next: () => number, i: number, ratio: number): boolean {
  const frame = randomFrame(next)
  const N = [1.02, 1.2, 1.5, 1.8, 2][i % 5]
  const phi0 = i % 6 ? next() * N * Math.PI : Math.PI / 2
  const z = i % 4 === 0 ? 0 : 1.9 * next() - 0.95
  const r = Math.sqrt(1 - z * z)
  const ki = inFrame(frame, -r * Math.cos(phi0), -r * Math.sin(phi0), z)
  const back: [number, number, number] = [-ki[0], -ki[1], -ki[2]]
  const s = i % 2 ? back : randomDirection(next)
  return face.aim(new Wedge(N, ratio), frame, 0, aspectOf(ki, s), phi0 < Math.PI)
}

const moments = new Float64Array(MOMENTS)

/**
 * S, T, R of the end part at L > 0, times exp(+2jLc^2), from the moments as they are, to out[0..5]; c > 0.
 *
 * @param lowest  smallest L over the sweep, see `FaceStrip.moments`
 */
function endWithoutPhase(strip: FaceStrip, L: number, lowest: number, out: Float64Array): void {
  strip.moments(L, lowest, moments)
  const y = 2 * L * strip.c * strip.c
  const cos = Math.cos(y)
  const sin = Math.sin(y)
  for (let i = 0; i < 6; i += 2) {
    out[i] = cos * moments[i + 6] - sin * moments[i + 7]
    out[i + 1] = cos * moments[i + 7] + sin * moments[i + 6]
  }
}

/** End part of a segment from the moments of the strip, as `FaceEnds.end`. */
function endOf(
  face: EdgeFace,
  k: Float64Array,
  lowest: number,
  length: number,
  perK: number,
  x: number,
): Float64Array {
  const out = new Float64Array(8 * k.length)
  const m = new Float64Array(6)
  for (let p = 0, o = 0; p < k.length; p++) {
    endWithoutPhase(face.strip, k[p] * perK, lowest * perK, m)
    const s = -length * sinc(k[p] * x)
    for (let ch = 0; ch < 4; ch++, o += 2) {
      const [a, b, c] = [face.coefS[ch], face.coefT[ch], face.coefR[ch]]
      out[o] = s * (a * m[1] + b * m[2] + c * m[4])
      out[o + 1] = s * (b * m[3] - a * m[0] + c * m[5])
    }
  }
  return out
}

const largest = (values: Float64Array): number => values.reduce((m, v) => Math.max(m, Math.abs(v)), 0)
const difference = (a: Float64Array, b: Float64Array): number =>
  a.reduce((m, v, i) => Math.max(m, Math.abs(v - b[i])), 0)

describe('FaceEnds', () => {
  for (const width of [0.01, 0.15, 0.6])
    for (const truncation of ['tw-ildc', 'tw-ildc-j'] as const)
      it(`has the ends that the strip's moments have, ${100 * width} % band, ${truncation}`, () => {
        const next = random(31)
        const ratio = (1 + width / 2) / (1 - width / 2)
        const ends = [1 - width / 2, 1 + width / 2].map((f) => wavenumber(f * CENTRE))
        const k = chebyshevNodes(ends[0], ends[1], nodeCount(ends[0], ends[1]))
        const lowest = ends[0]
        const fast = new FaceEnds(
          new EdgeModule(facesRoom(k.length, mostTerms(ratio))),
          k,
          lowest,
          mostTerms(ratio),
        )
        // More faces than are kept in memory, aimed anew all the time.
        const faces = Array.from({ length: 6 }, () => new EdgeFace(truncation))
        const worst = { closed: 0, wedge: 0 }
        let count = 0
        for (let i = 0; i < 3000; i++) {
          const face = faces[i % 7 === 0 ? 5 : i % 5]
          if (!aim(face, next, i, ratio)) continue
          for (let strip = 0; strip < 3; strip++) {
            const l = LAMBDA * 10 ** (4 * next() - 1.5)
            const perK = l * face.strip.sinBeta0 ** 2
            // Other strips are summed in one part (`JOINT`).
            if (face.strip.c * Math.sqrt(2 * ends[1] * perK) < 0.5) continue
            const x = LAMBDA * (2 * next() - 1)
            fast.end(face, 0.4 * LAMBDA, perK, x)
            const exact = endOf(face, k, lowest, 0.4 * LAMBDA, perK, x)
            const scale = Math.max(largest(exact), 0.4 * LAMBDA * largest(face.untruncated))
            const kind = face.strip.closed ? 'closed' : 'wedge'
            worst[kind] = Math.max(worst[kind], difference(fast.farValues, exact) / scale)
            count++
          }
        }
        expect(count).toBeGreaterThan(4000)
        // Factors of nearly meeting arguments are as large as 5e4.
        expect(worst.closed).toBeLessThan(1e-10)
        expect(worst.wedge).toBeLessThan(1e-9)
      })

  it('has room for the exponentials of very wide bands', () => {
    const ratio = 1000
    const k = Float64Array.of(1, 30, 1000)
    const fast = new FaceEnds(new EdgeModule(facesRoom(3, mostTerms(ratio))), k, 1, mostTerms(ratio))
    const face = new EdgeFace('tw-ildc')
    const next = random(8)
    let long = 0
    for (let i = 0; i < 200; i++) {
      if (!aim(face, next, i, ratio) || face.strip.closed) continue
      const perK = 10 ** (2 * next())
      if (face.strip.c * Math.sqrt(2 * perK) < 0.5) continue
      if (face.strip.wedge.nodes(5).count > 200) long++
      fast.end(face, 0.01, perK, 0.001)
      const exact = endOf(face, k, 1, 0.01, perK, 0.001)
      expect(difference(fast.farValues, exact)).toBeLessThan(1e-6 * largest(face.untruncated) * 0.01)
    }
    expect(long).toBeGreaterThan(50)
  })
})

describe('the sums of the edge module', () => {
  // Even and odd numbers of nodes; grids of an even and an odd power of two.
  for (const [width, n] of [
    [0.01, 61],
    [0.15, 161],
    [0.15, 100],
    [0.6, 40],
  ])
    it(`are those of DelaySum: ${n} frequencies, ${100 * width} % band`, () => {
      const band = bandOf(width, n)
      const last = frequency(band, n - 1)
      const nodes = nodeCount(band.f0, last)
      const k = chebyshevNodes(wavenumber(band.f0), wavenumber(last), nodes)
      const sums = delayAmplitudes(band, chebyshevBasis(band), () => 8 * nodes)
      const { module } = sums
      const at = module.reserve(8 * nodes)
      const amplitudes = module.view(at, 8 * nodes)
      const sum = new DelaySum(band, 4 * nodes, SPREAD)
      const next = random(n)
      const [fast, slow] = [new Float64Array(8 * n), new Float64Array(8 * n)]
      for (let round = 0; round < 2; round++) {
        sums.reset()
        sum.reset()
        for (let i = 0; i < 300; i++) {
          const tau = 200 * next() - 100
          for (let c = 0; c < amplitudes.length; c++) amplitudes[c] = next() - 0.5
          sums.addAt(tau, at)
          sum.add(tau, amplitudes)
        }
        sums.finish(fast)
        sum.finish()
        slow.fill(0)
        for (let i = 0; i < n; i++) {
          const l = lagrange(k, wavenumber(frequency(band, i)))
          for (let p = 0, row = sum.rowOf(i); p < nodes; p++)
            for (let c = 0; c < 8; c++) slow[8 * i + c] += sum.factor(i) * l[p] * sum.values[row++]
        }
        expect(difference(fast, slow)).toBeLessThan(1e-13 * largest(slow))
      }
    })

  it('are the same bytes again, whatever was summed before', () => {
    const band = bandOf(0.15, 161)
    const sums = (truncation: Truncation, before: number): Float64Array => {
      const field = EdgeField.of(band)
      const out = new Float64Array(8 * band.n)
      const faces = [new EdgeFace(truncation), new EdgeFace(truncation)]
      for (const seed of [before, 5]) {
        const next = random(seed)
        field.reset()
        for (let i = 0; i < 40; i++) {
          const aimed = aim(faces[0], next, i, 1.2) && aim(faces[1], next, i, 1.2)
          field.openSegment(3 * next(), 0.4 * LAMBDA)
          if (aimed) faces.forEach((face) => field.addFace(face, next(), 2 * next() - 1))
          field.closeSegment()
        }
        field.finish(out)
      }
      return out
    }
    for (const truncation of ['tw-ildc', 'tw-ildc-j', 'eec'] as const) {
      const once = sums(truncation, 6)
      expect(largest(once)).toBeGreaterThan(0)
      expect(sums(truncation, 7)).toEqual(once)
    }
  })
})

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

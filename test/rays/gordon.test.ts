import { expect, test } from 'vitest'
import { gordonCoefficients, gordonSum, sinc, sincMinusOne } from '../../math/gordon.js'
import { gaussLegendre, phaseIntegral, randomQuad } from '../helpers/polygons.js'
import { random } from '../helpers/random.js'

/** sin(x)/x - 1 from 30 terms of its series, summed from the smallest. */
function seriesSincMinusOne(x: number): number {
  let sum = 0
  for (let n = 30; n > 0; n--) sum = (-(x * x) / (2 * n * (2 * n + 1))) * (1 + sum)
  return sum
}

test('sinc(x) - 1 keeps its digits however small x is', () => {
  for (let e = -12; e <= 0.7; e += 0.01) {
    const x = 10 ** e
    const exact = seriesSincMinusOne(x)
    expect(Math.abs(sincMinusOne(x) - exact)).toBeLessThan(3e-14 * Math.abs(exact) + (x > 1 ? 2e-16 : 0))
    expect(sincMinusOne(-x)).toBe(sincMinusOne(x))
  }
  expect(sinc(0)).toBe(1)
})

test('the oracle: Gauss quadrature of a known polynomial', () => {
  const { x, w } = gaussLegendre(24)
  expect(w.reduce((a, b) => a + b)).toBeCloseTo(2, 14)
  expect(x.reduce((s, v, i) => s + w[i] * v ** 20, 0)).toBeCloseTo(2 / 21, 14)
})

/** Largest error of the stable form over the area, over random planar quadrilaterals at phase |w| h = `span`. */
function worst(span: number, count: number): number {
  const next = random(17)
  const c = new Float64Array(12)
  const out = new Float64Array(2)
  let error = 0
  for (let i = 0; i < count; i++) {
    const { q, p, w, area } = randomQuad(next, span)
    const k = 0.5 + next()
    gordonCoefficients(
      q,
      4,
      w.map((x) => x / k),
      p,
      c,
      0,
    )
    gordonSum(c, 0, 4, k, out)
    const [re, im] = phaseIntegral(q, w)
    error = Math.max(error, Math.hypot(out[0] - re, out[1] - im) / area)
  }
  return error
}

// Below a gradient of 1e-9 another as small stands in for it.
test.each([
  [1e-9, 2e-9],
  [1e-8, 1e-12],
  [1e-6, 1e-12],
  [1e-4, 1e-12],
  [1e-2, 1e-12],
  [0.1, 1e-12],
  [0.6, 1e-12],
  [1, 1e-12],
  [2, 1e-12],
  [6, 1e-12],
  [20, 1e-12],
])("the stable form of Gordon's integral is exact at |w| h = %s", (span, tolerance) => {
  expect(worst(span, 300)).toBeLessThan(tolerance)
})

test('a phase gradient along the normal, or none, gives the area', () => {
  const next = random(19)
  const c = new Float64Array(12)
  const out = new Float64Array(2)
  for (let i = 0; i < 50; i++) {
    const { q, p, area } = randomQuad(next, 1)
    for (const w of [[0, 0, 0], p.map((x) => 2 * x)]) {
      gordonCoefficients(q, 4, w, p, c, 0)
      gordonSum(c, 0, 4, 300, out)
      expect(Math.hypot(out[0] - area, out[1])).toBeLessThan(1e-6 * area)
    }
  }
})

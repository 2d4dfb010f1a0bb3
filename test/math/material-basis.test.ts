import { expect, test } from 'vitest'
import { C0, frequency, wavenumber } from '../../scene/index.js'
import { type Material, slab } from '../../scene/materials/index.js'
import { materialBasis } from '../../rays/material-basis.js'
import { coating, layer, sheet } from '../helpers/materials.js'
import { random } from '../helpers/random.js'

const TOLERANCE = 1e-5
const BOUNCES = 20

/** A coating tabulated at 8, 10 and 12 GHz: R has a kink in the middle. */
const KINKED: Material = {
  ...(coating() as Material & { kind: 'opaque' }),
  stack: [
    {
      medium: {
        name: 'tabulated',
        frequencies: [8e9, 10e9, 12e9],
        values: [
          [12.3, -0.6, 2.5, -1.7, 0],
          [12, -0.6, 2.2, -1.6, 0],
          [11.8, -0.6, 1.9, -1.5, 0],
        ],
      },
      thickness: 1.5e-3,
    },
  ],
}
const PAINT = coating(layer([3.2, -0.06], 4e-4))
const GLASS = sheet(layer([6.3, -0.1], 4e-3))

test.each([
  ['a tabulated coating', [KINKED], 128, 16],
  ['paint', [PAINT], 128, 16],
  ['glass', [GLASS], 128, 24],
  ['all of them, more frequencies than are looked at', [KINKED, PAINT, GLASS], 700, 30],
] as const)('products of coefficients of %s are interpolated to the tolerance', (_, list, n, most) => {
  const band = { f0: 9e9, df: 2e9 / (n - 1), n }
  const k = Float64Array.from({ length: n }, (_, i) => wavenumber(frequency(band, i)))
  const middle = (k[0] + k[n - 1]) / 2
  const shapes = (x: Float64Array): Float64Array[] => [
    x.map((value) => (middle / value) ** 2),
    x.map((value) => Math.cos((value - middle) * 0.02)),
    x.map((value) => Math.sin((value - middle) * 0.02)),
  ]
  const basis = materialBasis({ list }, band, BOUNCES, shapes, TOLERANCE, most)!
  expect(basis).not.toBeNull()
  const next = random(7)
  const out = new Float64Array(8)
  let worst = 0
  for (let trial = 0; trial < 60; trial++) {
    const factors = Array.from({ length: 1 + Math.floor(next() * BOUNCES) }, () => ({
      material: list[Math.floor(next() * list.length)],
      cosine: 0.02 + 0.98 * next(),
      back: next() < 0.5,
      at: 2 * Math.floor(next() * 4),
    }))
    const span = 0.02 * next()
    const value = (x: number): [number, number] => {
      let [re, im] = [Math.cos((x - middle) * span), Math.sin((x - middle) * span)]
      for (const { material, cosine, back, at } of factors) {
        slab(material, (x * C0) / (2 * Math.PI), cosine, out, back)
        const place = material.kind === 'sheet' ? at : at % 4
        ;[re, im] = [re * out[place] - im * out[place + 1], re * out[place + 1] + im * out[place]]
      }
      return [re, im]
    }
    const nodes = Array.from(basis.k, value)
    for (let i = 0; i < n; i += 3) {
      const [re, im] = value(k[i])
      const weights = basis.weights.subarray(i * nodes.length, (i + 1) * nodes.length)
      const sum = (part: 0 | 1): number => weights.reduce((s, w, p) => s + w * nodes[p][part], 0)
      worst = Math.max(worst, Math.abs(sum(0) - re), Math.abs(sum(1) - im))
    }
  }
  expect(worst).toBeLessThan(TOLERANCE)
})

test('a band that takes more nodes than are allowed has no basis', () => {
  const thick = sheet(layer([4, 0], 3))
  const band = { f0: 9e9, df: 2e9 / 127, n: 128 }
  expect(materialBasis({ list: [thick] }, band, 3, (k) => [k.map(() => 1)], TOLERANCE, 32)).toBeNull()
})

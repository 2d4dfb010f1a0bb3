import { expect, test } from 'vitest'
import { factorPanel, type Matrix, PANEL, Products, solveStrip, updateStrip } from '../../full-wave/lu.js'
import { random } from '../helpers/random.js'

test.each([63, 64, 65, 127, 128, 129, 193])('a system of order %i is solved', (n) => {
  const next = random(n)
  const elements = Float64Array.from({ length: 2 * n * n }, () => next() - 0.5)
  const x = Float64Array.from({ length: 2 * n }, () => next() - 0.5)
  const b = new Float64Array(2 * n)
  for (let c = 0; c < n; c++)
    for (let r = 0; r < n; r++) {
      const at = 2 * (c * n + r)
      b[2 * r] += elements[at] * x[2 * c] - elements[at + 1] * x[2 * c + 1]
      b[2 * r + 1] += elements[at] * x[2 * c + 1] + elements[at + 1] * x[2 * c]
    }
  const matrix: Matrix = { order: n, elements, pivots: new Int32Array(n) }
  const products = new Products()
  for (let panel = 0; panel < n; panel += PANEL) {
    factorPanel(matrix, panel)
    updateStrip(matrix, panel, 0, panel, products)
    updateStrip(matrix, panel, Math.min(n, panel + PANEL), n, products)
  }
  solveStrip(matrix, b, 0, 1, products)
  expect(Math.max(...b.map((y, i) => Math.abs(y - x[i])))).toBeLessThan(1e-9)
})

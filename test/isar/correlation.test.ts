import { expect, test } from 'vitest'
import { imageCorrelation } from '../../isar/index.js'

const image = (magnitudes: number[], phase = 0): Float64Array =>
  Float64Array.from(
    magnitudes.flatMap((m, i) => [m * Math.cos(phase + i * phase), m * Math.sin(phase + i * phase)]),
  )

test('one for the same picture, whatever factor and phases; minus one for its negative', () => {
  const a = [1, 5, 2, 0, 3]
  expect(imageCorrelation(image(a), image(a.map((x) => 7 * x))), 'factor').toBeCloseTo(1, 12)
  expect(imageCorrelation(image(a), image(a, 0.9)), 'phases').toBeCloseTo(1, 12)
  expect(imageCorrelation(image(a), image(a.map((x) => 6 - x))), 'negative').toBeCloseTo(-1, 12)
})

test('the textbook value of a small case, and images of different sizes refused', () => {
  // Deviations -1 0 1 and -1 1 0: 1 / 2.
  expect(imageCorrelation(image([1, 2, 3]), image([1, 3, 2]))).toBeCloseTo(0.5, 12)
  expect(() => imageCorrelation(image([1, 2]), image([1, 2, 3]))).toThrow('2 and 3 pixels')
})

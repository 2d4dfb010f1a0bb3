import { InputError } from '../scene/index.js'

/**
 * Similarity of two complex images (interleaved re, im) on the same pixels: the Pearson correlation coefficient of their
 * magnitudes, 1 for the same picture up to a factor. @throws InputError for images of different sizes.
 */
export function imageCorrelation(a: Float64Array, b: Float64Array): number {
  if (a.length !== b.length)
    throw new InputError(`images of ${a.length / 2} and ${b.length / 2} pixels cannot be compared`)
  const count = a.length / 2
  let [sumA, sumB, sumAA, sumBB, sumAB] = [0, 0, 0, 0, 0]
  for (let i = 0; i < a.length; i += 2) {
    const x = Math.hypot(a[i], a[i + 1])
    const y = Math.hypot(b[i], b[i + 1])
    sumA += x
    sumB += y
    sumAA += x * x
    sumBB += y * y
    sumAB += x * y
  }
  return (
    (sumAB - (sumA * sumB) / count) /
    Math.sqrt((sumAA - (sumA * sumA) / count) * (sumBB - (sumB * sumB) / count))
  )
}

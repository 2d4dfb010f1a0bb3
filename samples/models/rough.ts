import type { Mesh } from '../../scene/index.js'
import { random } from './found.js'

/** A realised random surface. Lengths in metres. */
export interface RoughPatch {
  /** Side of the square, and of the squares of two facets that it consists of. */
  side: number
  spacing: number
  rmsHeight: number
  /** Distance at which the correlation of heights, exp(-(distance / correlation)^2), has fallen to 1/e. */
  correlation: number
  /** Whole number from 1 on. */
  seed: number
}

/** Normal numbers (Box and Muller) from uniform ones. */
const normal = (next: () => number): number =>
  Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next())

/**
 * Open sheet about the origin near z = 0 whose heights are a stationary Gaussian process of mean zero with a Gaussian correlation:
 * white noise on the grid, convolved with exp(-2 (distance / correlation)^2) along x and y.
 */
export function roughPatch({ side, spacing, rmsHeight, correlation, seed }: RoughPatch): Mesh {
  const n = Math.round(side / spacing) + 1
  const reach = Math.ceil((1.6 * correlation) / spacing)
  const kernel = Array.from({ length: 2 * reach + 1 }, (_, i) =>
    Math.exp(-2 * (((i - reach) * spacing) / correlation) ** 2),
  )
  const energy = Math.hypot(...kernel)
  const wide = n + 2 * reach
  const next = random(seed)
  const noise = Float64Array.from({ length: wide * wide }, () => normal(next))
  const along = new Float64Array(wide * n)
  for (let i = 0; i < wide; i++)
    for (let j = 0; j < n; j++) {
      let sum = 0
      for (let k = 0; k < kernel.length; k++) sum += (kernel[k] / energy) * noise[i * wide + j + k]
      along[i * n + j] = sum
    }
  const positions = new Float64Array(3 * n * n)
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) {
      let z = 0
      for (let k = 0; k < kernel.length; k++) z += (kernel[k] / energy) * along[(i + k) * n + j]
      positions.set(
        [(i - (n - 1) / 2) * spacing, (j - (n - 1) / 2) * spacing, rmsHeight * z],
        3 * (i * n + j),
      )
    }
  const triangles: number[] = []
  for (let i = 0; i + 1 < n; i++)
    for (let j = 0; j + 1 < n; j++) {
      const [a, b, c, d] = [i * n + j, (i + 1) * n + j, (i + 1) * n + j + 1, i * n + j + 1]
      triangles.push(a, b, c, a, c, d)
    }
  return { positions, triangles: Uint32Array.from(triangles) }
}

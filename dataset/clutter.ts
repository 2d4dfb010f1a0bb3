import { gammaOfNormal, PURPOSE, Random } from '../math/random.js'

export interface ClutterSettings {
  levelDbsm: number
  shape: number
  correlationM: number
  crossPolDb: number
}

/** Interleaved complex normal numbers of unit mean power, n of them. */
export function complexNoise(n: number, random: Random): Float64Array {
  const out = new Float64Array(2 * n)
  for (let i = 0; i < out.length; i++) out[i] = Math.SQRT1_2 * random.normal()
  return out
}

/**
 * Mean RCS of K-distributed clutter in each pixel, in units of its overall mean: a gamma-distributed texture of the given
 * shape that varies over `correlationM`, which speckle (complex normal) multiplies to the K distribution (K. D. Ward, Electron.
 * Lett. 17, 1981; the texture as a memoryless function of a correlated normal field).
 */
export function texture(
  { shape, correlationM }: Pick<ClutterSettings, 'shape' | 'correlationM'>,
  size: readonly [number, number],
  spacingM: readonly [number, number],
  seed: number,
  chip: number,
): Float64Array {
  const random = new Random(seed, PURPOSE.texture, chip)
  const [rows, cols] = size
  const knots = size.map((n, i) => Math.ceil((n * spacingM[i]) / correlationM) + 2)
  const field = Float64Array.from({ length: knots[0] * knots[1] }, () => random.normal())
  // Random offset of the knots against the pixels, or the knots would be visible in the mean of many images.
  const start = [random.uniform(), random.uniform()]
  const toGamma = gammaOfNormal(shape)
  const out = new Float64Array(rows * cols)
  for (let i = 0; i < rows; i++) {
    const y = Math.min((i * spacingM[0]) / correlationM + start[0], knots[0] - 1 - 1e-9)
    const a = Math.floor(y)
    for (let l = 0; l < cols; l++) {
      const x = Math.min((l * spacingM[1]) / correlationM + start[1], knots[1] - 1 - 1e-9)
      const b = Math.floor(x)
      let value = 0
      let variance = 0
      for (let p = 0; p < 2; p++)
        for (let q = 0; q < 2; q++) {
          const w = (p ? y - a : 1 - y + a) * (q ? x - b : 1 - x + b)
          value += w * field[(a + p) * knots[1] + b + q]
          variance += w * w
        }
      out[i * cols + l] = toGamma(value / Math.sqrt(variance))
    }
  }
  return out
}

import { type Band, C0, highestFrequency, wavenumber } from '../scene/index.js'
import type { Material } from '../scene/materials/index.js'
import { slab } from '../scene/materials/slab.js'
import { chebyshevNodes } from './chebyshev.js'

/** Samples of a function over the band: its Chebyshev series up to this degree. */
const SAMPLES = 64
/** Angles of incidence looked at, evenly spaced in their cosine. */
const COSINES = 12

/** The Chebyshev nodes that series are made from, as wavenumbers over a band [rad/m]. */
const seriesNodes = (band: Band): Float64Array =>
  chebyshevNodes(wavenumber(band.f0), wavenumber(highestFrequency(band)), SAMPLES)

/** Series of every power up to `bounces` of every coefficient of the materials over a band, at all angles, from both sides. */
export function materialSeries(list: readonly Material[], band: Band, bounces: number): ChebyshevBound {
  const samples = seriesNodes(band)
  const all = new ChebyshevBound()
  const out = new Float64Array(8)
  const values = new Float64Array(8 * SAMPLES)
  for (const material of list) {
    if (material.kind === 'conductor') continue
    for (let i = 1; i <= COSINES; i++)
      for (let back = 0; back < 2; back++) {
        samples.forEach((k, n) => {
          slab(material, (k * C0) / (2 * Math.PI), i / COSINES, out, back === 1)
          values.set(out, 8 * n)
        })
        for (let at = 0; at < 8; at += 2) all.addPowers(values, at, bounces)
      }
  }
  return all
}

/** Chebyshev coefficients of functions over a band: the largest of all of them, by degree. */
class ChebyshevBound {
  readonly largest = new Float64Array(SAMPLES)

  /** Adds a complex function by its values at `seriesNodes`. */
  add(re: Float64Array, im: Float64Array): void {
    for (let j = 0; j < SAMPLES; j++) {
      let sumRe = 0
      let sumIm = 0
      for (let n = 0; n < SAMPLES; n++) {
        const t = COSINE[(j * (2 * n + 1)) % (4 * SAMPLES)]
        sumRe += t * re[n]
        sumIm += t * im[n]
      }
      const size = ((j === 0 ? 1 : 2) / SAMPLES) * Math.sqrt(sumRe * sumRe + sumIm * sumIm)
      if (size > this.largest[j]) this.largest[j] = size
    }
  }

  /** Bound of the sum of the coefficients from a degree on. */
  tail(degree: number): number {
    return this.largest.subarray(degree).reduce((sum, x) => sum + x, 0)
  }

  /** The powers 1 ... most of a complex function, given as pairs every 8 numbers. */
  addPowers(values: Float64Array, at: number, most: number): void {
    const re = new Float64Array(SAMPLES).fill(1)
    const im = new Float64Array(SAMPLES)
    for (let power = 1; power <= most; power++) {
      for (let n = 0; n < SAMPLES; n++) {
        const x = re[n]
        re[n] = x * values[8 * n + at] - im[n] * values[8 * n + at + 1]
        im[n] = x * values[8 * n + at + 1] + im[n] * values[8 * n + at]
      }
      this.add(re, im)
    }
  }
}

/** cos(pi i / 2 SAMPLES) */
const COSINE = Float64Array.from({ length: 4 * SAMPLES }, (_, i) => Math.cos((Math.PI * i) / (2 * SAMPLES)))

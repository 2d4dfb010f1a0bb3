import type { SceneMaterials } from '../../rays/index.js'
import { type Band, C0, highestFrequency, wavenumber } from '../../scene/index.js'
import { slab } from '../../scene/materials/index.js'
import { chebyshevNodes } from '../../signal/index.js'
import { bandNodes, type Nodes } from '../spreading.js'

/** Samples of a coefficient over the band: polynomials of up to half this degree are asked for. */
const SAMPLES = 64
/** Angles of incidence looked at, evenly spaced in their cosine. */
const COSINES = 12

/**
 * Nodes of a band for contributions whose amplitudes are products of up to `bounces` coefficients of the materials: as many more than shapes take
 * (`bandNodes`) as the polynomial has degrees that interpolates every power up to that of every coefficient, at all angles, to the
 * tolerance: a product of polynomials has the sum of their degrees. Null where no polynomial of a degree that would be worth it does.
 */
export function materialNodes(
  { list }: SceneMaterials,
  band: Band,
  tolerance: number,
  bounces: number,
): Nodes | null {
  const { k, reach } = bandNodes(band, tolerance)
  const first = wavenumber(band.f0)
  const last = wavenumber(highestFrequency(band))
  let degree = 0
  const samples = chebyshevNodes(first, last, SAMPLES)
  const out = new Float64Array(8)
  const values = new Float64Array(8 * SAMPLES)
  for (const material of list) {
    if (material.kind === 'conductor') continue
    for (let i = 1; i <= COSINES; i++)
      for (let back = 0; back < 2; back++) {
        samples.forEach((x, n) => {
          slab(material, (x * C0) / (2 * Math.PI), i / COSINES, out, back === 1)
          values.set(out, 8 * n)
        })
        for (let at = 0; at < 8; at += 2)
          degree = Math.max(degree, productDegree(values, at, tolerance, bounces))
      }
  }
  const count = k.length + degree
  return 2 * degree < SAMPLES && count < band.n ? { k: chebyshevNodes(first, last, count), reach } : null
}

/** Degree at which the Chebyshev series of all powers of a complex function, given by its samples, may end. */
function productDegree(values: Float64Array, at: number, tolerance: number, bounces: number): number {
  const re = new Float64Array(SAMPLES).fill(1)
  const im = new Float64Array(SAMPLES)
  let degree = 0
  for (let power = 1; power <= bounces; power++) {
    for (let n = 0; n < SAMPLES; n++) {
      const x = re[n]
      re[n] = x * values[8 * n + at] - im[n] * values[8 * n + at + 1]
      im[n] = x * values[8 * n + at + 1] + im[n] * values[8 * n + at]
    }
    degree = Math.max(degree, seriesDegree(re, im, tolerance))
  }
  return degree
}

/** Least degree whose terms beyond add up to less than the tolerance. */
function seriesDegree(re: Float64Array, im: Float64Array, tolerance: number): number {
  let rest = 0
  for (let j = SAMPLES - 1; j > 0; j--) {
    let sumRe = 0
    let sumIm = 0
    for (let n = 0; n < SAMPLES; n++) {
      const t = COSINE[(j * (2 * n + 1)) % (4 * SAMPLES)]
      sumRe += t * re[n]
      sumIm += t * im[n]
    }
    rest += (2 / SAMPLES) * Math.hypot(sumRe, sumIm)
    if (rest > tolerance) return j
  }
  return 0
}

/** cos(pi i / 2 SAMPLES) */
const COSINE = Float64Array.from({ length: 4 * SAMPLES }, (_, i) => Math.cos((Math.PI * i) / (2 * SAMPLES)))

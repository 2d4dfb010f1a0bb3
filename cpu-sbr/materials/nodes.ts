import type { SceneMaterials } from '../../rays/index.js'
import { type Band, C0, highestFrequency, wavenumber } from '../../scene/index.js'
import { slab } from '../../scene/materials/index.js'
import { chebyshevNodes } from '../../signal/index.js'
import { bandNodes, type Nodes } from '../spreading.js'

/** Samples of a function over the band: its Chebyshev series up to this degree. */
const SAMPLES = 64
/** Nodes above which the direct sum is taken. */
const MOST_NODES = 32
/** Angles of incidence looked at, evenly spaced in their cosine. */
const COSINES = 12
/** Choices kept. */
const KEPT = 16

const kept = new WeakMap<SceneMaterials, Map<string, Nodes | null>>()

/**
 * Nodes of a band for contributions whose amplitudes are products of up to `bounces` coefficients of the materials: as many as interpolate the
 * products of shapes (`bandNodes`, with its reach) and of every power up to that of every coefficient, at all angles, to the
 * tolerance. Null where so many would not be worth it.
 */
export function materialNodes(
  materials: SceneMaterials,
  band: Band,
  tolerance: number,
  bounces: number,
): Nodes | null {
  const all = kept.get(materials) ?? new Map<string, Nodes | null>()
  kept.set(materials, all)
  const key = [band.f0, band.df, band.n, tolerance, bounces].join()
  let found = all.get(key)
  if (found === undefined) {
    if (all.size >= KEPT) all.clear()
    all.set(key, (found = findNodes(materials, band, tolerance, bounces)))
  }
  return found
}

/**
 * The error of P nodes is at most twice the sum of the Chebyshev coefficients of degree P and more. Those of a product v s are less than the
 * sums of |v_i| |s_j| with i + j or |i - j| of that degree.
 */
function findNodes({ list }: SceneMaterials, band: Band, tolerance: number, bounces: number): Nodes | null {
  const { k, reach } = bandNodes(band, tolerance)
  const first = wavenumber(band.f0)
  const last = wavenumber(highestFrequency(band))
  const samples = chebyshevNodes(first, last, SAMPLES)
  const amplitudes = new Series()
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
        for (let at = 0; at < 8; at += 2) amplitudes.addPowers(values, at, bounces)
      }
  }
  const shapes = new Series()
  const middle = (first + last) / 2
  shapes.add(
    samples.map((x) => Math.cos((x - middle) * reach)),
    samples.map((x) => Math.sin((x - middle) * reach)),
  )
  shapes.add(
    samples.map((x) => (middle / x) ** 2),
    new Float64Array(SAMPLES),
  )
  for (let count = k.length; count <= Math.min(MOST_NODES, band.n - 1); count++)
    if (tailOf(amplitudes, shapes, count) <= tolerance)
      return { k: chebyshevNodes(first, last, count), reach }
  return null
}

/** Bound of the coefficients of a product from a degree on. */
function tailOf({ largest: v }: Series, { largest: s }: Series, degree: number): number {
  let sum = 0
  for (let i = 0; i < SAMPLES; i++)
    for (let j = Math.max(0, degree - i); j < SAMPLES; j++) sum += (i && j ? 0.5 : 1) * v[i] * s[j]
  return sum
}

/** Chebyshev coefficients over the band: the largest of many functions, by degree. */
class Series {
  readonly largest = new Float64Array(SAMPLES)

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

import { type Band, C0, frequency, wavenumber } from '../scene/index.js'
import { crossing, type Ground } from '../scene/ground/index.js'
import type { Material } from '../scene/materials/index.js'
import { slab } from '../scene/materials/slab.js'

/** Angles of incidence looked at, evenly spaced in their cosine. */
const COSINES = 12
/** Bounces looked at, up to the limit. */
const POWERS = [1, 2, 3, 5, 8, 12, 20, 32, 50]
/** Products of different coefficients, for each of these. */
const MIXED = 16
/** Frequencies at most that functions are compared at; bands of more are looked at in between them. */
const SAMPLES = 256

/** Interpolation over a band: f(k_n) is about the sum over p of weights[P n + p] f(k[p]). */
export interface BandBasis {
  /** Nodes, among the wavenumbers of the band [rad/m], P of them. */
  k: Float64Array
  weights: Float64Array
}

/** Real functions of the wavenumber. */
type Functions = (k: Float64Array) => Float64Array[]

/**
 * Nodes and weights for the amplitudes of paths: products of `shapes` with those of up to `bounces` coefficients of the materials, every power of
 * each at all angles from both sides and some products of different ones. Nodes are added where the worst of all these is farthest
 * from its interpolation (cross approximation with full pivoting, which is the empirical interpolation of Barrault et al., C. R. Acad.
 * Sci. 339, 2004), so that at the end each is within `tolerance` of it, of a largest magnitude of 1, at every frequency that is
 * looked at. Tables with kinks take a few nodes more, where a polynomial would take very many (decision 006). Null where `most` do not do.
 */
export function materialBasis(
  { list, ground }: { list: readonly Material[]; ground?: Ground },
  band: Band,
  bounces: number,
  shapes: Functions,
  tolerance: number,
  most: number,
): BandBasis | null {
  const { n } = band
  const all = Float64Array.from({ length: n }, (_, i) => wavenumber(frequency(band, i)))
  const count = Math.min(n, SAMPLES)
  const places = Uint32Array.from({ length: count }, (_, i) => Math.round((i * (n - 1)) / (count - 1)))
  const family = products(list, bounces, shapes, ground)
  const functions = family(Float64Array.from(places, (i) => all[i]))
  const nodes: number[] = []
  const chosen: number[] = []
  let unit = new Float64Array(count)
  let at = 0
  for (;;) {
    let largest = tolerance
    let worst = -1
    let next = -1
    for (const [f, values] of functions.entries()) {
      eliminate(values, at, unit)
      const i = largestAt(values)
      if (Math.abs(values[i]) > largest) [largest, worst, next] = [Math.abs(values[i]), f, i]
    }
    if (worst < 0) break
    if (nodes.length === most) return null
    at = next
    nodes.push(places[at])
    chosen.push(worst)
    const pivot = functions[worst][at]
    unit = functions[worst].map((x) => x / pivot)
  }
  // The same steps with the chosen functions, at every frequency.
  const weights: Float64Array[] = []
  const rows = family(all, chosen)
  for (const [p, row] of rows.entries()) {
    const unit = row.map((x) => x / row[nodes[p]])
    for (let q = p; q < rows.length; q++) eliminate(rows[q], nodes[p], unit)
    for (const weight of weights) eliminate(weight, nodes[p], unit)
    weights.push(unit)
  }
  return {
    k: Float64Array.from(nodes, (i) => all[i]),
    weights: Float64Array.from(
      { length: n * nodes.length },
      (_, i) => weights[i % nodes.length][Math.floor(i / nodes.length)],
    ),
  }
}

/** Takes off the multiple of `unit`, 1 at place `at`, that makes the values zero there. */
function eliminate(values: Float64Array, at: number, unit: Float64Array): void {
  const factor = values[at]
  if (factor !== 0) for (let i = 0; i < values.length; i++) values[i] -= factor * unit[i]
}

/** Where the first of the largest magnitudes stands. */
function largestAt(values: Float64Array): number {
  let at = 0
  let largest = -1
  for (let i = 0; i < values.length; i++) {
    const size = Math.abs(values[i])
    if (size > largest) {
      largest = size
      at = i
    }
  }
  return at
}

/** The functions of `materialBasis`, at any wavenumbers; of some of them alone by their numbers. */
function products(list: readonly Material[], bounces: number, shapes: Functions, ground?: Ground) {
  const powers = POWERS.filter((power) => power <= bounces)
  return (k: Float64Array, only?: number[]): Float64Array[] => {
    const factors = coefficients(list, k, ground)
    const slow = shapes(k)
    const found = new Map<number, Float64Array>()
    const wanted = only && new Set(only)
    let number = 0
    /** Adds the products of re + j im with the shapes. */
    const add = (re: Float64Array, im: Float64Array): void => {
      for (const part of [re, im])
        for (const shape of slow) {
          if (!wanted || wanted.has(number))
            found.set(
              number,
              part.map((x, i) => x * shape[i]),
            )
          number++
        }
    }
    add(new Float64Array(k.length).fill(1), new Float64Array(k.length))
    const random = sequence()
    const pick = (): Complex => factors[Math.floor(random() * factors.length)]
    const one = (): Complex => [new Float64Array(k.length).fill(1), new Float64Array(k.length)]
    /** Powers of each coefficient, one made of the one before. */
    const raised = factors.map(() => ({ power: 0, product: one() }))
    const isWanted = (first: number): boolean =>
      !only || only.some((f) => f >= first && f < first + 2 * slow.length)
    for (const power of factors.length > 0 ? powers : [])
      for (let f = 0; f < factors.length + MIXED; f++) {
        const picked = f < factors.length ? [] : Array.from({ length: power }, pick)
        if (!isWanted(number)) {
          number += 2 * slow.length
          continue
        }
        const of = f < factors.length ? raised[f] : { power: 0, product: one() }
        for (; of.power < power; of.power++)
          multiply(of.product, f < factors.length ? factors[f] : picked[of.power])
        add(...of.product)
      }
    return only ? only.map((f) => found.get(f)!) : [...found.values()]
  }
}

type Complex = [re: Float64Array, im: Float64Array]

function multiply([re, im]: Complex, [xs, ys]: Complex): void {
  for (let i = 0; i < re.length; i++) {
    const x = re[i]
    re[i] = x * xs[i] - im[i] * ys[i]
    im[i] = x * ys[i] + im[i] * xs[i]
  }
}

/** R and T of the materials but for conductors, of both polarisations from both sides at all angles; and the factors of a ground. */
function coefficients(list: readonly Material[], k: Float64Array, ground?: Ground): Complex[] {
  const out = new Float64Array(8)
  const ofGround = (c: number): Complex[] => {
    const [s, p] = [0, 2].map((): Complex => [new Float64Array(k.length), new Float64Array(k.length)])
    for (let n = 0; n < k.length; n++) {
      crossing(ground!, (k[n] * C0) / (2 * Math.PI), c, out)
      ;[s[0][n], s[1][n], p[0][n], p[1][n]] = out
    }
    return [s, p]
  }
  const grounds = ground ? Array.from({ length: COSINES }, (_, i) => ofGround((i + 1) / COSINES)) : []
  return grounds.flat().concat(
    list.flatMap((material) => {
      if (material.kind === 'conductor') return []
      const places = material.kind === 'sheet' ? [0, 2, 4, 6] : [0, 2]
      return Array.from({ length: 2 * COSINES }, (_, i) => {
        const values = places.map((): Complex => [new Float64Array(k.length), new Float64Array(k.length)])
        for (let n = 0; n < k.length; n++) {
          slab(material, (k[n] * C0) / (2 * Math.PI), ((i >> 1) + 1) / COSINES, out, i % 2 === 1)
          for (const [v, at] of places.entries()) {
            values[v][0][n] = out[at]
            values[v][1][n] = out[at + 1]
          }
        }
        return values
      }).flat()
    }),
  )
}

/** The same numbers from 0 to 1 each time (Park and Miller, Commun. ACM 31, 1988). */
function sequence(): () => number {
  let seed = 1
  return () => (seed = (16807 * seed) % 2147483647) / 2147483647
}

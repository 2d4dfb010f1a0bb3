import { type AspectField } from '../rays/index.js'
import { type Band, frequency, wavenumber } from '../scene/index.js'
import { type BandBasis, chebyshevNodes, DelaySum, lagrange } from '../signal/index.js'
import { nodeCount, SPREAD } from './delay-amplitudes.js'
import { boundsOf } from '../scene/frequency-steps.js'

/** Takes slowly varying amplitudes with their delays. */
export interface PathSink {
  /** Wavenumbers at which amplitudes are asked for [rad/m]. */
  readonly k: Float64Array
  /** Bounds of the steps that the frequencies lie in (`boundsOf`) [rad/m]: what is approximated, or left out, goes by these. */
  readonly lowest: number
  readonly highest: number
  /** Adds `amplitudes` (per wavenumber of `k` four complex channels) times exp(jk delay), delay in metres. */
  add(delay: number, amplitudes: Float64Array): void
}

/** Sums slowly varying amplitudes with their delays into the amplitudes of a band. */
export interface PathSum extends PathSink {
  reset(): void
  /** Adds the amplitudes of all frequencies, 8 numbers each, to `out`. */
  finish(out: AspectField): void
}

/**
 * For a band of more frequencies than Chebyshev nodes the sum is interpolated (docs/edge-diffraction.md), else exact.
 * @param more  nodes beyond those that first order takes
 */
export function pathSum(band: Band, exact: boolean, more = 0): PathSum {
  const nodes = more + nodeCount(band.f0, frequency(band, band.n - 1))
  if (exact || band.n <= nodes + 2) return exactSum(band)
  const k = chebyshevNodes(wavenumber(band.f0), wavenumber(frequency(band, band.n - 1)), nodes)
  const weights = new Float64Array(nodes * band.n)
  for (let i = 0; i < band.n; i++) weights.set(lagrange(k, wavenumber(frequency(band, i))), nodes * i)
  return interpolatedSum(band, { k, weights })
}

export function exactSum(band: Band): PathSum {
  const k = Float64Array.from({ length: band.n }, (_, i) => wavenumber(frequency(band, i)))
  const sum = new Float64Array(8 * band.n)
  return {
    k,
    ...boundsOf(band),
    reset: () => void sum.fill(0),
    add(delay, amplitudes) {
      for (let f = 0; f < k.length; f++) {
        const cos = Math.cos(k[f] * delay)
        const sin = Math.sin(k[f] * delay)
        for (let o = 8 * f; o < 8 * f + 8; o += 2) {
          sum[o] += cos * amplitudes[o] - sin * amplitudes[o + 1]
          sum[o + 1] += cos * amplitudes[o + 1] + sin * amplitudes[o]
        }
      }
    },
    finish(out) {
      for (let i = 0; i < sum.length; i++) out[i] += sum[i]
    },
  }
}

/** Amplitudes are given at the nodes of a basis. */
export function interpolatedSum(band: Band, { k, weights }: BandBasis): PathSum {
  const nodes = k.length
  const sum = new DelaySum(band, 4 * nodes, SPREAD)
  return {
    k,
    ...boundsOf(band),
    reset: () => sum.reset(),
    add: (delay, amplitudes) => sum.add(delay, amplitudes),
    finish(out) {
      sum.finish()
      const { values } = sum
      for (let i = 0; i < band.n; i++) {
        let at = sum.rowOf(i)
        for (let p = 0; p < nodes; p++) {
          const f = sum.factor(i) * weights[nodes * i + p]
          for (let c = 0; c < 8; c++) out[8 * i + c] += f * values[at++]
        }
      }
    },
  }
}

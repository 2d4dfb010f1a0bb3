import { type BandBasis } from '../../rays/material-basis.js'
import { chebyshevNodes, lagrange } from '../../math/chebyshev.js'
import { delayRows, DelaySum, delayTables, type DelayTables, spreadWidth } from '../../rays/delay-sum.js'
import type { AspectField } from '../../rays/index.js'
import { boundsOf } from '../../scene/band.js'
import { type Band, frequency, wavenumber } from '../../scene/index.js'
import { EdgeModule } from '../currents/edge-module.js'

/**
 * Chebyshev nodes that interpolate the slowly varying part of an amplitude over a band to 1e-8 of its peak. The parts
 * are analytic right of k = 0, so the error falls like rho^-P, rho = (1 + sqrt(1 - d^2))/d for a half-width d relative to the
 * centre; the 0.9 is measured, for segments of half a wavelength at 1, 15 and 60 % bandwidth (4, 7 and 11 nodes).
 */
export function nodeCount(f0: number, f1: number): number {
  const d = Math.abs(f1 - f0) / (f0 + f1)
  if (d === 0) return 1
  const rho = (1 + Math.sqrt(1 - d * d)) / d
  return Math.ceil(Math.log(1e8) / Math.log(rho) + 0.9)
}

/** Width of the kernel that spreads delays. */
export const SPREAD = spreadWidth(1e-9)

/**
 * Sums amplitudes that vary slowly over a band, each with a delay: F(k) = sum A(k) e^{jk tau}. They are given at a few wavenumbers, the
 * nodes, four complex channels each, in the memory of the WebAssembly module.
 */
export interface DelayAmplitudes {
  /** The nodes [rad/m]. */
  readonly k: Float64Array
  readonly module: EdgeModule
  reset(): void
  /** @param tau  delay [m] @param amplitudes  address of 8 numbers a node [m] */
  addAt(tau: number, amplitudes: number): void
  /** Writes the sums of all frequencies. */
  finish(out: AspectField): void
}

/** The sums for a band: interpolated where it has more frequencies than nodes, else direct. @param room  doubles for the caller, by the number of nodes */
export function delayAmplitudes(
  band: Band,
  exact: boolean,
  room: (nodes: number) => number,
): DelayAmplitudes {
  const nodes = nodeCount(band.f0, frequency(band, band.n - 1))
  return !exact && band.n > nodes + 2
    ? new InterpolatedAmplitudes(band, nodes, room(nodes))
    : new DirectAmplitudes(wavenumbers(band), room(band.n))
}

const wavenumbers = (band: Band): Float64Array =>
  Float64Array.from({ length: band.n }, (_, i) => wavenumber(frequency(band, i)))

/** Bytes that a thread takes for edge diffraction over a band: the module's grid, factors and tables, and two fields. */
export function edgeSumBytes(band: Band): number {
  const nodes = nodeCount(band.f0, frequency(band, band.n - 1))
  const fields = 2 * 8 * band.n
  if (band.n <= nodes + 2) return 8 * fields
  const rows = delayRows(band, SPREAD)
  return 8 * (fields + nodes * band.n + 8 * band.n + 8 * nodes * rows + rows)
}

/** The nodes are the frequencies: for a few of them, and an oracle. */
export class DirectAmplitudes implements DelayAmplitudes {
  readonly module: EdgeModule
  private readonly sum: Float64Array
  private readonly all: Float64Array

  /** @param room  doubles for the caller */
  constructor(
    readonly k: Float64Array,
    room: number,
  ) {
    this.module = new EdgeModule(room)
    this.all = this.module.view(0, this.module.size)
    this.sum = new Float64Array(8 * k.length)
  }

  reset(): void {
    this.sum.fill(0)
  }

  addAt(tau: number, amplitudes: number): void {
    const { k, sum, all } = this
    for (let i = 0, o = 0, a = amplitudes / 8; i < k.length; i++) {
      const cos = Math.cos(k[i] * tau)
      const sin = Math.sin(k[i] * tau)
      for (const end = o + 8; o < end; o += 2, a += 2) {
        sum[o] += cos * all[a] - sin * all[a + 1]
        sum[o + 1] += cos * all[a + 1] + sin * all[a]
      }
    }
  }

  finish(out: AspectField): void {
    out.set(this.sum)
  }
}

/**
 * The nodes are a few Chebyshev points of the band. The phases of the frequencies between are summed as in `DelaySum`, once for all
 * amplitudes, and the interpolation is done on the sums: with l_p the Lagrange polynomials, F(k) = sum_p l_p(k) sum A_p exp(jk tau).
 */
class InterpolatedAmplitudes implements DelayAmplitudes {
  readonly k: Float64Array
  readonly module: EdgeModule
  private readonly frequencies: number
  private readonly tables: DelayTables
  /** Addresses. */
  private readonly grid: number
  private readonly factors: number
  private readonly out: number

  constructor(band: Band, nodes: number, room: number) {
    const { n } = band
    this.k = chebyshevNodes(wavenumber(band.f0), wavenumber(frequency(band, n - 1)), nodes)
    this.frequencies = n
    this.tables = delayTables(band, SPREAD)
    const { kernel, correction, twiddle, rows } = this.tables
    const { coefficients, lanes, degree } = kernel
    // Factors, output and grid, all of even length; tables of rows and kernel.
    const sums = nodes * n + 1 + 8 * n + 8 * nodes * rows
    const module = new EdgeModule(room + sums + twiddle.length + coefficients.length + lanes)
    this.module = module
    const factors = new Float64Array(nodes * n)
    for (let i = 0; i < n; i++)
      lagrange(this.k, wavenumber(frequency(band, i))).forEach(
        (value, p) => (factors[nodes * i + p] = correction[i] * value),
      )
    this.factors = module.put(factors)
    this.out = module.reserve(8 * n)
    this.grid = module.reserve(8 * nodes * rows)
    module.run.setGrid(this.grid, rows, nodes, module.put(twiddle))
    module.run.setKernel(module.put(coefficients), module.reserve(lanes), SPREAD, lanes, degree)
  }

  reset(): void {
    this.module.run.clear(this.grid, 64 * this.k.length * this.tables.rows)
  }

  /** The phase may be large and is left to Math. */
  addAt(tau: number, amplitudes: number): void {
    const { kMiddle, cyclesPerMetre, rows } = this.tables
    const angle = kMiddle * tau
    const cycles = cyclesPerMetre * tau
    const position = (cycles - Math.floor(cycles)) * rows
    this.module.run.addAt(position, Math.cos(angle), Math.sin(angle), amplitudes)
  }

  finish(out: AspectField): void {
    const { module, frequencies } = this
    module.run.transform(frequencies, this.tables.middle, this.factors, this.out)
    out.set(module.view(this.out, 8 * frequencies))
  }
}

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

import { type BandBasis } from '../../rays/material-basis.js'
import { chebyshevNodes, lagrange } from '../../math/chebyshev.js'
import { delayRows, delayTables, type DelayTables, spreadWidth } from '../../rays/delay-sum.js'
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

/**
 * Chebyshev nodes of a band and the weights of its frequencies (docs/edge-diffraction.md); null where it has hardly more frequencies than nodes,
 * which are then evaluated one by one.
 */
export function chebyshevBasis(band: Band): BandBasis | null {
  const last = frequency(band, band.n - 1)
  const nodes = nodeCount(band.f0, last)
  if (band.n <= nodes + 2) return null
  const k = chebyshevNodes(wavenumber(band.f0), wavenumber(last), nodes)
  const weights = new Float64Array(nodes * band.n)
  for (let i = 0; i < band.n; i++) weights.set(lagrange(k, wavenumber(frequency(band, i))), nodes * i)
  return { k, weights }
}

/** The sums for a band, interpolated by a basis where there is one. @param room  doubles for the caller, by the number of nodes */
export const delayAmplitudes = (
  band: Band,
  basis: BandBasis | null,
  room: (nodes: number) => number,
): DelayAmplitudes =>
  basis
    ? new InterpolatedAmplitudes(band, basis, room(basis.k.length))
    : new DirectAmplitudes(
        Float64Array.from({ length: band.n }, (_, i) => wavenumber(frequency(band, i))),
        room(band.n),
      )

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
 * The nodes are a few points of the band. The phases of the frequencies between are summed as in `DelaySum`, once for all amplitudes, and the
 * interpolation is done on the sums: with l_p the weights of a frequency, F(k) = sum_p l_p(k) sum A_p exp(jk tau).
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

  constructor(band: Band, { k, weights }: BandBasis, room: number) {
    const { n } = band
    const nodes = k.length
    this.k = k
    this.frequencies = n
    this.tables = delayTables(band, SPREAD)
    const { kernel, correction, twiddle, rows } = this.tables
    const { coefficients, lanes, degree } = kernel
    // Factors, output and grid, all of even length; tables of rows and kernel.
    const sums = nodes * n + 1 + 8 * n + 8 * nodes * rows
    const module = new EdgeModule(room + sums + twiddle.length + coefficients.length + lanes)
    this.module = module
    this.factors = module.put(weights.map((weight, i) => correction[Math.floor(i / nodes)] * weight))
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

/** Doubles that a `PathSum` with so many nodes takes of its module's memory. */
export const pathRoom = (nodes: number): number => 8 * (nodes + (nodes % 2))

/** Sums slowly varying amplitudes with their delays into the amplitudes of a band. */
export class PathSum implements PathSink {
  readonly k: Float64Array
  /** Nothing has been added since the last `reset`. */
  empty = true
  /** Address of 8 numbers a node, which are added next. */
  protected readonly sum: number

  /** @param lowest,highest  see `PathSink` [rad/m] */
  constructor(
    protected readonly sums: DelayAmplitudes,
    readonly lowest: number,
    readonly highest: number,
  ) {
    this.k = sums.k
    this.sum = sums.module.reserve(pathRoom(sums.k.length))
  }

  reset(): void {
    if (!this.empty) this.sums.reset()
    this.empty = true
  }

  add(delay: number, amplitudes: Float64Array): void {
    this.sums.module.write(amplitudes, this.sum)
    this.addSum(delay)
  }

  /** Writes the amplitudes [m] of all frequencies. */
  finish(out: AspectField): void {
    this.sums.finish(out)
  }

  /** Adds what stands at `sum`. */
  protected addSum(delay: number): void {
    this.empty = false
    this.sums.addAt(delay, this.sum)
  }
}

/** A sum of paths over a band. @param basis  null: each frequency is evaluated */
export function pathSum(band: Band, basis: BandBasis | null): PathSum {
  const { lowest, highest } = boundsOf(band)
  return new PathSum(delayAmplitudes(band, basis, pathRoom), lowest, highest)
}

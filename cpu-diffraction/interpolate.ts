import { type AspectField, sinc } from '../rays/index.js'
import { type Band, frequency, wavenumber } from '../scene/index.js'
import {
  chebyshevNodes,
  delayRows,
  delayTables,
  type DelayTables,
  lagrange,
  spreadWidth,
} from '../signal/index.js'
import { EdgeModule } from './edge-module.js'
import type { EdgeFace } from './face.js'
import { FaceEnds, facesRoom } from './face-ends.js'
import { amplitude, ExactField, type EdgeField } from './field.js'
import { sincDifference } from './sinc-difference.js'
import { MOMENTS } from './strip.js'

/**
 * Chebyshev nodes that interpolate the slowly varying part of a segment's amplitude over a band to 1e-8 of its peak. The parts
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

/** Below this r c at the highest frequency the end part is not separated: both parts are large there and nearly cancel. */
export const JOINT = 0.5

/** The sum for a band: interpolated where it has more frequencies than nodes, else exact. */
export function edgeField(band: Band): EdgeField {
  const nodes = nodeCount(band.f0, frequency(band, band.n - 1))
  return band.n > nodes + 2 ? new InterpolatedField(band, nodes) : new ExactField(band)
}

/** Bytes that a thread takes for edge diffraction over a band: the module's grid, factors and tables, and two fields. */
export function edgeSumBytes(band: Band): number {
  const nodes = nodeCount(band.f0, frequency(band, band.n - 1))
  const fields = 2 * 8 * band.n
  if (band.n <= nodes + 2) return 8 * fields
  const rows = delayRows(band, SPREAD)
  return 8 * (fields + nodes * band.n + 8 * band.n + 8 * nodes * rows + rows)
}

/**
 * Evaluates the slowly varying parts of every segment at a few Chebyshev nodes of the band only. The phases of the frequencies
 * between are summed as in `DelaySum`, once for all segments, and the interpolation is done on the sums: with A_p a part's
 * amplitude at node p and l_p the Lagrange polynomials, F(k) = sum_p l_p(k) sum_segments A_p exp(jk delay).
 * Three delays per segment: its untruncated part psi (both faces), and the two ends psi - l cone.
 * The loops are those of the WebAssembly module.
 */
export class InterpolatedField implements EdgeField {
  private readonly k: Float64Array
  private readonly lowest: number
  private readonly highest: number
  private readonly module: EdgeModule
  private readonly ends: FaceEnds
  private readonly frequencies: number
  private readonly tables: DelayTables
  /** Addresses. */
  private readonly grid: number
  private readonly factors: number
  private readonly out: number
  private psi = 0.5
  private length = 0.5

  /** @param nodes  see `nodeCount` */
  constructor(band: Band, nodes: number) {
    const { n } = band
    const first = wavenumber(band.f0)
    const last = wavenumber(frequency(band, n - 1))
    this.k = chebyshevNodes(first, last, nodes)
    this.lowest = Math.min(first, last)
    this.highest = Math.max(first, last)
    this.frequencies = n
    this.tables = delayTables(band, SPREAD)
    const { kernel, correction, twiddle, rows } = this.tables
    const { coefficients, lanes, degree } = kernel
    // Factors, output and grid, all of even length; tables of rows and kernel.
    const sums = nodes * n + 1 + 8 * n + 8 * nodes * rows
    const module = new EdgeModule(facesRoom(nodes) + sums + twiddle.length + coefficients.length + lanes)
    this.module = module
    this.ends = new FaceEnds(module, this.k, this.lowest)
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

  openEdge(): void {}

  openSegment(psi: number, length: number): void {
    this.psi = psi
    this.length = length
    this.ends.clear()
  }

  addFace(face: EdgeFace, l: number, slope: number): void {
    const { ends, length } = this
    const { strip } = face
    const perK = l * strip.sinBeta0 * strip.sinBeta0
    const x = 0.5 * face.slide * length
    const d = 0.5 * slope * face.cone * length
    const rc = strip.c * Math.sqrt(2 * this.highest * perK)
    if (rc < JOINT && strip.truncation !== 'eec') {
      addJoint(face, this.k, this.lowest, length, perK, x, d, ends.nearValues)
      return
    }
    ends.addUntruncated(face, length, x)
    if (strip.truncation === 'eec') return
    ends.end(face, length, perK, x - d)
    this.addAt(this.psi - l * face.cone, ends.far)
  }

  closeSegment(): void {
    this.addAt(this.psi, this.ends.near)
  }

  finish(out: AspectField): void {
    const { module, frequencies } = this
    module.run.transform(frequencies, this.tables.middle, this.factors, this.out)
    out.set(module.view(this.out, 8 * frequencies))
  }

  /** Adds amplitudes at the delay tau [m]. The phase may be large and is left to Math. */
  private addAt(tau: number, amplitudes: number): void {
    const { kMiddle, cyclesPerMetre, rows } = this.tables
    const angle = kMiddle * tau
    const cycles = cyclesPerMetre * tau
    const position = (cycles - Math.floor(cycles)) * rows
    this.module.run.addAt(position, Math.cos(angle), Math.sin(angle), amplitudes)
  }
}

const moments = new Float64Array(MOMENTS)
const part = new Float64Array(2)

/**
 * Adds to `sum` the amplitudes [m] at the wavenumbers `k`, four complex channels each, of a segment's face whose end part is
 * still in phase with the rest: both parts, at the segment's own delay.
 *
 * @param lowest  of the band's wavenumbers
 * @param perK    L per wavenumber [m]
 * @param x,d     half the length times the phase slope of the near part, and times the difference of the end's slope from it
 */
export function addJoint(
  face: EdgeFace,
  k: Float64Array,
  lowest: number,
  length: number,
  perK: number,
  x: number,
  d: number,
  sum: Float64Array,
): void {
  for (let p = 0, o = 0; p < k.length; p++) {
    face.strip.moments(k[p] * perK, lowest * perK, moments)
    const s1 = sinc(k[p] * x)
    const ds = sincDifference(k[p] * x, k[p] * d)
    for (let ch = 0; ch < 4; ch++, o += 2) {
      amplitude(face, ch, moments, s1, ds, part)
      sum[o] += length * part[0]
      sum[o + 1] += length * part[1]
    }
  }
}

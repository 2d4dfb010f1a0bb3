import {
  type AspectField,
  type Band,
  chebyshevNodes,
  DelaySum,
  frequency,
  lagrange,
  sinc,
  spreadWidth,
  wavenumber,
} from '../scene/index.js'
import { EndPart } from './end-part.js'
import type { EdgeFace } from './face.js'
import { amplitude, ExactField, part, type EdgeField } from './field.js'
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

/** Below this r c at the highest frequency the end part is not told apart: both parts are large there and nearly cancel. */
export const JOINT = 0.5

/** The sum for a band: interpolated where it has more frequencies than nodes, else exact. */
export function edgeField(band: Band): EdgeField {
  const nodes = nodeCount(band.f0, frequency(band, band.n - 1))
  return band.n > nodes + 2 ? new InterpolatedField(band, nodes) : new ExactField(band)
}

/**
 * Evaluates the slowly varying parts of every segment at a few Chebyshev nodes of the band only. The phases of the frequencies
 * between are summed by `DelaySum`, once for all segments, and the interpolation is done on the sums: with A_p a part's
 * amplitude at node p and l_p the Lagrange polynomials, F(k) = sum_p l_p(k) sum_segments A_p exp(jk delay).
 * Three delays per segment: its untruncated part psi (both faces), and the two ends psi - l cone.
 */
export class InterpolatedField implements EdgeField {
  private readonly k: Float64Array
  private readonly lowest: number
  private readonly highest: number
  private readonly polynomials: Float64Array
  private readonly sum: DelaySum
  private readonly near: Float64Array
  private readonly far: Float64Array
  private readonly end = new EndPart()
  private psi = 0
  private length = 0

  /** @param nodes  see `nodeCount` */
  constructor(band: Band, nodes: number) {
    const first = wavenumber(band.f0)
    const last = wavenumber(frequency(band, band.n - 1))
    this.k = chebyshevNodes(first, last, nodes)
    this.polynomials = new Float64Array(nodes * band.n)
    for (let i = 0; i < band.n; i++)
      this.polynomials.set(lagrange(this.k, wavenumber(frequency(band, i))), nodes * i)
    this.lowest = Math.min(first, last)
    this.highest = Math.max(first, last)
    this.sum = new DelaySum(band, 4 * nodes, SPREAD)
    this.near = new Float64Array(8 * nodes)
    this.far = new Float64Array(8 * nodes)
  }

  reset(): void {
    this.sum.reset()
  }

  openEdge(): void {}

  openSegment(psi: number, length: number): void {
    this.psi = psi
    this.length = length
    this.near.fill(0)
  }

  addFace(face: EdgeFace, l: number, slope: number): void {
    const { k, near } = this
    const { strip } = face
    const perK = l * strip.sinBeta0 * strip.sinBeta0
    const x = 0.5 * face.slide * this.length
    const d = 0.5 * slope * face.cone * this.length
    const rc = strip.c * Math.sqrt(2 * this.highest * perK)
    if (rc < JOINT && strip.truncation !== 'eec') {
      addJoint(face, k, this.lowest, this.length, perK, x, d, near)
      return
    }
    const { untruncated } = face
    for (let p = 0, o = 0; p < k.length; p++) {
      const s1 = this.length * sinc(k[p] * x)
      for (let ch = 0; ch < 4; ch++, o += 2) near[o] += s1 * untruncated[ch]
    }
    if (strip.truncation === 'eec') return
    this.end.set(strip, this.lowest * perK)
    endAmplitudes(face, this.end, k, this.length, perK, x - d, this.far)
    this.sum.add(this.psi - l * face.cone, this.far)
  }

  closeSegment(): void {
    this.sum.add(this.psi, this.near)
  }

  finish(out: AspectField): void {
    const { sum, polynomials, k } = this
    sum.finish()
    const values = sum.values
    out.fill(0)
    for (let i = 0; i < sum.frequencies; i++) {
      const factor = sum.factor(i)
      let at = sum.rowOf(i)
      for (let p = 0; p < k.length; p++) {
        const f = factor * polynomials[k.length * i + p]
        for (let c = 0; c < 8; c++) out[8 * i + c] += f * values[at++]
      }
    }
  }
}

const moments = new Float64Array(MOMENTS)

/**
 * Adds to `sum` the amplitudes [m] at the wavenumbers `k`, four complex channels each, of a segment's face whose end part is
 * still in phase with the rest: both parts, at the segment's own delay.
 *
 * @param lowest  of the band's wavenumbers
 * @param perK    L per wavenumber [m]
 * @param x,d     half the length times the phase slope of the near part, and times what the end's slope lacks of it
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
      amplitude(face, ch, moments, s1, ds)
      sum[o] += length * part[0]
      sum[o + 1] += length * part[1]
    }
  }
}

/**
 * Writes the amplitudes [m] of a segment's end part, -A_cor s2, at its own delay psi - l cone; as `addJoint`.
 *
 * @param end  set for the face's strip
 * @param x2   half the length times the phase slope of the end
 */
export function endAmplitudes(
  face: EdgeFace,
  end: EndPart,
  k: Float64Array,
  length: number,
  perK: number,
  x2: number,
  out: Float64Array,
): void {
  const { coefS, coefT, coefR } = face
  for (let p = 0, o = 0; p < k.length; p++) {
    end.at(k[p] * perK, moments)
    const s2 = -length * sinc(k[p] * x2)
    for (let ch = 0; ch < 4; ch++, o += 2) {
      out[o] = s2 * (coefS[ch] * moments[1] + coefT[ch] * moments[2] + coefR[ch] * moments[4])
      out[o + 1] = s2 * (coefT[ch] * moments[3] - coefS[ch] * moments[0] + coefR[ch] * moments[5])
    }
  }
}

import { type AspectField, sinc } from '../rays/index.js'
import { type Band, frequency, wavenumber } from '../scene/index.js'
import type { EdgeFace } from './face.js'
import { sincDifference } from './sinc-difference.js'
import { MOMENTS } from './strip.js'

/**
 * Takes in the edge segments of an aspect: `openEdge` once its faces are aimed, then per segment `openSegment`, `addFace` for
 * each of its faces, `closeSegment`. A face adds, with the phase slopes of its two parts along the edge separate
 * (docs/edge-diffraction.md, "Segments"),
 *   F(k) += Delta e^{jk psi} [A s1 + A_cor (s1 - s2)],  s1 = sinc(k slide Delta/2),  s2 = sinc(k (slide - slope cone) Delta/2),
 * where A is of the truncated current and A_cor of what the truncation took away.
 */
export interface SegmentSink {
  /** The faces have been aimed again: what follows are segments of another edge. */
  openEdge(): void
  /**
   * @param psi     phase path (s - ki).r of the segment's midpoint [m]
   * @param length  of the segment [m], 0.2 to 0.5 wavelengths for 1e-2 accuracy
   */
  openSegment(psi: number, length: number): void
  /**
   * @param face   aimed at this aspect
   * @param l      strip length from the midpoint [m], finite, >= 0
   * @param slope  dl/dz along z of the face's frame
   */
  addFace(face: EdgeFace, l: number, slope: number): void
  closeSegment(): void
}

/** Sums edge segments into the scattering amplitudes of one aspect. */
export interface EdgeField extends SegmentSink {
  /** Starts a new aspect. */
  reset(): void
  /** Writes the amplitudes [m] of all frequencies. */
  finish(out: AspectField): void
}

/** Evaluates every segment at every frequency: the oracle, and the choice for a few frequencies. */
export class ExactField implements EdgeField {
  private readonly k: Float64Array
  private readonly lowest: number
  private readonly sum: Float64Array
  private readonly moments = new Float64Array(MOMENTS)
  private readonly part = new Float64Array(2)
  private psi = 0
  private length = 0

  constructor(band: Band) {
    this.k = Float64Array.from({ length: band.n }, (_, i) => wavenumber(frequency(band, i)))
    this.lowest = this.k.reduce((a, b) => Math.min(a, b), Infinity)
    this.sum = new Float64Array(8 * band.n)
  }

  reset(): void {
    this.sum.fill(0)
  }

  openEdge(): void {}

  openSegment(psi: number, length: number): void {
    this.psi = psi
    this.length = length
  }

  addFace(face: EdgeFace, l: number, slope: number): void {
    const { moments, part, sum, k } = this
    const { strip } = face
    const perK = l * strip.sinBeta0 * strip.sinBeta0
    const x = 0.5 * face.slide * this.length
    const d = 0.5 * slope * face.cone * this.length
    for (let f = 0; f < k.length; f++) {
      strip.moments(k[f] * perK, this.lowest * perK, moments)
      const s1 = sinc(k[f] * x)
      const ds = sincDifference(k[f] * x, k[f] * d)
      const re = this.length * Math.cos(k[f] * this.psi)
      const im = this.length * Math.sin(k[f] * this.psi)
      for (let ch = 0, o = 8 * f; ch < 4; ch++, o += 2) {
        amplitude(face, ch, moments, s1, ds, part)
        sum[o] += re * part[0] - im * part[1]
        sum[o + 1] += re * part[1] + im * part[0]
      }
    }
  }

  closeSegment(): void {}

  finish(out: AspectField): void {
    out.set(this.sum)
  }
}

/**
 * A s1 + A_cor ds of one channel as a pair to `out`, A = -j S coefS + T coefT + R coefR.
 *
 * @param moments  of `FaceStrip.moments`: S, T, R, then the same of what the truncation took away
 */
export function amplitude(
  face: EdgeFace,
  channel: number,
  moments: Float64Array,
  s1: number,
  ds: number,
  out: Float64Array,
): void {
  const coefS = face.coefS[channel]
  const coefT = face.coefT[channel]
  const coefR = face.coefR[channel]
  const m = moments
  out[0] =
    s1 * (coefS * m[1] + coefT * m[2] + coefR * m[4]) + ds * (coefS * m[7] + coefT * m[8] + coefR * m[10])
  out[1] =
    s1 * (coefT * m[3] - coefS * m[0] + coefR * m[5]) + ds * (coefT * m[9] - coefS * m[6] + coefR * m[11])
}

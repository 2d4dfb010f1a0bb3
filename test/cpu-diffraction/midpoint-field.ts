import { type EdgeFace, MOMENTS } from '../../cpu-diffraction/index.js'
import { amplitude } from '../../cpu-diffraction/currents/face.js'
import type { SegmentSink } from '../../cpu-diffraction/currents/edge-field.js'
import { sincDifference } from '../../math/fresnel.js'
import { type AspectField, sinc } from '../../rays/index.js'
import { type Band, frequency, wavenumber } from '../../scene/index.js'

/** The oracle of `EdgeField`: every segment at every frequency by its midpoint, in which strips have one length; for short segments. */
export class MidpointField implements SegmentSink {
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

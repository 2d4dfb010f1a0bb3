import type { Complex } from '../../scene/complex.js'
import { exp, multiply } from './complex.js'
import { type FaceAmplitudes, REST } from './amplitudes.js'
import type { MaterialFace } from './material-face.js'
import { NODES } from './surface-spectrum.js'

/** Below this size the integral of an exponential over a piece is a series. */
const SMALL = 1e-3

/** Integrals along a piece of an edge of amplitudes times exponentials that are linear along it, at all wavenumbers. */
export class StripEnds {
  /** Per wavenumber re and im of VV HH VH HV [m]. */
  readonly out: Float64Array

  /** @param k  wavenumbers [rad/m] */
  constructor(private readonly k: Float64Array) {
    this.out = new Float64Array(8 * k.length)
  }

  /** Of the endless strips. @param side  -1 or +1: what one end of the piece has, without its phase; 0: both, with the middle's */
  untruncated(amplitudes: FaceAmplitudes[], length: number, slide: number, side: number): void {
    const { k, out } = this
    out.fill(0)
    for (let p = 0; p < k.length; p++)
      this.add(p, amplitudes[p].untruncated, 0, along(0, k[p] * slide, length, 0, side))
  }

  /**
   * What the ends of strips take away, negative. As above, without exp(-jk l cone) too.
   *
   * @param l,slope  strip length at the middle [m], and its slope along the piece
   * @param phase    of the phase path of the ends along the piece
   */
  truncation(
    face: MaterialFace,
    amplitudes: FaceAmplitudes[],
    length: number,
    l: number,
    slope: number,
    phase: number,
    side: number,
  ): void {
    const { k, out } = this
    const square = face.sinBeta0 * face.sinBeta0
    out.fill(0)
    for (let p = 0; p < k.length; p++) {
      const { nodes, rest, guided } = amplitudes[p]
      const perLength = k[p] * square
      const turn = k[p] * phase
      for (let n = 0; n < face.count; n++) {
        const decay = NODES[n] * NODES[n] * perLength
        this.add(p, nodes, 8 * n, along(-decay * slope, turn, length, -decay * l, side))
      }
      const decay = REST * perLength
      this.add(p, rest, 0, along(-decay * slope, turn, length, -decay * l, side))
      for (const { decay: e, amplitudes: of } of guided) {
        const [re, im] = [e[0] * perLength, e[1] * perLength]
        const angle = im * (l + 0.5 * side * length * slope)
        const late: Complex = [Math.cos(angle), -Math.sin(angle)]
        this.add(p, of, 0, multiply(late, along(-re * slope, turn - im * slope, length, -re * l, side)))
      }
    }
    for (let i = 0; i < out.length; i++) out[i] = -out[i]
  }

  private add(p: number, amplitudes: Float64Array, at: number, factor: Complex): void {
    const { out } = this
    for (let c = 0; c < 8; c += 2) {
      const re = amplitudes[at + c]
      const im = amplitudes[at + c + 1]
      out[8 * p + c] += re * factor[0] - im * factor[1]
      out[8 * p + c + 1] += re * factor[1] + im * factor[0]
    }
  }
}

/** exp(start) int exp((re + j im) t) dt over a piece about t = 0, or one limit of it without exp(j im t). */
function along(re: number, im: number, length: number, start: number, side: number): Complex {
  const half = 0.5 * length
  if (side !== 0) {
    const size = (side * Math.exp(start + side * half * re)) / (re * re + im * im)
    return [size * re, -size * im]
  }
  const x: Complex = [re * half, im * half]
  if (Math.abs(x[0]) + Math.abs(x[1]) < SMALL) {
    // sinh(x)/x = 1 + x^2/6
    const size = Math.exp(start) * length
    return [size * (1 + (x[0] * x[0] - x[1] * x[1]) / 6), (size * x[0] * x[1]) / 3]
  }
  const a = exp([start + x[0], x[1]])
  const b = exp([start - x[0], -x[1]])
  const size = re * re + im * im
  return [((a[0] - b[0]) * re + (a[1] - b[1]) * im) / size, ((a[1] - b[1]) * re - (a[0] - b[0]) * im) / size]
}

import { add, type Complex, divide, multiply, scale, subtract } from '../../../math/complex.js'
import { type FaceAmplitudes, GONE, restDecay, type SurfaceField } from './amplitudes.js'
import { type MaterialFace, OFF_PLANE } from './material-face.js'
import { NODES } from './surface-spectrum.js'

/** Below this size the integral of an exponential over a piece is a series. */
const SMALL = 1e-3

/** A piece of an edge with the strips that begin there. */
export interface StripPiece {
  /** Phase path of its middle, and its length [m]. */
  psi: number
  length: number
  /** Length of the strip from its middle [m], and slope of that along the piece. */
  l: number
  slope: number
  /** Of the phase path along the strips (`EdgeFace`). */
  cone: number
  /** Slope of the phase path of the strips' ends along the piece, and as the sum over nodes has it (`AsConductors`). */
  phase: number
  displaced: number
  /** Wavenumbers that it counts at: first to end - 1. */
  first: number
  end: number
}

/** Integrals along a piece of an edge of amplitudes times exponentials that are linear along it, at all wavenumbers. */
export class StripEnds {
  /** Per wavenumber re and im of VV HH VH HV [m]. */
  readonly out: Float64Array

  /** @param k  wavenumbers [rad/m] */
  constructor(private readonly k: Float64Array) {
    this.out = new Float64Array(8 * k.length)
  }

  /** Of the endless strips. @param side  -1 or +1: what one end of the piece has, without its phase; 0: both, with the middle's */
  untruncated(
    amplitudes: FaceAmplitudes[],
    { length, first, end }: StripPiece,
    slide: number,
    side: number,
  ): void {
    const { k, out } = this
    out.fill(0)
    for (let p = first; p < end; p++) {
      along(0, k[p] * slide, length, 0, side)
      this.add(p, amplitudes[p].untruncated, 0)
    }
  }

  /** What the ends of strips take away, negative. As above, without exp(-jk l cone) too. */
  truncation(face: MaterialFace, amplitudes: FaceAmplitudes[], piece: StripPiece, side: number): void {
    const { length, l, slope, phase, displaced, first, end } = piece
    const { k, out } = this
    const square = face.sinBeta0 * face.sinBeta0
    // Where the strip is shortest: of one end, at it.
    const nearest = side === 0 ? l - 0.5 * length * Math.abs(slope) : l + 0.5 * side * length * slope
    out.fill(0)
    for (let p = first; p < end; p++) {
      const { nodes, rest, guided } = amplitudes[p]
      const perLength = k[p] * square
      const turn = k[p] * phase
      for (let n = face.start; n < face.count; n++) {
        const decay = NODES[n] * NODES[n] * perLength
        if (decay * nearest > GONE) continue
        along(-decay * slope, turn, length, -decay * l, side)
        if (displaced !== phase) move(-decay * slope, turn, k[p] * displaced)
        this.add(p, nodes, 8 * n)
      }
      const decay = restDecay(face.first) * perLength
      if (decay * nearest <= GONE) {
        along(-decay * slope, turn, length, -decay * l, side)
        if (displaced !== phase) move(-decay * slope, turn, k[p] * displaced)
        this.add(p, rest, 0)
      }
      for (const { decay: e, amplitudes: of } of guided) {
        const [re, im] = [e[0] * perLength, e[1] * perLength]
        if (re * nearest > GONE) continue
        const angle = im * (l + 0.5 * side * length * slope)
        along(-re * slope, turn - im * slope, length, -re * l, side)
        const [x, y] = factor
        const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
        factor[0] = x * cos + y * sin
        factor[1] = y * cos - x * sin
        this.add(p, of, 0)
      }
    }
    for (let i = 0; i < out.length; i++) out[i] = -out[i]
  }

  private add(p: number, amplitudes: Float64Array, at: number): void {
    const { out } = this
    const re0 = factor[0]
    const im0 = factor[1]
    for (let c = 0; c < 8; c += 2) {
      const re = amplitudes[at + c]
      const im = amplitudes[at + c + 1]
      out[8 * p + c] += re * re0 - im * im0
      out[8 * p + c + 1] += re * im0 + im * re0
    }
  }
}

const factor = new Float64Array(2)

/** Sets `factor` to exp(start) int exp((re + j im) t) dt over a piece about t = 0, or to one limit of it without exp(j im t). */
function along(re: number, im: number, length: number, start: number, side: number): void {
  const half = 0.5 * length
  if (side !== 0) {
    const size = (side * Math.exp(start + side * half * re)) / (re * re + im * im)
    factor[0] = size * re
    factor[1] = -size * im
    return
  }
  const x = re * half
  const y = im * half
  if (Math.abs(x) + Math.abs(y) < SMALL) {
    // sinh(x)/x = 1 + x^2/6
    const size = Math.exp(start) * length
    factor[0] = size * (1 + (x * x - y * y) / 6)
    factor[1] = (size * x * y) / 3
    return
  }
  const up = Math.exp(start + x)
  const down = Math.exp(start - x)
  const a = (up - down) * Math.cos(y)
  const b = (up + down) * Math.sin(y)
  const size = 1 / (re * re + im * im)
  factor[0] = size * (a * re + b * im)
  factor[1] = size * (b * re - a * im)
}

/** Of the integral's limits the denominators re + j im alone with another im. */
function move(re: number, im: number, to: number): void {
  const [x, y] = factor
  const size = 1 / (re * re + to * to)
  const a = size * (re * re + im * to)
  const b = size * re * (im - to)
  factor[0] = x * a - y * b
  factor[1] = x * b + y * a
}

const turn = (angle: number): Complex => [Math.cos(angle), Math.sin(angle)]
/** (e^{jx} - 1)/(jx) */
const meanTurn = (x: number): Complex =>
  scale(Math.abs(x) < 1e-6 ? 1 : Math.sin(x / 2) / (x / 2), turn(x / 2))

/**
 * Adds to a lit wedge's amplitudes what physical optics has off the edge of its walls, where `amplitudes` takes it off: the strip of the
 * facet beyond, and the incident and reflected waves across the way down to the walls (Kirchhoff's integral).
 */
export function addOverhang(
  face: MaterialFace,
  { spectrum, isE, weight, wall }: SurfaceField,
  k: number,
  { untruncated }: FaceAmplitudes,
): void {
  const { x, depth, phase } = wall!
  const { sinBeta0, phi0, mu, fromAbove, toAbove } = face
  const { s, d } = spectrum.face
  const [sine, cosine] = [Math.max(Math.sin(phi0), OFF_PLANE), Math.cos(phi0)]
  const size = weight * k * sinBeta0
  const R = divide(subtract(scale(sine, d), s), add(scale(sine, d), s))
  const facet = multiply(R, turn(-2 * k * depth * fromAbove))
  const strip = scale(size * x, meanTurn(k * x * sinBeta0 * (mu + cosine)))
  const down = add(
    meanTurn(k * depth * (toAbove + fromAbove)),
    multiply(R, meanTurn(k * depth * (toAbove - fromAbove))),
  )
  const across = scale(size * depth * (cosine - mu), multiply(phase, down))
  const first = isE ? 0 : 4
  for (let ch = 0; ch < 4; ch++) {
    const a = face.normal[first + ch]
    const b = face.jump[first + ch] + cosine * face.slope[first + ch]
    const current = add([a * sine + b, 0], scale(b - a * sine, facet))
    const sum = add(multiply(strip, current), scale(a, across))
    // times -j
    untruncated[2 * ch] += sum[1]
    untruncated[2 * ch + 1] -= sum[0]
  }
}

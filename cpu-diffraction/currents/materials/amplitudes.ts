import type { Complex } from '../../../math/complex.js'
import { MANY, NODES, type SurfaceSpectrum } from './surface-spectrum.js'

/** 1 to 0 about x = 1, analytic so that bands can be interpolated. */
export const fading = (x: number): number => 1 / (1 + x ** 8)

/** Decay of what the nodes after this one leave out, the part of the field closest to the edge. */
export const restDecay = (first: number): number => 1.5 * NODES[first] ** 2

/** Terms that have decayed by so many nepers at a strip's end are none. */
export const GONE = 30

/** A surface field and what it radiates: currents along and across the edge, by jumps of du/dn and of u. */
export interface SurfaceField {
  spectrum: SurfaceSpectrum
  /** Of E_z, or of H_z times 377 ohm. */
  isE: boolean
  /** Whether du/dn and u radiate: both of an opaque face. */
  normal: boolean
  jump: boolean
  /** Factor of its field. */
  weight: number
  /** Where the edge of a coated wedge is instead of the facets'. */
  wall?: Wall | null
}

/** The edge of a wedge's walls under its facets. */
export interface Wall {
  /** Along x of the face, below it [m], and its phase, of transmitter and receiver. */
  x: number
  depth: number
  phase: Complex
  /** How far inside of the facets' edge that of the walls ends, at its start and its end [m]. */
  ends: [number, number]
}

/** A term of the current of a strip of length L = k l sin^2 beta0: amplitudes times exp(-decay L), decay without its part 2jc^2. */
export interface GuidedTerm {
  decay: Complex
  amplitudes: Float64Array
}

/** Amplitudes per length of edge of one face at one frequency: re and im of VV HH VH HV (transmit, receive). */
export interface FaceAmplitudes {
  /** Of the endless strips. */
  untruncated: Float64Array
  /** What the ends take away, per node, 8 numbers each. */
  nodes: Float64Array
  /** The same of the field closest to the edge, and of guided waves. */
  rest: Float64Array
  guided: GuidedTerm[]
}

export const emptyAmplitudes = (): FaceAmplitudes => ({
  untruncated: new Float64Array(8),
  nodes: new Float64Array(8 * MANY),
  rest: new Float64Array(8),
  guided: [],
})

/** Makes amplitudes 0 again. */
export function clearAmplitudes({ untruncated, nodes, rest, guided }: FaceAmplitudes): void {
  untruncated.fill(0)
  nodes.fill(0)
  rest.fill(0)
  guided.length = 0
}

/** Multiplies amplitudes by exp(j phase). */
export function turn({ untruncated, nodes, rest, guided }: FaceAmplitudes, phase: number): void {
  const [cos, sin] = [Math.cos(phase), Math.sin(phase)]
  for (const of of [untruncated, nodes, rest, ...guided.map(({ amplitudes }) => amplitudes)])
    for (let i = 0; i < of.length; i += 2) {
      const re = of[i]
      of[i] = re * cos - of[i + 1] * sin
      of[i + 1] = re * sin + of[i + 1] * cos
    }
}

/** Sets what is left for the field closest to the edge: strips without length have no current. */
export function setRest({ untruncated, nodes, rest, guided }: FaceAmplitudes): void {
  rest.set(untruncated)
  for (let i = 0; i < nodes.length; i++) rest[i & 7] -= nodes[i]
  for (const { amplitudes } of guided) for (let i = 0; i < 8; i++) rest[i] -= amplitudes[i]
}

/** Sets the field closest to the edge, and all parts' sum. */
export function setWhole({ untruncated, nodes, rest, guided }: FaceAmplitudes, closest: Float64Array): void {
  rest.set(closest)
  untruncated.set(closest)
  for (let i = 0; i < nodes.length; i++) untruncated[i & 7] += nodes[i]
  for (const { amplitudes } of guided) for (let i = 0; i < 8; i++) untruncated[i] += amplitudes[i]
}

/** Below this size the integral of an exponential over a piece is a series. */
const SMALL = 1e-3

/** Of a face (`MaterialFace`): sin(beta0), the largest node that it needs, and nodes used: start to count - 1. */
interface NodeRange {
  sinBeta0: number
  first: number
  start: number
  count: number
}

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
  truncation(face: NodeRange, amplitudes: FaceAmplitudes[], piece: StripPiece, side: number): void {
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
      // The nodes', and behind them what is closest to the edge.
      for (let n = face.start; n <= face.count; n++) {
        const isRest = n === face.count
        const decay = (isRest ? restDecay(face.first) : NODES[n] * NODES[n]) * perLength
        if (decay * nearest > GONE) continue
        along(-decay * slope, turn, length, -decay * l, side)
        if (displaced !== phase) move(-decay * slope, turn, k[p] * displaced)
        if (isRest) this.add(p, rest, 0)
        else this.add(p, nodes, 8 * n)
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

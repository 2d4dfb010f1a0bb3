import { sinc } from '../../rays/index.js'
import { addJoint, JOINT, SHORT } from './edge-field.js'
import { amplitude, type EdgeFace } from './face.js'
import type { PathSink } from '../engine/delay-amplitudes.js'
import { MOMENTS } from './strip.js'

/** Sums the fringe currents of an edge's piece under a wave whose amplitude depends on frequency. One object per thread. */
export class FringeSum {
  private readonly moments = new Float64Array(MOMENTS)
  private readonly part = new Float64Array(2)
  /** Amplitudes with the piece's own delay, and of a strip's end. */
  private readonly near: Float64Array
  private readonly far: Float64Array

  /** Of all that is added. */
  weight = 1

  constructor(private readonly paths: PathSink) {
    const { k } = paths
    this.near = new Float64Array(8 * k.length)
    this.far = new Float64Array(8 * k.length)
  }

  /** Begins a piece of an edge. */
  open(): void {
    this.near.fill(0)
  }

  /**
   * Adds a face's fringe currents, those at the strips' ends with a delay of their own: as `InterpolatedField`.
   * @param l, slope  length of the piece's strips [m] and its slope along z of the face's frame
   * @param psi       phase path of the piece's midpoint, and of the origin [m]
   * @param current   amplitude of the wave, re and im for each wavenumber [1]
   */
  addFace(face: EdgeFace, l: number, slope: number, piece: number, psi: number, current: Float64Array): void {
    const { near, paths } = this
    const { k } = paths
    if (!this.isJoint(face, l)) {
      if (this.isShort(face.slide * piece))
        for (let n = 0, o = 0; n < k.length; n++) {
          const s1 = piece * sinc(0.5 * k[n] * face.slide * piece)
          for (let ch = 0; ch < 4; ch++, o += 2) near[o] += s1 * face.untruncated[ch]
        }
      else this.addEnds(face.untruncated, face.slide, piece, psi, current)
      this.addEnd(face, l, slope, piece, psi, current)
      return
    }
    addJoint(face, paths, piece, l, slope, near)
  }

  /** Adds what the endless strips of a piece have beyond their end, taken away; as `addFace`. Nothing where near and far end are one. */
  addEnd(
    face: EdgeFace,
    l: number,
    slope: number,
    piece: number,
    psi: number,
    current: Float64Array | null,
  ): void {
    const { moments, part, far, paths } = this
    const { k, lowest } = paths
    if (this.isJoint(face, l)) return
    const perK = l * face.strip.sinBeta0 ** 2
    const slide = face.slide - slope * face.cone
    const short = this.isShort(slide * piece)
    for (let n = 0, o = 0; n < k.length; n++) {
      face.strip.moments(k[n] * perK, lowest * perK, moments)
      const s2 = short ? piece * sinc(0.5 * k[n] * slide * piece) : 1 / (k[n] * slide)
      const cos = Math.cos(k[n] * l * face.cone)
      const sin = Math.sin(k[n] * l * face.cone)
      for (let ch = 0; ch < 4; ch++, o += 2) {
        amplitude(face, ch, moments, 0, -s2, part)
        far[o] = cos * part[0] - sin * part[1]
        far[o + 1] = cos * part[1] + sin * part[0]
      }
      if (current) times(far, n, current)
    }
    if (short) this.emit(psi - l * face.cone, far)
    else this.addBoth(far, slide * piece, psi - l * face.cone)
  }

  /** Whether an amplitude that changes by this phase path along a piece [m] varies slowly with frequency. */
  private isShort(path: number): boolean {
    return this.paths.highest * Math.abs(path) <= 2 * SHORT
  }

  /** Adds both ends of a piece along which the phase path has the slope `slide`. */
  private addEnds(
    untruncated: Float64Array,
    slide: number,
    piece: number,
    psi: number,
    current: Float64Array,
  ): void {
    const { far, paths } = this
    for (let n = 0, o = 0; n < paths.k.length; n++) {
      for (let ch = 0; ch < 4; ch++, o += 2) {
        far[o] = untruncated[ch] / (paths.k[n] * slide)
        far[o + 1] = 0
      }
      times(far, n, current)
    }
    this.addBoth(far, slide * piece, psi)
  }

  /** Adds amplitudes times (exp(jk path/2) - exp(-jk path/2))/j: their integral along a piece. `values` are changed. */
  private addBoth(values: Float64Array, path: number, psi: number): void {
    for (let o = 0; o < values.length; o += 2) {
      const re = values[o]
      values[o] = values[o + 1]
      values[o + 1] = -re
    }
    this.emit(psi + 0.5 * path, values)
    for (let o = 0; o < values.length; o++) values[o] = -values[o]
    this.paths.add(psi - 0.5 * path, values)
  }

  /** Adds amplitudes times the weight, with which they are left. */
  private emit(delay: number, values: Float64Array): void {
    const { weight } = this
    if (weight !== 1) for (let o = 0; o < values.length; o++) values[o] *= weight
    this.paths.add(delay, values)
  }

  /** Whether the observer looks so nearly along the strips that both parts are large and nearly cancel. */
  private isJoint({ strip }: EdgeFace, l: number): boolean {
    return strip.c * Math.sqrt(2 * this.paths.highest * l) * strip.sinBeta0 < JOINT
  }

  /** Ends the piece: adds what has its own delay. */
  close(psi: number, current: Float64Array): void {
    const { near, paths } = this
    for (let n = 0; n < paths.k.length; n++) times(near, n, current)
    this.emit(psi, near)
  }
}

/** Multiplies the channels of wavenumber n by the wave's amplitude. */
function times(values: Float64Array, n: number, current: Float64Array): void {
  const re = current[2 * n]
  const im = current[2 * n + 1]
  for (let o = 8 * n; o < 8 * n + 8; o += 2) {
    const a = values[o]
    const b = values[o + 1]
    values[o] = re * a - im * b
    values[o + 1] = re * b + im * a
  }
}

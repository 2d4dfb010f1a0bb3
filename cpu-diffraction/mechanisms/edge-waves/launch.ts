import { fresnelE1, fresnelW } from '../../../math/fresnel.js'
import { LitParts, type RayScene } from '../../../rays/index.js'
import type { Vec3 } from '../../../scene/index.js'
import type { PathSink } from '../../engine/delay-amplitudes.js'
import type { EdgeScene } from '../../geometry/edge-scene.js'
import { type Corners, findCorners } from './corners.js'

/** Below this phase along a wave's way [rad], at the highest frequency, its two ends are one part. */
const JOINT = 2

/**
 * What arrives at a corner of the waves that the light of one direction sends along a line towards it, as a few parts of slowly varying
 * amplitude and their delays:
 *
 *   f(k) = e^{jk path} k int_x1^x2 e^{-jk q x} (1 + kx)^{-1/2} dx,   x = distance from the corner [m]
 *
 * in closed form: with u = 1 + kx and W(y) = erfcx(e^{j pi/4} y) the integral from x on is e^{-jk q x} sqrt(pi/q) e^{-j pi/4} W(sqrt(q u)).
 */
export class Launch {
  /** Of the parts, in use: `count` delays [m], and `count` times a complex number for each wavenumber. */
  count = 0
  delays = new Float64Array(4)
  values: Float64Array

  /** @param k, highest  see `PathSink` [rad/m] */
  constructor(
    private readonly k: Float64Array,
    private readonly highest: number,
  ) {
    this.values = new Float64Array(8 * k.length)
  }

  clear(): void {
    this.count = 0
  }

  /**
   * Adds the waves from one stretch of the line.
   * @param path    phase path of the light at the corner [m]
   * @param q       1 + s.t, what the phase path loses per length, >= 0
   * @param x1, x2  of the stretch [m], x1 < x2
   */
  add(path: number, q: number, x1: number, x2: number): void {
    if (this.highest * q * (x2 - x1) < JOINT) this.addWhole(path, q, x1, x2)
    else {
      this.addEnd(path, q, x1, 1)
      this.addEnd(path, q, x2, -1)
    }
  }

  /** Multiplies the parts from `first` on by real numbers, one for each wavenumber. */
  weight(first: number, weights: Float64Array): void {
    const { k, values } = this
    for (let part = first, o = 2 * k.length * first; part < this.count; part++)
      for (let n = 0; n < k.length; n++) {
        values[o++] *= weights[n]
        values[o++] *= weights[n]
      }
  }

  private addEnd(path: number, q: number, x: number, sign: number): void {
    const { k } = this
    let o = this.open(path - q * x)
    // sqrt(pi/q) e^{-j pi/4}
    const f = sign * Math.sqrt((0.5 * Math.PI) / q)
    for (let n = 0; n < k.length; n++, o += 2) {
      fresnelW(Math.sqrt(q * (1 + k[n] * x)), pair, 0)
      this.values[o] = f * (pair[0] + pair[1])
      this.values[o + 1] = f * (pair[1] - pair[0])
    }
  }

  /** sqrt(pi) e^{jq u_mid} [sqrt(u) e1(sqrt(q u))], u from 1 + k x1 to 1 + k x2. */
  private addWhole(path: number, q: number, x1: number, x2: number): void {
    const { k } = this
    const middle = 0.5 * (x1 + x2)
    let o = this.open(path - q * middle)
    for (let n = 0; n < k.length; n++, o += 2) {
      antiderivative(q, 1 + k[n] * x1, pair, 0)
      antiderivative(q, 1 + k[n] * x2, pair, 2)
      const re = pair[2] - pair[0]
      const im = pair[3] - pair[1]
      const cos = Math.cos(q * (1 + k[n] * middle))
      const sin = Math.sin(q * (1 + k[n] * middle))
      this.values[o] = cos * re - sin * im
      this.values[o + 1] = cos * im + sin * re
    }
  }

  /** Begins a part, and gives the place of its values. */
  private open(delay: number): number {
    const at = this.count++
    const size = 2 * this.k.length
    if (this.count > this.delays.length) {
      const [delays, values] = [new Float64Array(2 * at), new Float64Array(2 * at * size)]
      delays.set(this.delays)
      values.set(this.values)
      this.delays = delays
      this.values = values
    }
    this.delays[at] = delay
    return at * size
  }
}

const pair = new Float64Array(4)
const w = new Float64Array(2)

/** int e^{-jqu} u^{-1/2} du = sqrt(pi u) e1(sqrt(q u)) from 0 to u. */
function antiderivative(q: number, u: number, out: Float64Array, o: number): void {
  const y = Math.sqrt(q * u)
  fresnelW(y, w, 0)
  fresnelE1(y, w, 0, out, o)
  const f = Math.sqrt(Math.PI * u)
  out[o] *= f
  out[o + 1] *= f
}

/** Waves that add less than this part of the target's size are left out. */
export const NEGLIGIBLE = 3e-4

/** Reflection of a corner, a pure number: its field does not grow with the target. */
export function polar(size: number, deg: number): [re: number, im: number] {
  const a = (deg * Math.PI) / 180
  return [size * Math.cos(a), size * Math.sin(a)]
}

/** What the waves that corners turn back, along edges and on faces, have in common. */
export abstract class CornerWaves {
  protected readonly corners: Corners
  protected readonly parts: LitParts
  /** What the transmitter launches, and the receiver. */
  protected readonly launches: [Launch, Launch]
  /** Of the corner being added: re, im of VV, HH, VH, HV, transmitted and received [1]. */
  protected readonly reflection = new Float64Array(8)
  protected readonly start: Vec3 = [NaN, NaN, NaN]
  private readonly amplitudes: Float64Array

  /**
   * @param paths  of the band, where they are added
   * @param size   see `RayScene.size` [m]
   */
  constructor(
    protected readonly scene: EdgeScene,
    rays: RayScene,
    protected readonly paths: PathSink,
    protected readonly size: number,
  ) {
    const { k, highest } = paths
    this.corners = findCorners(scene)
    this.parts = new LitParts(rays)
    this.launches = [new Launch(k, highest), new Launch(k, highest)]
    this.amplitudes = new Float64Array(8 * k.length)
  }

  /** Whether waves of at most this, |f| of transmitter and receiver times a reflection, add nothing that counts. */
  protected isNegligible(most: number): boolean {
    return most < NEGLIGIBLE * this.size * this.paths.lowest
  }

  /** Adds (1/k) times the corner's reflection of each of the four channels times f of the transmitter times f of the receiver. */
  protected reflect(out: Launch, back: Launch): void {
    const { paths, reflection, amplitudes } = this
    const { k } = paths
    const u = out.values
    const v = back.values
    for (let a = 0; a < out.count; a++)
      for (let b = 0; b < back.count; b++) {
        for (let n = 0, o = 0; n < k.length; n++) {
          const i = 2 * (a * k.length + n)
          const j = 2 * (b * k.length + n)
          const re = (u[i] * v[j] - u[i + 1] * v[j + 1]) / k[n]
          const im = (u[i] * v[j + 1] + u[i + 1] * v[j]) / k[n]
          for (let c = 0; c < 8; c += 2, o += 2) {
            amplitudes[o] = reflection[c] * re - reflection[c + 1] * im
            amplitudes[o + 1] = reflection[c] * im + reflection[c + 1] * re
          }
        }
        paths.add(out.delays[a] + back.delays[b], amplitudes)
      }
  }
}

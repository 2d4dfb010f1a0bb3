import { type Aspect, cross, dot, type Vec3 } from '../../scene/index.js'
import { RANGE, type FockFunctions } from './fock.js'

/** Argument of the Fock functions up to which their currents are taken whole; down to `RANGE.lit` they go over into physical optics. */
const WHOLE = -2
/** Waves converge to no less than this part of their width: the currents at a focus are finite. */
const NARROWEST = 0.15

/**
 * Currents of a plane wave at points of a smooth convex conductor, less those of physical optics. With n the normal, c = n.s, b across the plane
 * of incidence, R the radius of the surface along it, m = (kR/2)^(1/3) and x = -m c in the light, m asin(-c) in the shadow:
 *
 *   eta J = [(n x b) (b.H) g(x) + b (b.E) (-j f(x))/m] exp(-jk R (asin(-c) + c)),   H = d x E
 *
 * the last factor in the shadow alone, where the wave runs along the arc (Fock 1946; Pathak 1979 with the torsion left out). In the shadow its width
 * goes as cos(a sqrt(R/R_b)), a the angle along the arc, with exp(j pi/2) past a focus. Where the body is round, the wave from its other side
 * is added, with the angle pi - asin(-c).
 */
export class SurfaceWaves {
  /** Of the last point: 8 numbers per wavenumber, VV, HH, VH, HV [m]. */
  readonly amplitudes: Float64Array
  private readonly values = new Float64Array(4)
  /** e_q . eta J of physical optics, and of unit hard and soft currents. */
  private readonly optics = new Float64Array(4)
  private readonly hard = new Float64Array(4)
  private readonly soft = new Float64Array(4)
  private bend: Vec3 = [0.5, 0.5, 0.5]
  private arm = 0.5
  private curvature = 0.5
  private climb = 0.5
  private converges = 0.5
  private other = 0.5
  private lit = false

  constructor(
    private readonly k: Float64Array,
    private readonly fock: FockFunctions,
  ) {
    this.amplitudes = new Float64Array(8 * k.length)
  }

  /**
   * Takes a facet.
   * @param normal     its own: what physical optics has
   * @param bend       change of the normal along the plane of incidence, dn/ds [1/m]
   * @param curvature  its part along that plane, and the curvature across it [1/m]
   * @param other      how much of the wave from the other side of the body is there, 0 to 1
   */
  aim(normal: Vec3, bend: Vec3, curvature: number, across: number, other: number, { tx, rx }: Aspect): void {
    const { optics } = this
    const rate = Math.hypot(...bend)
    this.bend = bend
    this.arm = 1 / rate
    this.curvature = curvature
    this.climb = curvature / rate
    // Gaussian curvature: what lets neighbouring waves converge.
    this.converges = Math.sqrt(Math.max(0, curvature * (across + curvature) - rate * rate)) / rate
    this.other = other
    this.lit = dot(normal, tx.r) > 0
    optics.fill(0)
    if (!this.lit) return
    for (let c = 0; c < 4; c++) {
      const [e, q] = pair(c, tx, rx)
      // eta J = 2n x (d x E), d = -s
      optics[c] = 2 * (dot(e, q) * dot(normal, tx.r) - dot(tx.r, q) * dot(normal, e))
    }
  }

  /** Sets `amplitudes` at a point with this normal; false where nothing differs from physical optics. @param weight  its area [m^2] */
  at(n: Vec3, weight: number, { tx, rx }: Aspect): boolean {
    const { k, bend, climb, optics, hard, soft, amplitudes, values } = this
    const c = Math.max(-1, Math.min(1, dot(n, tx.r)))
    const b = unit(cross(n, tx.r))
    const along = cross(n, b)
    for (let i = 0; i < 4; i++) {
      const [e, q] = pair(i, tx, rx)
      // b.(d x E) = E.(s x b)
      hard[i] = dot(e, cross(tx.r, b)) * dot(along, q)
      soft[i] = dot(e, b) * dot(b, q)
    }
    // Turn of the normal since the shadow boundary.
    const up = dot(n, bend)
    const turned = unit(bend.map((x, i) => x - up * n[i]) as Vec3)
    const turn = Math.atan2(-c, -dot(turned, tx.r))
    let any = false
    amplitudes.fill(0)
    for (let i = 0; i < k.length; i++) {
      const m = Math.cbrt(k[i] / (2 * this.curvature))
      const x = c > 0 ? -m * c : m * climb * turn
      if (x < RANGE.lit) continue
      any = true
      const fade = x > WHOLE ? 1 : smooth((x - RANGE.lit) / (WHOLE - RANGE.lit))
      values.fill(0)
      this.addWave(x, c > 0 ? 0 : turn, c > 0 ? 0 : c, k[i], m, 1)
      if (this.other > 0) this.addWave(m * climb * (Math.PI - turn), Math.PI - turn, c, k[i], m, this.other)
      // F = -jk/4pi times the integral of e_q . eta J.
      const factor = (fade * weight * k[i]) / (4 * Math.PI)
      for (let ch = 0, o = 8 * i; ch < 4; ch++, o += 2) {
        amplitudes[o] = factor * (hard[ch] * values[1] + soft[ch] * values[3])
        amplitudes[o + 1] = -factor * (hard[ch] * values[0] + soft[ch] * values[2] - optics[ch])
      }
    }
    return any
  }

  /** Adds re, im of the hard and the soft current of a wave whose normal has turned by `turn` since its shadow boundary. */
  private addWave(x: number, turn: number, c: number, k: number, m: number, share: number): void {
    if (x >= RANGE.shadow) return
    const { fock, functions, values: out } = this
    fock.at(x, functions)
    const width = Math.cos(turn * this.converges)
    const wide = share / Math.sqrt(Math.max(NARROWEST, Math.abs(width)))
    // The arc is longer than the way of the light.
    const phase = -k * this.arm * (this.climb * turn + c) + (width < 0 ? Math.PI / 2 : 0)
    const [cos, sin] = [wide * Math.cos(phase), wide * Math.sin(phase)]
    out[0] += functions[0] * cos - functions[1] * sin
    out[1] += functions[0] * sin + functions[1] * cos
    out[2] += (functions[2] * cos - functions[3] * sin) / m
    out[3] += (functions[2] * sin + functions[3] * cos) / m
  }

  private readonly functions = new Float64Array(4)
}

/** Transmitted and received polarisation of VV, HH, VH, HV. */
function pair(channel: number, tx: Aspect['tx'], rx: Aspect['rx']): [Vec3, Vec3] {
  const sent = channel === 0 || channel === 2 ? tx.thetaHat : tx.phiHat
  const got = channel === 0 || channel === 3 ? rx.thetaHat : rx.phiHat
  return [sent, got]
}

const smooth = (x: number): number => x * x * (3 - 2 * x)
const unit = (a: Vec3): Vec3 => {
  const length = Math.hypot(a[0], a[1], a[2])
  return [a[0] / length, a[1] / length, a[2] / length]
}

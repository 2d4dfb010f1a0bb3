import { type Aspect, dot } from '../scene/index.js'
import { type Arguments, argumentsApart } from './end-part.js'
import { FaceStrip, type Truncation } from './strip.js'
import type { Wedge } from './wedge.js'

/** Least c of truncated currents, and how near it comes to another argument of W (`setStrip`). */
const LEAST_C = 1e-6
export const CONFLUENCE = 2e-5

/** Edges closer than this to the direction of incidence (sine of the angle) do not diffract: phi0 has no meaning there. */
export const END_ON = 1e-4

/**
 * One face of an edge with incidence, observation and polarisations set: its strip and the real factors with which the strip's
 * moments enter the scattering amplitudes. One object serves many edges and directions in turn.
 *
 * With A_ch = -j S coefS[ch] + T coefT[ch] + R coefR[ch], a segment of length Delta of the edge adds to the scattering
 * amplitude of channel ch (VV, HH, VH, HV: transmit, receive)
 *   F_ch = Delta exp(jk (s - ki).r_mid) A_ch = -(jkZ/4pi) p . Q,   Q = Delta exp(jk (s - ki).r_mid) (Px x + Pz z)
 * but for its phase slopes along the edge (`EdgeField`). The wavenumber cancels.
 */
export class EdgeFace {
  readonly strip: FaceStrip
  /** Direction of the strip: the Keller cone's line in the face. */
  readonly u = new Float64Array(3)
  /** (s - ki).z, slope of the phase path along z of the face frame. */
  slide = 0.5
  /** 1 - s.u, what the phase path loses per length of strip. */
  cone = 0.5
  readonly coefS = new Float64Array(4)
  readonly coefT = new Float64Array(4)
  readonly coefR = new Float64Array(4)
  /** Number of the last `aim`: another one means other numbers. */
  aimed = 0
  /** A_ch of the untruncated current (real). */
  readonly untruncated = new Float64Array(4)

  constructor(truncation: Truncation) {
    this.strip = new FaceStrip(truncation)
  }

  /**
   * Sets the direction-only part. False when the edge is seen end-on and does not diffract; a direction inside the wedge (both
   * faces unlit) is for the caller to leave out.
   *
   * @param frame  9 numbers from `at`: x (in the face, from the edge into it, unit), y (outward normal), z = x cross y
   * @param lit    whether physical optics has this face lit: ki . y < 0
   * @param share  part of the currents that counts (`Lighting`)
   */
  aim(wedge: Wedge, frame: Float64Array, at: number, aspect: Aspect, lit: boolean, share = 1): boolean {
    const { tx, rx } = aspect
    this.aimed++
    const along = (v: readonly number[], i: number): number =>
      v[0] * frame[at + i] + v[1] * frame[at + i + 1] + v[2] * frame[at + i + 2]
    // Incidence is ki = -tx.r.
    const ix = along(tx.r, 0)
    const iy = along(tx.r, 3)
    const iz = along(tx.r, 6)
    const sinBeta0 = Math.hypot(ix, iy)
    if (sinBeta0 < END_ON) return false
    const cosBeta0 = -iz
    const full = wedge.N * Math.PI
    let phi0 = Math.atan2(iy, ix)
    if (phi0 < 0) phi0 += 2 * Math.PI
    // Rounding at grazing may put the transmitter a little inside the wedge.
    if (phi0 > full) phi0 = phi0 - full < 2 * Math.PI - phi0 ? full : 0
    const { u } = this
    for (let i = 0; i < 3; i++) u[i] = sinBeta0 * frame[at + i] + cosBeta0 * frame[at + 6 + i]
    const s = rx.r
    const c = Math.hypot(s[0] - u[0], s[1] - u[1], s[2] - u[2]) / (2 * sinBeta0)
    this.cone = 2 * sinBeta0 * sinBeta0 * c * c
    this.slide = along(s, 6) + iz
    this.setStrip(wedge, sinBeta0, cosBeta0, phi0, c, lit)

    // Z H0 = ki x E0: its z component for the two transmit polarisations.
    const zx = frame[at + 6]
    const zy = frame[at + 7]
    const zz = frame[at + 8]
    for (let t = 0; t < 2; t++) {
      const e = t === 0 ? tx.thetaHat : tx.phiHat
      const ez = along(e, 6)
      const r = tx.r
      const hz =
        (e[1] * r[2] - e[2] * r[1]) * zx + (e[2] * r[0] - e[0] * r[2]) * zy + (e[0] * r[1] - e[1] * r[0]) * zz
      for (let q = 0; q < 2; q++) {
        const p = q === 0 ? rx.thetaHat : rx.phiHat
        const px = along(p, 0)
        const pz = along(p, 6)
        const channel = t === q ? t : 2 + t
        const f = share / (2 * Math.PI * sinBeta0)
        this.coefS[channel] = f * hz * px
        this.coefT[channel] = (f / sinBeta0) * ez * pz
        this.coefR[channel] = (f / sinBeta0) * cosBeta0 * hz * pz
      }
    }
    const { S0, T0, R0 } = this.strip
    for (let ch = 0; ch < 4; ch++)
      this.untruncated[ch] = this.coefS[ch] * S0 + this.coefT[ch] * T0 + this.coefR[ch] * R0
    return true
  }

  private setStrip(wedge: Wedge, sin: number, cos: number, phi0: number, c: number, lit: boolean): void {
    const { strip } = this
    if (strip.truncation === 'eec') {
      strip.set(wedge, sin, cos, phi0, c, lit)
      return
    }
    const beside = Math.max(c, LEAST_C)
    strip.set(wedge, sin, cos, phi0, beside, lit)
    const apart = apartFrom(strip, beside)
    if (apart !== beside) strip.set(wedge, sin, cos, phi0, apart, lit)
  }
}

/**
 * c a little changed where the parts of truncated currents would lose digits (`endWeights`): at c = 0, and where it meets another argument
 * of W. The currents are smooth there and change by some 1e-6.
 */
export function apartFrom(of: Arguments, c: number): number {
  let beside = Math.max(c, LEAST_C)
  while (!argumentsApart(beside, of, CONFLUENCE)) beside *= 1 + 3 * CONFLUENCE
  return beside
}

/** Phase path (s - ki).r [m] of a point. */
export const phasePath = (aspect: Aspect, r: [number, number, number]): number =>
  dot(aspect.rx.r, r) + dot(aspect.tx.r, r)

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

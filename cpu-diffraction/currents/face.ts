import type { Aspect } from '../../scene/index.js'
import { along, azimuthOf } from '../geometry/edge-scene.js'
import type { EdgeModule } from './edge-module.js'
import { FaceStrip, TERM_SIZE, type Truncation } from './strip.js'
import { lengthClass, type Wedge } from './wedge.js'

/** Numbers that `endWeights` writes. */
const WEIGHTS = 12

/** Arguments of W but c. */
export type Arguments = Pick<FaceStrip, 'a' | 'closed' | 'pole'>

/** Whether c lies apart from the other arguments of W by a part of them: where two meet, partial fractions lose digits. */
function argumentsApart(c: number, { a, closed, pole }: Arguments, part: number): boolean {
  const apart = (x: number): boolean => Math.abs(c - x) > part * (c + x)
  return apart(a) && (closed || (apart(1) && (!pole.present || apart(pole.a))))
}

/**
 * The end part of a strip's moments (untruncated less truncated) without its fast phase, i.e. times exp(+2jLc^2), is a slowly
 * varying function of L made of W(ra), W(rc), W(r), W(r a2), r = sqrt(2L), with real factors, and of decaying exponentials
 * (`FaceStrip.sum`). The factors depend on direction only (docs/edge-diffraction.md, "Frequency interpolation").
 *
 * @param out  factors of W at a, c, 1, a2 in S/j (0..3), T (4..7) and V e^{jL} (8..11); c must lie apart (`argumentsApart`)
 */
function endWeights(strip: FaceStrip, out: Float64Array): void {
  const { a, b, c, sign, pole } = strip
  const wedge = !strip.closed
  const second = wedge && pole.present
  out.fill(0)
  // psi(x) = j q(x) [c W(rx) - x W(rc)] is the end part of Psi(x, c).
  const q = (x: number): number => 0.25 / (c * (c - x) * (c + x))
  const qa = q(a)
  out[0] = sign * c * qa
  out[1] = -sign * a * qa
  out[4] = 2 * a * b * c * qa
  out[5] = (-0.5 * b) / c - 2 * a * a * b * qa
  out[8] = -0.5 * sign
  if (wedge) {
    const q1 = q(1)
    const hs = strip.rhoH + (second ? pole.a : 0)
    const ht = -strip.rhoS + (second ? 2 * pole.b : 0)
    out[2] = hs * c * q1
    out[1] -= hs * q1
    out[6] = ht * c * q1
    out[5] -= ht * q1
    if (second) {
      const x = pole.a
      const q2 = q(x)
      out[3] = -c * q2
      out[1] += x * q2
      out[7] = -2 * pole.b * x * c * q2
      out[5] += 2 * pole.b * x * x * q2
      out[11] = 0.5
      out[10] = -0.5 * x
    }
  } else if (strip.truncation === 'tw-ildc-j' && !strip.wedge.half) {
    out[1] += (0.25 * strip.endJ) / c
    out[9] = -0.5 * c * strip.endJ
  }
}

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
  slide = NaN
  /** 1 - s.u, what the phase path loses per length of strip. */
  cone = NaN
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
    // Incidence is ki = -tx.r.
    const ix = along(frame, at, tx.r)
    const iy = along(frame, at + 3, tx.r)
    const iz = along(frame, at + 6, tx.r)
    const sinBeta0 = Math.hypot(ix, iy)
    if (sinBeta0 < END_ON) return false
    const cosBeta0 = -iz
    const phi0 = azimuthOf(ix, iy, wedge.N * Math.PI)
    const { u } = this
    for (let i = 0; i < 3; i++) u[i] = sinBeta0 * frame[at + i] + cosBeta0 * frame[at + 6 + i]
    const s = rx.r
    const c = Math.hypot(s[0] - u[0], s[1] - u[1], s[2] - u[2]) / (2 * sinBeta0)
    this.cone = 2 * sinBeta0 * sinBeta0 * c * c
    this.slide = along(frame, at + 6, s) + iz
    this.setStrip(wedge, sinBeta0, cosBeta0, phi0, c, lit)

    // Z H0 = ki x E0: its z component for the two transmit polarisations.
    for (let t = 0; t < 2; t++) {
      const e = t === 0 ? tx.thetaHat : tx.phiHat
      const ez = along(frame, at + 6, e)
      // Of (e x tx.r) along z: no vector is made here.
      const r = tx.r
      const hz =
        (e[1] * r[2] - e[2] * r[1]) * frame[at + 6] +
        (e[2] * r[0] - e[0] * r[2]) * frame[at + 7] +
        (e[0] * r[1] - e[1] * r[0]) * frame[at + 8]
      for (let q = 0; q < 2; q++) {
        const p = q === 0 ? rx.thetaHat : rx.phiHat
        const px = along(frame, at, p)
        const pz = along(frame, at + 6, p)
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

/** Faces whose numbers are kept in the module's memory: those of an edge, and of a few that a wave crosses. */
const MOST_RECORDS = 16
/** Doubles of a record before its exponentials: places as in cpu-diffraction/wasm/amplitudes.ts. */
const HEAD = 31
const WEIGHTS_AT = 19

/** What the module's memory holds of a face. */
interface FaceRecord {
  face: EdgeFace
  /** `EdgeFace.aimed` of what is held. */
  aimed: number
  address: number
  /** Length range of the exponentials held, or -1 less their length class; NaN for none; and how many there are. */
  range: number
  terms: number
}

/** Doubles of a record of so many exponentials. */
const recordSize = (terms: number): number => HEAD + TERM_SIZE * terms

const weights = new Float64Array(WEIGHTS)

/**
 * Amplitudes [m] of the two parts of segments at the wavenumbers of a few nodes, evaluated by the WebAssembly module: four complex
 * channels a node, as pairs. A face's numbers are copied to the module when it has been aimed again, and its exponentials when
 * strips change their length range.
 */
export class FaceEnds {
  /** Address of what `end` and `limit` write, 8 numbers a node, and the numbers. */
  readonly far: number
  readonly farValues: Float64Array
  private readonly records: FaceRecord[] = []
  private oldest = 0

  /**
   * @param k       wavenumbers [rad/m]
   * @param lowest  of the band
   * @param terms    exponentials of a face at most (`mostTerms`)
   */
  constructor(
    private readonly module: EdgeModule,
    k: Float64Array,
    private readonly lowest: number,
    private readonly terms: number,
  ) {
    const count = k.length
    const even = evenCount(count)
    const nodes = Float64Array.from({ length: even }, (_, p) => k[Math.min(p, count - 1)])
    module.run.setNodes(count, module.put(nodes))
    this.far = module.reserve(8 * even)
    this.farValues = module.view(this.far, 8 * count)
  }

  /** Address of a face's untruncated amplitudes A_ch. */
  untruncated(face: EdgeFace): number {
    return this.recordOf(face).address
  }

  /**
   * Writes the end part of a face's segment, -A_cor s2, without the phase of its own delay psi - l cone.
   *
   * @param perK  L per wavenumber [m]
   * @param x2    half the length times the phase slope of the end [m]
   */
  end(face: EdgeFace, length: number, perK: number, x2: number): void {
    const { address, terms } = this.holding(face, -1, perK)
    this.module.run.endPart(address, terms, face.strip.pole.present, length, perK, x2, this.far)
  }

  /**
   * Writes what one end of a piece has of the integral of the end part along it (`endLimit` in wasm/amplitudes.ts).
   *
   * @param range  length range of the piece; below 0: strips of one length
   */
  limit(face: EdgeFace, range: number, perK: number, phase: number, slope: number, reach: number): void {
    const { address, terms } = this.holding(face, range, perK)
    this.module.run.endLimit(address, terms, face.strip.pole.present, perK, phase, slope, reach, this.far)
  }

  /** The record of a face with the exponentials of a length range, or below 0 of strips of this L per wavenumber. */
  private holding(face: EdgeFace, range: number, perK: number): FaceRecord {
    const record = this.recordOf(face)
    if (!face.strip.closed) this.hold(record, range < 0 ? -1 - lengthClass(this.lowest * perK) : range)
    return record
  }

  /** The record of a face as it is aimed now. */
  private recordOf(face: EdgeFace): FaceRecord {
    const { records } = this
    let record: FaceRecord | undefined
    for (let i = 0; i < records.length; i++) if (records[i].face === face) record = records[i]
    record ??= this.newRecord(face)
    if (record.aimed !== face.aimed) this.aim(record)
    return record
  }

  private newRecord(face: EdgeFace): FaceRecord {
    const { records, module } = this
    if (records.length < MOST_RECORDS) {
      const address = module.reserve(recordSize(this.terms))
      const record = { face, aimed: -1, address, range: NaN, terms: 0 }
      records.push(record)
      return record
    }
    const record = records[this.oldest]
    this.oldest = (this.oldest + 1) % MOST_RECORDS
    record.face = face
    record.aimed = -1
    return record
  }

  /** Copies what depends on direction only. */
  private aim(record: FaceRecord): void {
    const { module } = this
    const { face, address } = record
    const { strip } = face
    record.aimed = face.aimed
    record.range = NaN
    record.terms = 0
    module.write(face.untruncated, address)
    module.write(face.coefS, address + 32)
    module.write(face.coefT, address + 64)
    module.write(face.coefR, address + 96)
    const head = module.view(address + 128, 3)
    head[0] = strip.c
    head[1] = strip.a
    head[2] = strip.pole.a
    endWeights(strip, weights)
    module.write(weights, address + 8 * WEIGHTS_AT)
  }

  /** Copies the exponentials of a length range behind a face's numbers. */
  private hold(record: FaceRecord, range: number): void {
    if (record.range === range) return
    const { strip } = record.face
    const { count, data } = range < 0 ? strip.sum(-1 - range) : strip.rangeSum(range)
    record.range = range
    record.terms = count
    this.module.view(record.address + 8 * HEAD, TERM_SIZE * count).set(data)
  }
}

/** Nodes are taken two at a time. */
const evenCount = (nodes: number): number => nodes + (nodes % 2)

/** Doubles that a `FaceEnds` of so many nodes and exponentials takes of its module's memory. */
export const facesRoom = (nodes: number, terms: number): number =>
  9 * evenCount(nodes) + MOST_RECORDS * (recordSize(terms) + 1)

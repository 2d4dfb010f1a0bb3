import FFT from 'fft.js'
import { C0, direction, InputError, type Vec3 } from '../scene/index.js'
import { frequencyAxis, requireFinite } from './image.js'

/** Over which aspects a centre is seen: the weight exp(-((theta - theta0) / s)^2 / 2 - ((phi - phi0) / t)^2 / 2). */
export interface Visibility {
  /** Where it is brightest [degrees]. */
  thetaDeg: number
  phiDeg: number
  /** Standard deviations s, t [degrees]; null: the weight does not depend on that angle. */
  thetaWidthDeg: number | null
  phiWidthDeg: number | null
}

/** A scattering centre in three dimensions. */
export interface ModelCentre {
  /** Position in the mesh's coordinates [m]. */
  positionM: Vec3
  /** Exponent a of (f / fc)^a: 0 for points and doubly curved surfaces, 1 for plates and corners, -1 for tips (GTD). */
  frequencyExponent: number
  visibility: Visibility
  /** Polarisation matrix: the amplitude F of every channel, re and im [m], at fc and where it is brightest. */
  amplitudeM: [number, number][]
}

/** Scattering centres that give a target's field over a sector of aspects and a band. */
export interface CentreModel {
  /** Ends of the band and of the sector that it was fitted to [Hz, degrees]. */
  bandHz: [number, number]
  thetaDeg: [number, number]
  phiDeg: [number, number]
  /** Point that phases refer to, in the mesh's coordinates [m]. */
  phaseCentreM: Vec3
  /** vv, hh, vh, hv, or some of them, in the order of the amplitudes. */
  channels: string[]
  centres: ModelCentre[]
}

/** fc of a model, the middle of its band [Hz]. */
export const middleFrequency = ({ bandHz: [f0, f1] }: Pick<CentreModel, 'bandHz'>): number => (f0 + f1) / 2

/** Weights below exp(-CUT) are zero: 5 standard deviations. */
const CUT = 12.5

/** Numbers of a packed centre before its amplitudes: x, y, z, theta0, phi0, 1 / (s sqrt 2), 1 / (t sqrt 2), exponent. */
const HEAD = 8

/**
 * Evaluates a model:
 *
 *   F(f, r) = sum_n A_n (f / fc)^a_n w_n(theta, phi) exp(2jk r . (r_n - r_pc))
 *
 * with the visibilities w_n (L. C. Potter, D.-M. Chiang, R. Carriere, M. J. Gerry, "A GTD-based parametric model
 * for radar scattering", IEEE Trans. AP 43, 1995, with visibilities as Gaussians). Time factor exp(+jwt).
 */
export class ModelEvaluator {
  private readonly packed: Float64Array
  private readonly stride: number
  private readonly powers: boolean
  private readonly middleHz: number

  constructor(model: CentreModel) {
    this.middleHz = middleFrequency(model)
    const { centres, channels, phaseCentreM: pc } = model
    this.stride = HEAD + 2 * channels.length
    this.packed = new Float64Array(this.stride * centres.length)
    this.powers = centres.some((c) => c.frequencyExponent !== 0)
    const inverse = (width: number | null): number => (width === null ? 0 : Math.SQRT1_2 / width)
    centres.forEach((c, n) => {
      const { thetaDeg, phiDeg, thetaWidthDeg, phiWidthDeg } = c.visibility
      const [x, y, z] = c.positionM
      this.packed.set(
        [
          x - pc[0],
          y - pc[1],
          z - pc[2],
          thetaDeg,
          phiDeg,
          inverse(thetaWidthDeg),
          inverse(phiWidthDeg),
          c.frequencyExponent,
          ...c.amplitudeM.flat(),
        ],
        n * this.stride,
      )
    })
  }

  /**
   * Amplitudes F of every channel at one aspect and frequency [m], re and im interleaved, written to `out`.
   * @param phiDeg  on the turn of the model's own azimuths: weights do not wrap round
   */
  field(freqHz: number, thetaDeg: number, phiDeg: number, out: Float64Array): void {
    const { packed, stride } = this
    const { r } = direction(thetaDeg, phiDeg)
    const k2 = (4 * Math.PI * freqHz) / C0
    const logRatio = this.powers ? Math.log(freqHz / this.middleHz) : 0
    out.fill(0)
    for (let at = 0; at < packed.length; at += stride) {
      const u = (thetaDeg - packed[at + 3]) * packed[at + 5]
      const v = (phiDeg - packed[at + 4]) * packed[at + 6]
      const e = u * u + v * v
      if (e > CUT) continue
      const w = Math.exp(packed[at + 7] * logRatio - e)
      const phase = k2 * (r[0] * packed[at] + r[1] * packed[at + 1] + r[2] * packed[at + 2])
      const cos = w * Math.cos(phase)
      const sin = w * Math.sin(phase)
      for (let c = HEAD; c < stride; c += 2) {
        const re = packed[at + c]
        const im = packed[at + c + 1]
        out[c - HEAD] += re * cos - im * sin
        out[c - HEAD + 1] += re * sin + im * cos
      }
    }
  }
}

/** Fields over a band and a sector of aspects. */
export interface SectorHistory {
  /** F frequencies, ascending and uniform [Hz]. */
  freqHz: Float64Array
  /** A aspects, in any order [degrees]. */
  thetaDeg: Float64Array
  phiDeg: Float64Array
  /** Of every channel [aspect][frequency], re and im interleaved [m]. */
  fields: Float64Array[]
}

/** A centre during the fit; its position is relative to the phase centre. */
export interface Atom {
  /** Candidate that it belongs to: it stays within a range resolution of it. */
  home: Vec3
  position: Vec3
  exponent: number
  theta: number
  phi: number
  /** Standard deviations [degrees], Infinity where the weight does not depend on the angle. */
  thetaWidth: number
  phiWidth: number
  /** Per channel, re and im. */
  amplitude: Float64Array
}

/** Aspects at which an atom is seen, with its weights. */
export interface Seen {
  aspects: Int32Array
  weights: Float64Array
}

/** Samples of range profiles to a resolution cell, at least. */
const OVERSAMPLING = 8

/** Most memory of range profiles [bytes]. */
const MOST_BYTES = 2 ** 32

/** What atoms have not explained yet, as fields and as range profiles. */
export class Sector {
  readonly aspects: number
  readonly count: number
  /** Middle frequency [Hz], wavenumber there times 2, and step of that [rad/m]. */
  readonly middleHz: number
  readonly k2: number
  readonly dk2: number
  /** Unit vectors to the radar, x y z of each. */
  readonly directions: Float64Array
  readonly residual: Float64Array[]
  /** Range resolution [m]. */
  readonly resolution: number
  /** [aspect][bin] of every channel: sum_m R_m exp(2 j (k_m - k_h) R) over an unambiguous extent, h the middle frequency. */
  readonly profiles: Float64Array[]
  readonly bins: number
  readonly extent: number
  private readonly fft: FFT
  private readonly padded: Float64Array
  private readonly half: number

  constructor(readonly history: SectorHistory) {
    const { freqHz, thetaDeg, phiDeg, fields } = history
    const { start, step, count } = frequencyAxis(freqHz)
    if (count < 2) throw new InputError('centre model: one frequency; give a band of several')
    fields.forEach(requireFinite)
    this.count = count
    this.aspects = thetaDeg.length
    this.middleHz = start + (step * (count - 1)) / 2
    this.k2 = (4 * Math.PI * this.middleHz) / C0
    this.dk2 = (4 * Math.PI * step) / C0
    this.extent = C0 / (2 * step)
    this.resolution = this.extent / (count - 1)
    this.bins = 2 ** Math.ceil(Math.log2(OVERSAMPLING * count))
    const bytes = 16 * this.bins * this.aspects * fields.length
    if (bytes > MOST_BYTES)
      throw new InputError(
        `centre model: range profiles of ${this.aspects} aspects x ${count} frequencies take ${(bytes / 2 ** 30).toFixed(1)} GiB; give fewer of either`,
      )
    this.fft = new FFT(this.bins)
    this.padded = new Float64Array(2 * this.bins)
    this.half = count >> 1
    this.directions = new Float64Array(3 * this.aspects)
    thetaDeg.forEach((theta, a) => this.directions.set(direction(theta, phiDeg[a]).r, 3 * a))
    this.residual = fields.map((field) => field.slice())
    this.profiles = fields.map(() => new Float64Array(2 * this.aspects * this.bins))
    this.updateProfiles(Int32Array.from(thetaDeg, (_, a) => a))
  }

  /** Range of an atom at an aspect [m]. */
  range({ position }: Atom, aspect: number): number {
    const d = this.directions
    const at = 3 * aspect
    return -d[at] * position[0] - d[at + 1] * position[1] - d[at + 2] * position[2]
  }

  seen({ theta, phi, thetaWidth, phiWidth }: Atom): Seen {
    const { thetaDeg, phiDeg } = this.history
    const aspects: number[] = []
    const weights: number[] = []
    for (let a = 0; a < this.aspects; a++) {
      const e = ((thetaDeg[a] - theta) / thetaWidth) ** 2 + ((phiDeg[a] - phi) / phiWidth) ** 2
      if (e / 2 > CUT) continue
      aspects.push(a)
      weights.push(Math.exp(-e / 2))
    }
    return { aspects: Int32Array.from(aspects), weights: Float64Array.from(weights) }
  }

  /** Makes the profiles of the residual at these aspects again. */
  updateProfiles(aspects: Int32Array): void {
    const { count, bins, half, padded, fft } = this
    this.residual.forEach((residual, c) => {
      for (const a of aspects) {
        // exp(-j ...) of the transform becomes exp(+j ...) with the frequencies in reverse.
        padded.fill(0)
        for (let m = 0; m < count; m++) {
          const at = 2 * ((half - m + bins) % bins)
          padded[at] = residual[2 * (a * count + m)]
          padded[at + 1] = residual[2 * (a * count + m) + 1]
        }
        fft.transform(this.profiles[c].subarray(2 * bins * a, 2 * bins * (a + 1)), padded)
      }
    })
  }

  /** Sum over frequencies of residual times exp(2jkR) at an aspect, of every channel, by interpolated profiles. */
  focused(aspect: number, range: number, out: Float64Array): void {
    const { bins, extent, profiles } = this
    const periods = range / extent
    const x = (periods - Math.floor(periods)) * bins
    const i = Math.min(bins - 1, Math.floor(x))
    const u = x - i
    const lower = 2 * (aspect * bins + i)
    const upper = 2 * (aspect * bins + ((i + 1) % bins))
    const phase = (this.k2 + (this.half - (this.count - 1) / 2) * this.dk2) * range
    const cos = Math.cos(phase)
    const sin = Math.sin(phase)
    for (let c = 0; c < profiles.length; c++) {
      const p = profiles[c]
      const re = p[lower] * (1 - u) + p[upper] * u
      const im = p[lower + 1] * (1 - u) + p[upper + 1] * u
      out[2 * c] = re * cos - im * sin
      out[2 * c + 1] = re * sin + im * cos
    }
  }

  /** Coherence of two atoms with constant amplitude over frequency: 1 for the same up to a factor. */
  coherence(a: Atom, b: Atom): number {
    const [seenA, seenB] = [this.seen(a), this.seen(b)]
    const other = new Map(Array.from(seenB.aspects, (aspect, i) => [aspect, seenB.weights[i]]))
    const energy = ({ weights }: Seen): number => weights.reduce((s, w) => s + w * w, 0)
    let [re, im] = [0, 0]
    seenA.aspects.forEach((aspect, i) => {
      const apart = this.range(a, aspect) - this.range(b, aspect)
      const half = (this.dk2 * apart) / 2
      const sine = Math.sin(half)
      const response = Math.abs(sine) < 1e-9 ? 1 : Math.sin(this.count * half) / (this.count * sine)
      const w = seenA.weights[i] * (other.get(aspect) ?? 0) * response
      re += w * Math.cos(this.k2 * apart)
      im += w * Math.sin(this.k2 * apart)
    })
    return Math.hypot(re, im) / Math.sqrt(energy(seenA) * energy(seenB))
  }

  /** Energy that an atom of constant amplitude over frequency explains, over all channels. */
  explained(atom: Atom, { aspects, weights }: Seen = this.seen(atom)): number {
    const channels = this.profiles.length
    const g = new Float64Array(2 * channels)
    const sum = new Float64Array(2 * channels)
    let norm = 0
    for (let i = 0; i < aspects.length; i++) {
      this.focused(aspects[i], this.range(atom, aspects[i]), g)
      norm += weights[i] * weights[i]
      for (let c = 0; c < g.length; c++) sum[c] += weights[i] * g[c]
    }
    let power = 0
    for (const x of sum) power += x * x
    return norm > 0 ? power / (norm * this.count) : 0
  }

  /** (f / fc)^exponent at every frequency. */
  gains(exponent: number): Float64Array {
    return this.history.freqHz.map((f) => (f / this.middleHz) ** exponent)
  }

  /** Adds `sign` times the atom to the residual. */
  add(atom: Atom, sign: number, { aspects, weights }: Seen = this.seen(atom)): void {
    const gains = this.gains(atom.exponent)
    const phasors = new Float64Array(2 * this.count)
    for (let i = 0; i < aspects.length; i++) {
      const a = aspects[i]
      this.phasors(this.range(atom, a), gains, phasors)
      this.residual.forEach((residual, c) => {
        const re = sign * weights[i] * atom.amplitude[2 * c]
        const im = sign * weights[i] * atom.amplitude[2 * c + 1]
        const at = 2 * this.count * a
        for (let m = 0; m < phasors.length; m += 2) {
          residual[at + m] += re * phasors[m] - im * phasors[m + 1]
          residual[at + m + 1] += re * phasors[m + 1] + im * phasors[m]
        }
      })
    }
  }

  /** gain exp(-2jkR) at every frequency. */
  phasors(range: number, gains: Float64Array, out: Float64Array): void {
    const { count, dk2 } = this
    const first = (this.k2 - (dk2 * (count - 1)) / 2) * range
    let [re, im] = [Math.cos(first), -Math.sin(first)]
    const [cos, sin] = [Math.cos(dk2 * range), -Math.sin(dk2 * range)]
    for (let m = 0; m < count; m++) {
      out[2 * m] = gains[m] * re
      out[2 * m + 1] = gains[m] * im
      const next = re * cos - im * sin
      im = re * sin + im * cos
      re = next
    }
  }

  /** Sets the amplitudes that leave least of the residual. Returns the energy explained. */
  project(atom: Atom, { aspects, weights }: Seen = this.seen(atom)): number {
    const gains = this.gains(atom.exponent)
    const phasors = new Float64Array(2 * this.count)
    const { amplitude } = atom
    amplitude.fill(0)
    let norm = 0
    for (let i = 0; i < aspects.length; i++) {
      const a = aspects[i]
      this.phasors(this.range(atom, a), gains, phasors)
      norm += weights[i] * weights[i]
      this.residual.forEach((residual, c) => {
        const at = 2 * this.count * a
        let re = 0
        let im = 0
        for (let m = 0; m < phasors.length; m += 2) {
          re += residual[at + m] * phasors[m] + residual[at + m + 1] * phasors[m + 1]
          im += residual[at + m + 1] * phasors[m] - residual[at + m] * phasors[m + 1]
        }
        amplitude[2 * c] += weights[i] * re
        amplitude[2 * c + 1] += weights[i] * im
      })
    }
    norm *= gains.reduce((sum, g) => sum + g * g, 0)
    let power = 0
    for (let c = 0; c < amplitude.length; c++) {
      power += amplitude[c] ** 2
      amplitude[c] /= norm
    }
    return power / norm
  }
}

import { C0, direction, type Vec3 } from '../scene/index.js'

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
export const CUT = 12.5

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

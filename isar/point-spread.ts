import { C0 } from '../scene/index.js'
import type { ImagePlane, PulseGeometry } from './motion-image.js'
import { windowSamples, type WindowName } from './window.js'

/** Samples of an image in the wavenumber plane, and their window. */
export interface PointSpreadOptions {
  /** Uniform and ascending [Hz]. */
  freqHz: Float64Array
  thetaDeg: number
  /** Uniform [degrees]. */
  phiDeg: Float64Array
  window: WindowName
  /** See `ImageOptions.polarFormat`. */
  polarFormat: boolean
  /** Of an image by backprojection, whose point spread differs from place to place: what it was summed over. The aspects above are not used then. */
  pulses?: PulseGeometry & { weights: Float64Array; plane: Pick<ImagePlane, 'origin' | 'across' | 'along'> }
}

/** Table steps per resolution cell: the error of linear interpolation is then 6e-6 of the peak. */
const FINE = 256

/**
 * The image of a point of amplitude 1, exactly as `formImage` makes it: with the offsets dR, dc of a pixel from the point,
 * delta_n the aspects from the centre and w the windows,
 *
 *   P(dR, dc) = sum_mn w_m w_n exp(2j k_m u_n) / sum_mn w_m w_n,  u_n = cos(delta_n) dR - sin(theta) sin(delta_n) dc
 *
 * for polar-format images (of points in the plane of the phase centre), and for small-angle images the product of
 * exp(2j k_m dR) and exp(-2j k_c sin(theta) delta_n dc) instead (of points that are in focus). For images by backprojection
 * u_n is the gradient of pulse n's range at the place of the point (`aim`) times the offset: exact in the far field, else next to the point. The sum over
 * frequencies is a real even function of u_n times exp(2j k_c u_n), read from a table.
 */
export class PointSpread {
  /** 2 k_c, twice the wavenumber in the middle of the band [rad/m]. */
  private readonly carrier: number
  private readonly table: Float64Array
  private readonly perMetre: number
  /** Period of the table's function, c / (2 df) [m]. */
  private readonly period: number
  /** Per aspect: weight (they sum to 1), and the coefficients of dR and dc in u_n. */
  private readonly weight: Float64Array
  private readonly along: Float64Array
  private readonly across: Float64Array
  /** Whether the sum over frequencies depends on both offsets. */
  private readonly focused: boolean

  constructor(private readonly options: PointSpreadOptions) {
    const { freqHz, thetaDeg, phiDeg, window } = options
    const nf = freqHz.length
    const na = phiDeg.length
    const middleHz = (freqHz[0] + freqHz[nf - 1]) / 2
    this.carrier = (4 * Math.PI * middleHz) / C0
    const df = (freqHz[nf - 1] - freqHz[0]) / (nf - 1)
    this.period = C0 / (2 * df)
    const cell = C0 / (2 * (freqHz[nf - 1] - freqHz[0]))
    const steps = Math.ceil((FINE * this.period) / (2 * cell))
    this.perMetre = steps / (this.period / 2)
    this.table = frequencySum(windowSamples(window, nf), steps)
    this.focused = options.polarFormat || options.pulses !== undefined
    if (options.pulses) {
      const { weights } = options.pulses
      const whole = weights.reduce((s, w) => s + w, 0)
      this.weight = weights.map((w) => w / whole)
      this.along = new Float64Array(weights.length)
      this.across = new Float64Array(weights.length)
      this.aim(0, 0)
      return
    }
    const wa = windowSamples(window, na)
    const sum = wa.reduce((s, w) => s + w, 0)
    this.weight = wa.map((w) => w / sum)
    const sinTheta = Math.sin((thetaDeg * Math.PI) / 180)
    const middle = (phiDeg[0] + phiDeg[na - 1]) / 2
    const delta = phiDeg.map((phi) => ((phi - middle) * Math.PI) / 180)
    this.along = options.polarFormat ? delta.map(Math.cos) : delta.map(() => 1)
    this.across = delta.map((d) => -sinTheta * (options.polarFormat ? Math.sin(d) : d))
  }

  /** Takes the point spread of this place, along the rows' and the columns' axes [m], where it differs from place to place. */
  aim(alongM: number, acrossM: number): void {
    const { pulses } = this.options
    if (!pulses) return
    const { antenna, farField, plane } = pulses
    const at = plane.origin.map((o, c) => o + alongM * plane.along[c] + acrossM * plane.across[c])
    for (let n = 0; n < this.weight.length; n++) {
      const [x, y, z] = at.map((p, c) => antenna[3 * n + c] - (farField ? 0 : p))
      const range = Math.hypot(x, y, z)
      const per = (axis: ArrayLike<number>): number => -(x * axis[0] + y * axis[1] + z * axis[2]) / range
      this.along[n] = per(plane.along)
      this.across[n] = per(plane.across)
    }
  }

  /** Writes P(dR, dc), re and im, to `out` [dimensionless]. */
  at(dR: number, dc: number, out: Float64Array): void {
    this.row(dR, dc, 0, 1, out)
  }

  /** Subtracts a point of amplitude re + j im at (R0, c0) from an image on uniform axes, in place. */
  subtract(
    image: Float64Array,
    rangeM: Float64Array,
    crossRangeM: Float64Array,
    [r0, c0]: readonly [number, number],
    [re, im]: readonly [number, number],
  ): void {
    const cols = crossRangeM.length
    const line = new Float64Array(2 * cols)
    const step = (crossRangeM[cols - 1] - crossRangeM[0]) / (cols - 1)
    for (let i = 0; i < rangeM.length; i++) {
      this.row(rangeM[i] - r0, crossRangeM[0] - c0, step, cols, line)
      const at = 2 * i * cols
      for (let l = 0; l < 2 * cols; l += 2) {
        image[at + l] -= line[l] * re - line[l + 1] * im
        image[at + l + 1] -= line[l] * im + line[l + 1] * re
      }
    }
  }

  /** P at (dR, dc + l step), l = 0 ... count - 1, to `out`. */
  private row(dR: number, dc: number, step: number, count: number, out: Float64Array): void {
    const { weight, along, across, carrier } = this
    out.fill(0, 0, 2 * count)
    // In a small-angle image the sum over frequencies depends on dR alone.
    const fixed = this.focused ? null : this.envelope(dR)
    for (let n = 0; n < weight.length; n++) {
      const u = along[n] * dR + across[n] * dc
      const du = across[n] * step
      let cos = weight[n] * Math.cos(carrier * u)
      let sin = weight[n] * Math.sin(carrier * u)
      const turnCos = Math.cos(carrier * du)
      const turnSin = Math.sin(carrier * du)
      for (let l = 0; l < count; l++) {
        const e = fixed ?? this.envelope(u + l * du)
        out[2 * l] += e * cos
        out[2 * l + 1] += e * sin
        const next = cos * turnCos - sin * turnSin
        sin = sin * turnCos + cos * turnSin
        cos = next
      }
    }
  }

  /** sum_m w_m cos(2 (k_m - k_c) u) / sum w, from the table: even, and (anti)periodic over `period`. */
  private envelope(u: number): number {
    const { table, period, perMetre, options } = this
    const periods = Math.floor(u / period + 0.5)
    const x = Math.abs(u - periods * period) * perMetre
    const at = Math.floor(x)
    const value = table[at] + (x - at) * (table[at + 1] - table[at])
    // An even number of frequencies lies half a step off the carrier.
    return options.freqHz.length % 2 === 0 && periods % 2 !== 0 ? -value : value
  }
}

/** sum_m w_m cos(2 pi (m - (n - 1) / 2) x / 2 / steps) / sum w at x = 0 ... steps + 1. */
function frequencySum(w: Float64Array, steps: number): Float64Array {
  const sum = w.reduce((s, x) => s + x, 0)
  const n = w.length
  return Float64Array.from({ length: steps + 2 }, (_, x) => {
    const angle = (Math.PI * x) / steps
    let value = 0
    for (let m = 0; m < n; m++) value += w[m] * Math.cos(angle * (m - (n - 1) / 2))
    return value / sum
  })
}

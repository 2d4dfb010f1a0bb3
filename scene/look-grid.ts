import { type Band, frequency, wavenumber } from './band.js'
import { kernelTransform, powerOfTwo, spreadingKernel, transformRows } from './delay-sum.js'
import { type Direction, dot, type Vec3 } from './direction.js'
import type { Look } from './sbr.js'

/** Width of the spreading kernel on either axis: 4e-4 of the amplitudes, far below what one look leaves out. */
const WIDTH = 5
/** Numbers per cell: re, im of VV HH VH HV. */
const CELL = 8

/**
 * Frequency-aspect data from one aspect's contributions (docs/frequency-sum.md, "One look"; R. Bhalla and H. Ling, IEEE Trans.
 * AP 41, 1993). A contribution has a delay L, and P, the sum of its first and its last hit: turning the radar from r-hat to
 * r-hat' changes its phase path by (r-hat - r-hat') . P to first order (Fermat). Referred to the direction r0 in the middle
 * of an image, its phase is taken to be linear in frequency and in the angle delta from there,
 *   F(k_n, delta_m) = sum A exp(-j k_n L0) exp(j k_c sin(theta) delta_m phi-hat0 . P),  L0 = L + (r-hat - r0) . P,
 * k_c in the middle of the band, as the small-angle image has it: a type-1 non-uniform FFT over both axes.
 */
export class LookGrid {
  readonly values: Float64Array
  /** Wavenumber in the middle of the band, at which amplitudes are to be taken [rad/m]. */
  readonly kMiddle: number
  private readonly rows: Axis
  private readonly columns: Axis
  /** r-hat - r0 */
  private readonly along: Vec3
  /** (x + rounder) - rounder is the multiple of the spacing nearest to x. */
  private readonly rounder: number

  /**
   * @param from     direction that the contributions are seen from
   * @param spacing  of the numbers of `values`, see `exactGrid`; 0 for all of double precision
   */
  constructor(
    band: Band,
    private readonly look: Look,
    from: Direction,
    spacing: number,
  ) {
    const { centre } = look
    this.kMiddle = wavenumber(frequency(band, (band.n - 1) / 2))
    this.rounder = 1.5 * 2 ** 52 * spacing
    this.along = from.r.map((x, c) => x - centre.r[c]) as Vec3
    const across = this.kMiddle * Math.sin((centre.thetaDeg * Math.PI) / 180)
    this.rows = new Axis(wavenumber(band.f0), wavenumber(band.df), band.n)
    this.columns = new Axis(across * look.start, across * look.step, look.count)
    this.values = new Float64Array(CELL * this.rows.size * this.columns.size)
  }

  /**
   * Adds four complex amplitudes.
   * @param tau         minus the delay L [m]
   * @param px,py,pz    P [m]
   * @param amplitudes  without the phase of delay and place
   */
  add(tau: number, px: number, py: number, pz: number, amplitudes: Float64Array): void {
    const { rows, columns, values, rounder, along } = this
    const { phiHat } = this.look.centre
    const angle =
      rows.place(tau - along[0] * px - along[1] * py - along[2] * pz) +
      columns.place(phiHat[0] * px + phiHat[1] * py + phiHat[2] * pz)
    const cos = Math.cos(angle)
    const sin = Math.sin(angle)
    for (let i = 0; i < CELL; i += 2) {
      turned[i] = cos * amplitudes[i] - sin * amplitudes[i + 1]
      turned[i + 1] = cos * amplitudes[i + 1] + sin * amplitudes[i]
    }
    for (let r = 0; r < WIDTH; r++) {
      const row = columns.size * ((rows.first + r) & (rows.size - 1))
      for (let c = 0; c < WIDTH; c++) {
        const w = rows.weight[r] * columns.weight[c]
        const at = CELL * (row + ((columns.first + c) & (columns.size - 1)))
        for (let i = 0; i < CELL; i++) values[at + i] += w * turned[i] + rounder - rounder
      }
    }
  }

  /** Phase at angle m of a point on r0's line of sight moved to `point`, beyond that of its delay. */
  turn(m: number, point: Vec3): number {
    return this.columns.wavenumber(m) * 2 * dot(this.look.centre.phiHat, point)
  }

  /** Writes F, 8 numbers per angle and frequency, [angle][frequency]; the grid is used up. */
  finish(out: Float64Array): void {
    const { rows, columns, values } = this
    transformRows(values, rows.size, CELL * columns.size, rows.twiddle)
    for (let n = 0; n < rows.count; n++) {
      const at = CELL * columns.size * rows.indexOf(n)
      const line = values.subarray(at, at + CELL * columns.size)
      transformRows(line, columns.size, CELL, columns.twiddle)
      for (let m = 0; m < columns.count; m++) {
        const factor = rows.correction[n] * columns.correction[m]
        const from = CELL * columns.indexOf(m)
        for (let i = 0; i < CELL; i++) out[CELL * (m * rows.count + n) + i] = factor * line[from + i]
      }
    }
  }
}

const turned = new Float64Array(CELL)

/** One axis of the grid: wavenumbers start + i step, i = 0 ... count - 1, and the cells that serve them. */
class Axis {
  readonly size: number
  readonly twiddle: Float64Array
  readonly correction: Float64Array
  readonly weight = new Float64Array(WIDTH)
  /** First cell that the last `place` touches. */
  first = 0
  private readonly middle: number

  constructor(
    private readonly start: number,
    private readonly step: number,
    readonly count: number,
  ) {
    this.size = powerOfTwo(Math.max(2 * count, 2 * WIDTH))
    this.middle = Math.floor(count / 2)
    this.correction = Float64Array.from(
      { length: count },
      (_, i) => 1 / kernelTransform((i - this.middle) / this.size, WIDTH),
    )
    this.twiddle = new Float64Array(this.size)
    for (let i = 0; i < this.size / 2; i++) {
      this.twiddle[2 * i] = Math.cos((2 * Math.PI * i) / this.size)
      this.twiddle[2 * i + 1] = Math.sin((2 * Math.PI * i) / this.size)
    }
  }

  /** Sets `first` and `weight` for the place x [m]; returns the phase at the axis' middle. */
  place(x: number): number {
    const turns = (this.step * x) / (2 * Math.PI)
    const at = (turns - Math.floor(turns)) * this.size
    this.first = spreadingKernel(at, this.weight)
    return (this.start + this.middle * this.step) * x
  }

  wavenumber(i: number): number {
    return this.start + i * this.step
  }

  indexOf(i: number): number {
    return (i - this.middle + this.size) & (this.size - 1)
  }
}

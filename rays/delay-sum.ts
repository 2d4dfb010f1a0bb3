import { SpreadingKernel } from '../math/chebyshev.js'
import { fftRows, twiddles } from '../math/fft.js'
import { type Band, wavenumber } from '../scene/band.js'

/** Width of a spreading kernel that keeps the error of each amplitude below the tolerance, as measured from 4 to 11. */
export const spreadWidth = (tolerance: number): number =>
  Math.max(3, Math.ceil(7 + Math.log10(2.7e-6 / tolerance) / 0.87))

/** Smallest power of two not below x. */
const powerOfTwo = (x: number): number => 2 ** Math.ceil(Math.log2(x))

/** Rows of the delay grid. @param width  of the spreading kernel */
export const delayRows = (band: Band, width: number): number => powerOfTwo(Math.max(2 * band.n, 2 * width))

/** Tables of a delay sum; they depend on band and kernel width only. */
export interface DelayTables {
  /** Rows of the delay grid, a power of two. */
  rows: number
  /** Index of the frequency by whose phase amplitudes are rotated before spreading, and its wavenumber [rad/m]. */
  middle: number
  kMiddle: number
  /** Periods of the delay grid per metre of delay. */
  cyclesPerMetre: number
  kernel: SpreadingKernel
  /** Per frequency, one over the kernel's Fourier transform. */
  correction: Float64Array
  /** exp(2 pi j i / rows), i = 0 ... rows / 2 - 1, as pairs. */
  twiddle: Float64Array
}

/** @param width  of the spreading kernel in grid points (`spreadWidth`) */
export function delayTables(band: Band, width: number): DelayTables {
  const kernel = SpreadingKernel.of(width)
  const rows = delayRows(band, width)
  const middle = Math.floor(band.n / 2)
  return {
    rows,
    middle,
    kMiddle: wavenumber(band.f0 + middle * band.df),
    cyclesPerMetre: wavenumber(band.df) / (2 * Math.PI),
    kernel,
    correction: kernel.correction(band.n, rows),
    twiddle: twiddles(rows),
  }
}

/**
 * Sums of exp(jk tau) over many delays tau at uniformly spaced frequencies, for `columns` complex amplitudes at a time: a
 * type-1 non-uniform FFT. Amplitudes are spread onto a delay grid with the kernel of `SpreadingKernel`, and one FFT at the end
 * transforms all of them. Unlike with phase recurrences, the work per delay does not grow with the number of frequencies.
 */
export class DelaySum {
  private readonly tables: DelayTables
  /** Rows of the delay grid, of `columns` complex numbers each. */
  readonly rows: number
  private readonly middle: number
  private readonly kMiddle: number
  private readonly cyclesPerMetre: number
  /** Allocated on first use: a sum that only transforms totals of others never needs it. */
  private grid = new Float64Array(0)
  private readonly rotated: Float64Array
  private readonly kernel: SpreadingKernel
  /** Non-empty rows, for `drain`: flags, and a list of `touchedRows`. */
  private readonly touched: Uint8Array
  private readonly touchedList: Uint32Array
  private touchedRows = 0
  /** Accumulated by `collect`: re and im per row, flags of non-empty rows, and their list. */
  private readonly line: Float64Array
  private readonly lineTouched: Uint8Array
  private readonly lineList: Uint32Array
  private lineRows = 0

  /**
   * @param columns  complex amplitudes per delay, a multiple of 4
   * @param width    of the spreading kernel in grid points (`spreadWidth`)
   * @param like     a sum of the same band, columns and width, to share tables with
   */
  constructor(
    private readonly band: Band,
    private readonly columns: number,
    private readonly width: number,
    like?: DelaySum,
  ) {
    this.tables = like?.tables ?? delayTables(band, width)
    this.kernel = this.tables.kernel
    this.rows = this.tables.rows
    this.middle = this.tables.middle
    this.kMiddle = this.tables.kMiddle
    this.cyclesPerMetre = this.tables.cyclesPerMetre
    this.touched = new Uint8Array(this.rows)
    this.touchedList = new Uint32Array(this.rows)
    this.rotated = new Float64Array(2 * columns)
    this.line = new Float64Array(2 * this.rows)
    this.lineTouched = new Uint8Array(this.rows)
    this.lineList = new Uint32Array(this.rows)
  }

  reset(): void {
    this.grid.fill(0)
  }

  /** Adds amplitudes (pairs, `columns` of them) at the delay tau [m]. */
  add(tau: number, amplitudes: Float64Array): void {
    const grid = this.values
    const { rotated, columns, width, kernel, touched } = this
    const size = 2 * columns
    const angle = this.kMiddle * tau
    const cos = Math.cos(angle)
    const sin = Math.sin(angle)
    for (let i = 0; i < size; i += 2) {
      rotated[i] = cos * amplitudes[i] - sin * amplitudes[i + 1]
      rotated[i + 1] = cos * amplitudes[i + 1] + sin * amplitudes[i]
    }
    const first = this.spreadAt(tau)
    for (let i = 0; i < width; i++) {
      const row = (first + i) & (this.rows - 1)
      if (touched[row] === 0) this.touchedList[this.touchedRows++] = row
      touched[row] = 1
    }
    spread(grid, rotated, size, kernel, first, this.rows - 1)
  }

  /** Accumulates exp(jk tau), or j times that with `quarter`, for amplitudes common to many delays, added by `addCollected`. */
  collect(tau: number, quarter: boolean): void {
    const { width, line, lineTouched } = this
    const { weight } = this.kernel
    const angle = this.kMiddle * tau
    const cos = Math.cos(angle)
    const sin = Math.sin(angle)
    const re = quarter ? -sin : cos
    const im = quarter ? cos : sin
    const first = this.spreadAt(tau)
    for (let i = 0; i < width; i++) {
      const row = (first + i) & (this.rows - 1)
      if (lineTouched[row] === 0) this.lineList[this.lineRows++] = row
      lineTouched[row] = 1
      line[2 * row] += weight[i] * re
      line[2 * row + 1] += weight[i] * im
    }
  }

  /** Adds real amplitudes (`columns` of them) at all delays collected since the last call. */
  addCollected(amplitudes: Float64Array): void {
    const grid = this.values
    const { columns, line, lineTouched, lineList, touched } = this
    for (let i = 0; i < this.lineRows; i++) {
      const row = lineList[i]
      const re = line[2 * row]
      const im = line[2 * row + 1]
      line[2 * row] = line[2 * row + 1] = 0
      lineTouched[row] = 0
      if (touched[row] === 0) this.touchedList[this.touchedRows++] = row
      touched[row] = 1
      for (let c = 0, g = 2 * columns * row; c < columns; c += 4, g += 8) {
        const a = amplitudes[c]
        const b = amplitudes[c + 1]
        const e = amplitudes[c + 2]
        const f = amplitudes[c + 3]
        grid[g] += re * a
        grid[g + 1] += im * a
        grid[g + 2] += re * b
        grid[g + 3] += im * b
        grid[g + 4] += re * e
        grid[g + 5] += im * e
        grid[g + 6] += re * f
        grid[g + 7] += im * f
      }
    }
    this.lineRows = 0
  }

  /** Adds complex amplitudes (pairs, `columns` of them) at all delays collected since the last call. */
  addCollectedComplex(amplitudes: Float64Array): void {
    const grid = this.values
    const { columns, line, lineTouched, lineList, touched } = this
    for (let i = 0; i < this.lineRows; i++) {
      const row = lineList[i]
      const re = line[2 * row]
      const im = line[2 * row + 1]
      line[2 * row] = line[2 * row + 1] = 0
      lineTouched[row] = 0
      if (touched[row] === 0) this.touchedList[this.touchedRows++] = row
      touched[row] = 1
      for (let c = 0, g = 2 * columns * row; c < 2 * columns; c += 2, g += 2) {
        grid[g] += re * amplitudes[c] - im * amplitudes[c + 1]
        grid[g + 1] += re * amplitudes[c + 1] + im * amplitudes[c]
      }
    }
    this.lineRows = 0
  }

  /** Evaluates the kernel around a delay; returns the first row, to be taken modulo `rows`. */
  private spreadAt(tau: number): number {
    const periods = this.cyclesPerMetre * tau
    return this.kernel.at((periods - Math.floor(periods)) * this.rows)
  }

  /**
   * Adds the values, rounded to multiples of the quantum `spacing`, to `total` and clears them. Such totals are exact
   * (`exactQuantum`) and may be added in any order; `finish` accepts them. The rounded numbers must be below 2^51 quanta.
   */
  drain(total: Float64Array, spacing: number): void {
    const size = 2 * this.columns
    const { grid, touched, touchedList } = this
    // (x + rounder) - rounder is the multiple of the spacing nearest to x.
    const rounder = 1.5 * 2 ** 52 * spacing
    for (let i = 0; i < this.touchedRows; i++) {
      const row = touchedList[i]
      touched[row] = 0
      for (let at = size * row; at < size * (row + 1); at++) {
        total[at] += grid[at] + rounder - rounder
        grid[at] = 0
      }
    }
    this.touchedRows = 0
  }

  /** Transforms the delay grid, or instead totals from `drain`; `rowOf` gives the position of a frequency in the result. */
  finish(values = this.values): void {
    fftRows(values, this.rows, 2 * this.columns, this.tables.twiddle)
  }

  /** Position of the columns of frequency i in the result; multiply them by `factor(i)`. */
  rowOf(i: number): number {
    return 2 * this.columns * ((i - this.middle + this.rows) & (this.rows - 1))
  }
  factor(i: number): number {
    return this.tables.correction[i]
  }
  get values(): Float64Array {
    if (this.grid.length === 0) this.grid = new Float64Array(2 * this.columns * this.rows)
    return this.grid
  }
  get frequencies(): number {
    return this.band.n
  }
}

/**
 * Adds weight[i] * source to row first + i of the grid (modulo rows = mask + 1); size is a multiple of 8. Blocks of eight columns
 * stay in registers: four times as fast as the plain double loop in V8.
 */
function spread(
  grid: Float64Array,
  source: Float64Array,
  size: number,
  { weight, width }: SpreadingKernel,
  first: number,
  mask: number,
): void {
  for (let c = 0; c < size; c += 8) {
    const s0 = source[c]
    const s1 = source[c + 1]
    const s2 = source[c + 2]
    const s3 = source[c + 3]
    const s4 = source[c + 4]
    const s5 = source[c + 5]
    const s6 = source[c + 6]
    const s7 = source[c + 7]
    for (let i = 0; i < width; i++) {
      const w = weight[i]
      const g = size * ((first + i) & mask) + c
      grid[g] += w * s0
      grid[g + 1] += w * s1
      grid[g + 2] += w * s2
      grid[g + 3] += w * s3
      grid[g + 4] += w * s4
      grid[g + 5] += w * s5
      grid[g + 6] += w * s6
      grid[g + 7] += w * s7
    }
  }
}

import { type Band, wavenumber } from '../scene/band.js'
import { twiddles } from './fft.js'
import { SpreadingKernel } from './spreading-kernel.js'

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

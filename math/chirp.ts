import FFT from 'fft.js'

/** Uniformly spaced points start + i * step, i = 0 ... count - 1 (step may be negative). */
export interface Axis {
  start: number
  step: number
  count: number
}

export const axisPoints = (axis: Axis): Float64Array =>
  Float64Array.from({ length: axis.count }, (_, i) => axis.start + i * axis.step)

/** Smallest power of two that is at least n, and at least 2 (the minimum of fft.js). */
const powerOfTwo = (n: number): number => 2 ** Math.max(1, Math.ceil(Math.log2(n)))

/**
 * Fourier sum between two uniform axes of any lengths and spacings:
 *
 *   output[i] = sum_m input[m] exp(+j k_m x_i),  k_m on `k`, x_i on `x`
 *
 * exact to rounding: the chirp-z transform (Bluestein), three power-of-two FFTs of at least k.count + x.count - 1
 * points. So the pixels of an image can be anywhere, not only where a zero-padded FFT has them.
 * Returns the transform of one line; input and output are interleaved re, im (2 k.count and 2 x.count numbers).
 */
export function chirpTransform(k: Axis, x: Axis): (input: Float64Array, output: Float64Array) => void {
  const size = powerOfTwo(k.count + x.count - 1)
  const fft = new FFT(size)
  const half = (k.step * x.step) / 2 // m i = (m^2 + i^2 - (i - m)^2) / 2
  const before = phasors(k.count, (m) => m * k.step * x.start + half * m * m)
  const after = phasors(x.count, (i) => k.start * (x.start + i * x.step) + half * i * i)
  const chirp = new Float64Array(2 * size)
  for (let l = 1 - k.count; l < x.count; l++) {
    const at = 2 * ((l + size) % size)
    chirp[at] = Math.cos(half * l * l)
    chirp[at + 1] = -Math.sin(half * l * l)
  }
  const filter = new Float64Array(2 * size)
  fft.transform(filter, chirp)
  const line = new Float64Array(2 * size)
  const spectrum = new Float64Array(2 * size)

  return (input, output) => {
    multiply(line, input, before, k.count)
    line.fill(0, 2 * k.count)
    fft.transform(spectrum, line)
    multiply(spectrum, spectrum, filter, size)
    fft.inverseTransform(line, spectrum)
    multiply(output, line, after, x.count)
  }
}

function phasors(count: number, phase: (i: number) => number): Float64Array {
  const p = new Float64Array(2 * count)
  for (let i = 0; i < count; i++) {
    p[2 * i] = Math.cos(phase(i))
    p[2 * i + 1] = Math.sin(phase(i))
  }
  return p
}

/** out = a b for the first `count` complex numbers; out may be a. */
function multiply(out: Float64Array, a: Float64Array, b: Float64Array, count: number): void {
  for (let i = 0; i < 2 * count; i += 2) {
    const re = a[i] * b[i] - a[i + 1] * b[i + 1]
    out[i + 1] = a[i] * b[i + 1] + a[i + 1] * b[i]
    out[i] = re
  }
}

/**
 * Two-dimensional Fourier sum of a matrix on the wavenumber grid ka x kb (row-major, interleaved re, im):
 * output[i][l] = sum_mn input[m][n] exp(+j ka_m x_i) exp(+j kb_n y_l), rows on `x`, columns on `y`.
 */
export function chirpTransform2d(input: Float64Array, ka: Axis, kb: Axis, x: Axis, y: Axis): Float64Array {
  const along = chirpTransform(ka, x)
  const column = new Float64Array(2 * ka.count)
  const transformed = new Float64Array(2 * x.count)
  const half = new Float64Array(2 * x.count * kb.count)
  for (let n = 0; n < kb.count; n++) {
    for (let m = 0; m < ka.count; m++) copyComplex(column, m, input, m * kb.count + n)
    along(column, transformed)
    for (let i = 0; i < x.count; i++) copyComplex(half, i * kb.count + n, transformed, i)
  }
  const across = chirpTransform(kb, y)
  const output = new Float64Array(2 * x.count * y.count)
  for (let i = 0; i < x.count; i++)
    across(
      half.subarray(2 * i * kb.count, 2 * (i + 1) * kb.count),
      output.subarray(2 * i * y.count, 2 * (i + 1) * y.count),
    )
  return output
}

function copyComplex(to: Float64Array, i: number, from: Float64Array, j: number): void {
  to[2 * i] = from[2 * j]
  to[2 * i + 1] = from[2 * j + 1]
}

/** Width of the gridding kernel in grid cells, and oversampling of the grid against the image window. */
const WIDTH = 10
const OVERSAMPLING = 2
/** Shape of the Kaiser-Bessel kernel for that width and oversampling (Beatty et al. 2005, eq. 5). */
const BETA = Math.PI * Math.sqrt((WIDTH / OVERSAMPLING) ** 2 * (OVERSAMPLING - 0.5) ** 2 - 0.8)

/**
 * Fourier sum of samples at scattered wavenumbers on a uniform pixel grid:
 *
 *   output[i][l] = sum_s values[s] exp(+j (ka[s] x_i + kb[s] y_l))
 *
 * The samples are spread onto a rectangular wavenumber grid with a Kaiser-Bessel kernel, the grid is transformed,
 * and the kernel's transform divided out (gridding; P. J. Beatty, D. G. Nishimura, J. M. Pauly, "Rapid gridding
 * reconstruction with a minimal oversampling ratio", IEEE Trans. Med. Imaging 24, 2005). Unlike interpolation of
 * the samples it has no error at band edges and does not depend on the oversampling of the data. With 10 cells and
 * twofold oversampling it differs from the direct sum by less than 1e-8 of sum |values| (measured: 4e-10).
 * ka, kb [rad/m]; values and output interleaved re, im.
 */
export function griddedTransform(
  ka: Float64Array,
  kb: Float64Array,
  values: Float64Array,
  x: Axis,
  y: Axis,
): Float64Array {
  const a = new GridAxis(ka, x)
  const b = new GridAxis(kb, y)
  const grid = new Float64Array(2 * a.grid.count * b.grid.count)
  for (let s = 0; s < ka.length; s++) {
    const phase = ka[s] * a.middle + kb[s] * b.middle // moves the window's middle to the origin
    const cos = Math.cos(phase)
    const sin = Math.sin(phase)
    const re = values[2 * s] * cos - values[2 * s + 1] * sin
    const im = values[2 * s] * sin + values[2 * s + 1] * cos
    const ia = a.spread(ka[s])
    const ib = b.spread(kb[s])
    for (let p = 0; p < WIDTH; p++) {
      const row = 2 * ((ia + p) * b.grid.count + ib)
      const pRe = re * a.taps[p]
      const pIm = im * a.taps[p]
      for (let q = 0; q < WIDTH; q++) {
        grid[row + 2 * q] += pRe * b.taps[q]
        grid[row + 2 * q + 1] += pIm * b.taps[q]
      }
    }
  }
  const output = chirpTransform2d(grid, a.grid, b.grid, a.pixels, b.pixels)
  const along = a.correction()
  const across = b.correction()
  for (let i = 0; i < x.count; i++)
    for (let l = 0; l < y.count; l++) {
      const at = 2 * (i * y.count + l)
      output[at] *= along[i] * across[l]
      output[at + 1] *= along[i] * across[l]
    }
  return output
}

/** One axis of the wavenumber grid, fine enough for the window of its pixels. */
class GridAxis {
  readonly grid: Axis
  /** The pixels relative to their middle. */
  readonly pixels: Axis
  readonly middle: number
  /** Kernel values at the cells that the last spread() touches. */
  readonly taps = new Float64Array(WIDTH)
  private readonly firstCell: number

  constructor(k: Float64Array, x: Axis) {
    const step = (2 * Math.PI) / (OVERSAMPLING * x.count * Math.abs(x.step))
    let min = Infinity
    let max = -Infinity
    for (const value of k) {
      if (value < min) min = value
      if (value > max) max = value
    }
    this.firstCell = Math.floor(min / step) - WIDTH / 2
    const count = Math.ceil(max / step) + WIDTH / 2 - this.firstCell + 1
    this.grid = { start: this.firstCell * step, step, count }
    this.middle = x.start + ((x.count - 1) / 2) * x.step
    this.pixels = { start: x.start - this.middle, step: x.step, count: x.count }
  }

  /** Kernel weights around wavenumber k into `taps`; returns the index of the first cell. */
  spread(k: number): number {
    const position = k / this.grid.step - this.firstCell
    const first = Math.floor(position) - WIDTH / 2 + 1
    for (let p = 0; p < WIDTH; p++) {
      const t = (2 * (first + p - position)) / WIDTH
      this.taps[p] = besselI0(BETA * Math.sqrt(Math.max(0, 1 - t * t)))
    }
    return first
  }

  /** One over the kernel's Fourier transform at each pixel. */
  correction(): Float64Array {
    return Float64Array.from({ length: this.pixels.count }, (_, i) => {
      const cycles = ((this.pixels.start + i * this.pixels.step) * this.grid.step) / (2 * Math.PI)
      const root = Math.sqrt(BETA * BETA - (Math.PI * WIDTH * cycles) ** 2)
      return root / (WIDTH * Math.sinh(root))
    })
  }
}

/** Modified Bessel function of order zero, by its power series (arguments up to BETA). */
function besselI0(x: number): number {
  const quarter = (x * x) / 4
  let term = 1
  let sum = 1
  for (let n = 1; term > 1e-17 * sum; n++) {
    term *= quarter / (n * n)
    sum += term
  }
  return sum
}

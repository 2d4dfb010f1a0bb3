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

/**
 * In-place FFT with exp(+2 pi j i n / rows) over the rows of a rows x width array (width = 2 x complex columns; rows a power of
 * two). Two stages at a time halve the passes over memory, which limit the speed.
 */
export function fftRows(data: Float64Array, rows: number, width: number, twiddle: Float64Array): void {
  reverseBits(data, rows, width)
  let half = 1
  if (Math.log2(rows) % 2 === 1) {
    for (let p = 0; p < rows * width; p += 2 * width)
      for (let c = p; c < p + width; c++) {
        const a = data[c]
        const b = data[c + width]
        data[c] = a + b
        data[c + width] = a - b
      }
    half = 2
  }
  for (; half < rows; half *= 4) for (let i = 0; i < half; i++) quarters(data, rows, width, half, i, twiddle)
}

/** Two butterfly stages of all rows i, half + i, 2 half + i, ... */
function quarters(
  data: Float64Array,
  rows: number,
  width: number,
  half: number,
  i: number,
  twiddle: Float64Array,
): void {
  const stride = half * width
  // Twiddle factors of the first stage, and of the second: w2, and j w2 a quarter of a cycle later.
  const at = (2 * i * rows) / (4 * half)
  const r1 = twiddle[2 * at]
  const i1 = twiddle[2 * at + 1]
  const r2 = twiddle[at]
  const i2 = twiddle[at + 1]
  for (let start = i; start < rows; start += 4 * half) {
    const first = start * width
    for (let p = first; p < first + width; p += 2) {
      const q = p + stride
      const r = q + stride
      const s = r + stride
      const re1 = r1 * data[q] - i1 * data[q + 1]
      const im1 = r1 * data[q + 1] + i1 * data[q]
      const re3 = r1 * data[s] - i1 * data[s + 1]
      const im3 = r1 * data[s + 1] + i1 * data[s]
      const cr = data[r] + re3
      const ci = data[r + 1] + im3
      const dr = data[r] - re3
      const di = data[r + 1] - im3
      const ar = data[p] + re1
      const ai = data[p + 1] + im1
      const br = data[p] - re1
      const bi = data[p + 1] - im1
      const ur = r2 * cr - i2 * ci
      const ui = r2 * ci + i2 * cr
      const vr = r2 * di + i2 * dr
      const vi = r2 * dr - i2 * di
      data[p] = ar + ur
      data[p + 1] = ai + ui
      data[r] = ar - ur
      data[r + 1] = ai - ui
      data[q] = br - vr
      data[q + 1] = bi + vi
      data[s] = br + vr
      data[s + 1] = bi - vi
    }
  }
}

/** Bit-reversal permutation of the rows. */
function reverseBits(data: Float64Array, rows: number, width: number): void {
  for (let i = 1, j = 0; i < rows; i++) {
    let bit = rows >> 1
    for (; j & bit; bit >>= 1) j ^= bit
    j |= bit
    if (i < j)
      for (let c = 0; c < width; c++) {
        const t = data[i * width + c]
        data[i * width + c] = data[j * width + c]
        data[j * width + c] = t
      }
  }
}

/** exp(2 pi j i / rows), i = 0 ... rows / 2 - 1. */
export function twiddles(rows: number): Float64Array {
  const out = new Float64Array(rows)
  for (let i = 0; i < rows / 2; i++) {
    out[2 * i] = Math.cos((2 * Math.PI * i) / rows)
    out[2 * i + 1] = Math.sin((2 * Math.PI * i) / rows)
  }
  return out
}

import { encode } from 'fast-png'

/** Lowest level of a decibel picture relative to its brightest pixel [dB]. */
const RANGE_DB = 40

/**
 * A complex image (interleaved re, im, [range][cross-range]) as an 8-bit grey PNG, the largest range in the first row.
 * `decibel`: 40 dB down from the brightest pixel; `qpm`: square root of the magnitude (quarter power), scaled likewise.
 */
export function greyPng(
  image: Float32Array | Float64Array,
  rows: number,
  cols: number,
  scale: 'decibel' | 'qpm',
): Uint8Array {
  return encode({ width: cols, height: rows, data: greyLevels(image, rows, cols, scale), channels: 1 })
}

/**
 * Magnitudes of a complex image as an 8-bit grey PNG, rows as in the arrays, the smallest range first: round(|pixel| / `perLevel`), at most 255.
 */
export function magnitudePng(
  image: Float32Array | Float64Array,
  rows: number,
  cols: number,
  perLevel: number,
): Uint8Array {
  const data = Uint8ClampedArray.from({ length: rows * cols }, (_, i) =>
    Math.round(Math.hypot(image[2 * i], image[2 * i + 1]) / perLevel),
  )
  return encode({ width: cols, height: rows, data, channels: 1 })
}

/** The grey levels of `greyPng`. */
export function greyLevels(
  image: Float32Array | Float64Array,
  rows: number,
  cols: number,
  scale: 'decibel' | 'qpm',
): Uint8Array {
  const data = new Uint8Array(rows * cols)
  let peak = 0
  for (let i = 0; i < 2 * rows * cols; i += 2) peak = Math.max(peak, Math.hypot(image[i], image[i + 1]))
  if (peak === 0) return data
  for (let i = 0; i < rows; i++)
    for (let l = 0; l < cols; l++) {
      const at = 2 * (i * cols + l)
      const part = Math.hypot(image[at], image[at + 1]) / peak
      const level = scale === 'qpm' ? Math.sqrt(part) : 1 + (20 * Math.log10(part || 1e-30)) / RANGE_DB
      data[(rows - 1 - i) * cols + l] = Math.round(255 * Math.max(0, Math.min(1, level)))
    }
  return data
}

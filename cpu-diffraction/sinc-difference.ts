import { sinc } from '../rays/index.js'

/** sinc(x) - sinc(x - d), to full relative precision as d -> 0. */
export function sincDifference(x: number, d: number): number {
  const x2 = x - d
  const y1 = x * x
  const y2 = x2 * x2
  if (y1 < 0.25 && y2 < 0.25) {
    // (y2 - y1)/6 times the divided difference of the series in y = x^2.
    const p = y1 + y2
    const q = y1 * y1 + y1 * y2 + y2 * y2
    const r = p * (y1 * y1 + y2 * y2)
    const s = y1 * y1 * q + y1 * y2 * y2 * y2 + y2 * y2 * y2 * y2
    return (-d * (x + x2) * (1 - p / 20 + q / 840 - r / 60480 + s / 6652800)) / 6
  }
  // sin x - sin x2 = 2 cos((x + x2)/2) sin(d/2); the larger of the two arguments divides.
  const rise = 2 * Math.cos(0.5 * (x + x2)) * Math.sin(0.5 * d)
  return y1 >= y2 ? (rise - d * sinc(x2)) / x : (rise - d * sinc(x)) / x2
}

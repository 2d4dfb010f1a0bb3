import { InputError } from '../errors.js'
import { isWithin } from './medium.js'

/**
 * Reflection and transmission coefficients over frequency and angle, at the front face (R) and from the front to the back face (T), signs
 * as `slab` has them.
 */
export interface ReflectionTable {
  /** Ascending [Hz]. */
  frequencies: readonly number[]
  /** Angles of incidence from the normal, ascending from 0 [rad]. */
  angles: readonly number[]
  /** 8 numbers (as `slab` writes them) of each angle, of each frequency. */
  values: readonly number[]
}

/** @throws InputError for a frequency outside the table */
export function checkBand(name: string, { frequencies }: ReflectionTable, frequencyHz: number): void {
  const [low, high] = [frequencies[0], frequencies[frequencies.length - 1]]
  if (!isWithin(frequencyHz, low, high))
    throw new InputError(
      `table "${name}" goes from ${low / 1e9} to ${high / 1e9} GHz, not to ${frequencyHz / 1e9} GHz; take other frequencies`,
    )
}

/** Four-point interpolation through samples at ascending x: weights of 4 samples from `first`. */
const weights = new Float64Array(4)

/** Fills `weights` with Lagrange's cubic (of lower order where there are fewer samples) at x; returns the first sample. */
function cubic(at: readonly number[], x: number): number {
  let i = 0
  while (i + 2 < at.length && at[i + 1] < x) i++
  const count = Math.min(4, at.length)
  const first = Math.max(0, Math.min(i - 1, at.length - count))
  weights.fill(0)
  for (let a = 0; a < count; a++) {
    let w = 1
    for (let b = 0; b < count; b++) if (b !== a) w *= (x - at[first + b]) / (at[first + a] - at[first + b])
    weights[a] = w
  }
  return first
}

const alongAngle = new Float64Array(4)

/**
 * Writes the coefficients at a frequency within the table and c = cos of the angle of incidence: real and imaginary parts by cubics in
 * frequency and angle; from the last angle to grazing linear in c to R_s = R_p = -1, T = 0.
 */
export function interpolate(table: ReflectionTable, frequencyHz: number, c: number, out: Float64Array): void {
  const { frequencies, angles, values } = table
  const last = angles[angles.length - 1]
  const angle = Math.acos(Math.min(1, c))
  const firstAngle = cubic(angles, Math.min(angle, last))
  alongAngle.set(weights)
  const firstFrequency = cubic(frequencies, frequencyHz)
  for (let k = 0; k < 8; k++) {
    let sum = 0
    for (let i = 0; i < 4; i++) {
      if (weights[i] === 0) continue
      for (let a = 0; a < 4; a++)
        if (alongAngle[a] !== 0)
          sum +=
            weights[i] *
            alongAngle[a] *
            values[8 * ((firstFrequency + i) * angles.length + firstAngle + a) + k]
    }
    out[k] = sum
  }
  if (angle <= last) return
  const share = c / Math.cos(last)
  for (let k = 0; k < 8; k++) out[k] = share * out[k] - (k === 0 || k === 2 ? 1 - share : 0)
}

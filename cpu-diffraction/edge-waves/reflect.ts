import type { PathSink } from '../path-sum.js'
import type { Launch } from './launch.js'

/** Waves that add less than this part of the target's size are left out. */
export const NEGLIGIBLE = 3e-4

/** Reflection of a corner, a pure number: its field does not grow with the target. */
export function polar(size: number, deg: number): [re: number, im: number] {
  const a = (deg * Math.PI) / 180
  return [size * Math.cos(a), size * Math.sin(a)]
}

/**
 * Adds (1/k) times a corner's reflection of each of the four channels times f of the transmitter times f of the receiver to a sum.
 * @param reflection  re, im of VV, HH, VH, HV, transmitted and received [1]
 * @param amplitudes  scratch memory, 8 numbers per wavenumber
 */
export function reflect(
  paths: PathSink,
  out: Launch,
  back: Launch,
  reflection: Float64Array,
  amplitudes: Float64Array,
): void {
  const { k } = paths
  const u = out.values
  const v = back.values
  for (let a = 0; a < out.count; a++)
    for (let b = 0; b < back.count; b++) {
      for (let n = 0, o = 0; n < k.length; n++) {
        const i = 2 * (a * k.length + n)
        const j = 2 * (b * k.length + n)
        const re = (u[i] * v[j] - u[i + 1] * v[j + 1]) / k[n]
        const im = (u[i] * v[j + 1] + u[i + 1] * v[j]) / k[n]
        for (let c = 0; c < 8; c += 2, o += 2) {
          amplitudes[o] = reflection[c] * re - reflection[c + 1] * im
          amplitudes[o + 1] = reflection[c] * im + reflection[c + 1] * re
        }
      }
      paths.add(out.delays[a] + back.delays[b], amplitudes)
    }
}

/** Polarisation transmitted and received of VV, HH, VH, HV: 0 V, 1 H. */
export const CHANNELS = [
  [0, 0],
  [1, 1],
  [0, 1],
  [1, 0],
] as const

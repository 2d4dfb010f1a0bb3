import { writeMat5 } from '../mat5.js'

/** Frequency-aspect data of a sweep in azimuth at one elevation. */
export interface SweepHistory {
  freqHz: Float64Array
  azimuthDeg: Float64Array
  elevationDeg: number
  /** Amplitudes F [m] by channel, [frequency][azimuth], interleaved re, im. */
  f: Record<string, Float64Array>
}

/**
 * A sweep as the Civilian Vehicle Data Domes have it (K. E. Dungan et al., Proc. SPIE 7699, 2010): a struct `data` of azim,
 * elev [degrees], FGHz [GHz] and the channels, [frequency, azimuth]. Cross-polarised channels are equal by reciprocity; `hv`
 * stands for both.
 */
export function cvdomesFile({ freqHz, azimuthDeg, elevationDeg, f }: SweepHistory): Uint8Array {
  const shape: [number, number] = [freqHz.length, azimuthDeg.length]
  return writeMat5({
    data: {
      fields: {
        azim: { data: azimuthDeg, shape: [1, azimuthDeg.length] },
        elev: elevationDeg,
        FGHz: { data: freqHz.map((hz) => hz / 1e9), shape: [freqHz.length, 1] },
        ...Object.fromEntries(
          Object.entries(f).map(([channel, data]) => [channel, { data, shape, complex: true }]),
        ),
      },
    },
  })
}

import { writeMat5 } from '../../formats/mat5.js'

/** Frequency-aspect data of a sweep in azimuth at one elevation. */
export interface SweepHistory {
  freqHz: Float64Array
  azimuthDeg: Float64Array
  elevationDeg: number
  /** Amplitudes F [m] by channel, [frequency][azimuth], interleaved re, im. */
  f: Record<string, Float64Array>
}

/**
 * A sweep as the Civilian Vehicle Data Domes have it (K. E. Dungan, C. Austin, J. Nehrbass and L. C. Potter, "Civilian vehicle radar data
 * domes", Proc. SPIE 7699, 2010): a struct `data` of azim, elev [degrees], FGHz [GHz] and the channels, [frequency, azimuth]. The domes'
 * files have 512 frequencies from 6.9226 to 12.2775 GHz (9.6 GHz and 5.355 GHz about it, 10.479 MHz apart), 5,760 azimuths 0.0625 degrees apart, one
 * elevation each (30 to 60 degrees), and hh, hv, vv; cross-polarised channels are equal by reciprocity, and `hv` is both.
 *
 * Amplitudes are the complex conjugates of F: the phase of a point p is exp(-4 pi j f p.r / c), r towards the radar, as the imaging code that
 * goes with the domes takes it (L. A. Gorham and L. J. Moore, "SAR image formation toolbox for MATLAB", Proc. SPIE 7699, 2010, bpBasicFarField). With F
 * itself its images are rotated by 180 degrees about the origin.
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
          Object.entries(f).map(([channel, data]) => [
            channel,
            { data: conjugate(data), shape, complex: true },
          ]),
        ),
      },
    },
  })
}

/** Of interleaved re, im. */
const conjugate = (data: Float64Array): Float64Array => data.map((x, i) => (i % 2 === 1 && x !== 0 ? -x : x))

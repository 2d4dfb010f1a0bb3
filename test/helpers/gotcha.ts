import { writeMat5 } from '../../formats/mat5.js'
import { circularPass, pointPulses, type PointScatterer } from './pulses.js'

/** A degree of a pass as the AFRL Gotcha set has it: sizes, band and geometry are of its kind. */
export interface GotchaDegree {
  /** First azimuth [degrees]; the file spans one degree less a pulse. */
  azimuthDeg: number
  elevationDeg?: number
  pulses?: number
  frequencies?: number
  /** Corrections by pulse that the file brings: without them range and phase are wrong by as much. */
  rangeError?: (pulse: number) => number
  phaseError?: (pulse: number) => number
}

/** Band of the set: 9.288 to 9.911 GHz about, 424 frequencies. */
const FIRST_HZ = 9.2881e9
const STEP_HZ = 1.4714e6
const RANGE_M = 10_159

/** A synthetic file of points in the layout of the Gotcha set (MATLAB 5; struct `data`, single-precision samples). */
export function gotchaFile(points: PointScatterer[], degree: GotchaDegree): Uint8Array {
  const { azimuthDeg, elevationDeg = 45.7, pulses = 117, frequencies = 424 } = degree
  const { rangeError = () => 0, phaseError = () => 0 } = degree
  const freqHz = Float64Array.from({ length: frequencies }, (_, m) => FIRST_HZ + m * STEP_HZ)
  const spanDeg = (pulses - 1) / pulses
  const pass = circularPass({ pulses, spanDeg, startDeg: azimuthDeg, elevationDeg, rangeM: RANGE_M })
  const { f, antenna } = pointPulses(pass, freqHz, points)
  const axis = (a: number) => ({ data: Float64Array.from({ length: pulses }, (_, n) => antenna[3 * n + a]), shape: [1, pulses] as [number, number] }) // prettier-ignore
  const row = (value: (n: number) => number) => ({ data: Float64Array.from({ length: pulses }, (_, n) => value(n)), shape: [1, pulses] as [number, number] }) // prettier-ignore
  const fp = new Float32Array(f.length)
  for (let i = 0; i < f.length; i += 2) {
    const error = -phaseError((i / 2) % pulses)
    fp[i] = f[i] * Math.cos(error) - f[i + 1] * Math.sin(error)
    fp[i + 1] = f[i] * Math.sin(error) + f[i + 1] * Math.cos(error)
  }
  return writeMat5({
    data: {
      fields: {
        fp: { data: fp, shape: [frequencies, pulses], complex: true },
        freq: { data: freqHz, shape: [frequencies, 1] },
        x: axis(0),
        y: axis(1),
        z: axis(2),
        r0: row((n) => RANGE_M - rangeError(n)),
        th: row((n) => azimuthDeg + (spanDeg * n) / (pulses - 1)),
        phi: row(() => elevationDeg),
        af: { fields: { r_correct: row(rangeError), ph_correct: row(phaseError) } },
      },
    },
  })
}

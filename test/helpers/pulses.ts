import {
  backproject,
  type BackprojectionPlan,
  compressPulses,
  differentialRange,
  profileBins,
  type PulseGeometry,
  type PulseHistory,
} from '../../isar/index.js'
import { C0, type Vec3 } from '../../scene/index.js'

/** A point scatterer of amplitude re + j im [m]. */
export interface PointScatterer {
  at: Vec3
  re: number
  im?: number
}

/** A circular pass about the origin; its phases are referred to the origin. Infinite range: far field. */
export function circularPass({
  pulses,
  spanDeg,
  startDeg = -spanDeg / 2,
  elevationDeg,
  rangeM,
}: {
  pulses: number
  spanDeg: number
  startDeg?: number
  elevationDeg: number
  rangeM: number
}): PulseGeometry & { pulses: number } {
  const farField = rangeM === Infinity
  const scale = farField ? 1 : rangeM
  const el = (elevationDeg * Math.PI) / 180
  const antenna = new Float64Array(3 * pulses)
  for (let n = 0; n < pulses; n++) {
    const az = ((startDeg + (spanDeg * n) / Math.max(1, pulses - 1)) * Math.PI) / 180
    antenna.set([scale * Math.cos(el) * Math.cos(az), scale * Math.cos(el) * Math.sin(az), scale * Math.sin(el)], 3 * n) // prettier-ignore
  }
  return { pulses, antenna, referenceM: new Float64Array(pulses).fill(farField ? 0 : rangeM), farField }
}

/** Closed form of points: sum A exp(-j 4 pi f d / c) at every frequency and pulse. */
export function pointPulses(
  pass: PulseGeometry & { pulses: number },
  freqHz: Float64Array,
  points: PointScatterer[],
): PulseHistory {
  const { pulses } = pass
  const f = new Float64Array(2 * freqHz.length * pulses)
  for (const { at, re, im = 0 } of points)
    for (let n = 0; n < pulses; n++) {
      const d = differentialRange(pass, n, at)
      for (let m = 0; m < freqHz.length; m++) {
        const phase = ((-4 * Math.PI * freqHz[m]) / C0) * d
        const k = 2 * (m * pulses + n)
        f[k] += re * Math.cos(phase) - im * Math.sin(phase)
        f[k + 1] += re * Math.sin(phase) + im * Math.cos(phase)
      }
    }
  return { ...pass, freqHz, f }
}

/** The whole image on this thread, in parts of so many rows and pulses. */
export function backprojectAll(
  history: PulseHistory,
  { grid, frequencyWeights, pulseWeights }: BackprojectionPlan,
  part = { rows: grid.rows, pulses: 64 * Math.ceil(history.pulses / 64) },
): Float64Array {
  const { freqHz, pulses, f } = history
  const image = new Float64Array(2 * grid.rows * grid.cols)
  for (let first = 0; first < pulses; first += part.pulses) {
    const range = [first, Math.min(part.pulses, pulses - first)] as const
    const profiles = new Float64Array(2 * profileBins(freqHz.length) * range[1])
    const compressed = compressPulses(freqHz, f, pulses, frequencyWeights, range, profiles)
    for (let row = 0; row < grid.rows; row += part.rows)
      backproject(
        { grid, geometry: history, weights: pulseWeights, compressed, pulses: range },
        row,
        image.subarray(2 * grid.cols * row, 2 * grid.cols * Math.min(grid.rows, row + part.rows)),
      )
  }
  return image
}

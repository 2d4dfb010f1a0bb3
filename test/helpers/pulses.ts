import {
  backproject,
  type BackprojectionPlan,
  compressPulses,
  profileBins,
  type PulseHistory,
} from '../../isar/index.js'

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

import { rangeProfile, type RangeProfile, type WindowName } from '../isar/index.js'
import type { HistoryData, LayerData, PlotData } from './data.js'

/** Amplitudes of one aspect over frequency. */
export function spectrum({ freqHz, phiDeg }: HistoryData, { data }: LayerData, aspect: number): Float64Array {
  const f = new Float64Array(2 * freqHz.length)
  for (let n = 0; n < freqHz.length; n++) {
    const at = 2 * (n * phiDeg.length + aspect)
    f[2 * n] = data[at]
    f[2 * n + 1] = data[at + 1]
  }
  return f
}

/** Samples of a drawn range profile, per resolution cell: zero-padding by as much. */
const SAMPLES = 8

export const windowOf = ({ image }: PlotData): WindowName => (image?.window ?? 'hamming') as WindowName

/** A range profile drawn finely: peaks between the samples show. */
export const fineProfile = (freqHz: Float64Array, f: Float64Array, window: WindowName): RangeProfile =>
  rangeProfile(freqHz, f, { window, count: SAMPLES * (freqHz.length - 1) })

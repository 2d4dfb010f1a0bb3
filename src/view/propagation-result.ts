import type { NpyArray } from '../../formats/index.js'
import { InputError } from '../../scene/index.js'
import type { CoverageData } from '../plots/index.js'
import { axis, matrices } from './image-result.js'
import type { RunMeta } from './run-meta.js'

/** The results.npz of `isar propagate`. @throws InputError where arrays are missing or do not fit each other */
export function coverageData(arrays: Record<string, NpyArray>, meta: RunMeta | null): CoverageData {
  const freqHz = axis(arrays, 'freq_hz', 'results.npz')
  const positionM = axis(arrays, 'position_m', 'results.npz')
  const count = positionM.length / 3
  const layers = matrices(arrays, 'h_', [freqHz.length, count])
  if (layers.length === 0) throw new InputError('results.npz: no transfers h_CH in it; compute it again')
  const sets = meta?.receivers ?? [{ name: 'receivers', first: 0, count }]
  if (sets.some((s) => s.first < 0 || s.first + s.count > count))
    throw new InputError('meta.json names receivers that results.npz has not; compute both again')
  return { freqHz, positionM, sets, layers }
}

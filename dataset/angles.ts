import { InputError } from '../scene/index.js'
import type { DatasetConfig } from './config.js'
import { PURPOSE, Random } from './random.js'

type Angles = DatasetConfig['aspects']['azimuth']

/** The angles of a configuration; `which` selects the random stream of the list. */
export function anglesOf(angles: Angles, seed: number, which: number): number[] {
  if (Array.isArray(angles)) return angles
  const { from, to } = angles
  if ('count' in angles) {
    const random = new Random(seed, PURPOSE.aspects, which)
    return Array.from({ length: angles.count }, () => from + (to - from) * random.uniform())
  }
  if (to < from)
    throw new InputError(`aspects: ${from} to ${to} degrees is descending; give the lower angle first`)
  const n = Math.floor((to - from) / angles.step + 1e-9) + 1
  if (n > 1_000_000) throw new InputError(`aspects: ${n} angles are too many; take a larger step`)
  const list = Array.from({ length: n }, (_, i) => Number((from + i * angles.step).toPrecision(13)))
  // 360 degrees after the first angle is the first angle.
  if (n > 1 && Math.abs(list[n - 1] - from - 360) < 1e-9) list.pop()
  return list
}

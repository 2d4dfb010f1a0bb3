import { highestFrequency, wavelength, type Band } from '../scene/index.js'
import type { RunEvents } from './hooks.js'
import type { ResolvedSettings } from './settings.js'
import { bendTarget, type LoadedTarget } from './loaded-target.js'

/** Edges of a bent mesh leave the curved surface by less than this part of the wavelength (docs/curved.md). */
export const SAG_PARTS = 128

/** Largest distance of a bent mesh from the curved surface for these bands [m]. */
const sagittaOf = (bands: Band[]): number => wavelength(Math.max(...bands.map(highestFrequency))) / SAG_PARTS

/**
 * The target with its facets bent where `curvedDeg` asks for it, finely enough for the bands. @throws InputError
 * @param onCurved  see `RunEvents`
 */
export function bendForBands(
  loaded: LoadedTarget,
  { curvedDeg, smoothAngleDeg, cache }: Pick<ResolvedSettings, 'curvedDeg' | 'smoothAngleDeg' | 'cache'>,
  bands: Band[],
  onCurved?: RunEvents['onCurved'],
): LoadedTarget {
  if (curvedDeg === undefined) return loaded
  const sagitta = sagittaOf(bands)
  const bent = bendTarget(loaded, smoothAngleDeg, { angleDeg: curvedDeg, sagitta }, cache)
  onCurved?.(loaded.scene.count, bent.scene.count, sagitta)
  return bent
}

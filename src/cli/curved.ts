import { highestFrequency, wavelength, type Band } from '../../scene/index.js'
import { bendTarget, type LoadedTarget } from '../solver.js'
import type { Console } from './console.js'
import type { SolverOptions } from './options.js'

/** Edges of a bent mesh leave the curved surface by less than this part of the wavelength (docs/curved.md). */
const SAG_PARTS = 128

/** The target with its facets bent where `--curved` asks for it, finely enough for the bands. @throws InputError */
export function bendForBands(
  loaded: LoadedTarget,
  { curvedDeg, smoothAngleDeg, cache }: SolverOptions,
  bands: Band[],
  out: Console,
): LoadedTarget {
  if (curvedDeg === undefined) return loaded
  const sagitta = wavelength(Math.max(...bands.map(highestFrequency))) / SAG_PARTS
  const bent = bendTarget(loaded, smoothAngleDeg, { angleDeg: curvedDeg, sagitta }, cache)
  out.say(
    `curved    ${loaded.scene.count} facets bent into ${bent.scene.count}, to ${Number((1e3 * sagitta).toPrecision(2))} mm (1/${SAG_PARTS} of a wavelength)`,
  )
  return bent
}

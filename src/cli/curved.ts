import type { Band } from '../../scene/index.js'
import { bendForBands, SAG_PARTS, sagittaOf } from '../curved-target.js'
import type { LoadedTarget } from '../loaded-target.js'
import type { Console } from './console.js'
import type { SolverOptions } from './options.js'

/** The target bent where `--curved` asks for it, which is told of. @throws InputError */
export function bendAndTell(
  loaded: LoadedTarget,
  options: SolverOptions,
  bands: Band[],
  out: Console,
): LoadedTarget {
  const bent = bendForBands(loaded, options, bands)
  if (bent !== loaded)
    out.say(
      `curved    ${loaded.scene.count} facets bent into ${bent.scene.count}, to ${Number((1e3 * sagittaOf(bands)).toPrecision(2))} mm (1/${SAG_PARTS} of a wavelength)`,
    )
  return bent
}

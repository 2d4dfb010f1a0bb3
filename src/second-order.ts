import { SECOND_ORDER, type SecondOrder } from '../cpu-diffraction/index.js'
import { isMirror } from '../scene/ground/index.js'
import type { Target } from '../scene/index.js'
import type { EngineRequest } from './solver.js'

/**
 * The settings of a run of this target: where they do not say which mechanisms of second order it has, all (docs/second-order.md,
 * "Default"), but none with the papers' variants of rays, edges and rasters, or where facets or the ground are of other materials than
 * smooth perfect conductors. Previews (`FAST`), datasets and moving targets give none themselves.
 */
export function withSecondOrder<
  S extends Pick<EngineRequest, 'method' | 'sbr' | 'diffraction'> & { secondOrder?: SecondOrder[] },
>(settings: S, { facetMaterial, ground }: Target): S & { secondOrder: SecondOrder[] } {
  const { method, sbr, diffraction, secondOrder } = settings
  const conducts = !facetMaterial && (!ground || isMirror(ground))
  const rays =
    method !== 'gpueco' && method !== 'mom' && sbr.formulation !== 'exit' && diffraction === 'tw-ildc'
  return { ...settings, secondOrder: secondOrder ?? (rays && conducts ? [...SECOND_ORDER] : []) }
}

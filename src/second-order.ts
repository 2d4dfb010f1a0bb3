import { SECOND_ORDER, type SecondOrder } from '../cpu-diffraction/index.js'
import { isMirror } from '../scene/ground/index.js'
import type { Target } from '../scene/index.js'
import { type EngineRequest, nothingConducts } from './solver.js'

type Asked = Pick<EngineRequest, 'method' | 'sbr' | 'diffraction'> & { secondOrder?: SecondOrder[] }

/**
 * The settings of a run of this target: where they do not say which mechanisms of second order it has, all (docs/second-order.md,
 * "Default"), but none with the papers' variants of rays, edges and rasters, where the ground is no mirror, and where no facet is a
 * perfect conductor. Previews (`FAST`), datasets and moving targets give none themselves.
 */
export const withSecondOrder = <S extends Asked>(
  settings: S,
  target: Target,
): S & { secondOrder: SecondOrder[] } => ({
  ...settings,
  secondOrder: settings.secondOrder ?? (whyNone(settings, target) ? [] : [...SECOND_ORDER]),
})

/** Why a run has no mechanisms where nothing is said; undefined: it has all. */
function whyNone({ method, sbr, diffraction }: Asked, { facetMaterial, ground }: Target): string | undefined {
  if (method === 'gpueco' || method === 'mom') return `method ${method}`
  if (sbr.formulation === 'exit') return 'formulation exit'
  if (diffraction !== 'tw-ildc') return `diffraction ${diffraction}`
  if (ground && !isMirror(ground)) return `the ground is ${ground.material.name}, no mirror`
  return nothingConducts({ facetMaterial }) ? 'no facet is a perfect conductor' : undefined
}

/**
 * The mechanisms of second order that a run of this target leaves out unasked, and why; undefined where there are none such.
 * @param settings  as resolved by `withSecondOrder`
 */
export function leftOut(
  settings: Asked & { secondOrder: SecondOrder[] },
  target: Target,
): { mechanisms: SecondOrder[]; why: string; materials?: string[] } | undefined {
  const mechanisms = SECOND_ORDER.filter((name) => !settings.secondOrder.includes(name))
  const why = whyNone(settings, target)
  if (why && mechanisms.length > 0) return { mechanisms, why }
  if (settings.secondOrder.length === 0) return undefined
  const materials = target.facetMaterial && target.materials.slice(1).map(({ name }) => name)
  return materials && { mechanisms: [], why: 'facets of these materials have no part in any', materials }
}

import type { SceneMaterials } from '../../rays/index.js'
import { crossing } from '../../scene/ground/index.js'
import { slab } from '../../scene/materials/slab.js'

const factors = new Float64Array(4)

/** As `slab`, for facet f of a scene; the plane of the ground, one more than the facets, lets waves through as `crossing` says. */
export function facetCoefficients(
  { list, of, ground }: SceneMaterials,
  f: number,
  frequencyHz: number,
  c: number,
  out: Float64Array,
  back: boolean,
): void {
  if (f < of.length) return slab(list[of[f]], frequencyHz, c, out, back)
  crossing(ground!.ground, frequencyHz, c, factors)
  out.fill(0)
  out.set(factors, 4)
}

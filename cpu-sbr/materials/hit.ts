import type { SceneMaterials } from '../../rays/index.js'
import { crossing } from '../../scene/ground/index.js'
import { slab } from '../../scene/materials/slab.js'
import { layout } from '../records.js'

/** How a wave goes on from a hit. */
export const REFLECTED = 0
export const TRANSMITTED = 1
/** The path before the first hit: what goes on from it, as if reflected, is the incident wave. */
export const LAUNCH = 0

/** In the place of a transmitted wave: it is not wanted. */
export const NONE = -1

/** A path's last hit. */
export const HIT = layout({
  incidence: ['vec3', 'd, direction of incidence, unit'],
  reflected: ['vec3', 'direction of the reflected wave, unit'],
  normal: ['vec3', 'n, unit normal on the side met'],
  offset: ['f64', 'of the plane: n.r = offset [m]'],
  cosine: ['f64', 'n.d, negative'],
})

/** The record of a hit. */
export interface HitPlace {
  hits: Float64Array
  at: number
}

/**
 * From E at `from` of `fields` the reflected wave to `r` and the transmitted one to `t` (or NONE), at a hit; without the basis of
 * s and p, with a = n.E, c = -n.d and R, T of `slab`:
 *
 *     E_r = R_s E + a [2 R_p n - Q (n + c d)],  Q = (R_p + R_s) / (1 - c^2),     E_t = T_s E + a Q_t (n + c d),  Q_t = (T_p - T_s) / (1 - c^2)
 *
 * A perfect conductor's are E_r = 2n a - E and E_t = 0.
 */
export function split(
  coefficients: Float64Array,
  { hits, at }: HitPlace,
  fields: Float64Array,
  from: number,
  r: number,
  t: number,
): void {
  const rsRe = coefficients[0]
  const rsIm = coefficients[1]
  const rpRe = coefficients[2]
  const rpIm = coefficients[3]
  const tsRe = coefficients[4]
  const tsIm = coefficients[5]
  const tpRe = coefficients[6]
  const tpIm = coefficients[7]
  const n = at + HIT.normal
  const d = at + HIT.incidence
  const c = -hits[at + HIT.cosine]
  const sineSqr = 1 - c * c
  // At normal incidence R_p = -R_s and T_p = T_s.
  const across = sineSqr < 1e-24 ? 0 : 1 / sineSqr
  const qRe = (rpRe + rsRe) * across
  const qIm = (rpIm + rsIm) * across
  const qtRe = (tpRe - tsRe) * across
  const qtIm = (tpIm - tsIm) * across
  const aRe = hits[n] * fields[from] + hits[n + 1] * fields[from + 1] + hits[n + 2] * fields[from + 2]
  const aIm = hits[n] * fields[from + 3] + hits[n + 1] * fields[from + 4] + hits[n + 2] * fields[from + 5]
  for (let i = 0; i < 3; i++) {
    const re = fields[from + i]
    const im = fields[from + 3 + i]
    const g = hits[n + i] + c * hits[d + i]
    const bRe = 2 * rpRe * hits[n + i] - qRe * g
    const bIm = 2 * rpIm * hits[n + i] - qIm * g
    fields[r + i] = rsRe * re - rsIm * im + aRe * bRe - aIm * bIm
    fields[r + 3 + i] = rsRe * im + rsIm * re + aRe * bIm + aIm * bRe
    if (t === NONE) continue
    fields[t + i] = tsRe * re - tsIm * im + g * (aRe * qtRe - aIm * qtIm)
    fields[t + 3 + i] = tsRe * im + tsIm * re + g * (aRe * qtIm + aIm * qtRe)
  }
}

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

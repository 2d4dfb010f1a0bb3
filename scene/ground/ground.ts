import { C0 } from '../constants.js'
import type { Material } from '../materials/material.js'
import { slab } from '../materials/slab.js'

/** The plane z = height under a target: of a material, without end, its front upwards. Plain data, for threads. */
export interface Ground {
  /** Opaque, or a conductor. */
  material: Material
  /** [m] */
  height: number
  /** rms height of its irregularities [m]. */
  roughness: number
}

/** Whether every crossing's factor is 1: a smooth perfect conductor. */
export const isMirror = ({ material, roughness }: Ground): boolean =>
  material.kind === 'conductor' && roughness === 0

const coefficients = new Float64Array(8)

/**
 * Writes the factors of a wave that crosses the ground in the world of `withMirrorImage`: re and im of T_s, T_p, in the convention of `slab`
 * for waves through a sheet, E_t = T_s s (s.E) + T_p p (p.E). A field E below stands for -M E above, with M the reflection z -> -z, so that
 *
 *     T_s = -rho R_s,     T_p = +rho R_p,     rho = exp(-2 (k sigma c)^2)
 *
 * with R of `slab`: 1 for a smooth perfect conductor. rho: coherent loss of Gaussian heights of rms sigma (W. S. Ament, "Toward a theory of
 * reflection by a rough surface", Proc. IRE 41, 1953, 142-146).
 *
 * @param c  cosine of the angle from the vertical, 0 to 1
 * @throws InputError for a frequency that the material is not given for
 */
export function crossing(
  { material, roughness }: Ground,
  frequencyHz: number,
  c: number,
  out: Float64Array,
): void {
  slab(material, frequencyHz, c, coefficients)
  const phase = (2 * Math.PI * frequencyHz * roughness * c) / C0
  const rho = Math.exp(-2 * phase * phase)
  out[0] = -rho * coefficients[0]
  out[1] = -rho * coefficients[1]
  out[2] = rho * coefficients[2]
  out[3] = rho * coefficients[3]
}

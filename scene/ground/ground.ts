import { type Band, C0, frequency, wavenumber } from '../band.js'
import type { Direction } from '../direction.js'
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

/** The direction of a receiver's mirror image. Its H is that of an image with the opposite sign (`addImage`). */
export const imageDirection = ({ thetaDeg, phiDeg, r, thetaHat, phiHat }: Direction): Direction => ({
  thetaDeg: 180 - thetaDeg,
  phiDeg,
  r: [r[0], r[1], -r[2]],
  thetaHat: [-thetaHat[0], -thetaHat[1], thetaHat[2]],
  phiHat,
})

/**
 * The amplitudes at a receiver over a ground at z = height: those at the receiver and those at its image, of the mesh `withMirrorImage` under
 * the one incident wave. The image at s' = M s receives with -M e in the place of e: theta-hat of s' for V, -phi-hat for H; and it is
 * 2 height nearer along z: F = F(s) + exp(-j 2 k height s'_z) F'(s').
 *
 * @param fields  F(s) and F(s'): 8 numbers per frequency, re and im of VV, HH, VH, HV (transmitted, received) [m], about the mesh's origin
 * @param rx      s
 */
export function addImage(
  [own, image]: readonly [Float64Array, Float64Array],
  band: Band,
  rx: Direction,
  height: number,
): Float64Array {
  const out = own.slice()
  for (let n = 0; n < band.n; n++) {
    const angle = 2 * wavenumber(frequency(band, n)) * height * rx.r[2]
    const c = Math.cos(angle)
    const s = Math.sin(angle)
    for (let i = 8 * n; i < 8 * n + 8; i += 2) {
      const channel = (i % 8) / 2
      // HH and VH are received by H.
      const sign = channel === 1 || channel === 2 ? -1 : 1
      out[i] += sign * (image[i] * c - image[i + 1] * s)
      out[i + 1] += sign * (image[i] * s + image[i + 1] * c)
    }
  }
  return out
}

const factors = new Float64Array(4)

/**
 * Multiplies amplitudes as `addImage` has them by the factors of waves that cross the ground before they meet the target, from `tx`, or
 * after they left it, to `rx` or its image: T_p for V, T_s for H of each (`crossing`).
 */
export function crossEnds(
  field: Float64Array,
  band: Band,
  ground: Ground,
  { tx, rx }: { tx?: Direction; rx?: Direction },
): void {
  // VV HH VH HV, transmitted first: HV is sent as H, VH received as H.
  for (const [end, cross] of [
    [tx, 3],
    [rx, 2],
  ] as const) {
    if (!end) continue
    for (let n = 0; n < band.n; n++) {
      crossing(ground, frequency(band, n), Math.abs(end.r[2]), factors)
      for (let channel = 0; channel < 4; channel++) {
        const isH = channel === 1 || channel === cross
        const [re, im] = isH ? [factors[0], factors[1]] : [factors[2], factors[3]]
        const i = 8 * n + 2 * channel
        const x = field[i]
        field[i] = x * re - field[i + 1] * im
        field[i + 1] = x * im + field[i + 1] * re
      }
    }
  }
}

import { type Band, frequency, wavenumber } from '../band.js'
import type { Direction } from '../direction.js'
import { crossing, type Ground } from './ground.js'

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

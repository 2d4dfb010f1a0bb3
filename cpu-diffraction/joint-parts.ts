import { sinc } from '../rays/index.js'
import { amplitude, type EdgeFace } from './face.js'
import { sincDifference } from './sinc-difference.js'
import { MOMENTS } from './strip.js'

const moments = new Float64Array(MOMENTS)
const part = new Float64Array(2)

/**
 * Adds to `sum` the amplitudes [m] at the wavenumbers `k`, four complex channels each, of a segment's face whose end part is
 * still in phase with the rest: both parts, at the segment's own delay.
 *
 * @param lowest  of the band's wavenumbers
 * @param perK    L per wavenumber [m]
 * @param x,d     half the length times the phase slope of the near part, and times the difference of the end's slope from it
 */
export function addJoint(
  face: EdgeFace,
  k: Float64Array,
  lowest: number,
  length: number,
  perK: number,
  x: number,
  d: number,
  sum: Float64Array,
): void {
  for (let p = 0, o = 0; p < k.length; p++) {
    face.strip.moments(k[p] * perK, lowest * perK, moments)
    const s1 = sinc(k[p] * x)
    const ds = sincDifference(k[p] * x, k[p] * d)
    for (let ch = 0; ch < 4; ch++, o += 2) {
      amplitude(face, ch, moments, s1, ds, part)
      sum[o] += length * part[0]
      sum[o + 1] += length * part[1]
    }
  }
}

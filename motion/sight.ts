import { type Aspect, direction, dot, type Vec3 } from '../scene/index.js'
import { rotated, rotatedBack } from './poses.js'
import type { LoadedMotion } from './target.js'

/** How the radar sees a mesh, in that mesh's axes: direction to the radar, and the world's V and H there. */
export interface Sight {
  r: Vec3
  v: Vec3
  h: Vec3
}

/** Time of a sample [s]. @param index  of the frequency, which counts with stepped waveforms alone */
export function timeOf(
  { config: { radar }, startS = 0 }: LoadedMotion,
  pulse: number,
  index: number,
): number {
  const { waveform, prfHz, freqHz } = radar
  return startS + (waveform === 'stepped' ? pulse * freqHz.length + index : pulse) / prfHz
}

/** Sight of the whole target. */
export function targetSight({ config: { radar }, motion }: LoadedMotion, time: number): Sight {
  const { r, thetaHat, phiHat } = direction(radar.thetaDeg, radar.phiDeg)
  const { rotation: m } = motion.at(time)
  return { r: rotatedBack(m, r), v: rotatedBack(m, thetaHat), h: rotatedBack(m, phiHat) }
}

/** The aspect of a sight, whose polarisation basis is that of its direction (`turnBasis` gives the sight's own). */
export function aspectOf({ r }: Sight): Aspect {
  const deg = 180 / Math.PI
  const d = direction(Math.atan2(Math.hypot(r[0], r[1]), r[2]) * deg, Math.atan2(r[1], r[0]) * deg)
  return { tx: d, rx: d }
}

/** Path by which the position of the target's origin brings it towards the radar [m]: u . (centre + shift - rotation centre). */
export function translation({ config, motion }: LoadedMotion, time: number): number {
  const { thetaDeg, phiDeg } = config.radar
  const { rotation, shift } = motion.at(time)
  const centre = config.motion.centre_m
  const back = rotated(rotation, centre)
  const d = centre.map((x, c) => x + shift[c] - back[c]) as Vec3
  return dot(direction(thetaDeg, phiDeg).r, d)
}

/** Turns a row's field, in the basis of its aspect, to the basis of a sight; in place. */
export function turnBasis(field: Float64Array, sight: Sight): void {
  const { thetaHat, phiHat } = aspectOf(sight).tx
  const [c, s] = [dot(sight.v, thetaHat), dot(sight.v, phiHat)]
  const [cc, cs, ss] = [c * c, c * s, s * s]
  for (let i = 0; i < field.length; i += 8)
    for (let part = i; part < i + 2; part++) {
      const [vv, hh, vh, hv] = [field[part], field[part + 2], field[part + 4], field[part + 6]]
      field[part] = cc * vv + cs * (vh + hv) + ss * hh
      field[part + 2] = ss * vv - cs * (vh + hv) + cc * hh
      field[part + 4] = cs * (hh - vv) + cc * vh - ss * hv
      field[part + 6] = cs * (hh - vv) + cc * hv - ss * vh
    }
}

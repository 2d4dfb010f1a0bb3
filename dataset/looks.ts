import { cross, direction, type Direction, dot, type Vec3 } from '../scene/index.js'
import type { DatasetConfig } from './config.js'
import { type Pose, poseAzimuths } from './plan.js'
import type { Radar } from './radar.js'

/** The aspects of an image, and the plane that they show. */
export interface Looks {
  /** Directions to the radar. */
  directions: Direction[]
  /**
   * Angles of a turntable that gives the same samples for points in the plane of the image: those of the radar for a turntable, and
   * theta 90 degrees with the angles along the path for a straight path, whose directions lie in one plane.
   */
  thetaDeg: number
  phiDeg: Float64Array
  /** To the radar at the middle, and the cross-range axis; `up` completes them: r x across. */
  r: Vec3
  across: Vec3
  up: Vec3
}

/**
 * Aspects of a pose. `turntable`: azimuths at one elevation. `sar`: a radar far away on a straight level path, uniform in the angle
 * along it; the middle of the path is seen at the pose's azimuth and elevation, and the line of sight there is `squintDeg` ahead of
 * broadside (towards the direction of flight, which is that of growing azimuth).
 */
export function looksOf({ radar: { geometry, squintDeg } }: DatasetConfig, radar: Radar, pose: Pose): Looks {
  const thetaDeg = 90 - pose.elevationDeg
  const middle = direction(thetaDeg, pose.azimuthDeg)
  if (geometry === 'turntable') {
    const phiDeg = poseAzimuths(pose, radar.angles)
    return {
      directions: Array.from(phiDeg, (phi) => direction(thetaDeg, phi)),
      thetaDeg,
      phiDeg,
      r: middle.r,
      across: middle.phiHat,
      up: middle.thetaHat.map((x) => -x) as Vec3,
    }
  }
  const across = pathAxis(middle, squintDeg)
  const phiDeg = Float64Array.from(
    { length: radar.angles },
    (_, m) => pose.apertureDeg * (m / (radar.angles - 1) - 0.5),
  )
  const directions = Array.from(phiDeg, (alpha) => {
    const [c, s] = [Math.cos, Math.sin].map((f) => f((alpha * Math.PI) / 180))
    return towards(middle.r.map((x, a) => c * x + s * across[a]) as Vec3)
  })
  return {
    directions,
    thetaDeg: 90,
    phiDeg,
    r: middle.r,
    across,
    up: cross(middle.r, across),
  }
}

/** The part of the level direction of flight that is square to the line of sight, as a unit vector. */
function pathAxis({ r, phiHat }: Direction, squintDeg: number): Vec3 {
  const level = Math.hypot(r[0], r[1])
  // Flight v = forward phiHat - ahead h, h the level direction to the radar: -v . r = sin(squint).
  const ahead = Math.sin((squintDeg * Math.PI) / 180) / level
  const forward = Math.sqrt(Math.max(0, 1 - ahead * ahead))
  const v: Vec3 = [0, 1].map((a) => forward * phiHat[a] - (ahead * r[a]) / level).concat(0) as Vec3
  const along = dot(v, r)
  const axis = v.map((x, a) => x - along * r[a]) as Vec3
  const size = Math.hypot(...axis)
  return axis.map((x) => x / size) as Vec3
}

const towards = (r: Vec3): Direction =>
  direction((Math.acos(r[2]) * 180) / Math.PI, (Math.atan2(r[1], r[0]) * 180) / Math.PI)

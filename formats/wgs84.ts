import { dot, type Vec3 } from '../scene/index.js'

/** Half the equator's axis [m] and flattening of the ellipsoid WGS 84 (NGA.STND.0036). */
const A = 6_378_137
const F = 1 / 298.257223563
const E2 = F * (2 - F)

/** A place on Earth: geodetic latitude and longitude [degrees], height above the ellipsoid [m]. */
export interface Geodetic {
  latDeg: number
  lonDeg: number
  heightM: number
}

const radians = (deg: number): number => (deg * Math.PI) / 180
const degrees = (rad: number): number => (rad * 180) / Math.PI

/** Earth-centred, Earth-fixed coordinates of a place [m]. */
export function toEcf({ latDeg, lonDeg, heightM }: Geodetic): Vec3 {
  const [lat, lon] = [radians(latDeg), radians(lonDeg)]
  const normal = A / Math.sqrt(1 - E2 * Math.sin(lat) ** 2)
  const across = (normal + heightM) * Math.cos(lat)
  return [across * Math.cos(lon), across * Math.sin(lon), (normal * (1 - E2) + heightM) * Math.sin(lat)]
}

/** The place of a point; rounding alone within 1,000 km of the ellipsoid, by fixed-point iteration on the latitude. */
export function toGeodetic([x, y, z]: Vec3): Geodetic {
  const across = Math.hypot(x, y)
  let lat = Math.atan2(z, across * (1 - E2))
  let normal = A
  for (let i = 0; i < 12; i++) {
    normal = A / Math.sqrt(1 - E2 * Math.sin(lat) ** 2)
    lat = Math.atan2(z + E2 * normal * Math.sin(lat), across)
  }
  const heightM = across * Math.cos(lat) + z * Math.sin(lat) - A * Math.sqrt(1 - E2 * Math.sin(lat) ** 2)
  return { latDeg: degrees(lat), lonDeg: degrees(Math.atan2(y, x)), heightM }
}

/** Axes of a scene on Earth: x to the east, y to the north, z upwards from the ellipsoid. */
export interface LocalFrame {
  place: Geodetic
  /** Of the origin [m], and unit vectors. */
  origin: Vec3
  east: Vec3
  north: Vec3
  up: Vec3
}

export function localFrame(place: Geodetic): LocalFrame {
  const [lat, lon] = [radians(place.latDeg), radians(place.lonDeg)]
  const [sinLat, cosLat, sinLon, cosLon] = [Math.sin(lat), Math.cos(lat), Math.sin(lon), Math.cos(lon)]
  return {
    place,
    origin: toEcf(place),
    east: [-sinLon, cosLon, 0],
    north: [-sinLat * cosLon, -sinLat * sinLon, cosLat],
    up: [cosLat * cosLon, cosLat * sinLon, sinLat],
  }
}

/** A direction of the scene in Earth's axes. */
export const directionToEcf = ({ east, north, up }: LocalFrame, [x, y, z]: readonly number[]): Vec3 =>
  [0, 1, 2].map((i) => x * east[i] + y * north[i] + z * up[i]) as Vec3

/** A point of the scene [m] in Earth's axes. */
export const pointToEcf = (frame: LocalFrame, p: readonly number[]): Vec3 =>
  directionToEcf(frame, p).map((x, i) => x + frame.origin[i]) as Vec3

/** A point in Earth's axes [m] in those of the scene. */
export function pointToLocal({ origin, east, north, up }: LocalFrame, p: readonly number[]): Vec3 {
  const d = p.map((x, i) => x - origin[i]) as Vec3
  return [dot(d, east), dot(d, north), dot(d, up)]
}

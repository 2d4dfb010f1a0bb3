import { cross, dot, type Vec3 } from '../scene/index.js'
import { xml, xmlVector } from './xml.js'

const unit = (v: Vec3): Vec3 => {
  const size = Math.hypot(...v)
  return size > 0 ? (v.map((x) => x / size) as Vec3) : [1, 0, 0]
}
/** Angle clockwise from north [degrees], 0 to 360. */
const bearing = (east: number, north: number): number => (degrees(Math.atan2(east, north)) + 360) % 360

/** How an antenna at a position and velocity sees a point, all in Earth's axes [m, m/s]; angles as NGA.STND.0024 and 0068 define them [degrees]. */
interface SarGeometry {
  side: 'L' | 'R'
  slantRangeM: number
  /** Along the sphere through the point, from below the antenna. */
  groundRangeM: number
  coneDeg: number
  grazeDeg: number
  twistDeg: number
  slopeDeg: number
  /** From north to the antenna, and to the direction in which high points lie over. */
  azimuthDeg: number
  layoverDeg: number
}

export function sarGeometry(position: Vec3, velocity: Vec3, point: Vec3): SarGeometry {
  const sight = point.map((x, i) => x - position[i]) as Vec3
  const slantRangeM = Math.hypot(...sight)
  const los = unit(sight)
  const { east, north, up } = localFrame(toGeodetic(point))
  const [below, here] = [unit(position), unit(point)]
  const v = unit(velocity)
  const left = dot(cross(below, v), los) > 0
  const spn = unit(cross(los, v))
  const normal = dot(spn, up) < 0 ? (spn.map((x) => -x) as Vec3) : spn
  // Of the ground plane's axes from the point (uGPX towards the antenna, uGPY = up x uGPX) the second.
  const across = unit(cross(los, up))
  const layover = up.map((x, i) => x - normal[i] / Math.max(1e-9, dot(up, normal))) as Vec3
  const asin = (x: number): number => degrees(Math.asin(Math.max(-1, Math.min(1, x))))
  const acos = (x: number): number => degrees(Math.acos(Math.max(-1, Math.min(1, x))))
  return {
    side: left ? 'L' : 'R',
    slantRangeM,
    groundRangeM: Math.hypot(...point) * Math.acos(Math.min(1, dot(below, here))),
    coneDeg: acos(dot(v, los)),
    grazeDeg: asin(-dot(up, los)),
    twistDeg: -asin(dot(across, normal)),
    slopeDeg: acos(dot(up, normal)),
    azimuthDeg: bearing(-dot(los, east), -dot(los, north)),
    layoverDeg: bearing(dot(layover, east), dot(layover, north)),
  }
}

/** A point as ECF and LLH. */
export function xmlPlace(name: string, ecf: Vec3): string {
  const { latDeg, lonDeg, heightM } = toGeodetic(ecf)
  return xml(name, [
    xmlVector('ECF', ecf),
    xml('LLH', [xml('Lat', latDeg), xml('Lon', lonDeg), xml('HAE', heightM)]),
  ])
}

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

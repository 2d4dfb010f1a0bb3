import { cross, dot, type Vec3 } from '../scene/index.js'
import { localFrame, toGeodetic } from './wgs84.js'
import { xml, xmlVector } from './xml.js'

const unit = (v: Vec3): Vec3 => {
  const size = Math.hypot(...v)
  return size > 0 ? (v.map((x) => x / size) as Vec3) : [1, 0, 0]
}
const degrees = (rad: number): number => (rad * 180) / Math.PI
/** Angle clockwise from north [degrees], 0 to 360. */
const bearing = (east: number, north: number): number => (degrees(Math.atan2(east, north)) + 360) % 360

/** How an antenna at a position and velocity sees a point, all in Earth's axes [m, m/s]; angles as NGA.STND.0024 and 0068 define them [degrees]. */
export interface SarGeometry {
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

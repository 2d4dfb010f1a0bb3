import { C0, type Vec3 } from '../../scene/index.js'
import { SUM } from '../setup.js'

/** What the sums of one receiver and excitation say of its channel. */
export interface ChannelFigures {
  /** exp(-jkr)/r-weighted field of a transmitter with gain 1 [1/m]: x re, im, y re, im, z re, im. */
  field: Float64Array
  /** Transfers h_v and h_h: re, im each. |h|^2 is the path gain between the ports of the antennas. */
  transfer: Float64Array
  /** Sum of the powers |h_v|^2 + |h_h|^2 of the paths: the path gain without interference. */
  pathPower: number
  /** Power-weighted mean delay, and its standard deviation [s]; NaN where no path arrives. */
  meanDelay: number
  delaySpread: number
  /**
   * Power-weighted spread of the paths' directions at the receiver and at the transmitter [degrees]: sqrt(1 - |m|^2) of the mean m
   * of unit vectors (B. H. Fleury, IEEE Trans. Inf. Theory 46, 2000), which for small spreads is the rms angle.
   */
  arrivalSpreadDeg: number
  departureSpreadDeg: number
  /** Mean directions, unit vectors (zero where there is none). */
  arrival: Vec3
  departure: Vec3
}

/**
 * @param sums  as `PropagationResult.sums`
 * @param at    the receiver's and excitation's first number there
 * @param r0    distance of the receiver from the transmitter [m]
 */
export function channelFigures(sums: Float64Array, at: number, r0: number, freqHz: number): ChannelFigures {
  const part = (from: number, length: number): Float64Array => sums.subarray(at + from, at + from + length)
  const scale = C0 / freqHz / (4 * Math.PI * r0)
  const [p, late, late2] = part(SUM.power, 3)
  const mean = late / p
  const spread = (from: number): { degrees: number; mean: Vec3 } => {
    const m = Array.from(part(from, 3), (x) => (p > 0 ? x / p : 0)) as Vec3
    const size = Math.hypot(...m)
    return {
      degrees: p > 0 ? (180 / Math.PI) * Math.sqrt(Math.max(0, 1 - size * size)) : NaN,
      mean: size > 0 ? (m.map((x) => x / size) as Vec3) : m,
    }
  }
  const arrival = spread(SUM.arrival)
  const departure = spread(SUM.departure)
  return {
    field: part(SUM.field, 6).map((x) => x / r0),
    transfer: part(SUM.transfer, 4).map((x) => x * scale),
    pathPower: p * scale * scale,
    meanDelay: ((1 + mean) * r0) / C0,
    delaySpread: (Math.sqrt(Math.max(0, late2 / p - mean * mean)) * r0) / C0,
    arrivalSpreadDeg: arrival.degrees,
    departureSpreadDeg: departure.degrees,
    arrival: arrival.mean,
    departure: departure.mean,
  }
}

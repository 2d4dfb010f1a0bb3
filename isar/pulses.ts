import { direction, InputError, type Vec3 } from '../scene/index.js'

/** Where the radar stood at each pulse of a history, and what its phases are referred to. */
export interface PulseGeometry {
  /** Far field: unit vectors from the scene to the radar; else positions of the antenna's phase centre [m]. x y z of each pulse. */
  antenna: Float64Array
  /** Range to which the phase of each pulse is referred [m]; 0 in the far field for the phase centre of the scene. */
  referenceM: Float64Array
  farField: boolean
}

/**
 * A phase history over frequency and pulse, measured or simulated. A point scatterer of amplitude A [m] whose range exceeds the reference
 * by d contributes A exp(-j 4 pi f d / c): time factor exp(+j w t), as everywhere here. In the far field d = -r-hat . p.
 */
export interface PulseHistory extends PulseGeometry {
  /** Nf frequencies, ascending and uniform [Hz]. */
  freqHz: Float64Array
  /** Number of pulses Np. */
  pulses: number
  /** Amplitudes of one channel, [frequency][pulse], interleaved re, im: 2 Nf Np numbers; F [m] where calibrated. */
  f: Float64Array
}

/** Range of a point beyond the reference of a pulse [m]. */
export function differentialRange(
  { antenna, referenceM, farField }: PulseGeometry,
  pulse: number,
  [x, y, z]: Vec3,
): number {
  const a = antenna[3 * pulse]
  const b = antenna[3 * pulse + 1]
  const c = antenna[3 * pulse + 2]
  const range = farField ? -(a * x + b * y + c * z) : Math.sqrt((a - x) ** 2 + (b - y) ** 2 + (c - z) ** 2)
  return range - referenceM[pulse]
}

/** Directions of the radar from the origin of the scene, and the aperture that they span. */
export interface Aperture {
  /** Of each pulse [degrees]: theta from +z, phi from +x towards +y, about `centre` without steps of 360. */
  thetaDeg: Float64Array
  phiDeg: Float64Array
  /** Middle of the aperture [degrees]. */
  centre: { thetaDeg: number; phiDeg: number }
  /** Extent in phi [degrees]; of a full circle about 360. */
  spanDeg: number
}

/** @throws InputError for an antenna at the origin of the scene */
export function apertureOf({ antenna }: PulseGeometry): Aperture {
  const count = antenna.length / 3
  const thetaDeg = new Float64Array(count)
  const phiDeg = new Float64Array(count)
  const sum: Vec3 = [0, 0, 0]
  for (let n = 0; n < count; n++) {
    const [x, y, z] = antenna.subarray(3 * n, 3 * n + 3)
    const range = Math.hypot(x, y, z)
    if (!(range > 0 && Number.isFinite(range)))
      throw new InputError(`phase history: the antenna of pulse ${n} stands at (${x}, ${y}, ${z}) m, not outside the scene`) // prettier-ignore
    thetaDeg[n] = degrees(Math.acos(z / range))
    phiDeg[n] = degrees(Math.atan2(y, x))
    sum[0] += x / range
    sum[1] += y / range
    sum[2] += z / range
  }
  // Of a full circle the mean is no direction: it begins where its first pulse does.
  const mean =
    Math.hypot(sum[0], sum[1]) > 1e-3 * count ? degrees(Math.atan2(sum[1], sum[0])) : phiDeg[0] + 180
  let [low, high] = [Infinity, -Infinity]
  for (let n = 0; n < count; n++) {
    phiDeg[n] = mean + wrapped(phiDeg[n] - mean)
    low = Math.min(low, phiDeg[n])
    high = Math.max(high, phiDeg[n])
  }
  const theta = thetaDeg.reduce((a, b) => a + b, 0) / count
  return {
    thetaDeg,
    phiDeg,
    centre: { thetaDeg: theta, phiDeg: (low + high) / 2 },
    spanDeg: high - low,
  }
}

const degrees = (radians: number): number => (radians * 180) / Math.PI
/** An angle in [-180, 180). */
const wrapped = (deg: number): number => deg - 360 * Math.floor((deg + 180) / 360)

/** Planes that an image can lie in. */
export const PLANES = ['ground', 'slant'] as const
/** `ground`: horizontal; `slant`: of the line of sight and cross-range at the middle of the aperture. */
export type PlaneName = (typeof PLANES)[number]

/** An image plane: two orthogonal unit vectors and the point where both axes are zero [m]. */
export interface ImagePlane {
  name: PlaneName
  origin: Vec3
  /** Direction of the columns (to the right in the picture) and of the rows (upwards). */
  across: Vec3
  along: Vec3
}

/**
 * `ground`: horizontal at the height z, x to the right and y upwards. `slant`: through the origin, range away from the radar at the
 * aperture's centre upwards and cross-range (phi-hat there) to the right, as the images of `formImage`.
 */
export function imagePlane(name: PlaneName, { centre }: Aperture, heightM = 0): ImagePlane {
  if (name === 'ground') return { name, origin: [0, 0, heightM], across: [1, 0, 0], along: [0, 1, 0] }
  const { r, phiHat } = direction(centre.thetaDeg, centre.phiDeg)
  return { name, origin: [0, 0, 0], across: phiHat, along: [-r[0] + 0, -r[1] + 0, -r[2] + 0] }
}

import { griddedTransform } from '../math/chirp.js'
import { C0, cross, direction, dot, InputError, type Vec3 } from '../scene/index.js'
import {
  frequencyAxis,
  imageOnPixels,
  type IsarImage,
  requireFinite,
  span,
  type WindowName,
  windowSamples,
} from './image.js'

/** Scattering amplitudes over frequency and known directions of the radar. */
export interface DirectedHistory {
  /** Nf frequencies, ascending and uniformly spaced [Hz]. */
  freqHz: Float64Array
  /** Unit vectors from the target to the radar, in the target's axes: x y z of each of N pulses. */
  directions: Float64Array
  /** F [m], [frequency][pulse], interleaved re, im, phase referred to the target's phase centre. */
  f: Float64Array
}

/** The plane that an image of moving aspects shows. */
export interface RotationPlane {
  /** Unit vectors: to the radar at the middle aspect, of cross-range, and across both. */
  range: Vec3
  crossRange: Vec3
  normal: Vec3
  /** Angle of each pulse in the plane, from the middle aspect towards cross-range [rad]. */
  angleRad: Float64Array
  /** Largest angle of a pulse out of the plane [rad]. */
  offPlaneRad: number
}

/** How the image is made; as `ImageOptions`. */
export interface MotionImageOptions {
  window?: WindowName
  /** Pixels; by the resolution where absent. */
  size?: { rows: number; cols: number }
  rangeM?: [number, number]
  crossRangeM?: [number, number]
}

/**
 * The image plane of a set of directions: through the mean direction and the one along which directions differ most (principal axis).
 * Cross-range points towards phi-hat or, where that is across, upwards.
 * @throws InputError where the directions are all alike
 */
export function rotationPlane(directions: Float64Array): RotationPlane {
  const n = directions.length / 3
  const at = (i: number): Vec3 => [directions[3 * i], directions[3 * i + 1], directions[3 * i + 2]]
  const sum: Vec3 = [0, 0, 0]
  for (let i = 0; i < n; i++) at(i).forEach((x, c) => (sum[c] += x))
  const range = unit(sum)
  const e1 = unit(cross(Math.abs(range[2]) < 0.999 ? [0, 0, 1] : [0, 1, 0], range))
  const e2 = cross(range, e1)
  let [aa, ab, bb] = [0, 0, 0]
  for (let i = 0; i < n; i++) {
    const [a, b] = [dot(at(i), e1), dot(at(i), e2)]
    aa += a * a
    ab += a * b
    bb += b * b
  }
  if (!(aa + bb > 1e-12 * n))
    throw new InputError('the radar sees one aspect alone: without rotation there is no cross-range')
  const turn = Math.atan2(2 * ab, aa - bb) / 2
  const along = e1.map((x, c) => Math.cos(turn) * x + Math.sin(turn) * e2[c]) as Vec3
  const crossRange = (turn < 1e-9 - Math.PI / 2 ? along.map((x) => -x) : along) as Vec3
  const normal = cross(range, crossRange)
  const angleRad = Float64Array.from({ length: n }, (_, i) =>
    Math.atan2(dot(at(i), crossRange), dot(at(i), range)),
  )
  let off = 0
  for (let i = 0; i < n; i++)
    off = Math.max(off, Math.abs(Math.asin(Math.max(-1, Math.min(1, dot(at(i), normal))))))
  return { range, crossRange, normal, angleRad, offPlaneRad: off }
}

/**
 * ISAR image of pulses at known, non-uniform aspects, not all in one plane: the weighted mean of sqrt(4 pi) F, each compensated by the
 * phase of a point of the image plane, exp(+j (2k u.r R - 2k u.e x)) with r to the radar and e along cross-range. Each pulse weighs by
 * its window over angle times its share of the angle, so that slow turns do not outweigh fast ones. An isolated point in the plane has
 * |image|^2 = sigma; one at height h is smeared by the pulses' angle out of the plane. Cross-range is in metres, by the known rotation.
 * @throws InputError for axes that do not fit, and where there is no rotation
 */
export function motionImage(
  { freqHz, directions, f }: DirectedHistory,
  options: MotionImageOptions = {},
): IsarImage & { plane: RotationPlane } {
  const freq = frequencyAxis(freqHz)
  const n = directions.length / 3
  if (f.length !== 2 * freq.count * n)
    throw new InputError(`image: ${f.length / 2} samples for ${freq.count} frequencies x ${n} pulses`)
  requireFinite(f)
  const plane = rotationPlane(directions)
  const { window = 'hamming' } = options
  const byPulse = pulseWeights(plane.angleRad, window)
  const byFrequency = windowSamples(window, freq.count)
  const total = byPulse.reduce((a, b) => a + b, 0) * byFrequency.reduce((a, b) => a + b, 0)
  const [a, b] = [new Float64Array(freq.count * n), new Float64Array(freq.count * n)]
  const values = new Float64Array(f.length)
  for (let m = 0; m < freq.count; m++)
    for (let p = 0; p < n; p++) {
      const u: Vec3 = [directions[3 * p], directions[3 * p + 1], directions[3 * p + 2]]
      const i = m * n + p
      const k2 = (4 * Math.PI * freqHz[m]) / C0
      a[i] = k2 * dot(u, plane.range)
      b[i] = -k2 * dot(u, plane.crossRange)
      const weight = (Math.sqrt(4 * Math.PI) * byFrequency[m] * byPulse[p]) / total
      values[2 * i] = weight * f[2 * i]
      values[2 * i + 1] = weight * f[2 * i + 1]
    }
  const extentM: [number, number] = [C0 / (2 * freq.step), unambiguous(plane.angleRad, freqHz)]
  const made = imageOnPixels([span(a), span(b)], extentM, options, (x, y) =>
    griddedTransform(a, b, values, x, y),
  )
  return { ...made, plane }
}

/** Window over the span of angles times each pulse's part of it (half the way to both neighbours). */
function pulseWeights(angles: Float64Array, window: WindowName): Float64Array {
  const n = angles.length
  const [low, high] = [angles.reduce((a, b) => Math.min(a, b)), angles.reduce((a, b) => Math.max(a, b))]
  const fine = windowSamples(window, TAPER)
  return angles.map((angle, i) => {
    const share = Math.abs(angles[Math.min(n - 1, i + 1)] - angles[Math.max(0, i - 1)]) / 2
    return share * fine[Math.round(((TAPER - 1) * (angle - low)) / (high - low))]
  })
}
/** Samples of the window over angle. */
const TAPER = 4097

/** Extent that the largest step between pulses leaves unambiguous [m]. */
function unambiguous(angles: Float64Array, freqHz: Float64Array): number {
  let step = 0
  for (let i = 1; i < angles.length; i++) step = Math.max(step, Math.abs(angles[i] - angles[i - 1]))
  return C0 / (2 * freqHz[freqHz.length - 1] * step)
}

const unit = (v: Vec3): Vec3 => {
  const length = Math.hypot(...v)
  if (!(length > 1e-9))
    throw new InputError('the aspects cancel: they go around the target; take fewer pulses')
  return v.map((x) => x / length) as Vec3
}

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

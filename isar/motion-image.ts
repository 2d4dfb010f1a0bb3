import { C0, cross, dot, InputError, type Vec3 } from '../scene/index.js'
import { griddedTransform } from './gridding.js'
import { frequencyAxis, imageOnPixels, type IsarImage, requireFinite, span } from './image.js'
import { windowSamples, type WindowName } from './window.js'

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

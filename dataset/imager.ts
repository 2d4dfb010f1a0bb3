import { coherentGain, formImage, PointSpread, windowSamples } from '../isar/index.js'
import { gammaOfNormal, PURPOSE, Random } from '../math/random.js'
import { cross, direction, type Direction, dot, type Vec3 } from '../scene/index.js'
import type { DatasetConfig } from './config.js'
import { type Pose, poseAzimuths, type Radar, rangeScale } from './plan.js'

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

/** Forms the images of one pose. */
export class Imager {
  /** Slant range of the pixels [m]. */
  readonly rangeM: Float64Array
  readonly crossRangeM: Float64Array
  /** Slant range over the range that the pixels have: 1, or below it on the ground. */
  readonly rangeScale: number
  private readonly freqHz: Float64Array
  private readonly thetaDeg: number
  private readonly phiDeg: Float64Array

  constructor(
    private readonly config: DatasetConfig,
    private readonly radar: Radar,
    pose: Pose,
    { thetaDeg, phiDeg }: Looks,
  ) {
    this.thetaDeg = thetaDeg
    this.phiDeg = phiDeg
    this.rangeScale = rangeScale(config, pose)
    this.freqHz = Float64Array.from(radar.freqHz)
    const { rangeM, crossRangeM } = pixelAxes(radar)
    this.rangeM = rangeM.map((x) => x * this.rangeScale)
    this.crossRangeM = crossRangeM
  }

  /** Samples of a channel: 2 Nf Na numbers. */
  part(f: Float64Array, channel: number): Float64Array {
    const size = 2 * this.freqHz.length * this.phiDeg.length
    return f.subarray(channel * size, (channel + 1) * size)
  }

  image(f: Float64Array, polarFormat = this.config.image.polarFormat): Float64Array {
    const { size, spacingM } = this.radar
    // Offset by a quarter of a pixel, so that rounding does not change the first pixel.
    const window = (i: 0 | 1): [number, number] => [
      (-size[i] / 2 - 0.25) * spacingM[i],
      (size[i] / 2 - 0.25) * spacingM[i],
    ]
    return formImage(
      { freqHz: this.freqHz, thetaDeg: this.thetaDeg, phiDeg: this.phiDeg, f },
      {
        window: this.config.image.window,
        polarFormat,
        size: { rows: size[0], cols: size[1] },
        rangeM: window(0).map((x) => x * this.rangeScale) as [number, number],
        crossRangeM: window(1),
      },
    ).image
  }

  /** Image of white noise of mean power 1 per pixel: as correlated as the image's noise is; aspects of gain 0 have none. */
  noise(random: Random, gain: Float64Array): Float64Array {
    const f = complexNoise(this.freqHz.length * this.phiDeg.length, random)
    const n = gain.length
    for (let i = 0; i < f.length; i++) f[i] *= gain[(i >> 1) % n]
    const power = (w: Float64Array, g?: Float64Array): number =>
      w.reduce((s, x, i) => s + x * x * (g ? g[i] * g[i] : 1), 0) / (w.length * coherentGain(w)) ** 2
    const { window } = this.config.image
    const wa = windowSamples(window, n)
    const mean = 4 * Math.PI * power(windowSamples(window, this.freqHz.length)) * power(wa, gain)
    const image = this.image(f, false)
    if (mean > 0) for (let i = 0; i < image.length; i++) image[i] /= Math.sqrt(mean)
    return image
  }

  pointSpread(): PointSpread {
    const { freqHz, thetaDeg, phiDeg } = this
    const { window, polarFormat } = this.config.image
    return new PointSpread({ freqHz, thetaDeg, phiDeg, window, polarFormat })
  }
}

/** Pixel axes of every image of a dataset [m]: whole multiples of the spacing, zero at pixel number floor(size / 2). */
export function pixelAxes({ size, spacingM }: Radar): { rangeM: Float64Array; crossRangeM: Float64Array } {
  const axis = (i: 0 | 1): Float64Array =>
    Float64Array.from({ length: size[i] }, (_, p) => (p - Math.floor(size[i] / 2)) * spacingM[i])
  return { rangeM: axis(0), crossRangeM: axis(1) }
}

interface ClutterSettings {
  levelDbsm: number
  shape: number
  correlationM: number
  crossPolDb: number
}

/** Interleaved complex normal numbers of unit mean power, n of them. */
export function complexNoise(n: number, random: Random): Float64Array {
  const out = new Float64Array(2 * n)
  for (let i = 0; i < out.length; i++) out[i] = Math.SQRT1_2 * random.normal()
  return out
}

/**
 * Mean RCS of K-distributed clutter in each pixel, in units of its overall mean: a gamma-distributed texture of the given
 * shape that varies over `correlationM`, which speckle (complex normal) multiplies to the K distribution (K. D. Ward, Electron.
 * Lett. 17, 1981; the texture as a memoryless function of a correlated normal field).
 */
export function texture(
  { shape, correlationM }: Pick<ClutterSettings, 'shape' | 'correlationM'>,
  size: readonly [number, number],
  spacingM: readonly [number, number],
  seed: number,
  chip: number,
): Float64Array {
  const random = new Random(seed, PURPOSE.texture, chip)
  const [rows, cols] = size
  const knots = size.map((n, i) => Math.ceil((n * spacingM[i]) / correlationM) + 2)
  const field = Float64Array.from({ length: knots[0] * knots[1] }, () => random.normal())
  // Random offset of the knots against the pixels, or the knots would be visible in the mean of many images.
  const start = [random.uniform(), random.uniform()]
  const toGamma = gammaOfNormal(shape)
  const out = new Float64Array(rows * cols)
  for (let i = 0; i < rows; i++) {
    const y = Math.min((i * spacingM[0]) / correlationM + start[0], knots[0] - 1 - 1e-9)
    const a = Math.floor(y)
    for (let l = 0; l < cols; l++) {
      const x = Math.min((l * spacingM[1]) / correlationM + start[1], knots[1] - 1 - 1e-9)
      const b = Math.floor(x)
      let value = 0
      let variance = 0
      for (let p = 0; p < 2; p++)
        for (let q = 0; q < 2; q++) {
          const w = (p ? y - a : 1 - y + a) * (q ? x - b : 1 - x + b)
          value += w * field[(a + p) * knots[1] + b + q]
          variance += w * w
        }
      out[i * cols + l] = toGamma(value / Math.sqrt(variance))
    }
  }
  return out
}

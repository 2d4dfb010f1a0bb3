import { coherentGain, formImage, PointSpread, windowSamples } from '../isar/index.js'
import { complexNoise } from './clutter.js'
import type { DatasetConfig } from './config.js'
import type { Looks } from './looks.js'
import type { Pose } from './plan.js'
import { type Radar, rangeScale } from './radar.js'
import type { Random } from '../math/random.js'

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

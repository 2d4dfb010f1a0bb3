import { type Axis, axisPoints, chirpTransform, chirpTransform2d, griddedTransform } from '../math/chirp.js'
import { C0, InputError } from '../scene/index.js'

/** Scattering amplitudes over frequency and aspect angle at one theta. */
export interface PhaseHistory {
  /** Nf frequencies, ascending and uniformly spaced [Hz]. */
  freqHz: Float64Array
  /** Angle of the radar from +z [degrees], the same for all aspects. */
  thetaDeg: number
  /** Na azimuths of the radar, uniformly spaced [degrees]; the image's centre aspect is their middle. */
  phiDeg: Float64Array
  /** Scattering amplitudes F [m], [frequency][aspect], interleaved re, im: 2 Nf Na numbers. */
  f: Float64Array
}

/** How a phase history becomes an image. */
export interface ImageOptions {
  /** Window over frequency and over angle; default hamming. */
  window?: WindowName
  /**
   * Focus with the samples' true positions in the wavenumber plane (a polar grid, resampled to a rectangular one) instead
   * of the small-angle transform. Default false.
   */
  polarFormat?: boolean
  /** Pixels along range and cross-range; default: four to a resolution cell, two where that exceeds 2,048 pixels. */
  size?: { rows: number; cols: number }
  /** Range window [m]; default: one unambiguous extent about the phase centre. */
  rangeM?: [number, number]
  /** Cross-range window [m]; default as for range. */
  crossRangeM?: [number, number]
}

/** A complex image with its axes. */
export interface IsarImage {
  /** Complex image [range][cross-range], interleaved re, im; |pixel|^2 is RCS [m^2] for an isolated point. */
  image: Float64Array
  /** Range of each row, -r . r-hat [m], ascending (away from the radar). */
  rangeM: Float64Array
  /** Cross-range of each column, r . phi-hat [m], ascending. */
  crossRangeM: Float64Array
  rows: number
  cols: number
  /** Nominal resolutions: one over the wavenumber extent, c / 2B and lambda_c / (2 aperture |sin theta|) [m]. */
  rangeResolutionM: number
  crossRangeResolutionM: number
  /** One line for each axis on which the requested pixels are too coarse to show every point. */
  notes: string[]
}

/** Pixels along an axis above which the default is two to a cell instead of four. */
const FINE_PIXELS = 2048
const MAX_PIXELS = 2 ** 26

/**
 * ISAR image of a phase history: the window-weighted mean of the scattering amplitudes, each compensated by the
 * phase of a point at the pixel,
 *
 *   image(R, c) = sqrt(4 pi) sum_mn w_m w_n F_mn exp(+j (a_mn R - b_mn c)) / sum_mn w_m w_n
 *
 * so that an isolated point scatterer of amplitude A at (R, c) has exactly image(R, c) = sqrt(4 pi) A, with any
 * window and pixel grid, carrier phase included. With k = 2 pi f / c and delta = phi - centre phi, a point r
 * contributes F = A exp(+2jk r-hat . r), and
 *
 * - small angle (default, the two-dimensional inverse Fourier transform of the papers): a = 2k,
 *   b = 2 k_c sin(theta) delta, k_c at the middle of the band. Position and level of points are correct near the phase centre;
 *   away from it they smear in range and cross-range by the cells of imageSmear() (plan.ts).
 * - polarFormat: a = 2k cos(delta), b = 2k sin(theta) sin(delta), the exact wavenumbers of points in the plane
 *   z = z of the phase centre; a point h above it keeps the phase 2k h cos(theta) (1 - cos(delta)). By gridding, with an
 *   error below 1e-8 of the largest possible pixel.
 *
 * The sum is evaluated on the pixels themselves (chirp-z), which are whole multiples of their spacing: the phase
 * centre is a pixel where it lies in the window. A point between pixels appears lower (scalloping loss):
 * at most 0.25 dB in all with the default four pixels to a cell and the hamming window (none: 0.46 dB).
 * @throws InputError for histories that are not uniform, finite and at least 2 x 2, theta on the z axis, bad options.
 */
export function formImage(history: PhaseHistory, options: ImageOptions = {}): IsarImage {
  const { windowed, ka, kb } = weigh(history, options.window ?? 'hamming')
  const polar = options.polarFormat ? polarWavenumbers(history) : undefined
  const extents: [number, number] = [
    polar ? span(polar.a) : (ka.count - 1) * ka.step,
    polar ? span(polar.b) : (kb.count - 1) * Math.abs(kb.step),
  ]
  const unambiguousM: [number, number] = [(2 * Math.PI) / ka.step, (2 * Math.PI) / Math.abs(kb.step)]
  return imageOnPixels(extents, unambiguousM, options, (x, y) =>
    polar ? griddedTransform(polar.a, polar.b, windowed, x, y) : chirpTransform2d(windowed, ka, kb, x, y),
  )
}

/**
 * An image on the pixels of its options, for range and cross-range.
 * @param extents       of the samples' wavenumbers [rad/m]
 * @param unambiguousM  extents of the window where the options give none [m]
 * @param transform     pixels from their axes, [range][cross-range], interleaved re, im
 * @throws InputError for windows and sizes that make no image
 */
export function imageOnPixels(
  extents: [number, number],
  unambiguousM: [number, number],
  { rangeM, crossRangeM, size }: ImageOptions,
  transform: (x: Axis, y: Axis) => Float64Array,
): IsarImage {
  const [rangeResolutionM, crossRangeResolutionM] = extents.map((extent) => (2 * Math.PI) / extent)
  const x = pixelAxis('range', rangeM, unambiguousM[0], rangeResolutionM, size?.rows)
  const y = pixelAxis('cross-range', crossRangeM, unambiguousM[1], crossRangeResolutionM, size?.cols)
  if (x.count * y.count > MAX_PIXELS)
    throw new InputError(
      `image: ${x.count} x ${y.count} pixels are too many; give a size (rows x columns) or a smaller window`,
    )
  return {
    image: transform(x, y),
    rangeM: axisPoints(x),
    crossRangeM: axisPoints(y),
    rows: x.count,
    cols: y.count,
    rangeResolutionM,
    crossRangeResolutionM,
    notes: [...coarse('range', x, rangeResolutionM), ...coarse('cross-range', y, crossRangeResolutionM)],
  }
}

/** A point between pixels more than half a cell apart can appear well below its RCS. */
function coarse(name: string, { step, count }: Axis, resolutionM: number): string[] {
  if (step <= 0.5 * resolutionM * (1 + 1e-6)) return []
  return [
    `pixels of ${step.toPrecision(2)} m in ${name} are coarser than half the resolution of ${resolutionM.toPrecision(2)} m: ` +
      `points between them are missed; use at least ${Math.ceil((2 * count * step) / resolutionM - 1e-6)}, or a coarser resolution`,
  ]
}

/**
 * Pixel axis over a window [m]: `count` pixels (default by the resolution) of spacing window / count, at whole
 * multiples of it, so that zero is one of them where it lies inside.
 * @throws InputError for an empty window or a count below 2.
 */
export function pixelAxis(
  name: string,
  window: [number, number] | undefined,
  unambiguousM: number,
  resolutionM: number,
  count?: number,
): Axis {
  const [low, high] = window ?? [-unambiguousM / 2, unambiguousM / 2]
  const width = high - low
  if (!(width > 0 && Number.isFinite(width)))
    throw new InputError(
      `image: the ${name} window ${low}:${high} m is empty; give its ends in ascending order`,
    )
  if (count !== undefined && !(Number.isInteger(count) && count >= 2))
    throw new InputError(`image: ${count} pixels along ${name}; give a whole number of at least 2`)
  const cells = width / resolutionM
  const pixels = count ?? Math.max(2, Math.ceil((4 * cells <= FINE_PIXELS ? 4 : 2) * cells - 1e-6))
  const step = width / pixels
  return { start: Math.round(low / step + 0.5) * step, step, count: pixels }
}

/** Axis through uniformly spaced samples. @throws InputError where they are not. */
function uniformAxis(name: string, values: Float64Array): Axis {
  const n = values.length
  if (n < 2) throw new InputError(`phase history: ${n} ${name}; an image needs at least 2`)
  const step = (values[n - 1] - values[0]) / (n - 1)
  for (let i = 0; i < n; i++)
    if (!(step !== 0 && Math.abs(values[i] - values[0] - i * step) <= 1e-6 * Math.abs(step)))
      throw new InputError(
        `phase history: ${name} are not uniformly spaced (number ${i} is ${values[i]}); resample them`,
      )
  return { start: values[0], step, count: n }
}

/** Frequencies as an axis [Hz]. @throws InputError where they are not positive, ascending and uniform. */
export function frequencyAxis(freqHz: Float64Array): Axis {
  const axis = uniformAxis('frequencies', freqHz)
  if (!(axis.start > 0 && axis.step > 0))
    throw new InputError('phase history: frequencies must be positive and ascending')
  return axis
}

/** @throws InputError at the first sample that is not a finite number. */
export function requireFinite(f: Float64Array): void {
  const bad = f.findIndex((value) => !Number.isFinite(value))
  if (bad >= 0)
    throw new InputError(
      `phase history: sample ${bad >> 1} is ${f[bad]}; compute it again, every amplitude must be a finite number`,
    )
}

const wavenumber2 = (freqHz: number): number => (4 * Math.PI * freqHz) / C0
const radians = (deg: number): number => (deg * Math.PI) / 180

/** Weighted samples sqrt(4 pi) w F / sum w, and the small-angle wavenumber axes (of +range and +cross-range). */
function weigh(history: PhaseHistory, window: WindowName): { windowed: Float64Array; ka: Axis; kb: Axis } {
  const freq = frequencyAxis(history.freqHz)
  const phi = uniformAxis('aspects', history.phiDeg)
  if (history.f.length !== 2 * freq.count * phi.count)
    throw new InputError(
      `phase history: ${history.f.length / 2} samples for ${freq.count} frequencies x ${phi.count} aspects`,
    )
  requireFinite(history.f)
  const sinTheta = Math.sin(radians(history.thetaDeg))
  if (!(Math.abs(sinTheta) > 1e-6))
    throw new InputError(
      `phase history: theta = ${history.thetaDeg} degrees has no cross-range, the target rotates about the line of sight`,
    )
  const wf = windowSamples(window, freq.count)
  const wa = windowSamples(window, phi.count)
  const sum = wf.reduce((s, w) => s + w, 0) * wa.reduce((s, w) => s + w, 0)
  const windowed = history.f.map((value, i) => {
    const sample = i >> 1
    const weight = wf[Math.floor(sample / phi.count)] * wa[sample % phi.count]
    return (value * weight * Math.sqrt(4 * Math.PI)) / sum
  })
  const middleHz = freq.start + ((freq.count - 1) / 2) * freq.step
  const perRadian = -wavenumber2(middleHz) * sinTheta
  const kbStep = perRadian * radians(phi.step)
  return {
    windowed,
    ka: { start: wavenumber2(freq.start), step: wavenumber2(freq.step), count: freq.count },
    kb: { start: (-kbStep * (phi.count - 1)) / 2, step: kbStep, count: phi.count },
  }
}

/** Wavenumbers of +range and +cross-range of every sample [rad/m]: 2k cos(delta), -2k sin(theta) sin(delta). */
function polarWavenumbers({ freqHz, phiDeg, thetaDeg }: PhaseHistory): { a: Float64Array; b: Float64Array } {
  const middle = (phiDeg[0] + phiDeg[phiDeg.length - 1]) / 2
  const sinTheta = Math.sin(radians(thetaDeg))
  const a = new Float64Array(freqHz.length * phiDeg.length)
  const b = new Float64Array(a.length)
  for (let n = 0; n < phiDeg.length; n++) {
    const delta = radians(phiDeg[n] - middle)
    for (let m = 0; m < freqHz.length; m++) {
      a[m * phiDeg.length + n] = wavenumber2(freqHz[m]) * Math.cos(delta)
      b[m * phiDeg.length + n] = -wavenumber2(freqHz[m]) * sinTheta * Math.sin(delta)
    }
  }
  return { a, b }
}

/** Largest less smallest. */
export function span(values: Float64Array): number {
  let min = Infinity
  let max = -Infinity
  for (const value of values) {
    if (value < min) min = value
    if (value > max) max = value
  }
  return max - min
}

/** Image z[row][x] = sum_n g[row][n] exp(-j phase_n) exp(-2 pi j x u_n) and its adjoint. */
export class AspectImager {
  readonly n: number
  /** Pixels in cross-range. */
  readonly x: number
  /** cos and sin of 2 pi x u_n, [n][x]. */
  private readonly cos: Float64Array
  private readonly sin: Float64Array

  constructor(readonly positions: Float64Array) {
    const n = (this.n = this.x = positions.length)
    this.cos = new Float64Array(n * n)
    this.sin = new Float64Array(n * n)
    for (let i = 0; i < n; i++)
      for (let x = 0; x < n; x++) {
        const angle = 2 * Math.PI * (x - (n >> 1)) * positions[i]
        this.cos[i * n + x] = Math.cos(angle)
        this.sin[i * n + x] = Math.sin(angle)
      }
  }

  form(g: Float64Array, phase: Float64Array): Float64Array {
    const { n, x: size, cos, sin } = this
    const out = new Float64Array(g.length)
    const turns = Array.from(phase, (p) => [Math.cos(p), -Math.sin(p)])
    for (let at = 0; at < g.length; at += 2 * n)
      for (let i = 0; i < n; i++) {
        const [c, s] = turns[i]
        const re = g[at + 2 * i] * c - g[at + 2 * i + 1] * s
        const im = g[at + 2 * i] * s + g[at + 2 * i + 1] * c
        for (let x = 0; x < size; x++) {
          const [cc, ss] = [cos[i * size + x], sin[i * size + x]]
          out[at + 2 * x] += re * cc + im * ss
          out[at + 2 * x + 1] += im * cc - re * ss
        }
      }
    return out
  }

  /** h[row][n] = sum_x z[row][x] exp(+2 pi j x u_n). */
  back(z: Float64Array): Float64Array {
    const { n, x: size, cos, sin } = this
    const out = new Float64Array(z.length)
    for (let at = 0; at < z.length; at += 2 * size)
      for (let i = 0; i < n; i++) {
        let [re, im] = [0, 0]
        for (let x = 0; x < size; x++) {
          const [c, s] = [cos[i * size + x], sin[i * size + x]]
          re += z[at + 2 * x] * c - z[at + 2 * x + 1] * s
          im += z[at + 2 * x] * s + z[at + 2 * x + 1] * c
        }
        out[at + 2 * i] = re
        out[at + 2 * i + 1] = im
      }
    return out
  }

  entropy(g: Float64Array, phase: Float64Array): number {
    return entropyOf(this.form(g, phase))
  }
}

/** Entropy of normalised power, -sum p ln p, of complex numbers interleaved re, im. */
export function entropyOf(z: Float64Array): number {
  let [total, sum] = [0, 0]
  for (let i = 0; i < z.length; i += 2) {
    const p = z[i] * z[i] + z[i + 1] * z[i + 1]
    total += p
    if (p > 0) sum += p * Math.log(p)
  }
  return Math.log(total) - sum / total
}

/** How a range profile is made. */
export interface RangeProfileOptions {
  /** Window over frequency; default hamming. */
  window?: WindowName
  /** Range window [m]; default: one unambiguous extent about the phase centre. */
  rangeM?: [number, number]
  /** Number of samples; default four to a resolution cell (two where that passes 2,048). */
  count?: number
}

/** A range profile with its axis. */
export interface RangeProfile {
  /** Complex profile, interleaved re, im; |sample|^2 is RCS [m^2] for an isolated point. */
  profile: Float64Array
  /** Range -r . r-hat relative to the phase centre [m], ascending. */
  rangeM: Float64Array
}

/**
 * High-resolution range profile of one aspect: sqrt(4 pi) sum_m w_m F_m exp(+2j k_m R) / sum_m w_m, so that an isolated
 * point scatterer of amplitude A at range R gives sqrt(4 pi) A there.
 * @param freqHz Nf frequencies, ascending and uniformly spaced [Hz].
 * @param f scattering amplitudes F [m], interleaved re, im: 2 Nf numbers.
 * @throws InputError for frequencies that are not uniform and positive, amplitudes that are not finite, bad options.
 */
export function rangeProfile(
  freqHz: Float64Array,
  f: Float64Array,
  options: RangeProfileOptions = {},
): RangeProfile {
  const freq = frequencyAxis(freqHz)
  if (f.length !== 2 * freq.count)
    throw new InputError(`range profile: ${f.length / 2} samples for ${freq.count} frequencies`)
  requireFinite(f)
  const w = windowSamples(options.window ?? 'hamming', freq.count)
  const scale = Math.sqrt(4 * Math.PI) / w.reduce((sum, x) => sum + x, 0)
  const toWavenumber = (4 * Math.PI) / C0
  const k = { start: freq.start * toWavenumber, step: freq.step * toWavenumber, count: freq.count }
  const unambiguous = C0 / (2 * freq.step)
  const x = pixelAxis('range', options.rangeM, unambiguous, unambiguous / (freq.count - 1), options.count)
  const profile = new Float64Array(2 * x.count)
  chirpTransform(k, x)(
    f.map((value, i) => value * w[i >> 1] * scale),
    profile,
  )
  return { profile, rangeM: axisPoints(x) }
}

/** Names of the amplitude windows (tapers). */
export const WINDOWS = ['hamming', 'hann', 'taylor', 'none'] as const
/** One of the windows. */
export type WindowName = (typeof WINDOWS)[number]

/** Taylor window: peak sidelobe level [dB] and number of nearly constant sidelobes (nbar >= 2 A^2 + 1/2 for -35 dB). */
const TAYLOR_SIDELOBE_DB = -35
const TAYLOR_NBAR = 5

/**
 * Samples of a symmetric window of n points, largest near the middle; all are positive.
 *
 * | window  | peak sidelobe | -3 dB width, in cells (c/2B or its cross-range equal) |
 * | ------- | ------------- | ---- |
 * | none    | -13.3 dB      | 0.89 |
 * | taylor  | -35 dB        | 1.19 |
 * | hamming | -42.7 dB      | 1.30 |
 * | hann    | -31.5 dB      | 1.44 |
 *
 * hamming is 0.54 - 0.46 cos(2 pi i / (n - 1)). hann leaves out the zeros at its ends (period n + 1), so that no
 * computed sample is wasted. taylor has nbar = 5 and -35 dB (T. T. Taylor, IRE Trans. AP-3, 1955; sampled as in
 * Carrara, Goodman, Majewski, "Spotlight Synthetic Aperture Radar", appendix D.2).
 * @throws InputError for an unknown name.
 */
export function windowSamples(name: WindowName, n: number): Float64Array {
  const w = new Float64Array(n)
  if (name === 'none') return w.fill(1)
  if (name === 'hamming')
    return w.map((_, i) => (n === 1 ? 1 : 0.54 - 0.46 * Math.cos((2 * Math.PI * i) / (n - 1))))
  if (name === 'hann') return w.map((_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 1)) / (n + 1)))
  if (name === 'taylor') return taylor(n)
  throw new InputError(`unknown window '${String(name)}': use one of ${WINDOWS.join(', ')}`)
}

/** Mean of the samples: the factor by which a window lowers the peak of a plain (unnormalised) transform. */
export const coherentGain = (w: Float64Array): number => w.reduce((sum, x) => sum + x, 0) / w.length

function taylor(n: number): Float64Array {
  const a = Math.acosh(10 ** (-TAYLOR_SIDELOBE_DB / 20)) / Math.PI
  const dilation = TAYLOR_NBAR ** 2 / (a * a + (TAYLOR_NBAR - 0.5) ** 2)
  const w = new Float64Array(n).fill(1)
  for (let m = 1; m < TAYLOR_NBAR; m++) {
    let numerator = m % 2 === 1 ? 1 : -1
    let denominator = 2
    for (let i = 1; i < TAYLOR_NBAR; i++) {
      numerator *= 1 - (m * m) / (dilation * (a * a + (i - 0.5) ** 2))
      if (i !== m) denominator *= 1 - (m * m) / (i * i)
    }
    const coefficient = (2 * numerator) / denominator
    for (let i = 0; i < n; i++) w[i] += coefficient * Math.cos((2 * Math.PI * m * (i - (n - 1) / 2)) / n)
  }
  return w
}

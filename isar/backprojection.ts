import FFT from 'fft.js'
import { type Axis, axisPoints, griddedTransform } from '../math/chirp.js'
import { C0, InputError, type Vec3 } from '../scene/index.js'
import { pixelAxis, span, type WindowName, windowSamples } from './image.js'
import {
  type Aperture,
  apertureOf,
  differentialRange,
  imagePlane,
  type ImagePlane,
  type PlaneName,
  type PulseGeometry,
  type PulseHistory,
} from './motion-image.js'

/** Samples of a range profile to a resolution cell, at least. */
const OVERSAMPLING = 4
/** Pulses are summed in groups of so many, so that neither batches nor tiles affect a byte of an image. */
export const PULSE_GROUP = 64

/** Range profiles of pulses on a grid of range, as backprojection interpolates them. */
export interface RangeCompressed {
  /** Per pulse `bins` complex numbers, interleaved re, im. */
  profiles: Float64Array
  /** Samples of one period, a power of two. */
  bins: number
  /** Range after which a profile repeats, c / (2 df) [m]. */
  periodM: number
  /** Frequency whose phase was taken out of the profiles [Hz]. */
  carrierHz: number
}

/** Samples of a profile's period for so many frequencies. */
export const profileBins = (frequencies: number): number =>
  2 ** Math.ceil(Math.log2(OVERSAMPLING * Math.max(2, frequencies)))

/**
 * Range compression of pulses `first` ... `first + count - 1`: with m_c the middle frequency,
 *
 *   s(d) = sum_m w_m F_m exp(+j 4 pi f_m d / c) = exp(+j 4 pi f_mc d / c) g(d),
 *
 * g of period c / (2 df). Its samples are interpolated with cubic B-splines; their spectrum, sinc^4, is divided out of the spectrum
 * here, as in gridding. What remains are the spectrum's images: a frequency x of the sampling rate off the middle is wrong by
 * sum over n != 0 of (x / (x + n))^4, at most 6.2e-4 of it at four samples to a cell (x = 1/8).
 * @param freqHz  uniform and ascending [Hz]
 * @param f  [frequency][pulse], interleaved, of all `pulses`
 * @param weights  of the frequencies
 */
export function compressPulses(
  freqHz: Float64Array,
  f: Float64Array,
  pulses: number,
  weights: Float64Array,
  [first, count]: readonly [number, number],
  profiles: Float64Array,
): RangeCompressed {
  const nf = freqHz.length
  const bins = profileBins(nf)
  const middle = nf >> 1
  const fft = new FFT(bins)
  const line = new Float64Array(2 * bins)
  const transformed = new Float64Array(2 * bins)
  const gain = weights.map((w, m) => (w * bins) / sinc((m - middle) / bins) ** 4)
  for (let n = 0; n < count; n++) {
    line.fill(0)
    for (let m = 0; m < nf; m++) {
      const to = 2 * ((m - middle + bins) % bins)
      const from = 2 * (m * pulses + first + n)
      line[to] = f[from] * gain[m]
      line[to + 1] = f[from + 1] * gain[m]
    }
    fft.inverseTransform(transformed, line)
    profiles.set(transformed, 2 * bins * n)
  }
  const step = (freqHz[nf - 1] - freqHz[0]) / (nf - 1)
  return { profiles, bins, periodM: C0 / (2 * step), carrierHz: freqHz[0] + middle * step }
}

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x))

/** Pixels of an image: pixel (row, column) stands at first + row along + column across. */
export interface PixelGrid {
  rows: number
  cols: number
  /** The first pixel [m]. */
  first: Vec3
  /** Steps from column to column and from row to row [m]. */
  across: Vec3
  along: Vec3
}

/** What backprojection sums: pulses with their profiles, on a grid. */
export interface BackprojectionJob {
  grid: PixelGrid
  geometry: PulseGeometry
  /** Weights of the pulses. */
  weights: Float64Array
  compressed: RangeCompressed
  /** First pulse, a multiple of PULSE_GROUP, and number of the pulses whose profiles these are. */
  pulses: readonly [first: number, count: number]
}

/**
 * Adds the backprojection of a job's pulses to rows `row` ... `row + image.length / 2 cols - 1` of an image:
 *
 *   image(p) = sum_n w_n s_n(d_n(p)),  d_n(p) the range of p beyond the reference of pulse n
 *
 * (M. D. Desai, W. K. Jenkins, IEEE Trans. Image Processing 1, 1992; L. A. Gorham, L. J. Moore, Proc. SPIE 7699, 2010), in double precision.
 * No approximation but that of `compressPulses`: spherical wavefronts, any path of the antenna. The bytes of a pixel do not depend on
 * the rows computed together, nor on how pulses are divided among jobs.
 * @param image  interleaved re, im, added to
 */
export function backproject(job: BackprojectionJob, row: number, image: Float64Array): void {
  const { grid, pulses } = job
  const [, count] = pulses
  const line = new Float64Array(2 * grid.cols)
  const rows = image.length / (2 * grid.cols)
  for (let i = 0; i < rows; i++)
    for (let n = 0; n < count; n += PULSE_GROUP) {
      line.fill(0)
      for (let k = n; k < Math.min(count, n + PULSE_GROUP); k++) addPulse(job, k, row + i, line)
      const at = 2 * grid.cols * i
      for (let l = 0; l < line.length; l++) image[at + l] += line[l]
    }
}

/** One pulse (of those with profiles) on one row of pixels. */
function addPulse(
  { grid, geometry, weights, compressed, pulses }: BackprojectionJob,
  k: number,
  row: number,
  line: Float64Array,
): void {
  const { bins, periodM, carrierHz, profiles } = compressed
  const { antenna, referenceM, farField } = geometry
  const { first, across, along, cols } = grid
  const n = pulses[0] + k
  const [ax, ay, az] = [antenna[3 * n], antenna[3 * n + 1], antenna[3 * n + 2]]
  const reference = referenceM[n]
  const weight = weights[n]
  const [x0, y0, z0] = [first[0] + row * along[0], first[1] + row * along[1], first[2] + row * along[2]]
  const [dx, dy, dz] = across
  const cyclesPerMetre = (2 * carrierHz) / C0
  const binsPerMetre = bins / periodM
  const mask = bins - 1
  const start = 2 * bins * k
  for (let c = 0; c < cols; c++) {
    const x = x0 + c * dx
    const y = y0 + c * dy
    const z = z0 + c * dz
    const range = farField
      ? -(ax * x + ay * y + az * z)
      : Math.sqrt((ax - x) * (ax - x) + (ay - y) * (ay - y) + (az - z) * (az - z))
    const d = range - reference
    const cycles = d * cyclesPerMetre
    const phase = 2 * Math.PI * (cycles - Math.round(cycles))
    const place = d * binsPerMetre
    const bin = Math.floor(place)
    // Cubic B-spline at the four samples about the place.
    const t = place - bin
    const s = 1 - t
    const w0 = (s * s * s) / 6
    const w3 = (t * t * t) / 6
    const w1 = (4 - 3 * t * t * (1 + s)) / 6
    const w2 = (4 - 3 * s * s * (1 + t)) / 6
    const a = start + 2 * ((bin - 1) & mask)
    const b = start + 2 * (bin & mask)
    const e = start + 2 * ((bin + 1) & mask)
    const g = start + 2 * ((bin + 2) & mask)
    const re = w0 * profiles[a] + w1 * profiles[b] + w2 * profiles[e] + w3 * profiles[g]
    const im = w0 * profiles[a + 1] + w1 * profiles[b + 1] + w2 * profiles[e + 1] + w3 * profiles[g + 1]
    const cos = weight * Math.cos(phase)
    const sin = weight * Math.sin(phase)
    line[2 * c] += re * cos - im * sin
    line[2 * c + 1] += re * sin + im * cos
  }
}

/** How the pulses of a history become an image. */
export interface BackprojectionOptions {
  plane: PlaneName
  /** Height of the ground plane [m]; default 0. */
  heightM?: number
  /** Window over frequency and over the aperture. */
  window: WindowName
  /** Ends of the image along its axes, across and along [m]; default: about the origin, what pulses and frequencies resolve unambiguously. */
  acrossM?: [number, number]
  alongM?: [number, number]
  /** Spacing of pixels, of both axes or across and along [m]; default a quarter of a resolution cell, half of one in large images. */
  pixelM?: number | [across: number, along: number]
}

/** An image to be computed: its pixels, weights and what to say of it. */
export interface BackprojectionPlan {
  plane: ImagePlane
  grid: PixelGrid
  /** Places of columns and rows along the plane's axes [m]. */
  acrossM: Float64Array
  alongM: Float64Array
  /** Of the frequencies; of the pulses, with the image's factor sqrt(4 pi) / sum w_m w_n. */
  frequencyWeights: Float64Array
  pulseWeights: Float64Array
  aperture: Aperture
  /** c / 2B, and lambda_c / (4 sin(span / 2) sin(theta)) [m]. */
  rangeResolutionM: number
  crossRangeResolutionM: number
  notes: string[]
}

/** Most pixels along an axis that is not asked for. */
const MOST_DEFAULT = 2048
/** Pixels along an axis above which the default is two to a cell instead of four. */
const FINE = 1024
const MOST_PIXELS = 2 ** 26
/** An aperture of more degrees has no ends that a window could taper. */
const FULL_CIRCLE = 300

/** @throws InputError for a history without bandwidth or aperture, and options that do not fit it */
export function planBackprojection(
  history: Omit<PulseHistory, 'f'>,
  options: BackprojectionOptions,
): BackprojectionPlan {
  const { freqHz, pulses } = history
  if (freqHz.length < 2 || pulses < 2)
    throw new InputError(`phase history: ${freqHz.length} frequencies and ${pulses} pulses; an image needs at least 2 of each`) // prettier-ignore
  const aperture = apertureOf(history)
  const plane = imagePlane(options.plane, aperture, options.heightM)
  const nf = freqHz.length
  const step = (freqHz[nf - 1] - freqHz[0]) / (nf - 1)
  const wavelength = (2 * C0) / (freqHz[0] + freqHz[nf - 1])
  const sinTheta = Math.abs(Math.sin(radians(aperture.centre.thetaDeg)))
  const halfSpan = radians(Math.min(180, aperture.spanDeg) / 2)
  if (!(halfSpan > 0 && sinTheta > 1e-6))
    throw new InputError('phase history: its pulses all come from one azimuth; an image needs an aperture')
  const rangeResolutionM = C0 / (2 * nf * step)
  const crossRangeResolutionM = wavelength / (4 * Math.sin(halfSpan) * sinTheta)
  const unambiguousM = C0 / (2 * step)
  const crossM = C0 / freqHz[nf - 1] / (2 * radians(middleStep(aperture.phiDeg)) * sinTheta)
  const ground = plane.name === 'ground'
  const both = Math.min(unambiguousM, crossM)
  const finest = Math.min(rangeResolutionM / sinTheta, crossRangeResolutionM)
  const notes: string[] = []
  const axisOf = (
    name: string,
    window: [number, number] | undefined,
    given: number | undefined,
    cell: number,
    most: number,
  ) => {
    const wanted = window ? window[1] - window[0] : most
    const pixel = given ?? cell / (4 * wanted <= FINE * cell ? 4 : 2)
    const width = window ? wanted : Math.min(wanted, MOST_DEFAULT * pixel)
    if (width < 0.999 * wanted)
      notes.push(`${name}: ${width.toPrecision(3)} m of the unambiguous ${wanted.toPrecision(3)} m are shown; --extent gives more`) // prettier-ignore
    if (wanted > 1.001 * most)
      notes.push(
        `${name}: the samples repeat after ${most.toPrecision(3)} m; what lies farther apart is folded over`,
      )
    return pixelAxis(
      name,
      window ?? [-width / 2, width / 2],
      most,
      cell,
      Math.max(2, Math.round(width / pixel)),
    )
  }
  const [across, along] = pixelSteps(options.pixelM)
  const x = axisOf(
    ground ? 'x' : 'cross-range',
    options.acrossM,
    across,
    ground ? finest : crossRangeResolutionM,
    ground ? both : crossM,
  )
  const y = axisOf(
    ground ? 'y' : 'range',
    options.alongM,
    along,
    ground ? finest : rangeResolutionM,
    ground ? both : unambiguousM,
  )
  if (x.count * y.count > MOST_PIXELS)
    throw new InputError(`image: ${y.count} x ${x.count} pixels are too many; give coarser pixels or a smaller extent`) // prettier-ignore
  const wf = windowSamples(options.window, nf)
  const wp = apertureWeights(options.window, aperture)
  const scale = Math.sqrt(4 * Math.PI) / (sum(wf) * sum(wp))
  return {
    plane,
    grid: {
      rows: y.count,
      cols: x.count,
      first: plane.origin.map((o, a) => o + x.start * plane.across[a] + y.start * plane.along[a]) as Vec3,
      across: plane.across.map((v) => v * x.step) as Vec3,
      along: plane.along.map((v) => v * y.step) as Vec3,
    },
    acrossM: axisPoints(x),
    alongM: axisPoints(y),
    frequencyWeights: wf,
    pulseWeights: wp.map((w) => w * scale),
    aperture,
    rangeResolutionM,
    crossRangeResolutionM,
    notes,
  }
}

/** Spacing of pixels across and along; undefined where not given. */
const pixelSteps = (pixelM: BackprojectionOptions['pixelM']): [number, number] | [undefined, undefined] =>
  typeof pixelM === 'number' ? [pixelM, pixelM] : (pixelM ?? [undefined, undefined])

/** The window over the azimuths of the aperture, wherever its pulses lie; 1 for a full circle. */
export function apertureWeights(window: WindowName, { phiDeg, spanDeg }: Aperture): Float64Array {
  const count = phiDeg.length
  if (spanDeg > FULL_CIRCLE) return new Float64Array(count).fill(1)
  const samples = windowSamples(window, count)
  const low = phiDeg.reduce((a, b) => Math.min(a, b))
  return phiDeg.map((phi) => {
    const place = ((phi - low) / spanDeg) * (count - 1)
    const at = Math.min(count - 2, Math.floor(place))
    return samples[at] + (place - at) * (samples[at + 1] - samples[at])
  })
}

/** Median difference of neighbouring azimuths [degrees]; of several passes over one aperture that of all. */
function middleStep(phiDeg: Float64Array): number {
  const sorted = phiDeg.toSorted()
  const steps = sorted
    .slice(1)
    .map((phi, i) => phi - sorted[i])
    .sort()
  return Math.max(steps[steps.length >> 1], 1e-9)
}

const sum = (values: Float64Array): number => values.reduce((a, b) => a + b, 0)
const radians = (deg: number): number => (deg * Math.PI) / 180

/** Samples to a resolution cell of the image that is interpolated, of the extent of its wavenumbers. */
const IMAGE_OVERSAMPLING = 4
/** Samples beyond the outermost places that are interpolated. */
const MARGIN = 3
/** Pulses at which a pixel's range is compared with that of a plane wavefront. */
const STOPS = 17
/** Pixels between those whose place is computed; it is linear between them. */
const COARSE = 8
/** Phase left at a corner of the image above which it is reported [rad]: a quadratic one of as much broadens a point by 3 %. */
const LEFT = Math.PI / 4

/**
 * Polar format for spotlight data of any path: pulses are referred to the middle of the image, where wavefronts count as plane, so that a
 * sample is one of the scene's spectrum at the wavenumber 4 pi f / c times the direction of its pulse, of which the image plane sees the
 * projection. Their sum is computed on the pixels by gridding (J. L. Walker, IEEE Trans. AES 16, 1980; C. V. Jakowatz et al.,
 * "Spotlight-Mode Synthetic Aperture Radar", 1996, sections 2.4 and 3.5).
 *
 * In the far field this is the sum that backprojection makes, within 1e-8. Else curved wavefronts move a point p to the place p' where
 * plane ones are nearest to its ranges (least squares over the pulses): pixels are taken from there by cubic B-splines, their spectrum
 * divided out as for backprojection. What the ranges still deviate blurs; more than pi / 4 at a corner of the image is a note.
 * @returns the image of the plan, interleaved re, im, and notes
 */
export function polarFormat(
  history: PulseHistory,
  plan: BackprojectionPlan,
): { image: Float64Array; notes: string[] } {
  const { grid, plane, frequencyWeights, pulseWeights } = plan
  const { freqHz, f, pulses } = history
  const nf = freqHz.length
  const middle = pointOf(grid, (grid.rows - 1) / 2, (grid.cols - 1) / 2)
  const directions = towards(history, middle)
  const [a, b] = [plane.along, plane.across].map((axis) => Float64Array.from({ length: pulses }, (_, n) => -dotAt(directions, n, axis))) // prettier-ignore
  const [ka, kb] = [new Float64Array(nf * pulses), new Float64Array(nf * pulses)]
  const values = new Float64Array(2 * nf * pulses)
  for (let n = 0; n < pulses; n++) {
    const reference = differentialRange(history, n, middle)
    for (let m = 0; m < nf; m++) {
      const i = m * pulses + n
      const k = (4 * Math.PI * freqHz[m]) / C0
      ka[i] = k * a[n]
      kb[i] = k * b[n]
      const cycles = (2 * freqHz[m] * reference) / C0
      const phase = 2 * Math.PI * (cycles - Math.round(cycles))
      const weight = frequencyWeights[m] * pulseWeights[n]
      const [cos, sin] = [weight * Math.cos(phase), weight * Math.sin(phase)]
      values[2 * i] = f[2 * i] * cos - f[2 * i + 1] * sin
      values[2 * i + 1] = f[2 * i] * sin + f[2 * i + 1] * cos
    }
  }
  // Axes of the pixels about the middle [m].
  const axis = (count: number, step: Vec3): Axis => {
    const size = Math.hypot(...step)
    return { start: (-size * (count - 1)) / 2, step: size, count }
  }
  const rows = axis(grid.rows, grid.along)
  const cols = axis(grid.cols, grid.across)
  if (history.farField) return { image: griddedTransform(ka, kb, values, rows, cols), notes: [] }
  const warp = warpOf(history, { grid, middle, a, b })
  const kMax = (4 * Math.PI * freqHz[nf - 1]) / C0
  const notes =
    kMax * warp.leftM > LEFT
      ? [`polar format: curved wavefronts leave phases of up to ${(kMax * warp.leftM).toPrecision(2)} rad at the corners of the image, which blur it; use backprojection or a smaller --extent`] // prettier-ignore
      : []
  return { image: warped({ ka, kb, values }, warp, rows, cols), notes }
}

const pointOf = ({ first, along, across }: PixelGrid, row: number, col: number): Vec3 => first.map((x, i) => x + row * along[i] + col * across[i]) as Vec3 // prettier-ignore
const dotAt = (v: Float64Array, n: number, [x, y, z]: Vec3): number => v[3 * n] * x + v[3 * n + 1] * y + v[3 * n + 2] * z // prettier-ignore

/** Unit vectors from a point to the antenna at each pulse. */
function towards({ antenna, farField, pulses }: PulseHistory, from: Vec3): Float64Array {
  const out = Float64Array.from(antenna)
  if (farField) return out
  for (let n = 0; n < pulses; n++) {
    for (let i = 0; i < 3; i++) out[3 * n + i] -= from[i]
    const range = Math.hypot(out[3 * n], out[3 * n + 1], out[3 * n + 2])
    for (let i = 0; i < 3; i++) out[3 * n + i] /= range
  }
  return out
}

/** Places about the middle, along and across [m], where plane wavefronts show pixels of a coarse grid. */
interface Warp {
  rows: number
  cols: number
  along: Float64Array
  across: Float64Array
  /** Largest deviation that is left [m]. */
  leftM: number
}

function warpOf(
  history: PulseHistory,
  { grid, middle, a, b }: { grid: PixelGrid; middle: Vec3; a: Float64Array; b: Float64Array },
): Warp {
  const { pulses } = history
  const stops = Math.min(STOPS, pulses)
  const at = Array.from({ length: stops }, (_, k) => Math.round((k * (pulses - 1)) / (stops - 1)))
  const own = at.map((n) => differentialRange(history, n, middle))
  let [aa, ab, bb] = [0, 0, 0]
  for (const n of at) {
    aa += a[n] * a[n]
    ab += a[n] * b[n]
    bb += b[n] * b[n]
  }
  const determinant = aa * bb - ab * ab
  const [rows, cols] = [grid.rows, grid.cols].map((count) => Math.ceil((count - 1) / COARSE) + 1)
  const [along, across] = [new Float64Array(rows * cols), new Float64Array(rows * cols)]
  let leftM = 0
  for (let i = 0; i < rows; i++)
    for (let l = 0; l < cols; l++) {
      const p = pointOf(grid, i * COARSE, l * COARSE)
      const beyond = at.map((n, k) => differentialRange(history, n, p) - own[k])
      let [ya, yb] = [0, 0]
      at.forEach((n, k) => {
        ya += a[n] * beyond[k]
        yb += b[n] * beyond[k]
      })
      const y = (bb * ya - ab * yb) / determinant
      const x = (aa * yb - ab * ya) / determinant
      along[i * cols + l] = y
      across[i * cols + l] = x
      at.forEach((n, k) => (leftM = Math.max(leftM, Math.abs(beyond[k] - a[n] * y - b[n] * x))))
    }
  return { rows, cols, along, across, leftM }
}

/** Wavenumbers along and across [rad/m], and weighted samples. */
interface Spectrum {
  ka: Float64Array
  kb: Float64Array
  values: Float64Array
}

function warped({ ka, kb, values }: Spectrum, warp: Warp, rows: Axis, cols: Axis): Float64Array {
  const [y, x] = [new FineAxis(ka, warp.along), new FineAxis(kb, warp.across)]
  const weighted = Float64Array.from(values)
  for (let s = 0; s < ka.length; s++) {
    const gain = y.baseband(s) * x.baseband(s)
    weighted[2 * s] *= gain
    weighted[2 * s + 1] *= gain
  }
  const fine = griddedTransform(y.k, x.k, weighted, y.pixels, x.pixels)
  const image = new Float64Array(2 * rows.count * cols.count)
  const width = x.pixels.count
  for (let i = 0; i < rows.count; i++)
    for (let l = 0; l < cols.count; l++) {
      const [py, px] = placeOf(warp, i, l)
      const first = y.taps(py) * width + x.taps(px)
      let [re, im] = [0, 0]
      for (let p = 0; p < 4; p++)
        for (let q = 0; q < 4; q++) {
          const from = 2 * (first + p * width + q)
          const w = y.weights[p] * x.weights[q]
          re += w * fine[from]
          im += w * fine[from + 1]
        }
      const phase = y.carrier * py + x.carrier * px
      const [cos, sin] = [Math.cos(phase), Math.sin(phase)]
      const to = 2 * (i * cols.count + l)
      image[to] = re * cos - im * sin
      image[to + 1] = re * sin + im * cos
    }
  return image
}

/** Place of a pixel, between those of the coarse grid. */
function placeOf({ rows, cols, along, across }: Warp, i: number, l: number): [number, number] {
  const r = Math.min(Math.max(0, rows - 2), Math.floor(i / COARSE))
  const c = Math.min(Math.max(0, cols - 2), Math.floor(l / COARSE))
  const [s, t] = [i / COARSE - r, l / COARSE - c]
  const at = r * cols + c
  const [down, right] = [rows > 1 ? cols : 0, cols > 1 ? 1 : 0]
  const of = (v: Float64Array): number =>
    (1 - s) * ((1 - t) * v[at] + t * v[at + right]) + s * ((1 - t) * v[at + down] + t * v[at + down + right])
  return [of(along), of(across)]
}

/** An axis of the image that is interpolated: at baseband, over all places. */
class FineAxis {
  readonly carrier: number
  /** Wavenumbers less the carrier [rad/m]. */
  readonly k: Float64Array
  readonly pixels: Axis
  /** Of the four samples about a place. */
  readonly weights = new Float64Array(4)

  constructor(k: Float64Array, places: Float64Array) {
    const width = span(k)
    const low = k.reduce((p, q) => Math.min(p, q))
    const carrier = (this.carrier = low + width / 2)
    this.k = k.map((v) => v - carrier)
    const step = (2 * Math.PI) / (IMAGE_OVERSAMPLING * width)
    const start = places.reduce((p, q) => Math.min(p, q)) - MARGIN * step
    this.pixels = { start, step, count: Math.ceil(span(places) / step) + 2 * MARGIN + 1 }
  }

  /** What divides the B-spline's spectrum out of a sample. */
  baseband(sample: number): number {
    const half = (this.k[sample] * this.pixels.step) / 2
    return half === 0 ? 1 : (half / Math.sin(half)) ** 4
  }

  /** Sets the weights of a place, and returns the first sample. */
  taps(place: number): number {
    const at = (place - this.pixels.start) / this.pixels.step
    const bin = Math.floor(at)
    const t = at - bin
    const s = 1 - t
    this.weights[0] = (s * s * s) / 6
    this.weights[1] = (4 - 3 * t * t * (1 + s)) / 6
    this.weights[2] = (4 - 3 * s * s * (1 + t)) / 6
    this.weights[3] = (t * t * t) / 6
    return bin - 1
  }
}

import { type Axis, griddedTransform } from '../math/chirp.js'
import { C0, type Vec3 } from '../scene/index.js'
import type { BackprojectionPlan, PixelGrid } from './backprojection.js'
import { span } from './image.js'
import { differentialRange, type PulseHistory } from './motion-image.js'

/** Samples to a resolution cell of the image that is interpolated, of the extent of its wavenumbers. */
const OVERSAMPLING = 4
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
    const step = (2 * Math.PI) / (OVERSAMPLING * width)
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

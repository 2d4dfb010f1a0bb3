import { C0, direction, InputError, type Vec3 } from '../scene/index.js'
import { type WindowName, windowSamples } from './image.js'
import type { ImagePlane, PulseGeometry } from './motion-image.js'

/** A point of an image: its position [m] and complex amplitude, |re + j im|^2 its RCS [m^2]. */
export interface ScatteringCentre {
  rangeM: number
  crossRangeM: number
  re: number
  im: number
}

/** Limits of the search. */
export interface CentreOptions {
  /** Maximum number of centres. */
  count: number
  /** Level below the brightest centre at which the search ends [dB]. */
  floorDb: number
}

/** Result of the search. */
export interface Centres {
  /** In the order found: the brightest remaining one each time. */
  centres: ScatteringCentre[]
  /** Residual image. */
  residual: Float64Array
  /** Energy of the residual image over that of the image. */
  residualEnergy: number
}

/** An image with its axes, as `formImage` returns it. */
interface Picture {
  image: Float64Array
  rangeM: Float64Array
  crossRangeM: Float64Array
}

/** Halvings of the step in the search for a centre's position, down to a thousandth of a pixel. */
const HALVINGS = 10

/**
 * Scattering centres of a complex image by CLEAN (J. A. Hogbom, Astron. Astrophys. Suppl. 15, 1974; J. Tsao and B. D.
 * Steinberg, IEEE Trans. AP 36, 1988, for coherent images): the brightest point of the image is fitted, between pixels too,
 * with the image's exact point-spread function and subtracted completely (loop gain 1); this repeats on the residual.
 *
 * The fit is by least squares over the 3 x 3 pixels about the brightest one. Centres closer than a resolution cell are found
 * as one, or as a bright one with weak ones around it; scatterers that are not points (a plate at broadside, a cavity) as several.
 * @throws InputError for a count or floor that is not positive
 */
export function scatteringCentres(
  picture: Picture,
  psf: PointSpread | PointSpreadOptions,
  options: CentreOptions,
): Centres {
  const search = searchCentres(picture, psf, options)
  for (;;) {
    const { done, value } = search.next()
    if (done) return value
  }
}

/** The same step by step: yields the number of centres found so far. */
export function* searchCentres(
  picture: Picture,
  psf: PointSpread | PointSpreadOptions,
  { count, floorDb }: CentreOptions,
): Generator<number, Centres> {
  if (!(Number.isInteger(count) && count > 0))
    throw new InputError(`scattering centres: must be an integer of at least 1, not ${count}`)
  if (!(floorDb > 0))
    throw new InputError(`scattering centres: a floor of ${floorDb} dB; give more than zero`)
  const spread = psf instanceof PointSpread ? psf : new PointSpread(psf)
  const { rangeM, crossRangeM } = picture
  const residual = picture.image.slice()
  const centres: ScatteringCentre[] = []
  const energy = energyOf(residual)
  let floor = 0
  while (centres.length < count) {
    const { at, power } = brightest(residual)
    if (centres.length === 0) floor = power * 10 ** (-floorDb / 10)
    if (!(power > floor)) break
    const centre = fit(residual, rangeM, crossRangeM, at, spread)
    spread.aim(centre.rangeM, centre.crossRangeM)
    spread.subtract(
      residual,
      rangeM,
      crossRangeM,
      [centre.rangeM, centre.crossRangeM],
      [centre.re, centre.im],
    )
    centres.push(centre)
    yield centres.length
  }
  return { centres, residual, residualEnergy: energy > 0 ? energyOf(residual) / energy : 0 }
}

/** Position of a centre in a plane of constant z, and its RCS. */
export interface PlacedCentre extends ScatteringCentre {
  /** RCS [dBsm] and phase of the amplitude [degrees]. */
  sigmaDbsm: number
  phaseDeg: number
  /** Position, assuming the horizontal plane of the phase centre: the image does not determine the height [m]. */
  xM: number
  yM: number
}

/**
 * A centre in the target's coordinates.
 * @param thetaDeg  centre aspect of the image, from +z [degrees]
 * @param phiDeg  and from +x towards +y [degrees]
 */
export function placeCentre(
  centre: ScatteringCentre,
  thetaDeg: number,
  phiDeg: number,
  phaseCentre: Readonly<Vec3>,
): PlacedCentre {
  const { rangeM, crossRangeM, re, im } = centre
  const { phiHat } = direction(thetaDeg, phiDeg)
  const away = rangeM / Math.sin((thetaDeg * Math.PI) / 180)
  return {
    ...centre,
    sigmaDbsm: 10 * Math.log10(re * re + im * im),
    phaseDeg: (Math.atan2(im, re) * 180) / Math.PI,
    xM: phaseCentre[0] - away * phiHat[1] + crossRangeM * phiHat[0],
    yM: phaseCentre[1] + away * phiHat[0] + crossRangeM * phiHat[1],
  }
}

const energyOf = (image: Float64Array): number => image.reduce((s, x) => s + x * x, 0)

function brightest(image: Float64Array): { at: number; power: number } {
  let at = 0
  let power = -1
  for (let i = 0; i < image.length; i += 2) {
    const p = image[i] * image[i] + image[i + 1] * image[i + 1]
    if (p > power) [at, power] = [i / 2, p]
  }
  return { at, power }
}

/** Least-squares fit of a point to the pixels around number `at`. */
function fit(
  image: Float64Array,
  rangeM: Float64Array,
  crossRangeM: Float64Array,
  at: number,
  spread: PointSpread,
): ScatteringCentre {
  const [rows, cols] = [rangeM.length, crossRangeM.length]
  const [row, col] = [Math.floor(at / cols), at % cols]
  const pixels: number[] = []
  for (let i = Math.max(0, row - 1); i <= Math.min(rows - 1, row + 1); i++)
    for (let l = Math.max(0, col - 1); l <= Math.min(cols - 1, col + 1); l++) pixels.push(i * cols + l)
  const p = new Float64Array(2)
  const projected = { re: 0, im: 0 }
  /** Energy of the pixels explained by a point at (R, c); its amplitude is in `projected`. */
  const explained = (r: number, c: number): number => {
    let [re, im, norm] = [0, 0, 0]
    for (const i of pixels) {
      spread.at(rangeM[Math.floor(i / cols)] - r, crossRangeM[i % cols] - c, p)
      re += p[0] * image[2 * i] + p[1] * image[2 * i + 1]
      im += p[0] * image[2 * i + 1] - p[1] * image[2 * i]
      norm += p[0] * p[0] + p[1] * p[1]
    }
    Object.assign(projected, { re: re / norm, im: im / norm })
    return (re * re + im * im) / norm
  }
  const position = [rangeM[row], crossRangeM[col]]
  spread.aim(position[0], position[1])
  const step = [Math.abs(rangeM[1] - rangeM[0]) / 2, Math.abs(crossRangeM[1] - crossRangeM[0]) / 2]
  let best = explained(position[0], position[1])
  for (let round = 0; round < HALVINGS; round++)
    for (let axis = 0; axis < 2; axis++) {
      const value = (offset: number): number =>
        explained(position[0] + (axis === 0 ? offset : 0), position[1] + (axis === 1 ? offset : 0))
      const h = step[axis]
      const [low, high] = [value(-h), value(h)]
      const curvature = low - 2 * best + high
      const guess =
        curvature < 0 ? Math.max(-h, Math.min(h, (0.5 * h * (low - high)) / curvature)) : low > high ? -h : h
      const there = value(guess)
      if (there > best) {
        best = there
        position[axis] += guess
      }
      step[axis] = h / 2
    }
  explained(position[0], position[1])
  return { rangeM: position[0], crossRangeM: position[1], re: projected.re, im: projected.im }
}

/** Samples of an image in the wavenumber plane, and their window. */
export interface PointSpreadOptions {
  /** Uniform and ascending [Hz]. */
  freqHz: Float64Array
  thetaDeg: number
  /** Uniform [degrees]. */
  phiDeg: Float64Array
  window: WindowName
  /** See `ImageOptions.polarFormat`. */
  polarFormat: boolean
  /** Of an image by backprojection, whose point spread differs from place to place: what it was summed over. The aspects above are not used then. */
  pulses?: PulseGeometry & { weights: Float64Array; plane: Pick<ImagePlane, 'origin' | 'across' | 'along'> }
}

/** Table steps per resolution cell: the error of linear interpolation is then 6e-6 of the peak. */
const FINE = 256

/**
 * The image of a point of amplitude 1, exactly as `formImage` makes it: with the offsets dR, dc of a pixel from the point,
 * delta_n the aspects from the centre and w the windows,
 *
 *   P(dR, dc) = sum_mn w_m w_n exp(2j k_m u_n) / sum_mn w_m w_n,  u_n = cos(delta_n) dR - sin(theta) sin(delta_n) dc
 *
 * for polar-format images (of points in the plane of the phase centre), and for small-angle images the product of
 * exp(2j k_m dR) and exp(-2j k_c sin(theta) delta_n dc) instead (of points that are in focus). For images by backprojection
 * u_n is the gradient of pulse n's range at the place of the point (`aim`) times the offset: exact in the far field, else next to the point. The sum over
 * frequencies is a real even function of u_n times exp(2j k_c u_n), read from a table.
 */
export class PointSpread {
  /** 2 k_c, twice the wavenumber in the middle of the band [rad/m]. */
  private readonly carrier: number
  private readonly table: Float64Array
  private readonly perMetre: number
  /** Period of the table's function, c / (2 df) [m]. */
  private readonly period: number
  /** Per aspect: weight (they sum to 1), and the coefficients of dR and dc in u_n. */
  private readonly weight: Float64Array
  private readonly along: Float64Array
  private readonly across: Float64Array
  /** Whether the sum over frequencies depends on both offsets. */
  private readonly focused: boolean

  constructor(private readonly options: PointSpreadOptions) {
    const { freqHz, thetaDeg, phiDeg, window } = options
    const nf = freqHz.length
    const na = phiDeg.length
    const middleHz = (freqHz[0] + freqHz[nf - 1]) / 2
    this.carrier = (4 * Math.PI * middleHz) / C0
    const df = (freqHz[nf - 1] - freqHz[0]) / (nf - 1)
    this.period = C0 / (2 * df)
    const cell = C0 / (2 * (freqHz[nf - 1] - freqHz[0]))
    const steps = Math.ceil((FINE * this.period) / (2 * cell))
    this.perMetre = steps / (this.period / 2)
    this.table = frequencySum(windowSamples(window, nf), steps)
    this.focused = options.polarFormat || options.pulses !== undefined
    if (options.pulses) {
      const { weights } = options.pulses
      const whole = weights.reduce((s, w) => s + w, 0)
      this.weight = weights.map((w) => w / whole)
      this.along = new Float64Array(weights.length)
      this.across = new Float64Array(weights.length)
      this.aim(0, 0)
      return
    }
    const wa = windowSamples(window, na)
    const sum = wa.reduce((s, w) => s + w, 0)
    this.weight = wa.map((w) => w / sum)
    const sinTheta = Math.sin((thetaDeg * Math.PI) / 180)
    const middle = (phiDeg[0] + phiDeg[na - 1]) / 2
    const delta = phiDeg.map((phi) => ((phi - middle) * Math.PI) / 180)
    this.along = options.polarFormat ? delta.map(Math.cos) : delta.map(() => 1)
    this.across = delta.map((d) => -sinTheta * (options.polarFormat ? Math.sin(d) : d))
  }

  /** Takes the point spread of this place, along the rows' and the columns' axes [m], where it differs from place to place. */
  aim(alongM: number, acrossM: number): void {
    const { pulses } = this.options
    if (!pulses) return
    const { antenna, farField, plane } = pulses
    const at = plane.origin.map((o, c) => o + alongM * plane.along[c] + acrossM * plane.across[c])
    for (let n = 0; n < this.weight.length; n++) {
      const [x, y, z] = at.map((p, c) => antenna[3 * n + c] - (farField ? 0 : p))
      const range = Math.hypot(x, y, z)
      const per = (axis: ArrayLike<number>): number => -(x * axis[0] + y * axis[1] + z * axis[2]) / range
      this.along[n] = per(plane.along)
      this.across[n] = per(plane.across)
    }
  }

  /** Writes P(dR, dc), re and im, to `out` [dimensionless]. */
  at(dR: number, dc: number, out: Float64Array): void {
    this.row(dR, dc, 0, 1, out)
  }

  /** Subtracts a point of amplitude re + j im at (R0, c0) from an image on uniform axes, in place. */
  subtract(
    image: Float64Array,
    rangeM: Float64Array,
    crossRangeM: Float64Array,
    [r0, c0]: readonly [number, number],
    [re, im]: readonly [number, number],
  ): void {
    const cols = crossRangeM.length
    const line = new Float64Array(2 * cols)
    const step = (crossRangeM[cols - 1] - crossRangeM[0]) / (cols - 1)
    for (let i = 0; i < rangeM.length; i++) {
      this.row(rangeM[i] - r0, crossRangeM[0] - c0, step, cols, line)
      const at = 2 * i * cols
      for (let l = 0; l < 2 * cols; l += 2) {
        image[at + l] -= line[l] * re - line[l + 1] * im
        image[at + l + 1] -= line[l] * im + line[l + 1] * re
      }
    }
  }

  /** P at (dR, dc + l step), l = 0 ... count - 1, to `out`. */
  private row(dR: number, dc: number, step: number, count: number, out: Float64Array): void {
    const { weight, along, across, carrier } = this
    out.fill(0, 0, 2 * count)
    // In a small-angle image the sum over frequencies depends on dR alone.
    const fixed = this.focused ? null : this.envelope(dR)
    for (let n = 0; n < weight.length; n++) {
      const u = along[n] * dR + across[n] * dc
      const du = across[n] * step
      let cos = weight[n] * Math.cos(carrier * u)
      let sin = weight[n] * Math.sin(carrier * u)
      const turnCos = Math.cos(carrier * du)
      const turnSin = Math.sin(carrier * du)
      for (let l = 0; l < count; l++) {
        const e = fixed ?? this.envelope(u + l * du)
        out[2 * l] += e * cos
        out[2 * l + 1] += e * sin
        const next = cos * turnCos - sin * turnSin
        sin = sin * turnCos + cos * turnSin
        cos = next
      }
    }
  }

  /** sum_m w_m cos(2 (k_m - k_c) u) / sum w, from the table: even, and (anti)periodic over `period`. */
  private envelope(u: number): number {
    const { table, period, perMetre, options } = this
    const periods = Math.floor(u / period + 0.5)
    const x = Math.abs(u - periods * period) * perMetre
    const at = Math.floor(x)
    const value = table[at] + (x - at) * (table[at + 1] - table[at])
    // An even number of frequencies lies half a step off the carrier.
    return options.freqHz.length % 2 === 0 && periods % 2 !== 0 ? -value : value
  }
}

/** sum_m w_m cos(2 pi (m - (n - 1) / 2) x / 2 / steps) / sum w at x = 0 ... steps + 1. */
function frequencySum(w: Float64Array, steps: number): Float64Array {
  const sum = w.reduce((s, x) => s + x, 0)
  const n = w.length
  return Float64Array.from({ length: steps + 2 }, (_, x) => {
    const angle = (Math.PI * x) / steps
    let value = 0
    for (let m = 0; m < n; m++) value += w[m] * Math.cos(angle * (m - (n - 1) / 2))
    return value / sum
  })
}
